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


@pytest.mark.parametrize(
    "keys", [[True, False, True], [3.0, 1, 2.5], [10**20, 0.5], [np.float32(0.1), 0.05], np.array([True, False]), [-0.0, 1]]
)
def test_a_persons_own_numbers_are_the_answer(keys: list) -> None:
    answer = recursor.load("quicksort").run(keys).answer
    assert [(type(one), str(one)) for one in answer] == [
        (type(one), str(one)) for one in sorted(list(keys) if isinstance(keys, list) else keys.tolist())
    ]
    least = recursor.load("minimum").run(keys).answer
    assert (type(least), least) == (type(answer[0]), answer[0])


def test_a_bad_input_among_several_is_named() -> None:
    with pytest.raises(recursor.GraphError, match=r"^input 1 \(counted from 0\): the numbers, item 0 .* not 'x'$"):
        recursor.load("quicksort").run_many([[2, 1], ["x"], [3]])


@pytest.mark.parametrize("limit", ["3", 2.5, 0, 2**31])
def test_a_limit_is_a_whole_number(limit: int) -> None:
    with pytest.raises(ValueError, match=r"the limit must be from 1 to 2147483647 rows, not "):
        recursor.load("quicksort").run([2, 1], limit=limit)
    with pytest.raises(ValueError, match=r"the limit must be from 1 to 2147483647 rows, not "):
        recursor.load("quicksort").steps([2, 1], limit=limit)


@pytest.mark.parametrize("lists", [[[1, 2]], [[3, 1], [2, 5], [7, 8]], [(1, 2, 3)]])
def test_several_lists_of_numbers_are_not_one(lists: list) -> None:
    with pytest.raises(recursor.GraphError, match="several lists of numbers are not one; `run_many` takes several"):
        recursor.load("quicksort").run(lists)


def test_an_answer_that_is_none_is_told_from_no_answer() -> None:
    matcher = recursor.load("naive_string_matcher")
    nowhere, stopped = matcher.run(("abcab", "x")), matcher.run(("abcab", "x"), limit=2)
    assert (nowhere.answer, nowhere.no_answer) == (None, "")
    assert (stopped.answer, stopped.no_answer) == (None, "the network did not halt within 2 rows")
