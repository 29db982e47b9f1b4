r"""The paper's attention, its Appendix B as printed: $\sum_i s_i\, v_i$ with scores $s_i = \phi_a(p_i, h_g)$.

$\phi_a$ has two layers. The scores are any numbers: they need not be positive, nor sum to one.
"""

from typing import ClassVar

import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, PRNGKeyArray

from recursor.network.linear import TwoLayers
from recursor.network.poolings.pooling import Pooling


class AttentionSumPooling(Pooling):
    """The weight of a node is its score."""

    score: TwoLayers

    attends: ClassVar[bool] = True

    def __init__(self, node_width: int, graph_width: int, hidden: int, *, key: PRNGKeyArray) -> None:
        self.score = TwoLayers(node_width + graph_width, hidden, 1, key=key)

    def weights(
        self, node: Float[Array, "n node_width"], graph: Float[Array, " graph_width"], mask: Bool[Array, " n"]
    ) -> Float[Array, " n"]:
        """Returns the weight of each node; 0 for padding."""
        return jnp.where(mask, node_scores(self.score, node, graph), 0.0)

    def __call__(
        self,
        values: Float[Array, "n width"],
        node: Float[Array, "n node_width"],
        graph: Float[Array, " graph_width"],
        mask: Bool[Array, " n"],
    ) -> Float[Array, " width"]:
        return self.weights(node, graph, mask) @ values


def node_scores(
    score: TwoLayers, node: Float[Array, "n node_width"], graph: Float[Array, " graph_width"]
) -> Float[Array, " n"]:
    """Returns the score of each node, given its features and those of the graph."""
    together = jnp.concatenate([node, jnp.broadcast_to(graph, (len(node), *graph.shape))], -1)
    return score(together)[:, 0]


KINDS = {"attention-sum": AttentionSumPooling}
