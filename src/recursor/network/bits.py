r"""Bits: messages of nodes as ones and zeros.

$$ \mathrm{bit}(x) = [x > 0], \qquad \partial\,\mathrm{bit}(x) / \partial x := \sigma'(x) $$

A bit is hard in the forward pass and has the gradient of a sigmoid in the backward pass (a straight-through estimator). The
maximum of bits over nodes is their *or*, so a node receives one of finitely many values, whatever the size of the graph.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float


def as_bits(x: Float[Array, "n bits"], mask: Bool[Array, " n"]) -> Float[Array, "n bits"]:
    """Returns the bits of all nodes, exactly 1 or 0; those of padding are 0."""
    soft = jax.nn.sigmoid(x)
    hard = (x > 0).astype(x.dtype) + (soft - jax.lax.stop_gradient(soft))
    return jnp.where(mask[:, None], hard, 0.0)
