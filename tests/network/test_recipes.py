"""A new kind of processor or stack is one class and one entry in a table: one of the examples, and one of this test."""

import json
from dataclasses import replace
from pathlib import Path
from typing import ClassVar, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray

from recursor.algorithms import register_file
from recursor.execution.execution import Execution
from recursor.execution.executor import execute
from recursor.graphs.distributions import path
from recursor.network.config import NetworkConfig
from recursor.network.linear import Features
from recursor.network.processors import PROCESSORS
from recursor.network.stacks import STACKS
from recursor.network.stacks.call_stack import CallStack, PushContext
from recursor.network.stacks.storage import Storage
from recursor.recording.stack import last_in_first_out, top_frame_rows
from recursor.spec import NOOP, POP, PUSH, Spec
from recursor.training import loop
from recursor.training.checkpoint import checkpoints
from recursor.training.config import TrainConfig, from_json
from recursor.training.loop import resume, train
from tests.network.networks import use_quick_programs

EXAMPLE = Path(__file__).parents[2] / "examples" / "mean_processor.py"


class QueueState(NamedTuple):
    """Frames in the order of their pushes; those before `first` are gone."""

    frames: jax.Array
    first: jax.Array
    end: jax.Array
    underflows: jax.Array


class FirstInFirstOut(Storage):
    """A queue: a pop removes the frame that was pushed first. The room of a frame that is gone is not used again."""

    def init(self, shape: tuple[int, ...], capacity: int) -> QueueState:
        zero = jnp.zeros((), jnp.int32)
        return QueueState(jnp.zeros((capacity, *shape)), zero, zero, zero)

    def top(self, state: QueueState) -> Float[Array, "*frame"]:
        return jnp.where(self.depth(state) > 0, state.frames[state.first], 0.0)

    def step(self, state: QueueState, op: Int[Array, ""], frame: Float[Array, "*frame"]) -> QueueState:
        empty = self.depth(state) == 0
        frames = state.frames.at[jnp.where(op == PUSH, state.end, len(state.frames))].set(frame, mode="drop")
        pops, underflows = (op == POP) & ~empty, (op == POP) & empty
        return QueueState(frames, state.first + pops, state.end + (op == PUSH), state.underflows + underflows)

    def grow(self, state: QueueState) -> QueueState:
        return state._replace(frames=jnp.concatenate([state.frames, jnp.zeros_like(state.frames)]))

    def is_full(self, state: QueueState) -> Bool[Array, ""]:
        return state.end >= len(state.frames)

    def depth(self, state: QueueState) -> Int[Array, ""]:
        return state.end - state.first

    def underflows(self, state: QueueState) -> Int[Array, ""]:
        return state.underflows

    @staticmethod
    def change_frames(frames: list[int], op: int, row: int) -> None:
        if op == PUSH:
            frames.insert(0, row)  # the top frame, which is the last of the list, is the oldest
        elif op == POP and frames:
            frames.pop()


class Queue(CallStack):
    """A frame is the first entries of the processed features."""

    node_width: int = eqx.field(static=True)

    storage: ClassVar[Storage] = FirstInFirstOut()
    settings: ClassVar[tuple[str, ...]] = ("frame_width",)
    needs_ops: ClassVar[bool] = True
    copies: ClassVar[bool] = False
    learns_by_rollout: ClassVar[bool] = True
    graph_width: int = eqx.field(static=True, default=0)

    def __init__(self, spec: Spec, config: NetworkConfig, *, key: PRNGKeyArray) -> None:
        self.node_width = config.frame_width

    @classmethod
    def check(cls, config: NetworkConfig, spec: Spec) -> None:
        pass

    @classmethod
    def training_bytes(cls, config: NetworkConfig, nodes: int) -> int:
        return 4 * nodes * config.frame_width

    def make(self, context: PushContext) -> Float[Array, "n frame_width"]:
        return context.processed[:, : self.node_width]

    def join(self, node: Features, graph: Features, frame: Float[Array, "n frame_width"]) -> tuple[Features, Features]:
        return node.joined(frame), graph

    def packed_shape(self, nodes: int) -> tuple[int, ...]:
        return nodes, self.node_width

    def pack(self, frame: Float[Array, "n frame_width"]) -> Float[Array, "n frame_width"]:
        return frame

    def unpack(self, packed: Float[Array, "n frame_width"], nodes: int) -> Float[Array, "n frame_width"]:
        return packed


@pytest.fixture(autouse=True)
def kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    use_quick_programs(monkeypatch)
    monkeypatch.setattr("recursor.algorithms.IMPORTED", [])
    monkeypatch.setitem(PROCESSORS, "mean", PROCESSORS["mpnn"])  # so that the entry of the file is removed in the end
    assert register_file(EXAMPLE) == []
    monkeypatch.setitem(STACKS, "queue", Queue)


TINY = TrainConfig(
    view="discrete",
    network=NetworkConfig(width=8, frame_width=4, decoding="staged", feedback="hard", processor="mean", stack="queue"),
    sizes=(4,),
    batch=2,
    chains=2,
    links=2,
    halting=True,
    updates=4,
    validate_every=2,
    validate_nodes=4,
    validate_graphs=2,
)


def weights(directory: Path) -> bytes:
    return (directory / "weights.safetensors").read_bytes()


@pytest.mark.parametrize("trainer", ["rollout", "call-frames"])
def test_new_kinds_are_trained_resumed_evaluated_and_executed(
    trainer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = replace(TINY, trainer=trainer, forcing=1.0)
    run = train(config, tmp_path / "alone", progress=False)
    validate = loop.Loop.validate

    def interrupt(self: loop.Loop) -> None:
        if self.done == config.updates:  # the checkpoint of the validation before is there
            raise KeyboardInterrupt
        validate(self)

    with monkeypatch.context() as context:
        context.setattr(loop.Loop, "validate", interrupt)
        with pytest.raises(KeyboardInterrupt):
            train(config, tmp_path / "stopped", progress=False)
    assert checkpoints(tmp_path / "stopped", "last")[0].updates == 2
    resume(tmp_path / "stopped", progress=False)
    assert weights(tmp_path / "stopped") == weights(tmp_path / "alone")
    (scores,) = run.evaluate([5], 2)
    assert 0 <= scores.node_accuracy <= 1
    (execution,) = execute(run.reasoner, [path(5)], limit=20)
    assert 1 < execution.steps <= 20
    queue: list[int] = []
    for row, op in enumerate(execution.ops.tolist()):
        queue = [*queue, row] if op == PUSH else queue[1:] if op == POP else queue
        assert sorted(execution.stack[row]) == queue
        assert execution.stack[row][-1:] == tuple(queue[:1])  # the top frame is the oldest
    assert from_json(config.to_json(), "it") == config


def test_a_new_kind_refuses_what_it_cannot_do() -> None:
    with pytest.raises(ValueError, match="the mean processor has an even width, not 7"):
        replace(TINY, forcing=1.0, network=replace(TINY.network, width=7)).check()
    data = json.loads(TINY.to_json())
    data["network"]["stack"] = "deque"
    with pytest.raises(ValueError, match=r"it: network: stack must be one of none, .*\bqueue\b.*, not"):
        from_json(json.dumps(data), "it")


@given(st.lists(st.sampled_from([POP, NOOP, PUSH]), max_size=8))
@settings(max_examples=20)
def test_the_queue_of_this_test_is_a_list(ops: list[int]) -> None:
    storage, expected, underflows = FirstInFirstOut(), [], 0
    state, rows = storage.init((1,), 1), top_frame_rows(ops, storage.change_frames)
    for row, op in enumerate(ops):
        state = storage.grow(state) if storage.is_full(state) else state
        state = storage.step(state, jnp.array(op), jnp.full(1, row + 1.0))
        underflows += op == POP and not expected
        expected = [*expected, row + 1.0] if op == PUSH else expected[1:] if op == POP else expected
        top = expected[0] if expected else 0.0
        assert storage.top(state).tolist() == [top]
        assert rows[row] == (top - 2 if expected else -1)
        assert (int(storage.depth(state)), int(storage.underflows(state))) == (len(expected), underflows)
    assert np.isfinite(state.frames).all()


def test_an_execution_shows_the_frames_as_its_storage_keeps_them() -> None:
    ops = np.array([PUSH, PUSH, NOOP, POP, POP, POP])
    execution = Execution(path(2), {}, {}, ops, True, len(ops), 1, change_frames=FirstInFirstOut.change_frames)
    assert execution.stack == [(0,), (1, 0), (1, 0), (1,), (), ()]
    assert replace(execution, change_frames=last_in_first_out).stack == [(0,), (0, 1), (0, 1), (0,), (), ()]
