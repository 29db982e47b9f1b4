r"""The sum over the nodes: $\sum_i v_i$."""

from typing import ClassVar

import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, PRNGKeyArray

from recursor.network.poolings.pooling import Pooling


class SumPooling(Pooling):
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
        return mask.astype(jnp.float32) @ values


KINDS = {"sum": SumPooling}
