import inspect
from dataclasses import replace
from typing import Literal

import numpy as np
import pytest

from recursor.graphs.distributions import path
from recursor.graphs.graph import Graph
from recursor.recording.algorithm import Algorithm
from recursor.recording.recorder import Recorder
from recursor.recording.rows import Rows
from recursor.spec import NOOP, POP, PUSH, Collect, Field, Stamp


def counted(function, *, views=None) -> Algorithm:
    """An algorithm with a shared mark and one variable a call."""
    return Algorithm(
        name="count",
        function=function,
        inputs=("pos",),
        shared=(Field("mark", "node", "mask"), Field("total", "graph", "scalar")),
        call=(Field("k", "graph", "pointer"),),
        pop_shows="callee",
        outputs=(Field("mark_out", "node", "mask"),),
        collect=(),
        views=views or {"all": ("mark", "k", "total", "stack_op", "done")},
    )


def down(graph: Graph, record: Recorder) -> dict:
    (mark,) = record.nodes(mark=[0] * len(graph))
    shared = record.graph(total=0.0)

    @record.recursive
    def visit(call, k):
        call.k = k
        mark[k] = 1
        shared.total += 0.5
        record.step()
        return k + visit(k - 1) if k else 0

    assert visit(len(graph) - 1) == sum(range(len(graph))), "a recorded call returns what it would have returned"
    return {"mark_out": mark}


def test_entering_pushes_returning_pops_and_a_step_does_neither() -> None:
    trajectory = counted(down).record(path(3)).view("all")
    assert trajectory.ops.tolist() == [NOOP, PUSH, NOOP, PUSH, NOOP, POP, POP, POP]
    assert trajectory.hints["k"].tolist() == [2, 2, 1, 1, 0, 0, 1, 2]
    assert trajectory.hints["total"].tolist() == [0.5, 0.5, 1.0, 1.0, 1.5, 1.5, 1.5, 1.5]
    assert trajectory.hints["done"].tolist() == [0, 0, 0, 0, 0, 0, 0, 1]
    assert trajectory.hints["mark"][:3].tolist() == [[0, 0, 1], [0, 0, 1], [0, 1, 1]]


def test_a_pop_shows_the_caller_again_and_what_was_returned() -> None:
    algorithm = replace(
        counted(down),
        call=(Field("k", "graph", "pointer", null=True),),
        returns=(Field("sum", "graph", "category", 8),),
        pop_shows="caller",
        views={"all": ("k", "sum")},
    )
    trajectory = algorithm.record(path(4)).view("all")
    assert trajectory.ops.tolist() == [NOOP, PUSH, NOOP, PUSH, NOOP, PUSH, NOOP, POP, POP, POP, POP]
    assert trajectory.hints["k"].tolist() == [3, 3, 2, 2, 1, 1, 0, 1, 2, 3, -1]
    assert trajectory.hints["sum"].tolist() == [*[0] * 7, 0, 1, 3, 6]
    assert trajectory.spec.frame == ("k",), "what was returned is no variable of the call"


def halves(graph: Graph, record: Recorder) -> dict:
    (mark,) = record.nodes(mark=[0] * len(graph))
    record.graph(total=0.0)

    @record.recursive
    def visit(call, nodes):
        call.own = [int(node in nodes) for node in range(len(graph))]
        call.k = nodes[0]
        mark[nodes[0]] = 1
        record.step()
        if len(nodes) > 1:
            visit(nodes[: len(nodes) // 2])
            visit(nodes[len(nodes) // 2 :])

    record.step()
    visit(range(len(graph)))
    return {"mark_out": mark}


def with_sets(function) -> Algorithm:
    call = (Field("own", "node", "mask"), Field("k", "graph", "pointer", null=True))
    return replace(counted(function), call=call, pop_shows="caller", views={"all": ("own", "k", "mark")})


def test_a_variable_of_a_call_can_have_a_value_for_every_node() -> None:
    algorithm = with_sets(halves)
    alone = [algorithm.record(path(n)) for n in (3, 1)]
    trajectory = alone[0].view("all")
    assert trajectory.ops.tolist() == [NOOP, NOOP, PUSH, NOOP, POP, PUSH, NOOP, PUSH, NOOP, POP, PUSH, NOOP, POP, POP, POP]
    sets = ["000", "111", "111", "100", "111", "111", "011", "011", "010", "011", "011", "001", "011", "111", "000"]
    assert ["".join(map(str, row)) for row in trajectory.hints["own"].tolist()] == sets
    assert trajectory.hints["mark"][-1].tolist() == [1, 1, 1], "beside it the shared state is as it was"
    assert trajectory.spec.frame == ("own", "k")
    both = Rows(alone)["own"]
    assert both[1].tolist()[:4] == [[0, 0, 0], [1, 0, 0], [0, 0, 0], [0, 0, 0]]


def test_such_a_variable_needs_a_value_for_every_node() -> None:
    def short(graph: Graph, record: Recorder) -> dict:
        record.nodes(mark=[0] * len(graph))
        record.graph(total=0.0)
        record.outermost.own = [1]
        record.step()
        return {}

    with pytest.raises(ValueError, match="a value for each of 2 nodes is needed, not 1"):
        with_sets(short).record(path(2))
    with pytest.raises(ValueError, match=r"a call's variables are graph fields, .* not a node pointer"):
        replace(counted(down), call=(Field("k", "node", "pointer"),))


def test_what_is_returned_is_what_was_declared() -> None:
    algorithm = replace(
        counted(down),
        call=(Field("k", "graph", "pointer", null=True),),
        returns=(Field("sum", "graph", "category", 8), Field("rest", "graph", "category", 8)),
        pop_shows="caller",
    )
    with pytest.raises(ValueError, match="every call must return sum, rest, not 0"):
        algorithm.record(path(2))
    with pytest.raises(ValueError, match="so its pop_shows must be 'caller'"):
        replace(algorithm, pop_shows="callee")


def test_an_output_is_right_or_wrong() -> None:
    with pytest.raises(ValueError, match="so it cannot be a scalar"):
        replace(counted(down), outputs=(Field("mark_out", "node", "scalar"),))


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        (Field("x", "graph", "pointer"), 5, "row 1 shows x = 5, but a pointer must be from 0 to 1 here"),
        (Field("x", "graph", "pointer"), -1, "row 1 shows x = -1, but a pointer must be from 0 to 1 here"),
        (Field("x", "graph", "pointer", null=True), -2, "row 1 shows x = -2, but a pointer must be from -1 to 1 here"),
        (Field("x", "graph", "mask"), 2, "row 1 shows x = 2, but a mask must be from 0 to 1 here"),
        (Field("x", "graph", "category", 3), 3, "row 1 shows x = 3, but a category must be from 0 to 2 here"),
    ],
)
def test_a_value_that_its_field_cannot_have_is_refused(field: Field, value: int, message: str) -> None:
    def function(graph: Graph, record: Recorder) -> dict:
        (mark,) = record.nodes(mark=[0] * len(graph))
        record.graph(total=0.0)
        record.outermost.x = 0
        record.step()
        record.outermost.x = value
        record.step()
        return {"mark_out": mark}

    algorithm = replace(counted(function), call=(field,), views={"all": ("x",)})
    with pytest.raises(ValueError, match=message):
        algorithm.record(path(2)).view("all")


def test_where_a_pointer_names_nothing_a_field_is_zero_however_it_is_padded() -> None:
    derived = Field("own_mark", "graph", "mask")
    algorithm = replace(
        counted(down),
        call=(Field("k", "graph", "pointer", null=True),),
        pop_shows="caller",
        derived={derived: lambda rows: rows.at("mark", "k")},
        views={"all": ("k", "own_mark")},
    )
    recording = algorithm.record(path(3))
    for nodes in (3, 6):
        rows = Rows([recording], nodes=nodes)
        assert rows["own_mark"][0].tolist() == (rows["k"][0] >= 0).astype(int).tolist()


def test_a_node_is_stamped_by_the_first_row_that_names_it() -> None:
    stamp = Field("when", "node", "stamp")
    algorithm = replace(counted(down), stamps=(Stamp(stamp, at="k"),), views={"all": ("k", "when")})
    recordings = [algorithm.record(path(n)) for n in (3, 1)]
    rows = Rows(recordings)["when"]
    assert rows[0].tolist() == [[0, 0, 1], [0, 0, 1], *[[0, 3, 1]] * 2, *[[5, 3, 1]] * 4]
    assert rows[1][:3].tolist() == [[1, 0, 0], [1, 0, 0], [0, 0, 0]], "one node, two rows, and then padding"


def test_executions_laid_out_together_are_those_laid_out_alone() -> None:
    recordings = [counted(down).record(path(n)) for n in (1, 4, 2)]
    together = Rows(recordings, length=16, nodes=8)
    for place, recording in enumerate(recordings):
        alone = Rows([recording])
        for name in ("mark", "k", "total", "stack_op", "done"):
            shape = alone[name][0].shape
            padded = together[name][place]
            np.testing.assert_array_equal(padded[tuple(map(slice, shape))], alone[name][0])
            assert np.count_nonzero(padded) == np.count_nonzero(alone[name][0]), "padding is zero"


def test_adding_a_view_is_one_line() -> None:
    algorithm = counted(down, views={"all": ("mark", "k"), "only k": ("k",)})
    assert set(algorithm.record(path(2)).view("only k").hints) == {"k"}


def test_a_view_of_a_field_that_is_not_recorded_is_refused() -> None:
    with pytest.raises(ValueError, match=r"view 'all' of 'count' shows 'lost', which is not one of mark, total, k"):
        counted(down, views={"all": ("lost",)})


def test_a_variable_without_a_value_is_named() -> None:
    def forgets(graph: Graph, record: Recorder) -> dict:
        record.nodes(mark=[0] * len(graph))
        record.graph(total=0.0)
        record.step()
        return {}

    with pytest.raises(ValueError, match=r"line \d+: every row shows .* but one has no value yet .*k"):
        counted(forgets).record(path(2))


def test_shared_state_must_be_what_is_declared() -> None:
    with pytest.raises(ValueError, match="declares the shared fields mark, but initialises other"):
        counted(lambda graph, record: record.nodes(other=[0])).record(path(1))
    with pytest.raises(ValueError, match="'mark' needs 2 values, one per node, not 3"):
        counted(lambda graph, record: record.nodes(mark=[0] * 3)).record(path(2))


def test_an_algorithm_that_records_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="recorded no row"):
        counted(lambda graph, record: {}).record(path(2))


def test_errors_of_a_deep_recursion_arrive() -> None:
    def fails(graph: Graph, record: Recorder) -> dict:
        raise ZeroDivisionError("of the algorithm")

    with pytest.raises(ZeroDivisionError, match="of the algorithm"):
        counted(fails).record(path(5000))


def loop(graph: Graph, record: Recorder) -> dict:
    (mark,) = record.nodes(mark=[0] * len(graph))
    shared = record.graph(total=0.0)

    @record.recursive
    def forwards(call, k):
        call.k = k
        mark[k] = 1
        record.step()
        return record.tail(forwards, k + 1) if k + 1 < len(graph) else record.tail(backwards, k)

    @record.recursive
    def backwards(call, k):
        call.k = k
        shared.total += 1
        record.step()
        return record.tail(backwards, k - 1) if k else 7

    assert forwards(0) == 7, "a tail call returns to the caller of the call that it replaces"
    return {"mark_out": mark}


@pytest.mark.parametrize("pop_shows", ["caller", "callee"])
def test_a_tail_call_needs_no_frame(pop_shows: Literal["caller", "callee"]) -> None:
    algorithm = replace(counted(loop), pop_shows=pop_shows, call=(Field("k", "graph", "pointer", null=True),))
    trajectory = algorithm.record(path(3)).view("all")
    assert trajectory.ops.tolist() == [NOOP] * 6 + [POP]
    assert trajectory.hints["k"].tolist() == [0, 1, 2, 2, 1, 0, 0 if pop_shows == "callee" else -1]


def test_a_tail_call_inside_a_recursion_leaves_the_callers_frame_alone() -> None:
    def nested(graph: Graph, record: Recorder) -> dict:
        (mark,) = record.nodes(mark=[0] * len(graph))
        record.graph(total=0.0)

        @record.recursive
        def outer(call, k):
            call.k = k
            record.step()
            inner(0)
            record.step()

        @record.recursive
        def inner(call, k):
            call.k = k
            record.step()
            return record.tail(inner, k + 1) if k < 2 else None

        outer(2)
        return {"mark_out": mark}

    algorithm = replace(counted(nested), pop_shows="caller", call=(Field("k", "graph", "pointer", null=True),))
    trajectory = algorithm.record(path(3)).view("all")
    assert trajectory.ops.tolist() == [NOOP, PUSH, NOOP, NOOP, NOOP, POP, NOOP, POP]
    assert trajectory.hints["k"].tolist() == [2, 2, 0, 1, 2, 2, 2, -1]


def test_a_loop_of_a_hundred_thousand_tail_calls_needs_no_deeper_stack() -> None:
    recorder = Recorder(counted(loop), 3, most=0)
    depths = set()

    @recorder.recursive
    def count(call, k):
        depths.add(len(inspect.stack(0)) if k % 10_000 == 0 else max(depths))
        return recorder.tail(count, k - 1) if k else "done"

    assert count(100_000) == "done"
    assert len(depths) == 1


def test_a_tail_call_of_a_function_that_is_not_recorded_is_refused() -> None:
    with pytest.raises(ValueError, match=r"record\.tail needs a @record\.recursive function"):
        Recorder(counted(loop), 3).tail(print, 1)


def test_nodes_that_a_pointer_named_are_collected_as_a_set() -> None:
    rule = Collect("mark_out", at="k")
    algorithm = replace(with_sets(halves), outputs=(Field("mark_out", "node", "mask"),), collect=(rule,))
    assert rule.describe() == "mark_out[k] ← 1"
    assert not replace(algorithm, views={"all": ("own",)}).spec("all").collect, "a view that does not show the pointer"
    for nodes in (1, 2, 5):
        trajectory = algorithm.record(path(nodes)).view("all")
        named = {node for node in trajectory.hints["k"].tolist() if node >= 0}
        assert trajectory.collect()["mark_out"].tolist() == [int(node in named) for node in range(nodes)]


@pytest.mark.parametrize(("at", "kind", "words"), [(None, "mask", "it needs `at`"), ("k", "pointer", "not a node pointer")])
def test_a_set_is_collected_by_a_pointer_into_a_mask(at: str | None, kind: Literal["mask", "pointer"], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        replace(counted(down), outputs=(Field("mark_out", "node", kind),), collect=(Collect("mark_out", at=at),))
