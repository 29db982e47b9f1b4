"""All inputs of a size, one after the other: small enough sizes can be tried without exception.

Nodes are labelled and stand at fixed positions, so two graphs that differ by a relabelling are two inputs. Every function is
a generator.

    function            inputs of n nodes                  n = 1, 2, 3, …
    directed            2^(n²)                             2, 16, 512, 65536
    undirected          2^(n(n-1)/2), with loops 2^n more  1, 2, 8, 64, 1024, 32768
    acyclic             labelled acyclic graphs            1, 3, 25, 543, 29281
    keys                weak orders, as ranks from 0       1, 3, 13, 75, 541, 4683
    gates               n^(n-1) rooted trees, 2^n values   2, 8, 72, 1024, 20000, 497664
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product

import numpy as np

from recursor.graphs.conditions import not_acyclic, not_tree, not_undirected
from recursor.graphs.graph import Graph, even
from recursor.spec import Field

CHUNK = 1 << 14
"""Graphs whose matrices are made at once."""


def directed(n: int) -> Iterator[Graph]:
    """All directed graphs of n nodes, loops among their edges.

    Args:
        n: The number of nodes.

    Yields:
        Each graph once, on even positions.

    Example:
        >>> sum(1 for _ in directed(2))
        16
    """
    senders, receivers = np.divmod(np.arange(n * n), n)
    return _graphs(n, senders, receivers)


def undirected(n: int, *, loops: bool = True) -> Iterator[Graph]:
    """All undirected graphs of n nodes, with loops or without.

    Args:
        n: The number of nodes.
        loops: Whether a node may have an edge to itself.

    Yields:
        Each graph once, every edge in both directions.

    Example:
        >>> sum(1 for _ in undirected(3, loops=False))
        8
    """
    one, other = np.triu_indices(n, 0 if loops else 1)
    return _graphs(n, one, other, both=True)


def undirected_to_six(n: int) -> Iterator[Graph]:
    """All undirected graphs of n nodes, with loops if n is at most 5. With loops there are two million of 6 nodes.

    Args:
        n: The number of nodes.

    Yields:
        Each graph once, every edge in both directions.

    Example:
        >>> sum(1 for _ in undirected_to_six(2)), sum(1 for _ in undirected_to_six(6))
        (8, 32768)
    """
    return undirected(n, loops=n <= 5)


def acyclic(n: int) -> Iterator[Graph]:
    """All directed graphs of n nodes without a cycle.

    Args:
        n: The number of nodes.

    Yields:
        Each graph once, on even positions.

    Example:
        >>> sum(1 for _ in acyclic(3))
        25
    """
    senders, receivers = np.nonzero(~np.eye(n, dtype=bool))
    return _graphs(n, senders, receivers, keep=_without_cycles)


def keys(n: int, name: str = "key") -> Iterator[Graph]:
    """All weak orders of n keys, ties among them, as ranks 0, 1, …

    Args:
        n: The number of keys.
        name: What the value of the nodes is called.

    Yields:
        Graphs without edges, the ranks as values.

    Example:
        >>> [graph.values["key"].tolist() for graph in keys(2)]
        [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]]
    """
    none, positions = np.zeros(0, np.int32), even(n)
    for ranks in _weak_orders(n):
        yield Graph(none, none, positions, range(n), {name: np.array(ranks, np.float32)})


def trees(n: int) -> Iterator[Graph]:
    """All labelled rooted trees of n nodes, edges from parent to child.

    Args:
        n: The number of nodes.

    Yields:
        Each tree once.

    Example:
        >>> sum(1 for _ in trees(4))
        64
    """
    nodes = np.arange(n)
    for parents in product(range(n), repeat=n):
        if sum(parent == node for node, parent in enumerate(parents)) != 1 or not _reach_root(parents):
            continue
        above = np.array(parents)
        child = above != nodes
        order = np.argsort(above[child], kind="stable")
        ends = above[child][order].astype(np.int32), nodes[child][order].astype(np.int32)
        yield Graph(*ends, even(n), range(n))


def gates(n: int) -> Iterator[Graph]:
    """All trees of n gates: an inner node is an *and* (2) or an *or* (3), a leaf false (0) or true (1).

    Args:
        n: The number of gates.

    Yields:
        Each tree with each choice of gates, as the value `gate`.

    Example:
        >>> sum(1 for _ in gates(2))
        8
    """
    choices = np.array(list(product((0, 1), repeat=n)), np.int32)
    for tree in trees(n):
        inner = np.zeros(n, np.int32)
        inner[tree.senders] = 2
        for gate in choices + inner:
            yield Graph(tree.senders, tree.receivers, tree.positions, tree.names, {"gate": gate})


MOST = 100_000
"""Inputs of the largest size that is enumerated by default."""


def default_inputs(
    inputs: Sequence[str | Field], unfit: Callable[[Graph], str]
) -> tuple[Callable[[int], Iterator[Graph]], int]:
    """Finds out how to enumerate the inputs of an algorithm that does not say so itself.

    Args:
        inputs: The algorithm's inputs. Without `A` and `adj` no graph has an edge; a category or mask takes all values at
            every node, a scalar all weak orders.
        unfit: What the algorithm requires of a graph. All that it accepts are enumerated.

    Returns:
        The function from a size to all inputs of that size, and the largest size that has at most `MOST` of them.

    Example:
        >>> function, most = default_inputs(("pos", Field("colour", "node", "mask")), lambda graph: "")
        >>> most, sum(1 for _ in function(3))
        (16, 8)
    """
    fields = [field for field in inputs if isinstance(field, Field) and field.place == "node"]
    has_edges = bool({"A", "adj"} & {name for name in inputs if isinstance(name, str)})
    shapes, count = _SHAPES.get(unfit, (directed, lambda n: 2 ** (n * n))) if has_edges else (_no_edges, lambda n: 1)

    def all_inputs(n: int) -> Iterator[Graph]:
        for graph in shapes(n):
            for combination in product(*(_all_values(field, n) for field in fields)):
                values = {field.name: array for field, array in zip(fields, combination, strict=True)}
                made = Graph(graph.senders, graph.receivers, graph.positions, graph.names, values) if values else graph
                if not unfit(made):
                    yield made

    def number(n: int) -> int:
        total = count(n)
        for field in fields:
            total *= _FUBINI[n] if field.kind == "scalar" else (field.categories or 2) ** n
        return total

    return all_inputs, max((n for n in range(1, len(_FUBINI)) if number(n) <= MOST), default=1)


_FUBINI = (1, 1, 3, 13, 75, 541, 4683, 47293, *[10**9] * 9)
_SHAPES: Mapping[Callable[[Graph], str], tuple[Callable[[int], Iterator[Graph]], Callable[[int], int]]] = {
    not_undirected: (undirected, lambda n: 2 ** (n * (n + 1) // 2)),
    not_acyclic: (acyclic, lambda n: (1, 1, 3, 25, 543, 29281, *[10**9] * 11)[n]),
    not_tree: (trees, lambda n: n ** (n - 1)),
}


def _no_edges(n: int) -> Iterator[Graph]:
    none = np.zeros(0, np.int32)
    yield Graph(none, none, even(n), range(n))


def _all_values(field: Field, n: int) -> Iterator[np.ndarray]:
    """All values that a node field can have, one a node."""
    columns = _weak_orders(n) if field.kind == "scalar" else product(range(field.categories or 2), repeat=n)
    return (np.array(column, field.dtype) for column in columns)


def _weak_orders(n: int) -> Iterator[tuple[int, ...]]:
    """All tuples of n ranks that leave none out."""
    return (ranks for ranks in product(range(n), repeat=n) if len(set(ranks)) == max(ranks) + 1)


def _reach_root(parents: Sequence[int]) -> bool:
    """Whether everybody comes from the one node that is its own parent."""
    for node in range(len(parents)):
        for _ in parents:
            node = parents[node]
        if parents[node] != node:
            return False
    return True


def _graphs(
    n: int,
    senders: np.ndarray,
    receivers: np.ndarray,
    *,
    both: bool = False,
    keep: Callable[[np.ndarray], np.ndarray] | None = None,
) -> Iterator[Graph]:
    """All graphs whose edges are some of these pairs; `both` adds the pair the other way."""
    positions, names, pairs = even(n), range(n), len(senders)
    for start in range(0, 1 << pairs, CHUNK):
        codes = np.arange(start, min(start + CHUNK, 1 << pairs))
        matrices = np.zeros((len(codes), n, n), bool)
        matrices[:, senders, receivers] = codes[:, None] >> np.arange(pairs) & 1
        if both:
            matrices |= matrices.transpose(0, 2, 1)
        if keep is not None:
            matrices = matrices[keep(matrices)]
        which, rows, columns = np.nonzero(matrices)
        ends = np.searchsorted(which, np.arange(len(matrices) + 1)).tolist()
        rows, columns = rows.astype(np.int32), columns.astype(np.int32)
        for index in range(len(matrices)):
            part = slice(ends[index], ends[index + 1])
            yield Graph(rows[part], columns[part], positions, names)


def _without_cycles(matrices: np.ndarray) -> np.ndarray:
    """Which matrices have no cycle: nodes without a predecessor are removed until none is left, or none can be."""
    alive = np.ones(matrices.shape[:2], bool)  # [matrices, nodes]
    for _ in range(matrices.shape[1]):
        alive &= (matrices & alive[:, :, None]).any(1)
    return np.logical_not(alive.any(1))
