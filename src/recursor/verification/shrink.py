"""Shrinking: a smaller input on which a network is still wrong.

Nodes are taken away in pieces, half of them first, then a quarter, down to single ones, as long as the network is wrong on
what is left; then edges in the same way. An edge goes together with the one that leads back, and then alone. Inputs that do
not meet the algorithm's requirements are left out.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

import numpy as np

from recursor.graphs.graph import Graph, from_edges
from recursor.recording.algorithm import Algorithm
from recursor.verification.examine import Examiner, Wrong

TOGETHER = 64
"""Inputs that are examined at once."""
ROUNDS = 200
"""Inputs are examined this often, at most."""


def shrink(wrong: Wrong, algorithm: Algorithm, examiner: Examiner) -> Wrong:
    """Returns a smaller counterexample, or the given one if none is found.

    Args:
        wrong: A counterexample.
        algorithm: The algorithm that it is one of.
        examiner: Tells whether a network is right on other inputs.
    """
    rounds = ROUNDS
    for without, parts in ((without_nodes, _nodes), (without_edges, _pairs), (without_edges, _edges)):
        piece = max(1, len(parts(wrong.recording.graph)) // 2)
        while piece and rounds:
            found, used = _first(wrong, without, parts, piece, algorithm, examiner, rounds)
            rounds -= used
            if found is None:
                piece //= 2
            else:
                wrong, piece = found, min(piece, max(1, len(parts(found.recording.graph)) // 2))
    return wrong


def without_nodes(graph: Graph, nodes: Sequence[np.ndarray]) -> Graph:
    """Returns a graph without some nodes and their edges."""
    keep = np.setdiff1d(np.arange(len(graph)), np.concatenate(nodes))
    kept = np.isin(graph.senders, keep) & np.isin(graph.receivers, keep)
    number = np.searchsorted(keep, np.arange(len(graph)))
    values = {name: np.asarray(numbers)[keep] for name, numbers in graph.values.items()}
    return from_edges(number[graph.senders[kept]], number[graph.receivers[kept]], len(keep), values=values)


def without_edges(graph: Graph, edges: Sequence[np.ndarray]) -> Graph:
    """Returns a graph without the edges of some numbers."""
    keep = np.setdiff1d(np.arange(len(graph.senders)), np.concatenate(edges))
    return from_edges(graph.senders[keep], graph.receivers[keep], len(graph), values=graph.values)


def _nodes(graph: Graph) -> list[np.ndarray]:
    return list(np.arange(len(graph))[:, None])


def _edges(graph: Graph) -> list[np.ndarray]:
    return list(np.arange(len(graph.senders))[:, None])


def _pairs(graph: Graph) -> list[np.ndarray]:
    """The numbers of edges, each together with the one that leads back."""
    low, high = np.minimum(graph.senders, graph.receivers), np.maximum(graph.senders, graph.receivers)
    _, pair = np.unique(low.astype(np.int64) * len(graph) + high, return_inverse=True)
    return [np.flatnonzero(pair == number) for number in range(pair.max(initial=-1) + 1)]


def _first(
    wrong: Wrong,
    without: Callable[[Graph, Sequence[np.ndarray]], Graph],
    parts: Callable[[Graph], list[np.ndarray]],
    piece: int,
    algorithm: Algorithm,
    examiner: Examiner,
    rounds: int,
) -> tuple[Wrong | None, int]:
    """The first input without a piece of the given one that is still wrong, and how often inputs were examined."""
    every = parts(wrong.recording.graph)

    def candidates() -> Iterator[Graph]:
        for start in range(0, len(every), piece):
            smaller = without(wrong.recording.graph, every[start : start + piece])
            if len(smaller) and not algorithm.lacks(smaller):
                yield smaller

    used, waiting = 0, candidates()
    while used < rounds and (together := list(islice(waiting, TOGETHER))):
        used += 1
        _, found = examiner.examine([algorithm.record(graph) for graph in together])
        if found:
            return found[0], used
    return None, used
