"""Inputs that are searched are inputs, and find what random ones do not show."""

import numpy as np
import pytest

from recursor.algorithms import ALGORITHMS, find
from recursor.graphs.graph import from_edges
from recursor.training.loading import load
from recursor.verification.plan import random_parts
from recursor.verification.search import LARGEST, SMALLEST, TOGETHER, change, search_part, search_parts
from recursor.verification.verify import Verifier, verify_reasoner
from tests.network.networks import use_quick_programs


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    use_quick_programs(monkeypatch)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_changed_inputs_are_inputs_of_the_size_that_was_asked_for(name: str) -> None:
    algorithm, rng = find(name), np.random.default_rng(1)
    changed = [change(algorithm.train(rng, size), 6, algorithm, rng) for size in (5, 6, 7) for _ in range(40)]
    found = [graph for graph in changed if graph is not None]
    assert found
    assert {len(graph) for graph in found} == {6}
    assert not any(algorithm.lacks(graph) for graph in found)


def test_a_changed_input_is_another_one_and_the_given_one_stays_as_it_is() -> None:
    algorithm, rng = find("quickselect"), np.random.default_rng(0)
    graph = algorithm.train(rng, 6)
    before = {name: np.array(values) for name, values in graph.values.items()}
    changed = [change(graph, 6, algorithm, rng) for _ in range(30)]
    assert all(np.array_equal(graph.values[name], values) for name, values in before.items())
    assert any(
        one is not None and any(not np.array_equal(one.values[name], values) for name, values in before.items())
        for one in changed
    )


def test_an_undirected_graph_stays_undirected() -> None:
    algorithm, rng = find("bridges"), np.random.default_rng(2)
    graph = from_edges(np.array([0, 1, 1, 2]), np.array([1, 0, 2, 1]), 3)
    for _ in range(30):
        changed = change(graph, 4, algorithm, rng)
        assert changed is not None
        edges = {*zip(changed.senders.tolist(), changed.receivers.tolist(), strict=True)}
        assert edges == {(b, a) for a, b in edges}


def test_as_many_inputs_are_searched_as_were_asked_for() -> None:
    verifier = Verifier(load("dfs").reasoner)
    assert verifier.by_situation is not None
    verifier.examine(next(random_parts(verifier.algorithm, (5,), 2, 0)))
    lines = len(verifier.growth)
    sizes = []
    for part in search_parts(verifier.algorithm, verifier.by_situation, TOGETHER + 7, 0):
        verifier.examine(part)
        sizes.append((part.nodes, len(part.graphs)))
    assert [count for _, count in sizes] == [TOGETHER, 7]
    assert all(SMALLEST <= nodes <= LARGEST for nodes, _ in sizes)
    assert verifier.searched == TOGETHER + 7
    assert len(verifier.growth) == lines, "growth is that of inputs that were not searched"


def test_the_search_is_that_of_its_seed() -> None:
    algorithm = find("dfs")
    parts = [search_part(algorithm, [], 5, np.random.default_rng(seed), 8).graphs for seed in (1, 1, 2)]
    edges = [[(graph.senders.tolist(), graph.receivers.tolist()) for graph in graphs] for graphs in parts]
    assert edges[0] == edges[1]
    assert edges[0] != edges[2]


def test_the_search_finds_situations_that_the_inputs_before_it_do_not_show() -> None:
    reasoner = load("bridges").reasoner
    counts = [
        sum(verify_reasoner(reasoner, small_size=3, sizes=(5, 6), draws=2, search=search)[0].situations.values())
        for search in (0, 4 * TOGETHER)
    ]
    assert counts[1] > 1.2 * counts[0]


def test_the_report_says_how_many_inputs_were_searched() -> None:
    report, _ = verify_reasoner(load("minimum").reasoner, small_size=2, sizes=(3,), draws=1, search=10)
    assert report.searched == 10
    assert "and 10 that were searched" in report.verdict()
    with pytest.raises(ValueError, match="search must be at least 0"):
        verify_reasoner(load("minimum").reasoner, search=-1)
