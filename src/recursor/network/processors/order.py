r"""The order processor: it compares positions instead of measuring them.

Real positions lie closer together the larger the graph is, and a network that was trained on small graphs cannot tell them
apart. This processor sees positions only as an order of the nodes. For the features $z_i$ of node i and $h_g$ of the graph
(the maximum over no nodes is zero):

$$ [a_i, b_i, c_i, d_i] = \mathrm{relu}(z_i W_s + h_g W_t + b_s) $$
$$ m_i = [\max_{j \to i} a_j,\ \max_{i \to j} b_j,\ \max_j c_j,\ \max_{j < i} d_j] $$
$$ p_i = \mathrm{norm}(\mathrm{relu}(z_i W_z + h_g W_g + m_i W_m + b_z) W_p + b_p) $$

A node receives the maximum over its in-neighbours, its out-neighbours, all nodes, and all nodes before it. A sum would grow
with the graph; a maximum does not. Some algorithms compare more than positions: keys, or stamps, which say when a pointer
first named a node. Each of these is a further order, in which a node receives from the nodes before it and after it.

A row costs O(edges + nodes): a message is a quarter of the width and depends on the sender alone, and no network runs on
pairs of nodes. To find the first white neighbour, one round marks the neighbours, and the next finds the one that has none
before it.

Messages can be *bits*: then $\mathrm{bit}$ of `bits` replaces $\mathrm{relu}$ in the first line, and a node receives one of
finitely many values.
"""

from dataclasses import replace
from typing import ClassVar, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray

from recursor.data.batch import Inputs
from recursor.network.bits import as_bits
from recursor.network.config import NetworkConfig
from recursor.network.encode import Values, channel_place
from recursor.network.linear import Features, Linear
from recursor.network.processors.processor import Processor
from recursor.spec import Spec

SPARSE = 10
"""If fewer than one in so many pairs of nodes is an edge, a list of edges is faster than a matrix."""


class Neighbours(NamedTuple):
    """The edges of one graph, as a list or as a matrix, whichever is faster. The results are the same."""

    senders: Int[Array, " pairs"]  # the number n marks padding; empty if there is a matrix
    receivers: Int[Array, " pairs"]
    matrix: Float[Array, "n n"] | None  # 1 from a sender (first axis) to a receiver (second axis), else 0
    mask: Bool[Array, " n"]
    orders: "tuple[Order, ...]" = ()  # further orders, beside that of positions


class Order(NamedTuple):
    """An order of some nodes. The arrays hold all nodes, because their shape must be fixed."""

    nodes: Int[Array, " n"]  # sorted; nodes that are not in the order stand anywhere
    ranks: Int[Array, " n"]  # the place of each node in `nodes`
    inside: Bool[Array, " n"]  # which nodes are in the order


def ordered(values: Float[Array, " n"], inside: Bool[Array, " n"]) -> Order:
    """Returns the nodes sorted by their values; equal values are sorted by position."""
    nodes = jnp.argsort(values)
    return Order(nodes, jnp.argsort(nodes), inside)


def neighbours(
    senders: Int[Array, " pairs"], receivers: Int[Array, " pairs"], mask: Bool[Array, " n"], *, matrix: bool | None = None
) -> Neighbours:
    """Returns the edges as a matrix or as a list, as `matrix` says; by default whichever is faster."""
    n = len(mask)
    if matrix or (matrix is None and is_dense(n, len(senders))):
        dense = jnp.zeros((n, n)).at[senders, receivers].set(1.0, mode="drop")
        return Neighbours(senders[:0], receivers[:0], dense, mask)
    return Neighbours(senders, receivers, None, mask)


def is_dense(nodes: int, pairs: int) -> bool:
    """Returns whether a matrix is faster than a list of so many pairs."""
    return nodes * nodes <= SPARSE * pairs


def max_from(edges: Neighbours, messages: Float[Array, "n width"], *, backwards: bool = False) -> Float[Array, "n width"]:
    """Returns for each node the maximum over its in-neighbours' messages (backwards: its out-neighbours'), at least 0."""
    if edges.matrix is not None:
        return _max_over(edges.matrix.T if backwards else edges.matrix, messages)
    senders, receivers = (edges.receivers, edges.senders) if backwards else (edges.senders, edges.receivers)
    sent = messages.at[senders].get(mode="fill", fill_value=0.0)
    most = jax.ops.segment_max(sent, receivers, len(messages), indices_are_sorted=not backwards)
    return jnp.maximum(most, 0.0)


def _pair_messages(matrix: Float[Array, "n m"], messages: Float[Array, "n width"]) -> Float[Array, "n width m"]:
    """Returns the message of each sender to each receiver.

    It is a product, because a `where` is ten times slower. The barrier keeps XLA from writing the array out for all rounds
    together. Receivers are the last axis, which is half as fast again as the width last.
    """
    matrix, messages = jax.lax.optimization_barrier((matrix, messages))
    return matrix[:, None, :] * messages[:, :, None]


@jax.custom_vjp
def _max_over(matrix: Float[Array, "n m"], messages: Float[Array, "n width"]) -> Float[Array, "m width"]:
    """Returns the maximum over senders. The gradient is the usual one (equal maxima share it); it is written by hand because
    JAX's would write out arrays of all pairs."""
    return _pair_messages(matrix, messages).max(0).T


def _max_over_forward(matrix: Array, messages: Array) -> tuple[Array, tuple[Array, Array, Array]]:
    most = _max_over(matrix, messages)
    return most, (matrix, messages, most)


def _max_over_backward(saved: tuple[Array, Array, Array], gradient: Array) -> tuple[Array, Array]:
    matrix, messages, most = saved
    # The pairs that attain the maximum are computed twice, since keeping them would write out an array of all pairs.
    attain = (_pair_messages(matrix, messages) == most.T).astype(jnp.float32)
    share = (gradient / attain.sum(0).T).T
    share, matrix, messages = jax.lax.optimization_barrier((share, matrix, messages))
    attain = (_pair_messages(matrix, messages) == most.T).astype(jnp.float32)
    return jnp.zeros_like(matrix), (attain * matrix[:, None, :] * share).sum(-1)


_max_over.defvjp(_max_over_forward, _max_over_backward)


@jax.custom_vjp
def max_before(messages: Float[Array, "n width"]) -> Float[Array, "n width"]:
    """Returns for each node the maximum over the messages of the nodes before it, at least 0. The gradient goes to the last
    node that attains it."""
    return jnp.pad(jax.lax.cummax(messages, axis=0)[:-1], ((1, 0), (0, 0)))


def _max_before_forward(messages: Array) -> tuple[Array, Array]:
    """Also returns the last node up to each node that attains the maximum."""
    most = jax.lax.cummax(messages, axis=0)
    places = jnp.arange(len(messages), dtype=jnp.int32)[:, None]
    return jnp.pad(most[:-1], ((1, 0), (0, 0))), jax.lax.cummax(jnp.where(messages == most, places, 0), axis=0)


def _max_before_backward(attained: Array, gradient: Array) -> tuple[Array]:
    places = jnp.arange(len(attained), dtype=jnp.int32)
    attains = attained.T[:, :-1, None] == places  # [width, receiver, sender]
    return (jnp.einsum("wis,iw->sw", attains.astype(jnp.float32), gradient[1:]),)


max_before.defvjp(_max_before_forward, _max_before_backward)


def max_in(order: Order, messages: Float[Array, "n width"]) -> Float[Array, "n width"]:
    """Returns two maxima for each node in the order: of the first half of the messages over the nodes before it, and of the
    second half over the nodes after it. Nodes that are not in the order receive 0."""
    inside = order.inside[:, None]
    before, after = jnp.split(jnp.where(inside, messages, 0.0)[order.nodes], 2, -1)
    heard = jnp.concatenate([max_before(before), max_before(after[::-1])[::-1]], -1)[order.ranks]
    return jnp.where(inside, heard, 0.0)


class OrderProcessor(Processor):
    """One round of messages, in O(edges + nodes) for each row. The comments name the weights as the equations do."""

    send: Linear  # W_s, b_s
    own: Linear  # W_z, b_z
    graph: Linear  # W_t and W_g side by side
    heard: Linear  # W_m, for the maxima that a node receives
    out: Linear  # W_p, b_p
    norm: eqx.nn.LayerNorm
    bits: int = eqx.field(static=True)  # in one message; if 0, a message is real numbers, a quarter of the width
    message_width: int = eqx.field(static=True)  # of the kinds that this algorithm uses, which come first

    encodes_pairs: ClassVar[bool] = False
    has_bits: ClassVar[bool] = True

    def __init__(self, spec: Spec, config: NetworkConfig, node_width: int, graph_width: int, *, key: PRNGKeyArray) -> None:
        keys, width, self.bits = jax.random.split(key, 5), config.width, config.message_bits
        orders = len(spec.compared) + len(spec.stamps)
        kind_width = self.bits or max(1, width // 4)
        # There are weights for `config.orders` orders even if the algorithm has fewer, so that algorithms can share them.
        self.message_width, messages = ((4 + 2 * count) * kind_width for count in (orders, max(orders, config.orders)))
        self.send = Linear(node_width, messages, key=keys[0])
        self.own = Linear(node_width, width, key=keys[1])
        self.graph = Linear(graph_width, messages + width, bias=False, key=keys[2])
        self.heard = Linear(messages, width, bias=False, key=keys[3])
        self.out = Linear(width, width, key=keys[4])
        self.norm = eqx.nn.LayerNorm(width)

    @classmethod
    def check(cls, config: NetworkConfig, spec: Spec) -> None:
        if config.orders < 0:
            raise ValueError(f"orders must be 0 or more, not {config.orders}")
        decoded = (*spec.hints, *(() if config.collect else spec.outputs))
        on_pairs = [field.name for field in decoded if channel_place(field) == "edge"]
        if on_pairs:
            raise ValueError(
                f"the order processor computes nothing for pairs of nodes, which {', '.join(on_pairs)} of the view "
                f"{spec.view!r} of {spec.algorithm} would need; choose another view, or the processor mpnn"
            )

    @classmethod
    def encoded(cls, spec: Spec) -> Spec:
        """Returns the spec without scalars of the nodes: positions and other compared inputs are orders, not numbers."""
        return replace(spec, inputs=tuple(f for f in spec.inputs if (f.place, f.kind) != ("node", "scalar")))

    @classmethod
    def is_dense(cls, nodes: int, pairs: int) -> bool:
        return is_dense(nodes, pairs)

    @classmethod
    def training_bytes(cls, config: NetworkConfig, nodes: int) -> int:
        return nodes * nodes * config.width // 2

    @classmethod
    def execution_numbers(cls, config: NetworkConfig, nodes: int, edges: int) -> int:
        return (edges + nodes) * config.width

    @classmethod
    def prepare(cls, spec: Spec, inputs: Inputs) -> Neighbours:
        mask = inputs.node_mask == 1
        senders = inputs.senders
        if "A" in inputs.fields:  # the pairs hold each node with itself, which is an edge only where A is 1
            senders = jnp.where(inputs.fields["A"] == 1, senders, len(mask))
        orders = tuple(ordered(jnp.asarray(inputs.fields[field.name]), mask) for field in spec.compared)
        return neighbours(senders, inputs.receivers, mask)._replace(orders=orders)

    @classmethod
    def for_row(cls, spec: Spec, relations: Neighbours, row: Values) -> Neighbours:
        stamps = tuple(ordered(row[rule.field.name], row[rule.field.name] > 0) for rule in spec.stamps)
        return relations._replace(orders=(*relations.orders, *stamps))

    def send_logits(self, node: Features, graph: Features) -> Float[Array, "n messages"]:
        """Returns the messages of all nodes before relu or bit: $z_i W_s + h_g W_t + b_s$."""
        return self.send(node)[:, : self.message_width] + self.graph(graph)[: self.message_width]

    def receive(self, node: Features, graph: Features, heard: Float[Array, "n messages"]) -> Float[Array, "n width"]:
        """Returns the processed features of nodes that receive the maxima `heard`."""
        for_nodes = self.graph(graph)[self.send.weight.shape[1] :]  # h_g W_g, which follows h_g W_t
        hidden = jax.nn.relu(self.own(node) + for_nodes + heard @ self.heard.weight[: self.message_width])
        return jax.vmap(self.norm)(self.out(hidden))

    def __call__(
        self, node: Features, edge: Features | None, graph: Features, relations: Neighbours
    ) -> tuple[Float[Array, "n width"], Float[Array, "n bits"]]:
        logits, mask = self.send_logits(node, graph), relations.mask
        sent = as_bits(logits, mask) if self.bits else jnp.where(mask[:, None], jax.nn.relu(logits), 0.0)
        kinds = 4 + 2 * len(relations.orders)
        into, out, everywhere, before, *rest = jnp.split(sent, kinds, -1)
        to_all = jnp.broadcast_to(everywhere.max(0), everywhere.shape)
        heard = [max_from(relations, into), max_from(relations, out, backwards=True), to_all, max_before(before)]
        for order, first, second in zip(relations.orders, rest[::2], rest[1::2], strict=True):
            heard.append(max_in(order, jnp.concatenate([first, second], -1)))
        processed = self.receive(node, graph, jnp.concatenate(heard, -1))
        return processed, logits if self.bits else logits[:, :0]


KINDS = {"order": OrderProcessor}
