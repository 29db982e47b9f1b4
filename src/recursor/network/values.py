"""The values of a field as the network holds them, for one row of one graph of n nodes.

    place × kind   scalar, mask    category       pointer
    node           [n]             [n, k]         [n, n]
    edge           [n, n]          [n, n, k]      [n, n, n]
    graph          []              [k]            [n]

All are float32: a true value is one-hot in its last axis, a predicted one soft (probabilities) or hard (one-hot of the
likeliest). Logits have the same shapes. A pointer that is null is all zero; one that may be null has one logit more, the
last, for nothing. A stamp is [n], and nothing predicts it.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Num

from recursor.spec import Field

NEVER = -1e9  # the logit of a node that is padding


def choices(field: Field, nodes: int) -> int:
    """How many values a category or pointer can take."""
    return nodes if field.kind == "pointer" else field.categories


def from_truth(field: Field, truth: Num[Array, "..."], nodes: int) -> Float[Array, "..."]:
    """Recorded values as the network holds them."""
    if field.kind in ("scalar", "mask", "stamp"):
        return truth.astype(jnp.float32)
    return jax.nn.one_hot(truth, choices(field, nodes))


def from_logits(field: Field, logits: Float[Array, "..."], *, hard: bool) -> Float[Array, "..."]:
    """What the network predicts, as it is fed back."""
    if field.kind == "scalar":
        return logits
    if field.kind == "mask":
        return (logits > 0).astype(jnp.float32) if hard else jax.nn.sigmoid(logits)
    values = jax.nn.one_hot(jnp.argmax(logits, -1), logits.shape[-1]) if hard else jax.nn.softmax(logits)
    return values[..., :-1] if field.null else values


def settled(field: Field, value: Float[Array, "..."]) -> Float[Array, "..."]:
    """A value of which nothing is left open: of a soft one the likeliest."""
    if field.kind in ("scalar", "stamp"):
        return value
    if field.kind == "mask":
        return (value > 0.5).astype(jnp.float32)
    count = value.shape[-1]
    if field.null:
        value = jnp.append(value, 1.0 - value.sum(-1, keepdims=True), -1)
    return jax.nn.one_hot(jnp.argmax(value, -1), count)


def prediction(field: Field, logits: Float[Array, "..."]) -> Num[Array, "..."]:
    """What the network predicts, as it is recorded."""
    if field.kind == "scalar":
        return logits
    if field.kind == "mask":
        return (logits > 0).astype(jnp.int32)
    likeliest = jnp.argmax(logits, -1).astype(jnp.int32)
    return jnp.where(likeliest == logits.shape[-1] - 1, -1, likeliest) if field.null else likeliest


def mask_pointer(logits: Float[Array, "... n"], node_mask: Bool[Array, " n"]) -> Float[Array, "... n"]:
    """Logits over nodes with none for padding."""
    return jnp.where(node_mask, logits, NEVER)
