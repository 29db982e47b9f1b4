from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given

import recursor
from recursor.algorithms import dfs
from recursor.algorithms.dfs import DFS
from recursor.graphs.distributions import path
from recursor.graphs.graph import Graph, from_matrix
from recursor.spec import POP, PUSH
from tests.strategies import graphs

GOLDEN = Path(__file__).parents[1] / "golden" / "dfs.npz"


@pytest.mark.parametrize("n", [4, 8, 16, 32])
def test_clrs_view_is_what_clrs_30_records(n: int) -> None:
    with np.load(GOLDEN) as golden:
        for sample, adjacency in enumerate(golden[f"n{n}/input/A"]):
            graph = from_matrix(adjacency, positions=golden[f"n{n}/input/pos"][sample])
            trajectory = recursor.record("dfs", graph, view="clrs")
            assert len(trajectory) == golden[f"n{n}/lengths"][sample] == 3 * n
            for name, values in trajectory.inputs.items():
                np.testing.assert_array_equal(values, golden[f"n{n}/input/{name}"][sample], name)
            assert {f"n{n}/hint/{name}" for name in trajectory.hints} == {k for k in golden if k.startswith(f"n{n}/hint")}
            for name, values in trajectory.hints.items():
                expected = golden[f"n{n}/hint/{name}"][:, sample]
                if expected.ndim > values.ndim:  # CLRS-30 writes categories and one-of-n masks as one-hot vectors
                    expected = expected.argmax(-1)
                np.testing.assert_array_equal(values, expected, name)
            np.testing.assert_array_equal(trajectory.outputs["pi"], golden[f"n{n}/output/pi"][sample])
            collected = recursor.record("dfs", graph, view="local").collect()
            np.testing.assert_array_equal(collected["pi"], golden[f"n{n}/output/pi"][sample])


@given(graphs())
def test_three_rows_a_node(graph: Graph) -> None:
    assert len(DFS.record(graph)) == 3 * len(graph)


@given(graphs())
def test_ops_replay_to_the_callers_of_the_recursion(graph: Graph) -> None:
    """Before its own op, every row finds its caller on top of the stack: s_prev, which a root points at itself."""
    clrs, local = recursor.record("dfs", graph, view="clrs"), recursor.record("dfs", graph, view="local")
    stack: list[int] = []
    for row, (op, u) in enumerate(zip(local.ops, local.hints["u"], strict=True)):
        assert clrs.hints["s_prev"][row, u] == (stack[-1] if stack else u)
        if op == PUSH:
            stack.append(u)
        elif op == POP and stack:
            stack.pop()
        elif op == POP:
            assert u == clrs.hints["s"][row], "only a root's return finds the stack empty"
    assert not stack


@given(graphs())
def test_result_is_networkx_depth_first_search(graph: Graph) -> None:
    network = nx.DiGraph()
    network.add_nodes_from(range(len(graph)))
    network.add_edges_from(zip(graph.senders.tolist(), graph.receivers.tolist(), strict=True))
    expected = np.arange(len(graph))
    for predecessor, node in nx.dfs_edges(network, sort_neighbors=sorted):
        expected[node] = predecessor
    for view in ("local", "local-no-op", "discrete"):
        np.testing.assert_array_equal(recursor.record("dfs", graph, view=view).collect()["pi"], expected)
    np.testing.assert_array_equal(DFS.run(graph)["pi"], expected)


@given(graphs())
def test_a_trajectory_depends_on_the_graph_alone(graph: Graph) -> None:
    again = Graph(graph.senders.copy(), graph.receivers.copy(), graph.positions.copy(), [f"node {i}" for i in graph.names])
    for view in DFS.views:
        one, other = DFS.record(graph).view(view), DFS.record(again).view(view)
        for name in one.hints:
            np.testing.assert_array_equal(one.hints[name], other.hints[name])


@given(graphs())
def test_row_zero_follows_from_the_inputs_alone(graph: Graph) -> None:
    empty = recursor.record("dfs", np.zeros((len(graph), len(graph))), view="clrs")
    trajectory = recursor.record("dfs", graph, view="clrs")
    for name in trajectory.hints:
        np.testing.assert_array_equal(trajectory.hints[name][0], empty.hints[name][0])


@given(graphs())
def test_views_are_selections_of_one_recording(graph: Graph) -> None:
    recording = DFS.record(graph)
    local = recording.view("local").hints
    for view in ("local-no-op", "discrete"):
        hints = recording.view(view).hints
        assert set(hints) < set(local)
        for name, values in hints.items():
            np.testing.assert_array_equal(values, local[name])


def test_lines_point_at_the_statements_that_made_the_rows() -> None:
    source = Path(dfs.__file__).read_text().splitlines()
    trajectory = recursor.record("dfs", path(2), view="local")
    text = [source[line - 1].strip() for line in trajectory.lines]
    last = "f[u], color[u] = now.time, BLACK"
    assert text == ["record.step()", "record.step()", "visit(v)", "record.step()", last, last]


def test_recursion_may_be_as_deep_as_the_graph() -> None:
    deep = path(20_000)
    np.testing.assert_array_equal(DFS.run(deep)["pi"], np.maximum(np.arange(20_000) - 1, 0))
