r"""The processor: node, edge and graph features to processed node features.

The message-passing network of the paper, for node features $z_i$:

$$ m_{ij} = \mathrm{relu}(\mathrm{relu}(z_i W_s + z_j W_r + h_{ij} W_e + h_g W_g + b) W_1 + b_1) W_2 + b_2 $$
$$ p_j = \mathrm{norm}(\mathrm{relu}(z_j W_z + (\max_i m_{ij}) W_m + b_p)) $$

The maximum is over all senders i that are no padding (`mpnn`), or over those with an edge to j and j itself (`mpnn-edges`).
"""

from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, PRNGKeyArray

from recursor.network.linear import Features, Linear
from recursor.network.pairs import strongest_message


class MPNN(eqx.Module):
    """One round of message passing: O(n²·width²) time and O(n²·width) memory a row."""

    node: Linear
    edge: Float[Array, "edge_width width"]
    graph: Linear
    first: Linear
    second: Linear
    heard: Linear
    norm: eqx.nn.LayerNorm

    def __init__(self, node_width: int, edge_width: int, graph_width: int, width: int, *, key: PRNGKeyArray) -> None:
        keys = jax.random.split(key, 6)
        self.node = Linear(node_width, 3 * width, bias=False, key=keys[0])  # W_s, W_r and W_z side by side
        self.edge = Linear(edge_width, width, key=keys[1]).weight
        self.graph = Linear(graph_width, width, key=keys[2])
        self.first = Linear(width, width, key=keys[3])
        self.second = Linear(width, width, key=keys[4])
        self.heard = Linear(width, width, key=keys[5])
        self.norm = eqx.nn.LayerNorm(width)

    def __call__(
        self, node: Features, edge: Features | None, graph: Features, pairs: Bool[Array, "n n"]
    ) -> Float[Array, "n width"]:
        """Processed node features; `pairs` tells which senders (first axis) each receiver (second axis) hears."""
        assert edge is not None
        weights = (edge.code @ self.edge, *self.first.parts, *self.second.parts)
        sender, receiver, own = jnp.split(self.node(node), 3, -1)
        receiver = receiver + self.graph(graph) + edge.bias @ self.edge
        strongest = strongest_message(sender, receiver, edge.channels, pairs, weights)

        @partial(jax.checkpoint, prevent_cse=False)  # what is cheap to make again is not kept for the backward pass
        def normed(x: Float[Array, "n width"]) -> Float[Array, "n width"]:
            return jax.vmap(self.norm)(jax.nn.relu(x))

        return normed(own + self.heard(strongest))
