"""The values of a field as the network holds them, for one row of one graph of n nodes.

    place × kind   scalar, mask    category       pointer
    node           [n]             [n, k]         [n, n]
    edge           [n, n]          [n, n, k]
    graph          []              [k]            [n]

All are float32. A true value is one-hot in its last axis; a predicted value is soft (probabilities) or hard (the argmax as a
one-hot vector). Logits have the same shapes. A null pointer is all zero; a pointer that may be null has one more logit, the
last, for null. A stamp is [n], and nothing predicts it. Edge fields are inputs only, and never pointers.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Num

from recursor.spec import Field

NEVER = -1e9  # the logit of a node that is padding


def choices(field: Field, nodes: int) -> int:
    """Returns how many values a category or pointer can take."""
    return nodes if field.kind == "pointer" else field.categories


def from_truth(field: Field, truth: Num[Array, "..."], nodes: int) -> Float[Array, "..."]:
    """Returns recorded values in the form in which the network holds them."""
    if field.kind in ("scalar", "mask", "stamp"):
        return truth.astype(jnp.float32)
    return jax.nn.one_hot(truth, choices(field, nodes))


def from_logits(field: Field, logits: Float[Array, "..."], *, hard: bool) -> Float[Array, "..."]:
    """Returns predicted values, soft or hard, as they are fed back."""
    if field.kind == "scalar":
        return logits
    if field.kind == "mask":
        return (logits > 0).astype(jnp.float32) if hard else jax.nn.sigmoid(logits)
    values = jax.nn.one_hot(jnp.argmax(logits, -1), logits.shape[-1]) if hard else jax.nn.softmax(logits)
    return values[..., :-1] if field.null else values


def argmax_value(field: Field, logits: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns the hard value that the logits predict."""
    return from_logits(field, logits, hard=True)


def harden(field: Field, value: Float[Array, "..."]) -> Float[Array, "..."]:
    """Returns a soft value as a hard one: a mask as 0 or 1, a category or pointer as the one-hot vector of its argmax."""
    if field.kind in ("scalar", "stamp"):
        return value
    if field.kind == "mask":
        return (value > 0.5).astype(jnp.float32)
    count = value.shape[-1]
    if field.null:
        value = jnp.append(value, 1.0 - value.sum(-1, keepdims=True), -1)
    return jax.nn.one_hot(jnp.argmax(value, -1), count)


def prediction(field: Field, logits: Float[Array, "..."]) -> Num[Array, "..."]:
    """Returns predicted values in the form in which values are recorded: integers, -1 for null."""
    if field.kind == "scalar":
        return logits
    if field.kind == "mask":
        return (logits > 0).astype(jnp.int32)
    index = jnp.argmax(logits, -1).astype(jnp.int32)
    return jnp.where(index == logits.shape[-1] - 1, -1, index) if field.null else index


def mask_pointer(logits: Float[Array, "... n"], node_mask: Bool[Array, " n"]) -> Float[Array, "... n"]:
    """Returns the logits with `NEVER` in place of those of padding."""
    return jnp.where(node_mask, logits, NEVER)
