r"""Storage of frames: pure functions on an explicit state.

A frame is one array. The usual storage is last in first out. With $z^0 = 0$ and a depth $d_0 = 0$ it changes with the op:

    push   to $d_{t+1} = d_t + 1$, with the row's frame as $z^{d_{t+1}}$,
    pop    to $d_{t+1} = \max(d_t - 1, 0)$; a pop of the empty stack leaves it empty and is counted,
    noop   not at all,

and the top frame is $z^{d_t}$.
"""

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int

from recursor.recording.stack import last_in_first_out
from recursor.spec import POP, PUSH


class Storage(ABC):
    """How frames are kept. The state is a pytree of arrays, at least one; `jax.vmap` adds the batch."""

    @abstractmethod
    def init(self, shape: tuple[int, ...], capacity: int) -> Any:
        """Returns the state without frames, with room for `capacity` frames of that shape."""

    @abstractmethod
    def top(self, state: Any) -> Float[Array, "*frame"]:
        """Returns the frame that the current row sees; zero if there is none."""

    @abstractmethod
    def step(self, state: Any, op: Int[Array, ""], frame: Float[Array, "*frame"]) -> Any:
        """Returns the state after one op. Only a push keeps the frame."""

    @abstractmethod
    def grow(self, state: Any) -> Any:
        """Returns the same state with room for twice as many frames."""

    @abstractmethod
    def is_full(self, state: Any) -> Bool[Array, ""]:
        """Returns whether there is no room for another push."""

    @abstractmethod
    def depth(self, state: Any) -> Int[Array, ""]:
        """Returns the number of frames."""

    @abstractmethod
    def underflows(self, state: Any) -> Int[Array, ""]:
        """Returns the number of pops that found no frame."""

    @staticmethod
    @abstractmethod
    def change_frames(frames: list[int], op: int, row: int) -> None:
        """Changes a list of frames in place, as `step` changes the state; `recording/stack.py` says how. From it training
        knows which row made a frame, and traces which frames there are.

        Args:
            frames: For each frame the row that pushed it. The last one is the frame that `top` returns.
            op: The op of a row.
            row: Its number.
        """


class StackState(NamedTuple):
    """The frames from the bottom up. Entries above the depth are meaningless."""

    frames: Float[Array, "capacity_and_bottom *frame"]
    depth: Int[Array, ""]
    underflows: Int[Array, ""]
    top: Float[Array, "*frame"]  # a copy: a reader of `top` does not read `frames`, so XLA updates `frames` in place


class LastInFirstOut(Storage):
    """A stack: a pop removes the frame that was pushed last."""

    def init(self, shape: tuple[int, ...], capacity: int) -> StackState:
        frames, zero = jnp.zeros((capacity + 1, *shape)), jnp.zeros((), jnp.int32)
        return StackState(frames, zero, zero, frames[0])

    def top(self, state: StackState) -> Float[Array, "*frame"]:
        return state.top

    def step(self, state: StackState, op: Int[Array, ""], frame: Float[Array, "*frame"]) -> StackState:
        empty = state.depth == 0
        frames = state.frames.at[state.depth + 1].set(frame, mode="drop")  # above the top: visible only after a push
        depth = (state.depth + (op == PUSH) - ((op == POP) & ~empty)).astype(jnp.int32)
        return StackState(frames, depth, state.underflows + ((op == POP) & empty), frames[depth])

    def grow(self, state: StackState) -> StackState:
        return state._replace(frames=jnp.concatenate([state.frames, jnp.zeros_like(state.frames[1:])]))

    def is_full(self, state: StackState) -> Bool[Array, ""]:
        return state.depth >= len(state.frames) - 1

    def depth(self, state: StackState) -> Int[Array, ""]:
        return state.depth

    def underflows(self, state: StackState) -> Int[Array, ""]:
        return state.underflows

    change_frames = staticmethod(last_in_first_out)
