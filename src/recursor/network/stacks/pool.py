r"""Pooling: from the values of all nodes to one value of the graph, for the frames of the graph-level stack.

sum, mean, max        over all nodes that are not padding
attention-sum         $\sum_i \phi_a(p_i, h_g)\, v_i$, the paper's Appendix B as printed: the weights are any numbers
attention             the same with weights that are positive and sum to one: a softmax over the nodes
"""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, PRNGKeyArray

from recursor.network.config import Pooling
from recursor.network.linear import TwoLayers
from recursor.network.values import NEVER, mask_pointer


class Pool(eqx.Module):
    """A permutation-invariant map [n, width] → [width]."""

    score: TwoLayers | None
    pooling: Pooling = eqx.field(static=True)

    def __init__(self, pooling: Pooling, node_width: int, graph_width: int, hidden: int, *, key: PRNGKeyArray) -> None:
        self.pooling = pooling
        attends = pooling in ("attention", "attention-sum")
        self.score = TwoLayers(node_width + graph_width, hidden, 1, key=key) if attends else None
        if pooling == "attention":  # a softmax ignores a bias that all scores share
            self.score = eqx.tree_at(lambda score: score.second.bias, self.score, None)

    def weights(
        self, node: Float[Array, "n node_width"], graph: Float[Array, " graph_width"], mask: Bool[Array, " n"]
    ) -> Float[Array, " n"]:
        """Returns the weight of each node; 0 for padding."""
        if self.score is None:
            weights = mask.astype(jnp.float32)
            return weights / weights.sum() if self.pooling == "mean" else weights
        together = jnp.concatenate([node, jnp.broadcast_to(graph, (len(node), *graph.shape))], -1)
        scores = self.score(together)[:, 0]
        if self.pooling == "attention":
            return jax.nn.softmax(mask_pointer(scores, mask))
        return jnp.where(mask, scores, 0.0)

    def __call__(
        self,
        values: Float[Array, "n width"],
        node: Float[Array, "n node_width"],
        graph: Float[Array, " graph_width"],
        mask: Bool[Array, " n"],
    ) -> Float[Array, " width"]:
        if self.pooling == "max":
            return jnp.where(mask[:, None], values, NEVER).max(0)
        return self.weights(node, graph, mask) @ values
