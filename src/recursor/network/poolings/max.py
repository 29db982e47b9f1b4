r"""The maximum over the nodes, entry by entry: $\max_i v_i$."""

from typing import ClassVar

import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, PRNGKeyArray

from recursor.network.poolings.pooling import Pooling
from recursor.network.values import NEVER


class MaxPooling(Pooling):
    """Has no weights."""

    attends: ClassVar[bool] = False

    def __init__(self, node_width: int, graph_width: int, hidden: int, *, key: PRNGKeyArray) -> None:
        pass

    def __call__(
        self,
        values: Float[Array, "n width"],
        node: Float[Array, "n node_width"],
        graph: Float[Array, " graph_width"],
        mask: Bool[Array, " n"],
    ) -> Float[Array, " width"]:
        return jnp.where(mask[:, None], values, NEVER).max(0)


KINDS = {"max": MaxPooling}
