r"""The order processor: compare, don't measure.

Positions as real numbers must be told apart ever more finely as graphs grow, and a network that was trained on small graphs
has never had to. Here the nodes know their positions only as an order: which nodes are before me? For node features $z_i$,
and with $\max$ of nothing being zero,

$$ [a_i, b_i, c_i, d_i] = \mathrm{relu}(z_i W_s + h_g W_t + b_s) $$
$$ m_i = [\max_{j \to i} a_j,\ \max_{i \to j} b_j,\ \max_j c_j,\ \max_{j < i} d_j] $$
$$ p_i = \mathrm{norm}(\mathrm{relu}(z_i W_z + h_g W_g + m_i W_m + b_z) W_p + b_p) $$

so a node hears its in-neighbours, its out-neighbours, all nodes, and all nodes before it, and of each only whether there is
one that has something to say: nothing in it grows with the graph. An algorithm that compares something besides positions
(keys, or stamps, which tell when nodes were first named) has another order for each, in which a node hears those before it
and those after it. A row costs O(edges + nodes): messages are a quarter of
the width, depend on the sender alone, and there is no network on pairs of nodes. For the first neighbour that is white one
round finds the neighbours, and the next who of them has none before it.

Messages can be *bits*: a few ones and zeros, with the $\mathrm{bit}$ of `bits` in the place of $\mathrm{relu}$ in the first
line. Then what a node hears is one of finitely many things.
"""

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray

from recursor.network.bits import as_bits
from recursor.network.linear import Features, Linear

SPARSE = 10  # with fewer edges than one pair in so many, a list is faster than a matrix


class Neighbours(NamedTuple):
    """The edges of one graph, as a list or as a matrix, whichever is the faster: the results are the same."""

    senders: Int[Array, " pairs"]  # n, the number of nodes: no edge; no pairs at all where there is a matrix
    receivers: Int[Array, " pairs"]
    matrix: Float[Array, "n n"] | None  # 1 from a sender (first axis) to a receiver (second axis), else 0
    mask: Bool[Array, " n"]
    orders: "tuple[Order, ...]" = ()  # besides that of the nodes' positions


class Order(NamedTuple):
    """Some nodes in an order."""

    nodes: Int[Array, " n"]  # all of them; those that are not in the order are anywhere
    ranks: Int[Array, " n"]  # of each node its place among them
    inside: Bool[Array, " n"]


def ordered(values: Float[Array, " n"], inside: Bool[Array, " n"]) -> Order:
    """Some nodes by their values; where those are alike, by position."""
    nodes = jnp.argsort(values)
    return Order(nodes, jnp.argsort(nodes), inside)


def neighbours(
    senders: Int[Array, " pairs"], receivers: Int[Array, " pairs"], mask: Bool[Array, " n"], *, matrix: bool | None = None
) -> Neighbours:
    """The edges, in the form that `matrix` says or, if it is left out, the faster one."""
    n = len(mask)
    if matrix or (matrix is None and is_dense(n, len(senders))):
        dense = jnp.zeros((n, n)).at[senders, receivers].set(1.0, mode="drop")
        return Neighbours(senders[:0], receivers[:0], dense, mask)
    return Neighbours(senders, receivers, None, mask)


def is_dense(nodes: int, pairs: int) -> bool:
    """Whether so many pairs are faster as a matrix."""
    return nodes * nodes <= SPARSE * pairs


def max_from(edges: Neighbours, messages: Float[Array, "n width"], *, backwards: bool = False) -> Float[Array, "n width"]:
    """For each node the maximum of what its in-neighbours say (backwards: its out-neighbours), none of it negative."""
    if edges.matrix is not None:
        return _max_over(edges.matrix.T if backwards else edges.matrix, messages)
    senders, receivers = (edges.receivers, edges.senders) if backwards else (edges.senders, edges.receivers)
    said = messages.at[senders].get(mode="fill", fill_value=0.0)
    most = jax.ops.segment_max(said, receivers, len(messages), indices_are_sorted=not backwards)
    return jnp.maximum(most, 0.0)


def _said(matrix: Float[Array, "n m"], messages: Float[Array, "n width"]) -> Float[Array, "n width m"]:
    """What each sender says to each receiver: a product, since XLA makes a choice ten times slower; a barrier, or it would
    write this out, for all rounds together; receivers last, which is half as fast again as the width last."""
    matrix, messages = jax.lax.optimization_barrier((matrix, messages))
    return matrix[:, None, :] * messages[:, :, None]


@jax.custom_vjp
def _max_over(matrix: Float[Array, "n m"], messages: Float[Array, "n width"]) -> Float[Array, "m width"]:
    """The maximum of what is said. Its own gradient, the usual one (senders who say the most share it alike), is here
    because JAX's would write out arrays of all pairs."""
    return _said(matrix, messages).max(0).T


def _max_over_forward(matrix: Array, messages: Array) -> tuple[Array, tuple[Array, Array, Array]]:
    most = _max_over(matrix, messages)
    return most, (matrix, messages, most)


def _max_over_backward(kept: tuple[Array, Array, Array], gradient: Array) -> tuple[Array, Array]:
    matrix, messages, most = kept
    attain = (_said(matrix, messages) == most.T).astype(jnp.float32)
    share = (gradient / attain.sum(0).T).T
    share, matrix, messages = jax.lax.optimization_barrier((share, matrix, messages))
    attain = (_said(matrix, messages) == most.T).astype(jnp.float32)
    return jnp.zeros_like(matrix), (attain * matrix[:, None, :] * share).sum(-1)


_max_over.defvjp(_max_over_forward, _max_over_backward)


@jax.custom_vjp
def max_before(messages: Float[Array, "n width"]) -> Float[Array, "n width"]:
    """For each node the maximum of what the nodes before it say, none of it negative. The gradient goes to the last one that
    says it."""
    return jnp.pad(jax.lax.cummax(messages, axis=0)[:-1], ((1, 0), (0, 0)))


def _max_before_forward(messages: Array) -> tuple[Array, Array]:
    most = jax.lax.cummax(messages, axis=0)
    places = jnp.arange(len(messages), dtype=jnp.int32)[:, None]
    return jnp.pad(most[:-1], ((1, 0), (0, 0))), jax.lax.cummax(jnp.where(messages == most, places, 0), axis=0)


def _max_before_backward(attained: Array, gradient: Array) -> tuple[Array]:
    places = jnp.arange(len(attained), dtype=jnp.int32)
    said = attained.T[:, :-1, None] == places  # [width, receiver, sender]
    return (jnp.einsum("wis,iw->sw", said.astype(jnp.float32), gradient[1:]),)


max_before.defvjp(_max_before_forward, _max_before_backward)


def max_in(order: Order, messages: Float[Array, "n width"]) -> Float[Array, "n width"]:
    """For each node that is in the order the maximum of what those before it say in one half of the messages, and of what
    those after it say in the other."""
    inside = order.inside[:, None]
    before, after = jnp.split(jnp.where(inside, messages, 0.0)[order.nodes], 2, -1)
    heard = jnp.concatenate([max_before(before), max_before(after[::-1])[::-1]], -1)[order.ranks]
    return jnp.where(inside, heard, 0.0)


class OrderProcessor(eqx.Module):
    """One round."""

    send: Linear
    own: Linear
    graph: Linear  # W_t and W_g side by side
    heard: Linear
    out: Linear
    norm: eqx.nn.LayerNorm
    bits: int = eqx.field(static=True)  # in a message; 0: it is a quarter of the width of real numbers

    def __init__(
        self, node_width: int, graph_width: int, width: int, orders: int = 0, bits: int = 0, *, key: PRNGKeyArray
    ) -> None:
        keys = jax.random.split(key, 5)
        messages = (4 + 2 * orders) * (bits or max(1, width // 4))
        self.send = Linear(node_width, messages, key=keys[0])
        self.own = Linear(node_width, width, key=keys[1])
        self.graph = Linear(graph_width, messages + width, bias=False, key=keys[2])
        self.heard = Linear(messages, width, bias=False, key=keys[3])
        self.out = Linear(width, width, key=keys[4])
        self.norm = eqx.nn.LayerNorm(width)
        self.bits = bits

    def send_logits(self, node: Features, graph: Features) -> Float[Array, "n messages"]:
        """Returns what each node says, before it is made positive or a bit: $z_i W_s + h_g W_t + b_s$."""
        return self.send(node) + self.graph(graph)[: self.send.weight.shape[1]]

    def receive(self, node: Features, graph: Features, heard: Float[Array, "n messages"]) -> Float[Array, "n width"]:
        """Returns the processed features of nodes that hear `heard`."""
        for_nodes = self.graph(graph)[self.send.weight.shape[1] :]
        hidden = jax.nn.relu(self.own(node) + for_nodes + self.heard(heard))
        return jax.vmap(self.norm)(self.out(hidden))

    def __call__(
        self, node: Features, edge: Features | None, graph: Features, edges: Neighbours
    ) -> tuple[Float[Array, "n width"], Float[Array, "n messages"]]:
        """Returns the processed node features, and what each node said."""
        logits = self.send_logits(node, graph)
        said = as_bits(logits, edges.mask) if self.bits else jnp.where(edges.mask[:, None], jax.nn.relu(logits), 0.0)
        kinds = 4 + 2 * len(edges.orders)
        into, out, everywhere, before, *rest = jnp.split(said, kinds, -1)
        to_all = jnp.broadcast_to(everywhere.max(0), everywhere.shape)
        heard = [max_from(edges, into), max_from(edges, out, backwards=True), to_all, max_before(before)]
        for order, first, second in zip(edges.orders, rest[::2], rest[1::2], strict=True):
            heard.append(max_in(order, jnp.concatenate([first, second], -1)))
        return self.receive(node, graph, jnp.concatenate(heard, -1)), said
