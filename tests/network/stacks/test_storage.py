from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from recursor.network.stacks import STACKS
from recursor.recording.stack import top_frame_rows
from recursor.spec import NOOP, POP, PUSH

NODES, WIDTH, ROWS, GRAPHS = 3, 2, 12, 3
SHAPES = {"none": (0,), "graph": (WIDTH,), "node": (NODES, WIDTH)}
STORAGES = {kind: STACKS.find(kind).storage for kind in SHAPES}
STEPS = {kind: jax.jit(storage.step) for kind, storage in STORAGES.items()}
BATCHED_STEPS = {kind: jax.jit(jax.vmap(storage.step)) for kind, storage in STORAGES.items()}
TOPS = {kind: jax.jit(storage.top) for kind, storage in STORAGES.items()}
BATCHED_TOPS = {kind: jax.jit(jax.vmap(storage.top)) for kind, storage in STORAGES.items()}


def init(kind: str) -> Any:
    return STORAGES[kind].init(SHAPES[kind], ROWS)


def counts(kind: str, state: Any) -> tuple[int, int]:
    """The depth and the underflows."""
    return int(STORAGES[kind].depth(state)), int(STORAGES[kind].underflows(state))


def frame(kind: str, graph: int, row: int) -> np.ndarray:
    """A frame like no other."""
    shape = SHAPES[kind]
    return 100 * (1 + graph) + row + np.arange(np.prod(shape), dtype=np.float32).reshape(shape) / 64


class Frames:
    """What a stack ought to be: a list."""

    def __init__(self, kind: str) -> None:
        self.kind: str = kind
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
def test_a_stack_is_a_list(kind: str, ops: np.ndarray) -> None:
    state, expected = init(kind), Frames(kind)
    for row, op in enumerate(ops[:, 0]):
        state = STEPS[kind](state, op, frame(kind, 0, row))
        expected.step(op, frame(kind, 0, row))
        np.testing.assert_array_equal(TOPS[kind](state), expected.top)
        assert counts(kind, state) == (len(expected.frames), expected.underflows)


@kinds
@given(ops)
@settings(max_examples=15)
def test_a_batch_of_stacks_is_as_many_lists(kind: str, ops: np.ndarray) -> None:
    state = jax.tree.map(lambda array: jnp.stack([array] * GRAPHS), init(kind))
    expected = [Frames(kind) for _ in range(GRAPHS)]
    for row in range(ROWS):
        values = np.stack([frame(kind, graph, row) for graph in range(GRAPHS)])
        state = BATCHED_STEPS[kind](state, ops[row], values)
        for graph, frames in enumerate(expected):
            frames.step(ops[row, graph], values[graph])
        np.testing.assert_array_equal(BATCHED_TOPS[kind](state), np.stack([frames.top for frames in expected]))
        assert jax.vmap(STORAGES[kind].depth)(state).tolist() == [len(frames.frames) for frames in expected]
        assert jax.vmap(STORAGES[kind].underflows)(state).tolist() == [frames.underflows for frames in expected]


@kinds
def test_the_top_of_the_empty_stack_is_zero(kind: str) -> None:
    state = init(kind)
    for op in (None, NOOP, POP, PUSH, POP):
        state = state if op is None else STEPS[kind](state, op, frame(kind, 0, 0))
        if op != PUSH:
            top = TOPS[kind](state)
            assert top.shape == SHAPES[kind]
            assert not top.any()


@real_kinds
def test_popping_the_empty_stack_leaves_it_empty_and_is_counted(kind: str) -> None:
    state = init(kind)
    for pops in range(1, 4):
        state = STEPS[kind](state, POP, frame(kind, 0, pops))
        assert counts(kind, state) == (0, pops)
    state = STEPS[kind](state, PUSH, frame(kind, 0, 9))
    np.testing.assert_array_equal(TOPS[kind](state), frame(kind, 0, 9))
    assert counts(kind, state) == (1, 3)


@real_kinds
def test_there_is_room_for_a_push_in_every_row(kind: str) -> None:
    state = init(kind)
    for row in range(ROWS):
        state = STEPS[kind](state, PUSH, frame(kind, 0, row))
    for row in reversed(range(ROWS)):
        np.testing.assert_array_equal(TOPS[kind](state), frame(kind, 0, row))
        state = STEPS[kind](state, POP, frame(kind, 0, 99))
    assert counts(kind, state) == (0, 0)


@real_kinds
def test_a_full_stack_grows_and_keeps_its_frames(kind: str) -> None:
    storage, state = STORAGES[kind], init(kind)
    for row in range(ROWS):
        assert not storage.is_full(state)
        state = STEPS[kind](state, PUSH, frame(kind, 0, row))
    assert storage.is_full(state)
    state = storage.grow(state)
    for row in range(ROWS, 2 * ROWS):
        assert not storage.is_full(state)
        state = STEPS[kind](state, PUSH, frame(kind, 0, row))
    assert storage.is_full(state)
    for row in reversed(range(2 * ROWS)):
        np.testing.assert_array_equal(TOPS[kind](state), frame(kind, 0, row))
        state = STEPS[kind](state, POP, frame(kind, 0, 99))


@kinds
@given(ops)
@settings(max_examples=15)
def test_the_top_frame_is_that_of_its_row(kind: str, ops: np.ndarray) -> None:
    """The row before the push made it."""
    state, made = init(kind), top_frame_rows(ops[:, 0].tolist(), STORAGES[kind].change_frames)
    for row, op in enumerate(ops[:, 0]):
        state = STEPS[kind](state, op, frame(kind, 0, row - 1))
        expected = frame(kind, 0, made[row]) if STORAGES[kind].depth(state) else np.zeros(SHAPES[kind])
        np.testing.assert_array_equal(TOPS[kind](state), expected)
