"""All inputs of a size are there, each once."""

from collections.abc import Callable
from itertools import islice

import networkx as nx
import pytest

from recursor.graphs import enumeration
from recursor.graphs.conditions import not_acyclic, not_tree, not_undirected
from recursor.graphs.graph import Graph
from recursor.spec import Field


@pytest.mark.parametrize(
    ("enumerate_", "counts"),
    [
        (enumeration.directed, [2, 16, 512, 65536]),
        (lambda n: enumeration.undirected(n, loops=False), [1, 2, 8, 64, 1024]),
        (enumeration.undirected, [2, 8, 64, 1024]),
        (enumeration.acyclic, [1, 3, 25, 543, 29281]),
        (enumeration.keys, [1, 3, 13, 75, 541, 4683]),
        (enumeration.trees, [1, 2, 9, 64, 625]),
        (enumeration.gates, [2, 8, 72, 1024, 20000]),
    ],
)
def test_there_are_as_many_as_there_should_be(enumerate_: Callable, counts: list[int]) -> None:
    for n, count in enumerate(counts, 1):
        found = set()
        for graph in enumerate_(n):
            values = [tuple(column.tolist()) for column in graph.values.values()]
            found.add((*map(tuple, graph.successors), *values) if n < 4 else len(found))
        assert len(found) == count


@pytest.mark.parametrize(
    ("enumerate_", "unfit"),
    [(enumeration.undirected, not_undirected), (enumeration.acyclic, not_acyclic), (enumeration.trees, not_tree)],
)
def test_they_are_those_directed_graphs_that_are_fit(enumerate_: Callable, unfit: Callable[[Graph], str]) -> None:
    expected = {str(graph.successors) for graph in enumeration.directed(3) if not unfit(graph)}
    assert {str(graph.successors) for graph in enumerate_(3)} == expected


def test_they_come_one_after_the_other() -> None:
    assert len(list(islice(enumeration.directed(7), 3))) == 3


def test_inner_gates_combine_and_leaves_are_values() -> None:
    for graph in enumeration.gates(3):
        assert [gate >= 2 for gate in graph.values["gate"]] == [bool(after) for after in graph.successors]


def test_inputs_of_ones_own_algorithm_follow_from_what_it_says() -> None:
    colour = Field("colour", "node", "category", 3)
    function, most = enumeration.default_inputs(("pos", "A", "adj", colour), not_undirected)
    assert sum(1 for _ in function(2)) == 8 * 9
    assert most == 4
    function, most = enumeration.default_inputs(("pos", "A"), lambda graph: "" if nx_connected(graph) else "connected")
    assert (sum(1 for _ in function(2)), most) == (12, 4)


def nx_connected(graph: Graph) -> bool:
    twin = nx.Graph(zip(graph.senders.tolist(), graph.receivers.tolist(), strict=True))
    twin.add_nodes_from(range(len(graph)))
    return nx.is_connected(twin)
