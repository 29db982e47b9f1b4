"""The data of a trace page replay to the execution."""

import json

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from recursor.algorithms import find
from recursor.graphs.distributions import TEST
from recursor.graphs.graph import Graph
from recursor.trace.data import have_heads, page_data
from recursor.trace.page import as_script
from recursor.trace.trace import trace
from tests.strategies import graphs
from tests.trace.executions import execution, spec, traced

seeds = st.integers(0, 2**32 - 1)


def stacks(ops: str) -> list[list[int]]:
    stack: list[int] = []
    found = []
    for row, op in enumerate(ops):
        if op == "2":
            stack.append(row)
        elif op == "0" and stack:
            stack.pop()
        found.append(list(stack))
    return found


@settings(max_examples=25)  # each is laid out too
@given(graphs(), seeds, st.integers(0, 5))
def test_the_data_replay_to_the_execution(graph: Graph, seed: int, mistakes: int) -> None:
    done = execution(graph, spoil=np.random.default_rng(seed), mistakes=mistakes)
    data = json.loads(as_script(page_data([trace(done, spec())], "tested")))
    (shown,) = data["traces"]
    assert stacks(shown["ops"]) == [list(stack) for stack in done.stack]
    values = {name: list(field["first"]) for name, field in shown["nodes"].items()}
    for row in range(done.steps):
        for name, field in shown["nodes"].items():
            changes = field["changes"][row - 1] if row else []
            for node, value in zip(changes[::2], changes[1::2], strict=True):
                assert values[name][node] != value, "what does not change is not written"
                values[name][node] = value
            assert values[name] == done.rows[name][row].tolist()
        assert {name: given[row] for name, given in shown["graph"].items()} == {
            name: done.rows[name][row] for name in shown["graph"]
        }


@settings(max_examples=25)  # each is laid out too
@given(graphs(), seeds, st.integers(0, 5))
def test_mistakes_are_the_rows_and_nodes_that_differ_from_the_recorded_ones(graph: Graph, seed: int, mistakes: int) -> None:
    right, spoilt = execution(graph), execution(graph, spoil=np.random.default_rng(seed), mistakes=mistakes)
    (shown,) = page_data([trace(spoilt, spec())], "tested")["traces"]
    expected = [
        row for row in range(right.steps) if any((right.rows[f][row] != spoilt.rows[f][row]).any() for f in right.rows)
    ]
    assert shown["wrong"] == expected
    assert shown["wrongOutputs"]["pi"] == np.flatnonzero(right.outputs["pi"] != spoilt.outputs["pi"]).tolist()


@settings(max_examples=25)
@given(graphs(), seeds, st.integers(0, 5))
def test_a_wrong_answer_and_no_other_names_what_differs(graph: Graph, seed: int, mistakes: int) -> None:
    spoilt = traced(graph, spoil=np.random.default_rng(seed), mistakes=mistakes)
    assert bool(spoilt.correction()) == (not spoilt.right)
    assert spoilt.correction() != f"the right answer: {spoilt.picture.sentence}"


@settings(max_examples=25)  # each is laid out too
@given(graphs(), seeds)
def test_two_traces_first_differ_where_a_value_does(graph: Graph, seed: int) -> None:
    right, spoilt = traced(graph), traced(graph, spoil=np.random.default_rng(seed), mistakes=3)
    assert page_data([right, spoilt], "tested")["difference"] == spoilt.first_mistake


def test_a_trace_does_not_grow_with_rows_times_nodes() -> None:
    small, large = (len(as_script(page_data([traced(TEST(np.random.default_rng(3), nodes))], ""))) for nodes in (48, 192))
    assert large < 5 * small, "four times the nodes, four times the rows"


@pytest.mark.parametrize(
    ("name", "heads"), [("dfs", True), ("circuit", True), ("mst_prim", False), ("activity_selector", False)]
)
def test_edges_have_no_heads_where_a_node_stands_for_an_edge_or_an_interval(name: str, heads: bool) -> None:
    assert have_heads(find(name).spec("discrete")) is heads
