r"""Attention with weights that are positive and sum to one: $\sum_i \mathrm{softmax}_i(s_i)\, v_i$.

The scores are those of `attention_sum`.
"""

from typing import ClassVar

import equinox as eqx
import jax
from jaxtyping import Array, Bool, Float, PRNGKeyArray

from recursor.network.linear import TwoLayers
from recursor.network.poolings.attention_sum import node_scores
from recursor.network.poolings.pooling import Pooling
from recursor.network.values import mask_pointer


class AttentionPooling(Pooling):
    """The weight of a node is the softmax of its score."""

    score: TwoLayers

    attends: ClassVar[bool] = True

    def __init__(self, node_width: int, graph_width: int, hidden: int, *, key: PRNGKeyArray) -> None:
        score = TwoLayers(node_width + graph_width, hidden, 1, key=key)
        self.score = eqx.tree_at(lambda score: score.second.bias, score, None)  # a softmax ignores a bias that all share

    def weights(
        self, node: Float[Array, "n node_width"], graph: Float[Array, " graph_width"], mask: Bool[Array, " n"]
    ) -> Float[Array, " n"]:
        """Returns the weight of each node; 0 for padding."""
        return jax.nn.softmax(mask_pointer(node_scores(self.score, node, graph), mask))

    def __call__(
        self,
        values: Float[Array, "n width"],
        node: Float[Array, "n node_width"],
        graph: Float[Array, " graph_width"],
        mask: Bool[Array, " n"],
    ) -> Float[Array, " width"]:
        return self.weights(node, graph, mask) @ values


KINDS = {"attention": AttentionPooling}
