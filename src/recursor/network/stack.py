r"""Call stacks: three pure functions on an explicit state, `init`, `top` and `step`.

With $z^0 = 0$ and a depth $d_0 = 0$, a row whose op is

    push   makes $d_{t+1} = d_t + 1$ and writes its value to $z^{d_{t+1}}$,
    pop    makes $d_{t+1} = \max(d_t - 1, 0)$; popping the empty stack leaves it empty and is counted,
    noop   changes nothing,

and the top frame is $z^{d_t}$. A frame has the shape [n, width] on a node-wise stack. On every other it is [width + n k], so
many numbers of the call and k of each node; `frames` says what they are.
"""

from typing import Literal, NamedTuple

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from recursor.spec import POP, PUSH

StackKind = Literal["none", "graph", "node", "fields", "choice"]


class StackState(NamedTuple):
    """The frames from the bottom up; above the depth lies what no longer counts."""

    frames: Float[Array, "capacity_and_bottom *frame"]
    depth: Int[Array, ""]
    underflows: Int[Array, ""]  # pops that found the stack empty
    top: Float[Array, "*frame"]  # once more, apart: who reads it has no part in `frames`, which are then changed in place


class Stack(eqx.Module):
    """A stack of frames of one kind."""

    kind: StackKind = eqx.field(static=True)
    width: int = eqx.field(static=True)
    of_each_node: int = eqx.field(static=True, default=0)

    def init(self, nodes: int, capacity: int) -> StackState:
        """The empty stack, with room for that many frames."""
        shape = (nodes, self.width) if self.kind == "node" else (self.width + nodes * self.of_each_node,)
        zero = jnp.zeros((), jnp.int32)
        frames = jnp.zeros((capacity + 1 if self.kind != "none" else 1, *shape))
        return StackState(frames, zero, zero, frames[0])

    @property
    def grows(self) -> bool:
        """Whether a frame is the larger the more nodes there are."""
        return self.kind == "node" or self.of_each_node > 0

    def top(self, state: StackState) -> Float[Array, "*frame"]:
        """The frame that was pushed last and not yet popped; zero if there is none."""
        return state.top

    def step(self, state: StackState, op: Int[Array, ""], value: Float[Array, "*frame"]) -> StackState:
        """The stack after one op; only a push keeps the value."""
        if self.kind == "none":
            return state
        empty = state.depth == 0
        frames = state.frames.at[state.depth + 1].set(value, mode="drop")  # on top of the top: seen only after a push
        depth = (state.depth + (op == PUSH) - ((op == POP) & ~empty)).astype(jnp.int32)
        return StackState(frames, depth, state.underflows + ((op == POP) & empty), frames[depth])
