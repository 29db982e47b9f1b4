r"""Decoders: node, edge and graph features to the logits of all fields.

$h_i$ is what is known of node i (its features before and after the processor), $h_{ij}$ and $h_g$ are the encoded edge and
graph features. Like the encoders, the decoders of one place are one matrix for all fields:

    node scalar, mask, category    $h_i W + b$
    graph pointer                  $h_i w + b$, one logit a node; for nothing, if it may be null, as a graph mask
    graph scalar, mask, category   $(\max_i h_i) W + h_g U + b$
    edge scalar, mask, category    $h_i W + h_j U + h_{ij} V + b$
    node pointer, i to j           $\max(h_j Q, h_i K + h_{ij} V) w$
    edge pointer, (i, j) to k      $\max(h_k Q, h_i K + h_j L + h_{ij} V) w$

That is all fields *at once*, as in the paper. It cannot say of a node that it is the one pointed at, which is decided at the
same time. *In order*, the graph's pointers are decoded first, then its other fields, then the fields of nodes and edges;
each stage is given the values of those before it as channels x, beside the features that the first stage has too:

    stage s                        $h_i' = \mathrm{relu}(h_i W + x_i^{<s} V + (h_g, x_g^{<s}) U + b)$, decoded as above

The given values are the true ones in training and the likeliest in execution. What a stage's graph fields hear of the nodes
can be k *bits* of `bits`: $(\sqrt{k} \max_i \mathrm{bit}(h_i' P + p)) W$ in the place of $(\max_i h_i') W$. The factor makes
the weights of a bit as large as those of a lone channel: else many updates pass until it sways a logit.
"""

from collections.abc import Callable, Sequence
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, PRNGKeyArray

from recursor.network.bits import as_bits
from recursor.network.encode import Values, joined, joined_widths
from recursor.network.linear import Features, Linear, plain
from recursor.network.pairs import pair_logits
from recursor.network.values import NEVER, mask_pointer
from recursor.spec import Field

Settle = Callable[[Field, Float[Array, "..."]], Float[Array, "..."]]
"""From the logits of a field to the value that the fields decoded after it are given."""


class Decoder(eqx.Module):
    """The logits of several fields from the features of one row, in the shapes of `values`."""

    node: Linear | None
    graph: Linear | None
    graph_of_nodes: Linear | None
    sender: Linear | None
    receiver: Linear | None
    edge: Float[Array, "edge_width out"] | None
    pointers: "PointerDecoder | None"
    edge_pointers: "dict[str, EdgePointerDecoder]"
    node_fields: tuple[Field, ...] = eqx.field(static=True)
    edge_fields: tuple[Field, ...] = eqx.field(static=True)
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
        """A `pooled_width` of 0 means that graph fields hear the largest of every feature of the nodes."""
        keys = jax.random.split(key, 8)
        pointers = [field for field in fields if field.kind == "pointer" and field.place == "node"]
        edge_pointers = [field for field in fields if field.kind == "pointer" and field.place == "edge"]
        rest = [field for field in fields if field not in (*pointers, *edge_pointers)]
        self.graph_fields = tuple(field for field in rest if field.place == "graph" and field.kind != "pointer")
        self.edge_fields = tuple(field for field in rest if field.place == "edge")
        self.node_fields = tuple(field for field in rest if field not in (*self.graph_fields, *self.edge_fields))
        node, edge, graph = map(_width, (self.node_fields, self.edge_fields, self.graph_fields))
        graph += sum(field.null for field in self.node_fields)
        shifts = any(
            field.kind != "pointer" for field in self.node_fields
        )  # a bias would shift all logits of a pointer alike
        self.node = Linear(node_width, node, bias=shifts, key=keys[0]) if node else None
        self.graph_of_nodes = Linear(pooled_width or node_width, graph, key=keys[1]) if graph else None
        self.graph = Linear(graph_width, graph, bias=False, key=keys[2]) if graph else None
        self.sender = Linear(node_width, edge, key=keys[3]) if edge else None
        self.receiver = Linear(node_width, edge, bias=False, key=keys[4]) if edge else None
        self.edge = Linear(edge_width, edge, key=keys[5]).weight if edge else None
        self.pointers = PointerDecoder(pointers, node_width, edge_width, key=keys[6]) if pointers else None
        self.edge_pointers = {
            field.name: EdgePointerDecoder(node_width, edge_width, key=jax.random.fold_in(keys[7], index))
            for index, field in enumerate(edge_pointers)
        }

    def __call__(
        self,
        node: Features,
        edge: Features | None,
        graph: Features,
        mask: Bool[Array, " n"],
        pooled: Float[Array, " pooled_width"] | None = None,
    ) -> Values:
        """The logits. `pooled` is what graph fields hear of the nodes; left out, it is the largest of every feature."""
        if edge is None:
            edge = plain(jnp.zeros((0, 0, 0)))  # nothing needs it
        logits = {name: decode(node, edge, mask) for name, decode in self.edge_pointers.items()}
        if self.pointers is not None:
            logits |= self.pointers(node, edge, mask)
        if self.node is not None:
            logits |= _split(self.node_fields, self.node(node), mask)
        if self.graph is not None and self.graph_of_nodes is not None:
            pooled = _largest(node, mask) if pooled is None else pooled
            of_graph = self.graph_of_nodes(pooled) + self.graph(graph)
            logits |= _split(self.graph_fields, of_graph, mask)
            nulls = [field.name for field in self.node_fields if field.null]
            for name, nothing in zip(nulls, of_graph[len(of_graph) - len(nulls) :], strict=True):
                logits[name] = jnp.append(logits[name], nothing)
        if self.sender is not None and self.receiver is not None and self.edge is not None:
            all_pairs = self.sender(node)[:, None] + self.receiver(node)[None] + edge.through(self.edge)
            logits |= _split(self.edge_fields, all_pairs, mask)
        return logits


class OrderedDecoder(eqx.Module):
    """The same in order, each stage given the values of those before it."""

    stages: "tuple[Stage, ...]"

    def __init__(
        self,
        fields: Sequence[Field],
        node_width: int,
        edge_width: int,
        graph_width: int,
        width: int,
        pooled_bits: int = 0,
        *,
        key: PRNGKeyArray,
    ) -> None:
        pointers = [field for field in fields if field.place == "graph" and field.kind == "pointer"]
        others = [field for field in fields if field.place == "graph" and field.kind != "pointer"]
        rest = [field for field in fields if field.place != "graph"]
        stages, given = [], []
        for index, part in enumerate((pointers, others, rest)):
            if part:
                widths = (node_width, edge_width, graph_width, width, pooled_bits)
                stages.append(Stage(part, given, *widths, key=jax.random.fold_in(key, index)))
                given = [*given, *part]
        self.stages = tuple(stages)

    def __call__(
        self, node: Features, edge: Features | None, graph: Features, mask: Bool[Array, " n"], settle: Settle
    ) -> tuple[Values, list[Float[Array, "n bits"]]]:
        """The logits, and the bits that each stage pooled."""
        logits: Values = {}
        given: Values = {}
        pooled = []
        for stage in self.stages:
            found, said = stage(node, edge, graph, mask, given)
            logits |= found
            pooled.append(said)
            given |= {field.name: settle(field, logits[field.name]) for field in stage.fields}
        return logits, pooled


class Stage(eqx.Module):
    """Some fields, given others."""

    hidden: Linear
    graph: Linear
    pool: Linear | None  # None: the decoder hears real features, or decodes no graph field
    decoder: Decoder
    fields: tuple[Field, ...] = eqx.field(static=True)
    given: tuple[Field, ...] = eqx.field(static=True)

    def __init__(
        self,
        fields: Sequence[Field],
        given: Sequence[Field],
        node_width: int,
        edge_width: int,
        graph_width: int,
        width: int,
        pooled_bits: int,
        *,
        key: PRNGKeyArray,
    ) -> None:
        keys = jax.random.split(key, 3)
        self.fields, self.given = tuple(fields), tuple(given)
        on_nodes, on_graph = joined_widths(given)
        self.hidden = Linear(node_width + on_nodes, width, key=keys[0])
        self.graph = Linear(graph_width + on_graph, width, bias=False, key=keys[1])
        self.decoder = Decoder(fields, width, edge_width, graph_width + on_graph, pooled_bits, key=keys[2])
        pools = pooled_bits and self.decoder.graph is not None
        self.pool = Linear(width, pooled_bits, key=jax.random.fold_in(key, len(keys))) if pools else None

    def __call__(
        self, node: Features, edge: Features | None, graph: Features, mask: Bool[Array, " n"], given: Values
    ) -> tuple[Values, Float[Array, "n bits"]]:
        """The logits, and the bits of all nodes that were pooled for them, of no width where there are none."""
        node, graph = joined(self.given, given, node, graph)
        hidden = jax.nn.relu(self.hidden(node) + self.graph(graph))
        if self.pool is None:
            return self.decoder(plain(hidden), edge, graph, mask), hidden[:, :0]
        said = as_bits(self.pool(hidden), mask)
        return self.decoder(plain(hidden), edge, graph, mask, said.shape[1] ** 0.5 * said.max(0)), said


@partial(jax.checkpoint, prevent_cse=False)  # what is cheap to make again is not kept for the backward pass
def _largest(node: Features, mask: Bool[Array, " n"]) -> Float[Array, " width"]:
    """Of every feature the largest over all nodes."""
    return jnp.where(mask[:, None], node.dense(), NEVER).max(0)


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
    """The logits of all node pointers. Each has its own part of the width, and all parts are computed at once."""

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


class EdgePointerDecoder(eqx.Module):
    """The logits of one edge pointer: O(n³·width)."""

    named: Linear
    sender: Linear
    receiver: Linear
    edge: Float[Array, "edge_width width"]
    logit: Float[Array, " width"]

    def __init__(self, node_width: int, edge_width: int, *, key: PRNGKeyArray) -> None:
        keys = jax.random.split(key, 5)
        self.named = Linear(node_width, edge_width, key=keys[0])
        self.sender = Linear(node_width, edge_width, key=keys[1])
        self.receiver = Linear(node_width, edge_width, bias=False, key=keys[2])
        self.edge = Linear(edge_width, edge_width, key=keys[3]).weight
        self.logit = Linear(edge_width, 1, key=keys[4]).weight[:, 0]

    def __call__(self, node: Features, edge: Features, mask: Bool[Array, " n"]) -> Float[Array, "n n n"]:
        pairs = self.sender(node)[:, None] + self.receiver(node)[None] + edge.through(self.edge)
        return mask_pointer(jnp.maximum(self.named(node), pairs[:, :, None]) @ self.logit, mask)
