"""No call stack."""

from typing import ClassVar

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray

from recursor.network.config import NetworkConfig
from recursor.network.linear import Features
from recursor.network.stacks.call_stack import CallStack, PushContext
from recursor.network.stacks.storage import Storage
from recursor.recording.stack import last_in_first_out
from recursor.spec import Spec


class NoStorage(Storage):
    """Keeps nothing. Its state is the number 0."""

    def init(self, shape: tuple[int, ...], capacity: int) -> Int[Array, ""]:
        return jnp.zeros((), jnp.int32)

    def top(self, state: Int[Array, ""]) -> Float[Array, "0"]:
        return jnp.zeros(0)

    def step(self, state: Int[Array, ""], op: Int[Array, ""], frame: Float[Array, "0"]) -> Int[Array, ""]:
        return state

    def grow(self, state: Int[Array, ""]) -> Int[Array, ""]:
        return state

    def is_full(self, state: Int[Array, ""]) -> Bool[Array, ""]:
        return state > 0

    def depth(self, state: Int[Array, ""]) -> Int[Array, ""]:
        return state

    def underflows(self, state: Int[Array, ""]) -> Int[Array, ""]:
        return state

    change_frames = staticmethod(last_in_first_out)  # no frame is kept, but training learns from rows that would make one


class NoStack(CallStack):
    """A frame is an array of width 0 that joins nothing."""

    storage: ClassVar[Storage] = NoStorage()
    settings: ClassVar[tuple[str, ...]] = ()
    needs_ops: ClassVar[bool] = False
    copies: ClassVar[bool] = False
    learns_by_rollout: ClassVar[bool] = True
    node_width: int = eqx.field(static=True, default=0)
    graph_width: int = eqx.field(static=True, default=0)

    def __init__(self, spec: Spec, config: NetworkConfig, *, key: PRNGKeyArray) -> None:
        pass

    @classmethod
    def check(cls, config: NetworkConfig, spec: Spec) -> None:
        pass

    @classmethod
    def training_bytes(cls, config: NetworkConfig, nodes: int) -> int:
        return 0

    def make(self, context: PushContext) -> Float[Array, "0"]:
        return jnp.zeros(0)

    def join(self, node: Features, graph: Features, frame: Float[Array, "0"]) -> tuple[Features, Features]:
        return node, graph

    def packed_shape(self, nodes: int) -> tuple[int, ...]:
        return (0,)

    def pack(self, frame: Float[Array, "0"]) -> Float[Array, "0"]:
        return frame

    def unpack(self, packed: Float[Array, "0"], nodes: int) -> Float[Array, "0"]:
        return packed


KINDS = {"none": NoStack}
