r"""Encoders: the values of all fields to node, edge and graph features.

Encoders are linear, so the sum of one encoder a field is one matrix a place, applied to all *channels* of that place:

$$ h_i = x_i W_n + b_n, \qquad h_{ij} = e_{ij} W_e + b_e, \qquad h_g = g W_g + b_g $$

A channel is one number: a scalar, a mask, one of the k entries of a category, whether there is a stamp. A graph pointer is a
node channel (1 at the node it names), a node pointer an edge channel (1 from the node to the one it names); an edge pointer
is two edge channels, how often the pairs (sender, named) and (receiver, named) occur among the pairs of real nodes.
"""

from collections.abc import Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, PRNGKeyArray

from recursor.network.linear import Features, draws
from recursor.spec import Field, Place, Spec

Values = dict[str, Float[Array, "..."]]


def channel_place(field: Field) -> Place:
    """Where a field's channels are."""
    if field.kind == "pointer":
        return "node" if field.place == "graph" else "edge"
    return field.place


def channel_count(field: Field) -> int:
    """How many channels a field has."""
    if field.kind == "pointer":
        return 2 if field.place == "edge" else 1
    return field.categories or 1


def channels(
    field: Field, values: Float[Array, "..."], mask: Bool[Array, " n"] | None = None
) -> Float[Array, "... channels"]:
    """The channels of a field in their place: [n, c], [n, n, c] or [c]. Without a mask all nodes are real."""
    if field.kind == "category":
        return values
    if field.kind == "stamp":
        return (values > 0).astype(jnp.float32)[..., None]
    if field.kind == "pointer" and field.place == "edge":
        real = jnp.ones(len(values), bool) if mask is None else mask
        return jnp.stack([values.mean(1, where=real[:, None]), values.mean(0, where=real[:, None, None])], -1)
    return values[..., None]


def joined(fields: Sequence[Field], values: Values, node: Features, graph: Features) -> tuple[Features, Features]:
    """Node and graph features, and the channels of more fields beside them."""
    for field in fields:
        part = channels(field, values[field.name])
        node, graph = (node.joined(part), graph) if channel_place(field) == "node" else (node, graph.joined(part))
    return node, graph


def joined_widths(fields: Sequence[Field]) -> tuple[int, int]:
    """How much wider that makes them."""
    places = [channel_place(field) for field in fields]
    node, graph = (
        sum(channel_count(field) for field, at in zip(fields, places, strict=True) if at == place)
        for place in ("node", "graph")
    )
    return node, graph


class Encoder(eqx.Module):
    """The channels of one place, and their code as features."""

    code: Float[Array, "channels width"]
    bias: Float[Array, " width"]
    inputs: tuple[Field, ...] = eqx.field(static=True)
    hints: tuple[Field, ...] = eqx.field(static=True)

    def __init__(self, place: Place, spec: Spec, width: int, *, key: PRNGKeyArray) -> None:
        self.inputs = tuple(field for field in spec.inputs if channel_place(field) == place)
        self.hints = tuple(field for field in spec.hints if channel_place(field) == place)
        parts: list[Any] = [np.zeros((0, width), np.float32)]
        for field in (*self.inputs, *self.hints):
            key, subkey = jax.random.split(key)
            # As in CLRS-30: a lone channel is large, but for scalars that are predicted and fed back.
            size = width if field in self.hints and field.kind == "scalar" else channel_count(field)
            parts.append(draws(subkey, (channel_count(field), width), size**-0.5))
        self.code = jnp.asarray(np.concatenate(parts))
        self.bias = jnp.asarray(np.zeros(width, np.float32))

    def input_channels(
        self, values: Values, shape: tuple[int, ...], mask: Bool[Array, " n"] | None = None
    ) -> Float[Array, "*shape channels"]:
        """The channels of the inputs, the same in every row; `shape` is (n,), (n, n) or ()."""
        return _concatenate(self.inputs, values, shape, mask)

    def __call__(
        self, inputs: Float[Array, "*shape channels"], row: Values, mask: Bool[Array, " n"] | None = None
    ) -> Features:
        """The features of one row, from the channels of the inputs and the values of the hints."""
        hints = _concatenate(self.hints, row, inputs.shape[:-1], mask)
        return Features(jnp.concatenate([inputs, hints], -1), self.code, self.bias)


def _concatenate(
    fields: Sequence[Field], values: Values, shape: tuple[int, ...], mask: Bool[Array, " n"] | None
) -> Float[Array, "*shape channels"]:
    return jnp.concatenate([jnp.zeros((*shape, 0)), *(channels(field, values[field.name], mask) for field in fields)], -1)
