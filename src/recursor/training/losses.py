r"""Losses: the loss of a hint is the mean over all rows, nodes and graphs without padding; likewise for each output.

    scalar               $(\hat y - y)^2$
    mask                 $-y \log \sigma(\hat y) - (1 - y) \log \sigma(-\hat y)$
    category, pointer    $-\log \mathrm{softmax}(\hat y)_y$

The loss of an update is their sum. Each mean is stored as a sum and a weight, so that a batch can be split over devices.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Float, Num

from recursor.data.batch import Batch, element_weights
from recursor.network.reasoner import Rollout
from recursor.spec import Field, Spec


class Mean(NamedTuple):
    """A mean, stored as a sum and a weight."""

    total: Float[Array, ""]
    weight: Float[Array, ""]

    @property
    def value(self) -> Float[Array, ""]:
        """The mean; zero if the weight is zero."""
        return self.total / jnp.maximum(self.weight, 1.0)


def element_loss(field: Field, logits: Float[Array, "..."], truth: Num[Array, "..."]) -> Float[Array, "..."]:
    """Returns the loss of every element, in the shape of the truth."""
    if field.kind == "scalar":
        return jnp.square(logits - truth)
    if field.kind == "mask":
        return optax.sigmoid_binary_cross_entropy(logits, truth.astype(jnp.float32))
    if field.null:
        truth = jnp.where(truth < 0, logits.shape[-1] - 1, truth)
    return optax.softmax_cross_entropy_with_integer_labels(logits, truth)


def row_losses(spec: Spec, rollout: Rollout, batch: Batch) -> dict[str, tuple[Array, Array]]:
    """Returns for each hint the losses of all rows after the first, and their weights: [batch, rows - 1, …]."""
    rows = jnp.asarray(batch.row_mask[:, 1:], jnp.float32)
    return {
        field.name: (
            element_loss(field, rollout.hints[field.name], batch.hints[field.name][:, 1:]),
            element_weights(field, batch, rows),
        )
        for field in spec.hints
    }


def losses(spec: Spec, rollout: Rollout, batch: Batch) -> dict[str, Mean]:
    """Returns the loss of each hint and each output. An output has the key `output/NAME`."""
    parts = row_losses(spec, rollout, batch)
    graphs = jnp.ones(len(batch.row_mask))
    for field in spec.outputs:
        loss = element_loss(field, rollout.outputs[field.name], batch.outputs[field.name])
        parts[f"output/{field.name}"] = (loss, element_weights(field, batch, graphs))
    return {name: Mean(jnp.where(weight > 0, loss, 0.0).sum(), weight.sum()) for name, (loss, weight) in parts.items()}


def total(parts: dict[str, Mean]) -> Float[Array, ""]:
    """Returns the sum of all means."""
    return jax.tree.reduce(jnp.add, [part.value for part in parts.values()])
