r"""The decoder of fields: node, edge and graph features to logits.

$h_i$ are the features of node i before and after the processor, $h_{ij}$ and $h_g$ are the edge and graph features. Like the
encoders, the decoders of one place are one matrix for all fields:

    node scalar, mask, category    $h_i W + b$
    graph pointer                  $h_i w + b$, one logit a node; the logit of null is that of a graph mask
    graph scalar, mask, category   $(\max_i h_i) W + h_g U + b$
    node pointer, i to j           $\max(h_j Q, h_i K + h_{ij} V) w$
"""

from collections.abc import Sequence
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, PRNGKeyArray

from recursor.network.encode import Values
from recursor.network.linear import Features, Linear
from recursor.network.pairs import pair_logits
from recursor.network.values import NEVER, mask_pointer
from recursor.spec import Field


class FieldDecoder(eqx.Module):
    """The logits of several fields from the features of one row, in the shapes of `values`."""

    node: Linear | None
    graph: Linear | None
    graph_of_nodes: Linear | None
    pointers: "PointerDecoder | None"
    node_fields: tuple[Field, ...] = eqx.field(static=True)
    graph_fields: tuple[Field, ...] = eqx.field(static=True)

    def __init__(
        self,
        fields: Sequence[Field],
        node_width: int,
        edge_width: int,
        graph_width: int,
        pooled_width: int = 0,
        *,
        key: PRNGKeyArray,
    ) -> None:
        """With a `pooled_width` of 0, graph fields are decoded from the maximum of every node feature."""
        keys = jax.random.split(key, 8)
        pointers = [field for field in fields if field.kind == "pointer" and field.place == "node"]
        rest = [field for field in fields if field not in pointers]
        self.graph_fields = tuple(field for field in rest if field.place == "graph" and field.kind != "pointer")
        self.node_fields = tuple(field for field in rest if field not in self.graph_fields)
        node, graph = map(_width, (self.node_fields, self.graph_fields))
        graph += sum(field.null for field in self.node_fields)
        # a bias would shift all logits of a pointer alike
        biased = any(field.kind != "pointer" for field in self.node_fields)
        self.node = Linear(node_width, node, bias=biased, key=keys[0]) if node else None
        self.graph_of_nodes = Linear(pooled_width or node_width, graph, key=keys[1]) if graph else None
        self.graph = Linear(graph_width, graph, bias=False, key=keys[2]) if graph else None
        self.pointers = PointerDecoder(pointers, node_width, edge_width, key=keys[6]) if pointers else None

    def __call__(
        self,
        node: Features,
        edge: Features | None,
        graph: Features,
        mask: Bool[Array, " n"],
        pooled: Float[Array, " pooled_width"] | None = None,
    ) -> Values:
        """Returns the logits. `pooled` is what graph fields are decoded from, by default the maximum over the nodes."""
        logits = {}
        if self.pointers is not None and edge is not None:
            logits |= self.pointers(node, edge, mask)
        if self.node is not None:
            logits |= _split(self.node_fields, self.node(node), mask)
        if self.graph is not None and self.graph_of_nodes is not None:
            pooled = _max_over_nodes(node, mask) if pooled is None else pooled
            of_graph = self.graph_of_nodes(pooled) + self.graph(graph)
            logits |= _split(self.graph_fields, of_graph, mask)
            nullable = [field.name for field in self.node_fields if field.null]
            for name, null in zip(nullable, of_graph[len(of_graph) - len(nullable) :], strict=True):
                logits[name] = jnp.append(logits[name], null)
        return logits


@partial(jax.checkpoint, prevent_cse=False)  # the backward pass computes it again, which is cheap
def _max_over_nodes(node: Features, mask: Bool[Array, " n"]) -> Float[Array, " width"]:
    """Returns the maximum of every feature over all nodes that are not padding."""
    return jnp.where(mask[:, None], node.dense(), NEVER).max(0)


def _width(fields: Sequence[Field]) -> int:
    return sum(field.categories or 1 for field in fields)


def _split(fields: Sequence[Field], together: Float[Array, "... out"], mask: Bool[Array, " n"]) -> Values:
    """Returns the logits of each field from those of all fields of one place side by side."""
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
    """The logits of all node pointers. Each has its own part of the width, and all parts are computed together."""

    nodes: Linear  # Q and K of all pointers side by side
    edge: Float[Array, "edge_width pointers_width"]
    logit: Float[Array, "pointers width"]  # no bias: it would shift all logits of a pointer alike
    fields: tuple[Field, ...] = eqx.field(static=True)

    def __init__(self, fields: Sequence[Field], node_width: int, edge_width: int, *, key: PRNGKeyArray) -> None:
        keys = jax.random.split(key, 3)
        self.fields = tuple(fields)
        self.nodes = Linear(node_width, 2 * len(fields) * edge_width, key=keys[0])
        self.edge = Linear(edge_width, len(fields) * edge_width, key=keys[1]).weight
        self.logit = Linear(edge_width, len(fields), key=keys[2]).weight.T

    def __call__(self, node: Features, edge: Features, mask: Bool[Array, " n"]) -> Values:
        shape = (-1, *self.logit.shape)  # of each pointer its own part of the width
        named, sender = jnp.split(self.nodes(node), 2, -1)
        sender = sender + edge.bias @ self.edge
        weights = ((edge.code @ self.edge).reshape(shape), self.logit)
        logits = pair_logits(sender.reshape(shape), named.reshape(shape), edge.channels, weights)
        return {field.name: mask_pointer(logits[..., index], mask) for index, field in enumerate(self.fields)}
