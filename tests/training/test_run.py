"""A run executes one input or several, and says which of the two it was given by mistake."""

import networkx as nx
import numpy as np
import pytest

import recursor


@pytest.mark.parametrize("one", [nx.path_graph(3), recursor.as_graph([[0, 1], [1, 0]]), "maze.txt", 3, {"a": 3}])
def test_what_is_no_list_of_inputs_is_refused(one: object) -> None:
    with pytest.raises(ValueError, match=r"run_many takes a list of graphs, not one of type .*; `run` takes one"):
        recursor.load("bridges").run_many(one)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("numbers", [[3, 1, 2], np.array([3, 1])])
def test_one_list_of_numbers_is_not_several_inputs(numbers: list[int]) -> None:
    with pytest.raises(ValueError, match="run_many takes a list of inputs, not the numbers of one; `run` takes one"):
        recursor.load("quicksort").run_many(numbers)


def test_one_number_is_no_input() -> None:
    with pytest.raises(recursor.GraphError, match="not as an object of type int"):
        recursor.load("quicksort").run(7)


def test_inputs_of_all_kinds_are_executed_together() -> None:
    found = recursor.load("bridges").run_many(graph for graph in [nx.path_graph(3), np.ones((3, 3)), nx.empty_graph(1)])
    assert [execution.answer for execution in found] == [[(0, 1), (1, 2)], [], []]
