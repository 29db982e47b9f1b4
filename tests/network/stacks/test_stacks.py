from collections.abc import Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from recursor.algorithms.dfs import DFS
from recursor.graphs.graph import Graph
from recursor.network.encode import Values
from recursor.network.linear import plain
from recursor.network.stacks.call_stack import CallStack, CopyingStack, PushContext
from recursor.network.stacks.choice import ChoiceStack
from recursor.network.stacks.fields import FieldsStack
from recursor.network.stacks.graph import GraphStack
from recursor.network.stacks.node import NodeStack
from recursor.network.values import choices, from_truth
from recursor.recording.rows import Rows
from recursor.spec import NOOP, POP, PUSH, Field, Spec
from tests.network.networks import drawn, quickly_compiled, small
from tests.strategies import graphs

NODES, SLOTS, ROWS = 7, 4, 12
DISCRETE = DFS.spec("discrete")
INDICES = (Field("a", "graph", "pointer"), Field("b", "graph", "pointer"), Field("kind", "graph", "category", 3))
NUMBERS = (Field("seen", "graph", "mask"), Field("time", "graph", "scalar"))
OF_NODES = (Field("active", "node", "mask"), Field("a", "graph", "pointer"), Field("half", "node", "category", 3))


def spec_of(*fields: Field) -> Spec:
    """All of them are a call's own variables but the colours."""
    others = (Field("color", "node", "category", 3), Field("root", "graph", "pointer"))
    return Spec("some", "all", (), (*others, *fields), (), (), tuple(field.name for field in fields))


def fields_stack(spec: Spec) -> FieldsStack:
    return FieldsStack(spec, small(stack="fields"), key=jax.random.key(0))


INDEX_FRAMES, NUMBER_FRAMES, NODE_FRAMES = (fields_stack(spec_of(*fields)) for fields in (INDICES, NUMBERS, OF_NODES))
CHOICES = drawn(ChoiceStack, spec_of(*INDICES), small(stack="choice", frame_width=SLOTS))


def values(field: Field) -> st.SearchStrategy[Any]:
    """Any value as it is recorded, and sometimes nothing: None."""
    if field.place == "node":
        return st.none() | st.lists(st.integers(0, max(2, field.categories) - 1), min_size=NODES, max_size=NODES)
    if field.kind == "scalar":
        return st.floats(-1e3, 1e3, width=32)
    return st.none() | st.integers(0, (2 if field.kind == "mask" else choices(field, NODES)) - 1)


def value(field: Field, recorded: float | Sequence[float] | None) -> jax.Array:
    """The same as the network holds it."""
    if recorded is None:
        return jnp.zeros_like(value(field, [0] * NODES if field.place == "node" else 0))
    return from_truth(field, jnp.asarray(recorded), NODES)


def field_frames(*fields: Field) -> st.SearchStrategy[Values]:
    return st.fixed_dictionaries({field.name: values(field).map(lambda drawn, f=field: value(f, drawn)) for field in fields})


def slots(drawn: list[int | None]) -> jax.Array:
    return jnp.stack([value(INDICES[0], pointer) for pointer in drawn], -1)


choice_frames = st.lists(values(INDICES[0]), min_size=SLOTS, max_size=SLOTS).map(slots)


def same(one: Any, other: Any) -> bool:
    return jax.tree.all(jax.tree.map(np.array_equal, one, other))


pack = quickly_compiled(lambda frames, frame: frames.pack(frame))
unpack = quickly_compiled(lambda frames, packed: frames.unpack(packed, NODES))
copied = quickly_compiled(lambda frames, row, next_row: frames.copy(row, next_row, jnp.ones(NODES, bool)))


# On the stack and back


@pytest.mark.parametrize(
    ("frames", "drawn_frames"),
    [
        pytest.param(INDEX_FRAMES, field_frames(*INDICES), id="pointers and categories"),
        pytest.param(NUMBER_FRAMES, field_frames(*NUMBERS), id="numbers"),
        pytest.param(NODE_FRAMES, field_frames(*OF_NODES), id="values of every node"),
        pytest.param(CHOICES, choice_frames, id="choice"),
    ],
)
@given(data=st.data())
@settings(max_examples=30)
def test_what_is_packed_can_be_unpacked(frames: CallStack, drawn_frames: st.SearchStrategy, data: st.DataObject) -> None:
    frame = data.draw(drawn_frames)
    packed = pack(frames, frame)
    assert packed.shape == frames.packed_shape(NODES)
    assert same(unpack(frames, packed), frame)
    assert packed.any() == any(leaf.any() for leaf in jax.tree.leaves(frame)), "what is all zero is no frame"


@pytest.mark.parametrize("frames", [INDEX_FRAMES, NUMBER_FRAMES, CHOICES], ids=["indices", "numbers", "choice"])
def test_what_is_all_zero_is_no_frame(frames: CallStack) -> None:
    nothing = unpack(frames, jnp.zeros(frames.packed_shape(NODES)))
    assert not any(leaf.any() for leaf in jax.tree.leaves(nothing))


def test_the_last_node_of_a_large_graph_is_packed_as_exactly_as_the_first() -> None:
    n = 100_003
    pointer = np.zeros((n, 3), np.float32)
    pointer[[0, n // 2, n - 1], [0, 1, 2]] = 1
    packed = CHOICES.pack(jnp.asarray(pointer))
    assert packed.tolist() == [1, n // 2 + 1, n]
    np.testing.assert_array_equal(CHOICES.unpack(packed, n), pointer)


ops = st.lists(st.sampled_from([POP, NOOP, PUSH]), max_size=ROWS)


@pytest.mark.parametrize(
    ("frames", "drawn_frames"),
    [(INDEX_FRAMES, field_frames(*INDICES)), (NODE_FRAMES, field_frames(*OF_NODES)), (CHOICES, choice_frames)],
    ids=["fields", "fields of nodes", "choice"],
)
@given(ops=ops, data=st.data())
@settings(max_examples=15)
def test_a_stack_of_packed_frames_is_a_list_of_frames(
    frames: CallStack, drawn_frames: st.SearchStrategy, ops: list[int], data: st.DataObject
) -> None:
    state, expected = frames.init(NODES, ROWS), []
    nothing = frames.empty(NODES)
    for op in ops:
        frame = data.draw(drawn_frames)
        state = frames.step(state, jnp.asarray(op), frame)
        expected = [*expected, frame] if op == PUSH else expected[:-1] if op == POP else expected
        assert same(frames.top(state, NODES), expected[-1] if expected else nothing)


# What is in a frame


@given(graphs(max_nodes=NODES))
@settings(max_examples=20)
def test_a_frame_of_fields_is_the_callers_variables_in_the_row_that_pushes(graph: Graph) -> None:
    frames, rows = fields_stack(DISCRETE), Rows([DFS.record(graph)], nodes=NODES)
    own = [field for field in DISCRETE.hints if field.name in ("u", "u_pi", "u_v")]
    assert list(frames.fields) == own
    for t in np.flatnonzero(rows.ops[0] == PUSH):
        row, next_row = (
            {field.name: from_truth(field, jnp.asarray(rows[field.name][0, at]), NODES) for field in DISCRETE.hints}
            for at in (t - 1, t)
        )
        frame = copied(frames, row, next_row)
        assert {name: int(values.argmax()) for name, values in frame.items()} == {f.name: rows[f.name][0, t] for f in own}
        assert pack(frames, frame).tolist() == [rows[field.name][0, t] + 1 for field in own]


def soft(seed: int, fields: tuple[Field, ...]) -> Values:
    """A row of probabilities, as a network predicts them."""
    rng = np.random.default_rng(seed)
    shapes = {field.name: () if field.kind in ("scalar", "mask") else (choices(field, NODES),) for field in fields}
    draws = {name: rng.random(shape).astype(np.float32) for name, shape in shapes.items()}
    return {name: jnp.asarray(values / values.sum() if values.shape else values) for name, values in draws.items()}


def hard(field: Field, probabilities: jax.Array) -> np.ndarray:
    """The likeliest value alone."""
    if field.kind == "scalar":
        return np.asarray(probabilities)
    if field.kind == "mask":
        return np.asarray(probabilities > 0.5, np.float32)
    return np.asarray(probabilities == probabilities.max(), np.float32)


seeds = st.integers(0, 2**32 - 1)


@given(seeds)
@settings(max_examples=20)
def test_of_a_soft_row_the_likeliest_values_are_kept(seed: int) -> None:
    fields = (*INDICES, *NUMBERS)
    row, next_row = soft(seed, fields), soft(seed + 1, fields)
    frame = copied(fields_stack(spec_of(*fields)), row, next_row)
    assert same(frame, {field.name: hard(field, next_row[field.name]) for field in fields})


def choosing(weight: jax.Array) -> ChoiceStack:
    return eqx.tree_at(lambda frames: frames.weight, CHOICES, weight)


weights = hnp.arrays(np.float32, (SLOTS, 5), elements=st.floats(-1, 1, width=32))


@given(seeds, weights)
@settings(max_examples=20)
def test_a_slot_keeps_what_it_says(seed: int, weight: np.ndarray) -> None:
    frames = choosing(jnp.asarray(weight))
    row, next_row = soft(seed, INDICES), soft(seed + 1, INDICES)
    frame = np.asarray(copied(frames, row, next_row))
    first, second = INDICES[:2]  # the pointers among them
    words = {
        **{field.name: hard(field, row[field.name]) for field in (first, second)},
        **{f"the next row's {field.name}": hard(field, next_row[field.name]) for field in (first, second)},
        "nothing": np.zeros(NODES),
    }
    expected = np.stack([words[kept] for kept in frames.kept], -1)
    np.testing.assert_allclose(frame, expected, atol=1e-6)
    assert same(unpack(frames, pack(frames, frame)), expected.astype(np.float32)), "and of it the stack keeps no rounding"


@quickly_compiled
@jax.grad
def gradient_of_choosing(weight: jax.Array, row: Values, next_row: Values, wanted: jax.Array) -> jax.Array:
    return (choosing(weight).copy(row, next_row, jnp.ones(NODES, bool)) * wanted).sum()


@quickly_compiled
@jax.grad
def gradient_of_the_mean(weight: jax.Array, candidates: jax.Array, wanted: jax.Array) -> jax.Array:
    return ((candidates @ jax.nn.softmax(20 * weight).T) * wanted).sum()


@given(seeds, weights)
@settings(max_examples=20)
def test_a_choice_learns_as_if_it_were_the_mean_of_what_it_may_keep(seed: int, weight: np.ndarray) -> None:
    row, next_row = soft(seed, INDICES), soft(seed + 1, INDICES)
    wanted = np.random.default_rng(seed).normal(size=(NODES, SLOTS)).astype(np.float32)
    rows = [hard(field, values[field.name]) for values in (row, next_row) for field in INDICES[:2]]
    expected = gradient_of_the_mean(weight, np.stack([*rows, np.zeros(NODES, np.float32)], -1), wanted)
    np.testing.assert_allclose(gradient_of_choosing(weight, row, next_row, wanted), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("frames", [fields_stack(spec_of(*INDICES, *NUMBERS)), CHOICES], ids=["fields", "choice"])
def test_nothing_is_learnt_through_what_is_copied(frames: CopyingStack) -> None:
    def summed(row: Values, next_row: Values) -> jax.Array:
        return sum(
            (leaf.sum() for leaf in jax.tree.leaves(frames.copy(row, next_row, jnp.ones(NODES, bool)))), jnp.zeros(())
        )

    rows = (soft(seed, (*INDICES, *NUMBERS)) for seed in (0, 1))
    assert not any(leaf.any() for leaf in jax.tree.leaves(jax.grad(summed, (0, 1))(*rows)))
    assert frames.copies


def test_learnt_frames_are_values_of_the_processed_features_and_those_of_the_graph_are_pooled() -> None:
    rng = np.random.default_rng(0)
    processed, graph = (jnp.asarray(rng.normal(size=shape), jnp.float32) for shape in ((NODES, 16), (22,)))
    pushed = PushContext(processed, plain(graph), {}, {}, jnp.arange(NODES) < 5)
    first, learned = (drawn(NodeStack, DISCRETE, small(value=value)) for value in ("plain", "learned"))
    np.testing.assert_array_equal(first.make(pushed), processed[:, :6])
    assert learned.value.layers is not None
    np.testing.assert_array_equal(learned.make(pushed), learned.value.layers(processed))
    pooled = drawn(GraphStack, DISCRETE, small(stack="graph"))
    np.testing.assert_allclose(pooled.make(pushed), pooled.value(processed)[:5].sum(0), rtol=1e-5)
    assert not first.copies
    assert not pooled.copies
