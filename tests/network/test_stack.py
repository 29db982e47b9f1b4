import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from recursor.network.stack import Stack, StackKind
from recursor.spec import NOOP, POP, PUSH

NODES, WIDTH, ROWS, GRAPHS = 3, 2, 12, 3
SHAPES: dict[StackKind, tuple[int, ...]] = {
    "none": (0,),
    "graph": (WIDTH,),
    "node": (NODES, WIDTH),
    "fields": (WIDTH,),
    "choice": (WIDTH,),
}
STACKS = {kind: Stack(kind, shape[-1]) for kind, shape in SHAPES.items()}
STEPS = {kind: jax.jit(stack.step) for kind, stack in STACKS.items()}
BATCHED_STEPS = {kind: jax.jit(jax.vmap(stack.step)) for kind, stack in STACKS.items()}
TOPS = {kind: jax.jit(stack.top) for kind, stack in STACKS.items()}
BATCHED_TOPS = {kind: jax.jit(jax.vmap(stack.top)) for kind, stack in STACKS.items()}


def frame(kind: StackKind, graph: int, row: int) -> np.ndarray:
    """A frame like no other."""
    shape = SHAPES[kind]
    return 100 * (1 + graph) + row + np.arange(np.prod(shape), dtype=np.float32).reshape(shape) / 64


class Frames:
    """What a stack ought to be: a list."""

    def __init__(self, kind: StackKind) -> None:
        self.kind: StackKind = kind
        self.frames: list[np.ndarray] = []
        self.underflows = 0

    def step(self, op: int, value: np.ndarray) -> None:
        if self.kind == "none":
            return
        if op == PUSH:
            self.frames.append(value)
        elif op == POP and self.frames:
            self.frames.pop()
        elif op == POP:
            self.underflows += 1

    @property
    def top(self) -> np.ndarray:
        return self.frames[-1] if self.frames else np.zeros(SHAPES[self.kind])


kinds = pytest.mark.parametrize("kind", SHAPES)
real_kinds = pytest.mark.parametrize("kind", [kind for kind in SHAPES if kind != "none"])
ops = hnp.arrays(np.int32, (ROWS, GRAPHS), elements=st.sampled_from([POP, NOOP, PUSH]))


@kinds
@given(ops)
@settings(max_examples=15)
def test_a_stack_is_a_list(kind: StackKind, ops: np.ndarray) -> None:
    state, expected = STACKS[kind].init(NODES, ROWS), Frames(kind)
    for row, op in enumerate(ops[:, 0]):
        state = STEPS[kind](state, op, frame(kind, 0, row))
        expected.step(op, frame(kind, 0, row))
        np.testing.assert_array_equal(TOPS[kind](state), expected.top)
        assert (state.depth, state.underflows) == (len(expected.frames), expected.underflows)


@kinds
@given(ops)
@settings(max_examples=15)
def test_a_batch_of_stacks_is_as_many_lists(kind: StackKind, ops: np.ndarray) -> None:
    state = jax.tree.map(lambda array: jnp.stack([array] * GRAPHS), STACKS[kind].init(NODES, ROWS))
    expected = [Frames(kind) for _ in range(GRAPHS)]
    for row in range(ROWS):
        values = np.stack([frame(kind, graph, row) for graph in range(GRAPHS)])
        state = BATCHED_STEPS[kind](state, ops[row], values)
        for graph, frames in enumerate(expected):
            frames.step(ops[row, graph], values[graph])
        np.testing.assert_array_equal(BATCHED_TOPS[kind](state), np.stack([frames.top for frames in expected]))
        assert state.depth.tolist() == [len(frames.frames) for frames in expected]
        assert state.underflows.tolist() == [frames.underflows for frames in expected]


@kinds
def test_the_top_of_the_empty_stack_is_zero(kind: StackKind) -> None:
    state = STACKS[kind].init(NODES, ROWS)
    for op in (None, NOOP, POP, PUSH, POP):
        state = state if op is None else STEPS[kind](state, op, frame(kind, 0, 0))
        if op != PUSH:
            top = TOPS[kind](state)
            assert top.shape == SHAPES[kind]
            assert not top.any()


@real_kinds
def test_popping_the_empty_stack_leaves_it_empty_and_is_counted(kind: StackKind) -> None:
    state = STACKS[kind].init(NODES, ROWS)
    for pops in range(1, 4):
        state = STEPS[kind](state, POP, frame(kind, 0, pops))
        assert (state.depth, state.underflows) == (0, pops)
    state = STEPS[kind](state, PUSH, frame(kind, 0, 9))
    np.testing.assert_array_equal(TOPS[kind](state), frame(kind, 0, 9))
    assert (state.depth, state.underflows) == (1, 3)


@real_kinds
def test_there_is_room_for_a_push_in_every_row(kind: StackKind) -> None:
    state = STACKS[kind].init(NODES, ROWS)
    for row in range(ROWS):
        state = STEPS[kind](state, PUSH, frame(kind, 0, row))
    for row in reversed(range(ROWS)):
        np.testing.assert_array_equal(TOPS[kind](state), frame(kind, 0, row))
        state = STEPS[kind](state, POP, frame(kind, 0, 99))
    assert (state.depth, state.underflows) == (0, 0)
