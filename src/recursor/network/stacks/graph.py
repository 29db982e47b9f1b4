r"""The graph-level stack of the paper: a frame is the values of all nodes, pooled.

The frame of a row is $\mathrm{pool}_i\, \phi(p_i)$, [frame_width], with one of the `POOLINGS`. It joins
the graph features.
"""

from typing import ClassVar

import equinox as eqx
import jax
from jaxtyping import Array, Float, PRNGKeyArray

from recursor.network.config import NetworkConfig
from recursor.network.linear import Features
from recursor.network.poolings import POOLINGS
from recursor.network.poolings.pooling import Pooling
from recursor.network.stacks.call_stack import CallStack, PushContext
from recursor.network.stacks.node_values import NodeValues
from recursor.network.stacks.storage import LastInFirstOut, Storage
from recursor.spec import Spec


class GraphStack(CallStack):
    """A frame is [frame_width]."""

    value: NodeValues
    pool: Pooling
    graph_width: int = eqx.field(static=True)

    storage: ClassVar[Storage] = LastInFirstOut()
    settings: ClassVar[tuple[str, ...]] = ("frame_width", "value", "pooling")
    needs_ops: ClassVar[bool] = True
    copies: ClassVar[bool] = False
    learns_by_rollout: ClassVar[bool] = True
    node_width: int = eqx.field(static=True, default=0)

    def __init__(self, spec: Spec, config: NetworkConfig, *, key: PRNGKeyArray) -> None:
        for_values, for_pool = jax.random.split(key)
        self.value = NodeValues(config, key=for_values)
        graph_width = config.width + config.frame_width
        self.pool = POOLINGS.find(config.pooling)(config.width, graph_width, config.width, key=for_pool)
        self.graph_width = config.frame_width

    @classmethod
    def check(cls, config: NetworkConfig, spec: Spec) -> None:
        NodeValues.check(config)

    @classmethod
    def training_bytes(cls, config: NetworkConfig, nodes: int) -> int:
        return 0  # next to nothing beside the features of the nodes

    def make(self, context: PushContext) -> Float[Array, " frame_width"]:
        return self.pool(self.value(context.processed), context.processed, context.graph.dense(), context.mask)

    def join(self, node: Features, graph: Features, frame: Float[Array, " frame_width"]) -> tuple[Features, Features]:
        return node, graph.joined(frame)

    def packed_shape(self, nodes: int) -> tuple[int, ...]:
        return (self.graph_width,)

    def pack(self, frame: Float[Array, " frame_width"]) -> Float[Array, " frame_width"]:
        return frame

    def unpack(self, packed: Float[Array, " frame_width"], nodes: int) -> Float[Array, " frame_width"]:
        return packed


KINDS = {"graph": GraphStack}
