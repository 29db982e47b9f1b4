"""The other recursive algorithms: each answer is CLRS-30's, networkx's or NumPy's, and follows from the rows."""

from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from recursor.algorithms import ALGORITHMS, find
from recursor.algorithms.circuit import AND, OR, TRUE
from recursor.graphs.distributions import gates, path
from recursor.graphs.graph import Graph, even, from_matrix
from recursor.recording.algorithm import Algorithm
from recursor.spec import POP, PUSH
from tests.strategies import graphs

GOLDEN = Path(__file__).parents[1] / "golden"
FAMILY = [algorithm for algorithm in ALGORITHMS.values() if algorithm.name != "dfs"]
seeds = st.integers(0, 2**32 - 1)


def samples(name: str, n: int) -> list[tuple[Graph, dict[str, np.ndarray]]]:
    """Inputs and outputs that CLRS-30 recorded."""
    with np.load(GOLDEN / f"{name}.npz") as golden:
        found = {key.removeprefix(f"n{n}/"): golden[key] for key in golden if key.startswith(f"n{n}/")}
    drawn = []
    for index, positions in enumerate(found["input/pos"]):
        if "input/A" in found:
            graph = from_matrix(found["input/A"][index], positions=positions)
        else:
            graph = keyed(found["input/key"][index])
        outputs = {key: found[key][index] for key in found if key.startswith("output/")}
        drawn.append((graph, {key.removeprefix("output/"): value for key, value in outputs.items()}))
    return drawn


def keyed(keys: np.ndarray) -> Graph:
    none = np.zeros(0, np.int32)
    return Graph(none, none, even(len(keys)), range(len(keys)), {"key": keys})


def undirected(graph: Graph) -> Graph:
    matrix = np.zeros((len(graph), len(graph)), bool)
    matrix[graph.senders, graph.receivers] = True
    return from_matrix(matrix | matrix.T)


def as_networkx(graph: Graph, kind: type = nx.DiGraph) -> Any:
    other = kind()
    other.add_nodes_from(range(len(graph)))
    other.add_edges_from((a, b) for a, b in zip(graph.senders.tolist(), graph.receivers.tolist(), strict=True) if a != b)
    return other


def components(ids: np.ndarray) -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(ids == one).tolist()) for one in ids}


@pytest.mark.parametrize("n", [4, 8, 16, 32])
@pytest.mark.parametrize("name", ["strongly_connected_components", "articulation_points", "quicksort"])
def test_answers_are_those_of_clrs_30(name: str, n: int) -> None:
    for graph, expected in samples(name, n):
        outputs = find(name).run(graph)
        for output, values in expected.items():
            np.testing.assert_array_equal(outputs[output], values)


@pytest.mark.parametrize("n", [4, 8, 16, 32])
def test_topological_order_is_that_of_clrs_30(n: int) -> None:
    for graph, expected in samples("topological_sort", n):
        outputs = find("topological_sort").run(graph)
        np.testing.assert_array_equal(outputs["topo"], expected["topo"])
        assert outputs["topo_head"] == expected["topo_head"].argmax()


@pytest.mark.parametrize("n", [4, 8, 16, 32])
def test_bridges_are_those_of_clrs_30(n: int) -> None:
    for graph, expected in samples("bridges", n):
        outputs = find("bridges").run(graph)
        found = np.zeros((n, n), int)
        lower = np.flatnonzero(outputs["bridge"])
        found[lower, outputs["pi"][lower]] = found[outputs["pi"][lower], lower] = 1
        np.testing.assert_array_equal(found, expected["is_bridge"] == 1)


@given(graphs())
def test_both_ways_to_strong_components_agree_with_networkx(graph: Graph) -> None:
    expected = set(map(frozenset, nx.strongly_connected_components(as_networkx(graph))))
    for name in ("strongly_connected_components", "tarjan"):
        assert components(find(name).run(graph)["scc_id"]) == expected


@given(graphs())
def test_what_holds_a_graph_together_is_what_networkx_finds(graph: Graph) -> None:
    graph = undirected(graph)
    other = as_networkx(graph, nx.Graph)
    cut = find("articulation_points").run(graph)["is_cut"]
    assert set(np.flatnonzero(cut).tolist()) == set(nx.articulation_points(other))
    outputs = find("bridges").run(graph)
    found = {frozenset((node, int(outputs["pi"][node]))) for node in np.flatnonzero(outputs["bridge"]).tolist()}
    assert found == set(map(frozenset, nx.bridges(other)))


@given(graphs(), seeds)
def test_an_order_has_every_edge_forwards(graph: Graph, seed: int) -> None:
    order = np.random.default_rng(seed).permutation(len(graph))
    forwards = order[graph.senders] < order[graph.receivers]
    matrix = np.zeros((len(graph), len(graph)), bool)
    matrix[graph.senders[forwards], graph.receivers[forwards]] = True
    graph = from_matrix(matrix)
    outputs = find("topological_sort").run(graph)
    node, places = int(outputs["topo_head"]), {}
    while node not in places:
        places[node] = len(places)
        node = int(outputs["topo"][node])
    assert len(places) == len(graph)
    assert all(places[a] < places[b] for a, b in zip(graph.senders.tolist(), graph.receivers.tolist(), strict=True))


@pytest.mark.parametrize("name", ["quicksort", "merge_sort"])
@given(keys=hnp.arrays(np.float32, st.integers(1, 12), elements=st.floats(-4, 4, width=16)))
def test_keys_come_out_in_numpys_stable_order(name: str, keys: np.ndarray) -> None:
    pred = find(name).run(keyed(keys))["pred"]
    order = np.argsort(keys, kind="stable")
    assert pred[order[0]] == order[0]
    assert pred[order[1:]].tolist() == order[:-1].tolist()


@given(st.integers(1, 20), seeds)
def test_a_gate_is_all_or_any_of_its_children(n: int, seed: int) -> None:
    graph = gates(np.random.default_rng(seed), n)
    values = find("circuit").run(graph)["value"]
    for node, children in enumerate(graph.successors):
        gate = graph.values["gate"][node]
        if gate in (AND, OR):
            assert values[node] == (all if gate == AND else any)(values[children])
        else:
            assert values[node] == (gate == TRUE)


@pytest.mark.parametrize("algorithm", FAMILY, ids=lambda algorithm: algorithm.name)
@given(n=st.integers(1, 12), seed=seeds)
def test_the_answer_is_collected_from_the_rows(algorithm: Algorithm, n: int, seed: int) -> None:
    recording = algorithm.record(algorithm.train(np.random.default_rng(seed), n))
    for view in algorithm.views:
        collected = recording.view(view).collect()
        for field in algorithm.outputs:
            np.testing.assert_array_equal(collected[field.name], recording.outputs[field.name])


@pytest.mark.parametrize("algorithm", FAMILY, ids=lambda algorithm: algorithm.name)
@given(n=st.integers(1, 12), seed=seeds)
def test_a_pop_brings_back_what_the_push_showed(algorithm: Algorithm, n: int, seed: int) -> None:
    """Every variable of the caller is what it was when it called."""
    trajectory = algorithm.record(algorithm.train(np.random.default_rng(seed), n)).view("discrete")
    stack: list[int] = []
    for row, op in enumerate(trajectory.ops):
        if op == PUSH:
            stack.append(row)
        elif op == POP and stack:
            pushed = stack.pop()
            for name in trajectory.spec.frame:
                np.testing.assert_array_equal(trajectory.hints[name][row], trajectory.hints[name][pushed])
    assert not stack


@pytest.mark.parametrize("algorithm", FAMILY, ids=lambda algorithm: algorithm.name)
def test_executions_are_well_within_the_step_limit(algorithm: Algorithm) -> None:
    rng = np.random.default_rng(0)
    assert all(2 * len(algorithm.record(algorithm.train(rng, n))) <= algorithm.most_rows(n) + 100 for n in (1, 2, 7, 30, 90))


def test_a_deep_recursion_has_room() -> None:
    assert find("tarjan").run(path(3000))["scc_id"].tolist() == list(range(3000))
