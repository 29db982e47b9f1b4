r"""The node-wise stack of the paper: a frame has a value for every node.

The frame of a row is $\phi(p_i)$ for every node i, [n, frame_width]. It joins the node features.
"""

from typing import ClassVar

import equinox as eqx
from jaxtyping import Array, Float, PRNGKeyArray

from recursor.network.config import NetworkConfig
from recursor.network.linear import Features
from recursor.network.stacks.call_stack import CallStack, PushContext
from recursor.network.stacks.node_values import NodeValues
from recursor.network.stacks.storage import LastInFirstOut, Storage
from recursor.spec import Spec


class NodeStack(CallStack):
    """A frame is [n, frame_width]."""

    value: NodeValues
    node_width: int = eqx.field(static=True)

    storage: ClassVar[Storage] = LastInFirstOut()
    settings: ClassVar[tuple[str, ...]] = ("frame_width", "value")
    needs_ops: ClassVar[bool] = True
    copies: ClassVar[bool] = False
    learns_by_rollout: ClassVar[bool] = True
    graph_width: int = eqx.field(static=True, default=0)

    def __init__(self, spec: Spec, config: NetworkConfig, *, key: PRNGKeyArray) -> None:
        self.value = NodeValues(config, key=key)
        self.node_width = config.frame_width

    @classmethod
    def check(cls, config: NetworkConfig, spec: Spec) -> None:
        NodeValues.check(config)

    @classmethod
    def training_bytes(cls, config: NetworkConfig, nodes: int) -> int:
        return 4 * nodes * config.frame_width * 3

    def make(self, context: PushContext) -> Float[Array, "n frame_width"]:
        return self.value(context.processed)

    def join(self, node: Features, graph: Features, frame: Float[Array, "n frame_width"]) -> tuple[Features, Features]:
        return node.joined(frame), graph

    def packed_shape(self, nodes: int) -> tuple[int, ...]:
        return nodes, self.node_width

    def pack(self, frame: Float[Array, "n frame_width"]) -> Float[Array, "n frame_width"]:
        return frame

    def unpack(self, packed: Float[Array, "n frame_width"], nodes: int) -> Float[Array, "n frame_width"]:
        return packed


KINDS = {"node": NodeStack}
