"""The line of a row that was never recorded."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recursor.algorithms import ALGORITHMS, find
from recursor.graphs.distributions import grid
from recursor.graphs.graph import Graph
from recursor.spec import OPS, POP, PUSH
from recursor.trace.lines import lines_of
from recursor.trace.source import source_of
from recursor.trace.trace import recorded
from tests.strategies import graphs
from tests.trace.executions import spec, traced


@given(graphs())
def test_recorded_rows_keep_their_lines(graph: Graph) -> None:
    assert traced(graph).lines.tolist() == recorded(spec(), graph).lines.tolist()


@given(graphs())
def test_rows_of_one_graph_find_their_lines_in_the_recording_of_another(graph: Graph) -> None:
    """As if none of them was the recorded one: what a row looks like is enough to know its line."""
    truth, other = recorded(spec(), graph), recorded(spec(), grid(9))
    found = lines_of(spec(), truth.rows, other.rows, other.lines, np.zeros(len(truth), bool))
    assert found.tolist() == truth.lines.tolist()


@given(graphs(), st.integers(0, 2**32 - 1))
def test_a_push_is_where_the_algorithm_calls_and_a_pop_where_it_returns(graph: Graph, seed: int) -> None:
    trace = traced(graph, spoil=np.random.default_rng(seed), mistakes=4)
    lines, source = {"push": "visit(v)", "pop": "f[u], color[u]", "noop": "record.step()"}, source_of(find("dfs"))
    for row, line in enumerate(trace.lines):
        if line:  # a push in a graph without one finds nothing recorded
            assert lines[OPS[trace.ops[row]]] in source.lines[line - source.first]


@pytest.mark.parametrize("name", ALGORITHMS)
def test_no_line_that_speaks_to_the_recorder_is_marked(name: str) -> None:
    algorithm = find(name)
    trace, source = recorded(algorithm.spec(algorithm.exact_view), algorithm.example_graph()), source_of(algorithm)
    for line in trace.lines.tolist():
        marked = source.marked(line)
        assert not source.lines[marked - source.first].strip().startswith(("record.step", "@record", "def "))
        assert source.call(marked) == source.call(line), "it is in the same function"


@pytest.mark.parametrize("name", ALGORITHMS)
def test_the_running_call_is_the_one_that_takes_the_next_step(name: str) -> None:
    algorithm = find(name)
    trace = recorded(algorithm.spec(algorithm.exact_view), algorithm.example_graph())
    source = source_of(algorithm)
    for row in range(len(trace) - 1):
        if "call" not in source.call(int(trace.lines[row + 1]))[1]:
            continue  # a step inside a function that is not recursive
        # A pop shows the caller again, and the outermost call is entered without a push.
        if trace.ops[row + 1] != POP and (
            trace.ops[row] == PUSH or (trace.ops[row] == POP and row and trace.stack[row - 1])
        ):
            assert trace.running(row) == trace.call(row + 1)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_a_push_names_the_call_that_begins(name: str) -> None:
    algorithm = find(name)
    trace = recorded(algorithm.spec(algorithm.exact_view), algorithm.example_graph())
    for row in range(len(trace)):
        if trace.ops[row] == PUSH:
            assert trace.happening(row) == f"{trace.call(row)} calls {trace.running(row)}"


def test_a_merge_sort_is_named_by_its_elements_all_the_way() -> None:
    algorithm = find("merge_sort")
    trace = recorded(algorithm.spec("discrete"), algorithm.example_graph())
    assert trace.running(1) == "sort({5, 2, 8, 1, 9, 3, 7, 4})"
    for row in range(1, len(trace)):
        if trace.ops[row] not in (PUSH, POP) and trace.ops[row - 1] not in (PUSH, POP) and row > 1:
            assert trace.call(row) == trace.call(row - 1), "while a call goes on, it has the same elements"
    pushes = [trace.happening(row) for row in range(len(trace)) if trace.ops[row] == PUSH]
    assert pushes[0] == "sort({5, 2, 8, 1, 9, 3, 7, 4}) calls sort({5, 2, 8, 1})"


def test_a_call_is_named_by_its_function_and_parameters() -> None:
    trace = recorded(spec(), grid(4))
    assert trace.call(0) == "dfs", "a root is found outside of all calls"
    assert trace.call(1) == "visit(0)"
    assert trace.happening(2) == "visit(0) calls visit(1)"
    pops = [row for row in range(len(trace)) if OPS[trace.ops[row]] == "pop"]
    assert [trace.happening(row) for row in pops[::3]] == ["visit(2) returns to visit(3)", "visit(0) returns"]
