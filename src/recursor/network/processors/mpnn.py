r"""Message passing between all pairs of nodes, as in the paper.

For node features $z_i$,

$$ m_{ij} = \mathrm{relu}(\mathrm{relu}(z_i W_s + z_j W_r + h_{ij} W_e + h_g W_g + b) W_1 + b_1) W_2 + b_2 $$
$$ p_j = \mathrm{norm}(\mathrm{relu}(z_j W_z + (\max_i m_{ij}) W_m + b_p)) $$

The maximum is over all senders i that are not padding (`mpnn`), or over those with an edge to j and j itself (`mpnn-edges`).
"""

from functools import partial
from typing import ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, PRNGKeyArray

from recursor.data.batch import Inputs
from recursor.network.config import NetworkConfig
from recursor.network.encode import Values
from recursor.network.linear import Features, Linear
from recursor.network.pairs import strongest_message
from recursor.network.processors.processor import Processor
from recursor.spec import Spec


class MessagePassing(Processor):
    """One round: O(n²·width²) time and O(n²·width) memory a row. Abstract: `prepare` says who sends to whom."""

    node: Linear
    edge: Float[Array, "edge_width width"]
    graph: Linear
    first: Linear
    second: Linear
    heard: Linear
    norm: eqx.nn.LayerNorm

    encodes_pairs: ClassVar[bool] = True
    has_bits: ClassVar[bool] = False

    def __init__(self, spec: Spec, config: NetworkConfig, node_width: int, graph_width: int, *, key: PRNGKeyArray) -> None:
        keys, width = jax.random.split(key, 6), config.width
        self.node = Linear(node_width, 3 * width, bias=False, key=keys[0])  # W_s, W_r and W_z side by side
        self.edge = Linear(width, width, key=keys[1]).weight
        self.graph = Linear(graph_width, width, key=keys[2])
        self.first = Linear(width, width, key=keys[3])
        self.second = Linear(width, width, key=keys[4])
        self.heard = Linear(width, width, key=keys[5])
        self.norm = eqx.nn.LayerNorm(width)

    @classmethod
    def check(cls, config: NetworkConfig, spec: Spec) -> None:
        if config.orders:
            raise ValueError(
                f"only the order processor uses orders; with {config.processor} it must be 0, not {config.orders}"
            )
        if spec.stamps:
            stamped = ", ".join(rule.field.name for rule in spec.stamps)
            raise ValueError(
                f"stamps, such as {stamped} of the view {spec.view!r} of {spec.algorithm}, need the processor order; no "
                f"other processor compares them"
            )

    @classmethod
    def encoded(cls, spec: Spec) -> Spec:
        return spec

    @classmethod
    def is_dense(cls, nodes: int, pairs: int) -> bool:
        return True

    @classmethod
    def training_bytes(cls, config: NetworkConfig, nodes: int) -> int:
        return nodes * config.width * 4 * -(-nodes // 32)  # one bit a message

    @classmethod
    def execution_numbers(cls, config: NetworkConfig, nodes: int, edges: int) -> int:
        return 8 * nodes * nodes * config.width

    @classmethod
    def for_row(cls, spec: Spec, relations: Bool[Array, "n n"], row: Values) -> Bool[Array, "n n"]:
        return relations

    def __call__(
        self, node: Features, edge: Features | None, graph: Features, relations: Bool[Array, "n n"]
    ) -> tuple[Float[Array, "n width"], Float[Array, "n 0"]]:
        """`relations` says which senders (first axis) each receiver (second axis) hears."""
        if edge is None:
            raise TypeError("message passing between pairs needs edge features, not None")
        weights = (edge.code @ self.edge, *self.first.parts, *self.second.parts)
        sender, receiver, own = jnp.split(self.node(node), 3, -1)
        receiver = receiver + self.graph(graph) + edge.bias @ self.edge
        strongest = strongest_message(sender, receiver, edge.channels, relations, weights)

        @partial(jax.checkpoint, prevent_cse=False)  # the backward pass computes it again, which is cheaper than keeping it
        def normed(x: Float[Array, "n width"]) -> Float[Array, "n width"]:
            return jax.vmap(self.norm)(jax.nn.relu(x))

        processed = normed(own + self.heard(strongest))
        return processed, processed[:, :0]


class MPNN(MessagePassing):
    """Messages between all pairs of nodes."""

    @classmethod
    def prepare(cls, spec: Spec, inputs: Inputs) -> Bool[Array, "n n"]:
        return _from_real_nodes(inputs)


class EdgeMPNN(MessagePassing):
    """Messages along the edges of the graph, and from each node to itself."""

    @classmethod
    def prepare(cls, spec: Spec, inputs: Inputs) -> Bool[Array, "n n"]:
        pairs = _from_real_nodes(inputs)
        support = jnp.zeros(pairs.shape, bool).at[inputs.senders, inputs.receivers].set(True, mode="drop")
        return (pairs & support) | jnp.eye(len(pairs), dtype=bool)  # padding hears itself: no maximum is over nothing


def _from_real_nodes(inputs: Inputs) -> Bool[Array, "n n"]:
    """Returns true for all pairs whose sender is not padding."""
    mask = inputs.node_mask == 1
    return jnp.broadcast_to(mask[:, None], (len(mask), len(mask)))


KINDS = {"mpnn": MPNN, "mpnn-edges": EdgeMPNN}
