"""What nodes hear of each other: the bits that others say, united over edges and orders, for many rows at once.

Messages are *words*: integers whose bits are the bits of a message. A node says one word of each kind, and hears the union
(bitwise or) of the words that its in-neighbours, its out-neighbours, all nodes, and all nodes before it say, and of those
before and after it in each further order. What it hears is one integer, the kinds side by side.
"""

from typing import NamedTuple

import numpy as np


class Edges(NamedTuple):
    """The edges of one graph, once sorted by receiver and once by sender."""

    senders: np.ndarray  # [edges] sorted by receiver
    receivers: np.ndarray
    back: np.ndarray  # [edges] the receivers, sorted by sender
    starts: np.ndarray  # [edges] their senders


class Relations(NamedTuple):
    """Who hears whom, in rows of graphs that are padded to one number of nodes."""

    edges: np.ndarray | Edges  # [graphs, nodes, nodes] bool, from senders (second axis) to receivers (last axis); or a list
    mask: np.ndarray  # [graphs, nodes] bool: which nodes are no padding
    graph: np.ndarray  # [rows] which of the graphs a row is of
    orders: tuple[np.ndarray, ...]  # of each further order [rows, nodes]: places from 1 on; 0: the node is not in it


def hear(words: np.ndarray, relations: Relations, bits: int) -> np.ndarray:
    """Returns what every node hears.

    Args:
        words: What every node says, [rows, nodes] int64: `bits` bits for each kind of message, the first kind lowest.
        relations: Who hears whom.
        bits: The number of bits of a message.

    Returns:
        What every node hears, in the same form.
    """
    mask = relations.mask[relations.graph]
    words = np.where(mask, words, 0)
    single = (1 << bits) - 1
    into, out, everywhere, before, *rest = (
        (words >> (kind * bits)) & single for kind in range(4 + 2 * len(relations.orders))
    )
    heard = [np.zeros_like(words) for _ in range(2)]
    if isinstance(relations.edges, Edges):
        _unite(heard[0], into, relations.edges.senders, relations.edges.receivers)
        _unite(heard[1], out, relations.edges.back, relations.edges.starts)
    else:
        for node in range(words.shape[1]):
            heard[0] |= np.where(relations.edges[relations.graph, node, :], into[:, node, None], 0)
            heard[1] |= np.where(relations.edges[relations.graph, :, node], out[:, node, None], 0)
    heard.append(np.broadcast_to(np.bitwise_or.reduce(everywhere, 1)[:, None], words.shape))
    heard.append(_before(before))
    for order, first, second in zip(relations.orders, rest[::2], rest[1::2], strict=True):
        inside = order > 0
        nodes = np.argsort(order, 1, kind="stable")  # those that are not in the order come first, and say nothing
        back = np.argsort(nodes, 1, kind="stable")
        earlier, later = (np.take_along_axis(np.where(inside, word, 0), nodes, 1) for word in (first, second))
        for united in (_before(earlier), _before(later[:, ::-1])[:, ::-1]):
            heard.append(np.where(inside, np.take_along_axis(united, back, 1), 0))
    total = np.zeros_like(words)
    for kind, word in enumerate(heard):
        total |= word << (kind * bits)
    return np.where(mask, total, 0)


def edges_of(senders: np.ndarray, receivers: np.ndarray) -> Edges:
    """Returns edges in the form that `hear` takes."""
    to, by = _order(receivers), _order(senders)
    return Edges(senders[to], receivers[to], receivers[by], senders[by])


def _order(ends: np.ndarray) -> np.ndarray:
    """Returns the order of nodes below 2^32, with equal ones as they come: by their low 16 bits, then by the others, each in
    linear time."""
    order = np.argsort(ends.astype(np.uint16), kind="stable")
    high = (ends[order] >> 16).astype(np.uint16)
    return order[np.argsort(high, kind="stable")] if high.any() else order


def _unite(heard: np.ndarray, words: np.ndarray, senders: np.ndarray, receivers: np.ndarray) -> None:
    """Unites what the senders say to each receiver; edges are sorted by receiver."""
    if len(senders):
        listeners, first = np.unique(receivers, return_index=True)
        heard[:, listeners] = np.bitwise_or.reduceat(words[:, senders], first, 1)


def _before(words: np.ndarray) -> np.ndarray:
    """For each node the union of the words of the nodes before it."""
    united = np.zeros_like(words)
    np.bitwise_or.accumulate(words[:, :-1], 1, out=united[:, 1:])
    return united
