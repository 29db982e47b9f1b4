"""Other distributions than those of training, for verifying: each shape has a name, and each kind of input its shapes.

A distribution is a function of a `numpy.random.Generator` and a size. Nodes are relabelled at random, so that a path is no
path in the order of the nodes. `DIRECTED`, `UNDIRECTED`, `ACYCLIC`, `KEYS` and `GATES` map names to distributions; an
algorithm names its own as `Algorithm.others`.
"""

from collections.abc import Callable, Mapping

import numpy as np

from recursor.graphs.graph import Graph, even, from_edges

Distribution = Callable[[np.random.Generator, int], Graph]
Ends = tuple[np.ndarray, np.ndarray]
"""The senders and the receivers of some edges."""
Shape = Callable[[np.random.Generator, int], Ends]


def _empty(rng: np.random.Generator, n: int) -> Ends:
    return np.zeros(0, int), np.zeros(0, int)


def _path(rng: np.random.Generator, n: int) -> Ends:
    return np.arange(n - 1), np.arange(1, n)


def _cycle(rng: np.random.Generator, n: int) -> Ends:
    return np.arange(n), (np.arange(n) + 1) % n


def _star(rng: np.random.Generator, n: int) -> Ends:
    return np.zeros(n - 1, int), np.arange(1, n)


def _in_star(rng: np.random.Generator, n: int) -> Ends:
    return np.arange(1, n), np.zeros(n - 1, int)


def _clique(rng: np.random.Generator, n: int) -> Ends:
    return np.triu_indices(n, 1)


def _grid(rng: np.random.Generator, n: int) -> Ends:
    nodes, width = np.arange(n), max(1, round(n**0.5))
    right, down = nodes[(nodes % width < width - 1) & (nodes + 1 < n)], nodes[nodes + width < n]
    return np.concatenate([right, down]), np.concatenate([right + 1, down + width])


def _tree(rng: np.random.Generator, n: int) -> Ends:
    children = np.arange(1, n)
    return rng.integers(0, children), children


def _binary_tree(rng: np.random.Generator, n: int) -> Ends:
    children = np.arange(1, n)
    return (children - 1) // 2, children


def _caterpillar(rng: np.random.Generator, n: int) -> Ends:
    children = np.arange(1, n)
    return np.where(children % 2 == 1, np.maximum(children - 2, 0) // 2 * 2, children - 2), children


def _random(degree: float) -> Shape:
    """Ordered pairs of nodes, loops among them, each with the same probability, `degree` a node on average."""

    def draw(rng: np.random.Generator, n: int) -> Ends:
        count = rng.binomial(n * n, min(1.0, degree / n))
        return np.divmod(rng.choice(n * n, count, replace=False), n)

    return draw


def _dense(rng: np.random.Generator, n: int) -> Ends:
    return np.divmod(np.flatnonzero(rng.random(n * n) < 0.8), n)


def _loops(rng: np.random.Generator, n: int) -> Ends:
    senders, receivers = _random(1.5)(rng, n)
    return np.concatenate([senders, np.arange(n)]), np.concatenate([receivers, np.arange(n)])


_SHAPES: Mapping[str, Shape] = {
    "empty": _empty,
    "path": _path,
    "cycle": _cycle,
    "star": _star,
    "clique": _clique,
    "grid": _grid,
    "tree": _tree,
    "binary tree": _binary_tree,
    "caterpillar": _caterpillar,
    "sparse": _random(1.5),
    "middling": _random(5.0),
    "dense": _dense,
    "loops": _loops,
}


def _union(rng: np.random.Generator, n: int) -> Ends:
    """Disjoint parts, each of a shape of its own."""
    shapes, senders, receivers, start = [*_SHAPES.values()], [], [], 0
    while start < n:
        size = int(rng.integers(1, max(2, (n - start) // 2 + 1)))
        ends = shapes[rng.integers(len(shapes))](rng, size)
        senders.append(ends[0] + start)
        receivers.append(ends[1] + start)
        start += size
    return np.concatenate(senders), np.concatenate(receivers)


def _relabelled(ends: Ends, rng: np.random.Generator, n: int) -> Ends:
    labels = rng.permutation(n)
    return labels[ends[0]], labels[ends[1]]


def _directed(shape: Shape) -> Distribution:
    return lambda rng, n: from_edges(*_relabelled(shape(rng, n), rng, n), n)


def _undirected(shape: Shape) -> Distribution:
    def draw(rng: np.random.Generator, n: int) -> Graph:
        one, other = _relabelled(shape(rng, n), rng, n)
        return from_edges(np.concatenate([one, other]), np.concatenate([other, one]), n)

    return draw


def _acyclic(shape: Shape) -> Distribution:
    """Every edge is turned from the smaller number to the larger before the nodes are relabelled; loops are left out."""

    def draw(rng: np.random.Generator, n: int) -> Graph:
        one, other = shape(rng, n)
        low, high = np.minimum(one, other), np.maximum(one, other)
        return from_edges(*_relabelled((low[low < high], high[low < high]), rng, n), n)

    return draw


def _both_ways(rng: np.random.Generator, n: int) -> Graph:
    return _undirected(_random(2.0))(rng, n)


DIRECTED: Mapping[str, Distribution] = {
    **{name: _directed(shape) for name, shape in {**_SHAPES, "in-star": _in_star, "union": _union}.items()},
    "both ways": _both_ways,
}
"""Directed graphs."""
UNDIRECTED: Mapping[str, Distribution] = {name: _undirected(shape) for name, shape in {**_SHAPES, "union": _union}.items()}
"""Graphs in which each edge goes both ways."""
ACYCLIC: Mapping[str, Distribution] = {
    name: _acyclic(shape) for name, shape in {**_SHAPES, "in-star": _in_star, "union": _union}.items()
}
"""Directed graphs without cycles."""


def with_keys(keys: np.ndarray, name: str = "key") -> Graph:
    """The graph of some keys: no edges, and a value a node.

    Args:
        keys: One number a node.
        name: What the value is called.

    Returns:
        The graph, on even positions.

    Example:
        >>> len(with_keys(np.array([3.0, 1.0])))
        2
    """
    none = np.zeros(0, np.int32)
    return Graph(none, none, even(len(keys)), range(len(keys)), {name: keys})


def _nearly_sorted(rng: np.random.Generator, n: int) -> np.ndarray:
    ranks = np.arange(n)
    for place in rng.integers(0, max(1, n - 1), max(1, n // 8)):
        ranks[place : place + 2] = ranks[place : place + 2][::-1]
    return ranks


def _keys(draw: Callable[[np.random.Generator, int], np.ndarray]) -> Distribution:
    return lambda rng, n: with_keys(draw(rng, n).astype(np.float32))


KEYS: Mapping[str, Distribution] = {
    "sorted": _keys(lambda rng, n: np.arange(n)),
    "reversed": _keys(lambda rng, n: np.arange(n)[::-1]),
    "equal": _keys(lambda rng, n: np.zeros(n)),
    "nearly equal": _keys(lambda rng, n: np.arange(n) == rng.integers(n)),
    "nearly sorted": _keys(_nearly_sorted),
    "few values": _keys(lambda rng, n: rng.integers(0, 3, n)),
    "many ties": _keys(lambda rng, n: rng.integers(0, n // 2 + 1, n)),
    "organ pipe": _keys(lambda rng, n: np.minimum(np.arange(n), np.arange(n)[::-1])),
    "negative": _keys(lambda rng, n: rng.permutation(n) - n),
    "random": _keys(lambda rng, n: rng.permutation(n)),
}
"""Keys to be sorted."""


def _gates(shape: Shape, *, anything: bool = False) -> Distribution:
    """A tree of gates; inner nodes are an *and* or an *or* and leaves true or false, or `anything` is anywhere."""

    def draw(rng: np.random.Generator, n: int) -> Graph:
        ends = _relabelled(shape(rng, n), rng, n)
        gate = rng.integers(0, 2, n).astype(np.int32)
        gate[ends[0]] += 2 * (gate[ends[0]] < 2)  # a node with several children is named several times
        if anything:
            gate = rng.integers(0, 4, n).astype(np.int32)
        return from_edges(*ends, n, values={"gate": gate})

    return draw


GATES: Mapping[str, Distribution] = {
    **{name: _gates(_SHAPES[name]) for name in ("path", "star", "tree", "binary tree", "caterpillar")},
    "any gate": _gates(_tree, anything=True),
}
"""Trees of gates."""
