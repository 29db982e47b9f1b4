"""Weighted undirected graphs as graphs: every edge is a node too, with edges to its two ends.

Weights are compared with each other, so they must be in one order of the nodes, which is that of `key`. The nodes of the
weighted graph come first and have the key 0; its edges come after them and have their weights. An edge from a node to
itself has one end.
"""

import math
import reprlib
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations_with_replacement, product
from typing import Any

import networkx as nx
import numpy as np

from recursor.graphs.adjacency import GraphError
from recursor.graphs.graph import Graph, from_edges, with_distinct
from recursor.graphs.values import as_number, as_values

Distribution = Callable[[np.random.Generator, int], Graph]


def as_weighted(source: nx.Graph, weight: str = "weight") -> Graph:
    """Returns the graph of a weighted undirected graph.

    Args:
        source: The networkx graph.
        weight: The attribute of its edges that is the weight; an edge without it has the weight 1.

    Returns:
        The graph. An edge is called by the names of its ends, such as "a-b"; a parallel one "a-b (2)".

    Raises:
        GraphError: If the source is directed or has no nodes, or a weight is no finite number.

    Example:
        >>> source = nx.Graph()
        >>> source.add_edge("a", "b", weight=3)
        >>> as_weighted(source).values["key"].tolist()
        [0, 0, 3]
    """
    if source.is_directed():
        raise GraphError(
            "the networkx graph: a spanning tree needs an undirected graph, which `to_undirected()` makes of it"
        )
    if not len(source):
        raise GraphError("the networkx graph: a graph needs at least one node, and this has none")
    return join(list(source), list(source.edges(data=weight, default=1)), "the networkx graph")


def join(names: Sequence[Hashable], edges: Sequence[tuple[Hashable, Hashable, Any]], where: str) -> Graph:
    """Returns the graph of some nodes and weighted edges between them.

    Args:
        names: The names of the nodes.
        edges: Of each edge its ends and its weight.
        where: What errors call the source.

    Raises:
        GraphError: If a weight is no finite number.
    """
    for a, b, weight in edges:
        if not math.isfinite(as_number(weight)):
            edge = f"the edge between {reprlib.repr(a)} and {reprlib.repr(b)}"
            raise GraphError(f"{where}: the weight of {edge} must be a finite number, not {reprlib.repr(weight)}")
    index = {name: node for node, name in enumerate(names)}
    ends = np.array([(index[a], index[b]) for a, b, _ in edges], int).reshape(-1, 2)
    own = [weight for _, _, weight in edges]
    graph = _graph(len(names), ends, as_values([as_number(weight) for weight in own]))
    all_names = with_distinct(names, [f"{a}-{b}" for a, b, _ in edges])
    return replace(graph, names=all_names, given={"key": [*[0] * len(names), *own]})


def not_weighted(graph: Graph) -> str:
    """The nodes that are edges come last, and lead to one or two of the others, which have the key 0."""
    count, key = np.bincount(graph.senders, minlength=len(graph)), np.asarray(graph.values["key"])
    vertices = int(np.count_nonzero(count == 0))
    good = (count[:vertices] == 0).all() and count.max(initial=0) <= 2 and (graph.receivers < vertices).all()
    return "" if good and not key[:vertices].any() else "a weighted graph as `recursor.graphs.weighted.as_weighted` makes it"


def edge_nodes(graph: Graph) -> dict[int, tuple[int, int]]:
    """Returns the two ends of every node that is an edge, the first in the order of the nodes first."""
    return {node: (ends[0], ends[-1]) for node, ends in enumerate(graph.successors) if ends}


def _graph(vertices: int, ends: np.ndarray, weights: np.ndarray) -> Graph:
    n = vertices + len(ends)
    edges = np.arange(vertices, n)
    key = np.concatenate([np.zeros(vertices, weights.dtype), weights])
    return from_edges(np.concatenate([edges, edges]), ends.T.reshape(-1), n, values={"key": key})


def all_weighted(n: int) -> Iterator[Graph]:
    """All inputs of n nodes and edges: loops, parallel edges and all weak orders of the weights among them."""
    for vertices in range(1, n + 1):
        pairs = list(combinations_with_replacement(range(vertices), 2))
        count = n - vertices
        orders = [ranks for ranks in product(range(count), repeat=count) if len({*ranks}) == max(ranks, default=-1) + 1]
        for ends in product(pairs, repeat=count):
            for ranks in orders:
                yield _graph(vertices, np.array(ends, int).reshape(-1, 2), np.array(ranks, np.float32))


def _drawn(share: Callable[[np.random.Generator], float], *, few: bool = False, path: bool = False) -> Distribution:
    """Graphs of which a share of the nodes are vertices. Edges join random vertices, or first of all a path of them."""

    def draw(rng: np.random.Generator, n: int) -> Graph:
        vertices = min(n, max(1, round(share(rng) * n)))
        count = n - vertices
        ends = rng.integers(0, vertices, (count, 2))
        if path:
            order, some = rng.permutation(vertices), min(count, vertices - 1)
            ends[:some, 0], ends[:some, 1] = order[:some], order[1 : some + 1]
        weights = rng.integers(0, 3, count).astype(np.float32) if few else rng.random(count, dtype=np.float32)
        return _graph(vertices, ends, weights - np.float32(rng.random() < 0.2))

    return draw


def _tree(rng: np.random.Generator, n: int) -> Graph:
    """A random tree; where n is even, one vertex more stands alone."""
    count = (n - 1) // 2
    children = np.arange(1, count + 1)
    ends = rng.permutation(n - count)[np.stack([rng.integers(0, children), children], 1)]
    return _graph(n - count, ends, rng.random(count, dtype=np.float32))


def _clique(rng: np.random.Generator, n: int) -> Graph:
    """A complete graph of so many vertices as there is room for; all others stand alone."""
    size = int((2 * n + 0.25) ** 0.5 - 0.5)
    ends = np.stack(np.triu_indices(size, 1), 1)
    return _graph(n - len(ends), ends, rng.permutation(len(ends)).astype(np.float32))


def sparse(rng: np.random.Generator, n: int) -> Graph:
    """About as many edges as vertices, or some more."""
    return _drawn(lambda rng: rng.uniform(0.3, 0.6))(rng, n)


WEIGHTED: Mapping[str, Distribution] = {
    "sparse": sparse,
    "dense": _drawn(lambda rng: 0.15),
    "few weights": _drawn(lambda rng: rng.uniform(0.2, 0.6), few=True),
    "path": _drawn(lambda rng: 0.5, path=True),
    "path and more": _drawn(lambda rng: 0.35, path=True),
    "tree": _tree,
    "clique": _clique,
    "no edges": _drawn(lambda rng: 1.0),
}
"""Distributions by name."""


def any_weighted(rng: np.random.Generator, n: int) -> Graph:
    """One of all distributions, or a graph of any share of vertices."""
    draws = [*WEIGHTED.values(), _drawn(lambda rng: rng.random()), _drawn(lambda rng: rng.random(), few=True, path=True)]
    return draws[rng.integers(len(draws))](rng, n)
