r"""Decoders: node, edge and graph features to the logits of all fields.

$h_i$ is what is known of node i (its features before and after the processor), $h_{ij}$ and $h_g$ are the encoded edge and
graph features. Like the encoders, the decoders of one place are one matrix for all fields:

    node scalar, mask, category    $h_i W + b$
    graph pointer                  $h_i w + b$, one logit a node
    graph scalar, mask, category   $(\max_i h_i) W + h_g U + b$
    edge scalar, mask, category    $h_i W + h_j U + h_{ij} V + b$
    node pointer, i to j           $\max(h_j Q, h_i K + h_{ij} V) w$
    edge pointer, (i, j) to k      $\max(h_k Q, h_i K + h_j L + h_{ij} V) w$
"""

from collections.abc import Sequence

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, PRNGKeyArray

from recursor.network.encode import Values
from recursor.network.linear import Features, Linear
from recursor.network.pairs import pair_logits
from recursor.network.values import NEVER, mask_pointer
from recursor.spec import Field


class Decoder(eqx.Module):
    """The logits of several fields from the features of one row, in the shapes of `values`."""

    node: Linear | None
    graph: Linear | None
    graph_of_nodes: Linear | None
    sender: Linear | None
    receiver: Linear | None
    edge: Float[Array, "edge_width out"] | None
    pointers: dict[str, "PointerDecoder"]
    node_fields: tuple[Field, ...] = eqx.field(static=True)
    edge_fields: tuple[Field, ...] = eqx.field(static=True)
    graph_fields: tuple[Field, ...] = eqx.field(static=True)

    def __init__(
        self, fields: Sequence[Field], node_width: int, edge_width: int, graph_width: int, *, key: PRNGKeyArray
    ) -> None:
        keys = jax.random.split(key, 7)
        pointers = [field for field in fields if field.kind == "pointer" and field.place != "graph"]
        rest = [field for field in fields if field not in pointers]
        self.graph_fields = tuple(field for field in rest if field.place == "graph" and field.kind != "pointer")
        self.edge_fields = tuple(field for field in rest if field.place == "edge")
        self.node_fields = tuple(field for field in rest if field not in (*self.graph_fields, *self.edge_fields))
        node, edge, graph = map(_width, (self.node_fields, self.edge_fields, self.graph_fields))
        self.node = Linear(node_width, node, key=keys[0]) if node else None
        self.graph_of_nodes = Linear(node_width, graph, key=keys[1]) if graph else None
        self.graph = Linear(graph_width, graph, bias=False, key=keys[2]) if graph else None
        self.sender = Linear(node_width, edge, key=keys[3]) if edge else None
        self.receiver = Linear(node_width, edge, bias=False, key=keys[4]) if edge else None
        self.edge = Linear(edge_width, edge, key=keys[5]).weight if edge else None
        subkeys = jax.random.split(keys[6], len(pointers) + 1)
        self.pointers = {
            field.name: PointerDecoder(field, node_width, edge_width, key=subkey)
            for field, subkey in zip(pointers, subkeys[1:], strict=True)
        }

    def __call__(self, node: Features, edge: Features, graph: Features, mask: Bool[Array, " n"]) -> Values:
        logits = {name: decode(node, edge, mask) for name, decode in self.pointers.items()}
        if self.node is not None:
            logits |= _split(self.node_fields, self.node(node), mask)
        if self.graph is not None and self.graph_of_nodes is not None:
            pooled = jnp.where(mask[:, None], node.dense(), NEVER).max(0)
            logits |= _split(self.graph_fields, self.graph_of_nodes(pooled) + self.graph(graph), mask)
        if self.sender is not None and self.receiver is not None and self.edge is not None:
            all_pairs = self.sender(node)[:, None] + self.receiver(node)[None] + edge.through(self.edge)
            logits |= _split(self.edge_fields, all_pairs, mask)
        return logits


def _width(fields: Sequence[Field]) -> int:
    return sum(field.categories or 1 for field in fields)


def _split(fields: Sequence[Field], together: Float[Array, "... out"], mask: Bool[Array, " n"]) -> Values:
    """The logits of each field of one place out of those of all."""
    logits = {}
    start = 0
    for field in fields:
        part = together[..., start : start + (field.categories or 1)]
        start += part.shape[-1]
        logits[field.name] = part if field.kind == "category" else part[..., 0]
        if field.kind == "pointer":
            logits[field.name] = mask_pointer(logits[field.name], mask)
    return logits


class PointerDecoder(eqx.Module):
    """The logits of one node pointer or edge pointer."""

    named: Linear
    sender: Linear
    receiver: Linear | None
    edge: Float[Array, "edge_width width"]
    logit: Linear

    def __init__(self, field: Field, node_width: int, edge_width: int, *, key: PRNGKeyArray) -> None:
        keys = jax.random.split(key, 5)
        self.named = Linear(node_width, edge_width, key=keys[0])
        self.sender = Linear(node_width, edge_width, key=keys[1])
        self.receiver = Linear(node_width, edge_width, bias=False, key=keys[2]) if field.place == "edge" else None
        self.edge = Linear(edge_width, edge_width, key=keys[3]).weight
        self.logit = Linear(edge_width, 1, bias=False, key=keys[4])  # a bias would shift all logits alike

    def __call__(self, node: Features, edge: Features, mask: Bool[Array, " n"]) -> Float[Array, "... n"]:
        named, sender = self.named(node), self.sender(node)
        if self.receiver is None:
            weights = (edge.code @ self.edge, self.logit.weight[:, 0])
            logits = pair_logits(sender + edge.bias @ self.edge, named, edge.channels, weights)
        else:
            pairs = sender[:, None] + self.receiver(node)[None] + edge.through(self.edge)
            logits = self.logit(jnp.maximum(named, pairs[:, :, None]))[..., 0]
        return mask_pointer(logits, mask)
