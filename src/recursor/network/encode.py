r"""Encoders: the values of all fields to node, edge and graph features.

Encoders are linear, so the sum of one encoder a field is one matrix a place, applied to all *channels* of that place:

$$ h_i = x_i W_n + b_n, \qquad h_{ij} = e_{ij} W_e + b_e, \qquad h_g = g W_g + b_g $$

A channel is one number: a scalar, a mask, one of the k entries of a category, whether there is a stamp. A graph pointer is a
node channel (1 at the node that it points to), a node pointer an edge channel (1 from the node to the one it points to).
"""

from collections.abc import Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from recursor.network.linear import Features, by_numpy, truncated_normal
from recursor.spec import Field, Place, Spec

Values = dict[str, Float[Array, "..."]]


def channel_place(field: Field) -> Place:
    """Returns the place of a field's channels."""
    if field.kind == "pointer":
        return "node" if field.place == "graph" else "edge"
    return field.place


def channel_count(field: Field) -> int:
    """Returns how many channels a field has."""
    return field.categories or 1


def channels(field: Field, values: Float[Array, "..."]) -> Float[Array, "... channels"]:
    """Returns the channels of a field in their place: [n, c], [n, n, c] or [c]."""
    if field.kind == "category":
        return values
    if field.kind == "stamp":
        return (values > 0).astype(jnp.float32)[..., None]
    return values[..., None]


def joined(fields: Sequence[Field], values: Values, node: Features, graph: Features) -> tuple[Features, Features]:
    """Returns the node and graph features with the channels of these fields appended."""
    for field in fields:
        part = channels(field, values[field.name])
        node, graph = (node.joined(part), graph) if channel_place(field) == "node" else (node, graph.joined(part))
    return node, graph


def joined_widths(fields: Sequence[Field]) -> tuple[int, int]:
    """Returns how much wider `joined` makes the node and the graph features."""
    places = [channel_place(field) for field in fields]
    node, graph = (
        sum(channel_count(field) for field, at in zip(fields, places, strict=True) if at == place)
        for place in ("node", "graph")
    )
    return node, graph


class Encoder(eqx.Module):
    """The linear encoder of one place: h = x W + b for its channels x."""

    code: Float[Array, "channels width"]
    bias: Float[Array, " width"]
    inputs: tuple[Field, ...] = eqx.field(static=True)
    hints: tuple[Field, ...] = eqx.field(static=True)

    def __init__(self, place: Place, spec: Spec, width: int, frame: Sequence[Field] = (), *, key: PRNGKeyArray) -> None:
        """Makes an encoder with random weights. `frame` has the fields of the top frame that are encoded too: the stack
        appends their channels to the features, and they are the last channels."""
        self.inputs = tuple(field for field in spec.inputs if channel_place(field) == place)
        self.hints = tuple(field for field in spec.hints if channel_place(field) == place and not field.latent)
        parts: list[Any] = [np.zeros((0, width), np.float32)]
        for field in (*self.inputs, *self.hints, *(field for field in frame if channel_place(field) == place)):
            key, subkey = jax.random.split(key)
            # As in CLRS-30: a lone channel is large, but for scalars that are predicted and fed back.
            size = width if field in self.hints and field.kind == "scalar" else channel_count(field)
            parts.append(truncated_normal(subkey, (channel_count(field), width), size**-0.5))
        self.code = by_numpy(lambda *parts: np.concatenate(parts), (sum(map(len, parts)), width), *parts)
        self.bias = jnp.asarray(np.zeros(width, np.float32))

    def input_channels(self, values: Values, shape: tuple[int, ...]) -> Float[Array, "*shape channels"]:
        """Returns the channels of the inputs, which are the same in every row; `shape` is (n,), (n, n) or ()."""
        return _concatenate(self.inputs, values, shape)

    def __call__(self, inputs: Float[Array, "*shape channels"], row: Values) -> Features:
        """Returns the features of one row from the channels of the inputs and the values of the hints."""
        hints = _concatenate(self.hints, row, inputs.shape[:-1])
        return Features(jnp.concatenate([inputs, hints], -1), self.code, self.bias)


def _concatenate(fields: Sequence[Field], values: Values, shape: tuple[int, ...]) -> Float[Array, "*shape channels"]:
    return jnp.concatenate([jnp.zeros((*shape, 0)), *(channels(field, values[field.name]) for field in fields)], -1)
