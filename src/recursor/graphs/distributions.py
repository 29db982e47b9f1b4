"""Distributions of graphs. Each is a function of a `numpy.random.Generator` and a size, so one seed fixes every byte."""

import dataclasses
from dataclasses import dataclass

import numpy as np

from recursor.graphs.graph import Graph, even, from_edges, from_matrix
from recursor.system.memory import SMALL, require_memory


def erdos_renyi(rng: np.random.Generator, n: int, p: float) -> np.ndarray:
    """Each of the n² ordered pairs, self-loops among them, is an edge with probability p."""
    _require_square(n)
    return rng.random((n, n)) < p


def _require_nodes(n: int) -> None:
    """Refuses a size that no graph has."""
    if n < 1:
        raise ValueError(f"a graph has at least one node, not {n}")


def _require_square(n: int) -> None:
    """Refuses a size that no graph has, or whose adjacency matrix does not fit into memory."""
    _require_nodes(n)
    if 16 * n * n > SMALL:  # a random number a pair, its comparison, and the edges
        require_memory(16 * n * n, f"drawing a graph of {n} nodes", "choose a smaller size")


def random_tree(rng: np.random.Generator, n: int, two_children: float = 0.3) -> np.ndarray:
    """A tree filled breadth-first, edges from parent to child: each node gets one child, and with the given probability
    a second, until there are n nodes; then the nodes are relabelled at random."""
    _require_square(n)
    labels = rng.permutation(n)
    twins = rng.random(n) < two_children
    matrix = np.zeros((n, n), bool)
    parent, children = 0, 0
    for child in range(1, n):
        matrix[labels[parent], labels[child]] = True
        children += 1
        if children == 1 + twins[parent]:
            parent, children = parent + 1, 0
    return matrix


def random_positions(rng: np.random.Generator, n: int) -> np.ndarray:
    """n uniform draws from [0, 1), sorted."""
    return np.sort(rng.random(n, dtype=np.float32))


TRAIN_PROBABILITIES = tuple(k / 10 for k in range(1, 10))

TEST_PROBABILITIES = (0.3,)


@dataclass(frozen=True)
class Mixture:
    """The paper's mixture: a share of random trees, and Erdős–Rényi graphs whose p is drawn anew for each."""

    probabilities: tuple[float, ...] = TRAIN_PROBABILITIES
    trees: float = 0.15
    random_positions: bool = True

    def __post_init__(self) -> None:
        if not self.probabilities or not all(0 <= p <= 1 for p in self.probabilities):
            raise ValueError(f"there must be at least one edge probability, each from 0 to 1, not {self.probabilities}")
        if not 0 <= self.trees <= 1:
            raise ValueError(f"the share of trees must lie in [0, 1], not {self.trees}")

    def __call__(self, rng: np.random.Generator, n: int) -> Graph:
        if rng.random() < self.trees:
            matrix = random_tree(rng, n)
        else:
            matrix = erdos_renyi(rng, n, self.probabilities[rng.integers(len(self.probabilities))])
        return from_matrix(matrix, positions=random_positions(rng, n) if self.random_positions else even(n))


TRAIN = Mixture()

TEST = Mixture(probabilities=TEST_PROBABILITIES, random_positions=False)


def path(n: int) -> Graph:
    """0 → 1 → … → n-1: the deepest recursion there is."""
    _require_nodes(n)
    return from_edges(np.arange(n - 1), np.arange(1, n), n)


def star(n: int) -> Graph:
    """Node 0 to every other and back: the widest."""
    _require_nodes(n)
    leaves = np.arange(1, n)
    centre = np.zeros(n - 1, int)
    return from_edges(np.concatenate([centre, leaves]), np.concatenate([leaves, centre]), n)


def complete(n: int) -> Graph:
    """Every ordered pair of different nodes."""
    _require_square(n)
    return from_matrix(~np.eye(n, dtype=bool))


def grid(n: int) -> Graph:
    """Undirected, as near to a square as n nodes allow, row by row; the last row may be short."""
    _require_nodes(n)
    width = max(1, round(n**0.5))
    nodes = np.arange(n)
    right, down = nodes[(nodes % width < width - 1) & (nodes + 1 < n)], nodes[nodes + width < n]
    ends = np.concatenate([right, down]), np.concatenate([right + 1, down + width])
    return from_edges(np.concatenate(ends), np.concatenate(ends[::-1]), n)


def sparse(rng: np.random.Generator, n: int, degree: float) -> Graph:
    """Directed, with about `degree` edges out of each node, drawn without ever making n² of anything."""
    _require_nodes(n)
    count = rng.binomial(n * n, min(1.0, degree / n))
    keys = np.unique(rng.integers(0, n * n, count))
    while len(keys) < count:  # draws that fell together are drawn again
        keys = np.unique(np.concatenate([keys, rng.integers(0, n * n, count - len(keys))]))
    return from_edges(keys // n, keys % n, n)


def tree(rng: np.random.Generator, n: int) -> Graph:
    """The paper's random tree on even positions."""
    return from_matrix(random_tree(rng, n))


def directed(rng: np.random.Generator, n: int) -> Graph:
    """Erdős–Rényi graphs with few edges, so that there are many components, and random trees."""
    if rng.random() < 0.15:
        return from_matrix(random_tree(rng, n), positions=random_positions(rng, n))
    degree = rng.uniform(0.5, 4.0)
    return from_matrix(erdos_renyi(rng, n, min(1.0, degree / n)), positions=random_positions(rng, n))


def undirected(rng: np.random.Generator, n: int) -> Graph:
    """The same with every edge both ways."""
    matrix = random_tree(rng, n) if rng.random() < 0.15 else erdos_renyi(rng, n, min(1.0, rng.uniform(0.5, 3.0) / n))
    return from_matrix(matrix | matrix.T, positions=random_positions(rng, n))


def acyclic(rng: np.random.Generator, n: int) -> Graph:
    """Erdős–Rényi graphs whose edges follow a random order of the nodes, and random trees."""
    if rng.random() < 0.15:
        return from_matrix(random_tree(rng, n), positions=random_positions(rng, n))
    order = rng.permutation(n)
    matrix = erdos_renyi(rng, n, rng.integers(1, 10) / 10) & (order[:, None] < order)
    return from_matrix(matrix, positions=random_positions(rng, n))


def keys(rng: np.random.Generator, n: int) -> Graph:
    """No edges, and a random key a node."""
    none = np.zeros(0, np.int32)
    return Graph(none, none, random_positions(rng, n), range(n), {"key": rng.random(n, dtype=np.float32)})


def gates(rng: np.random.Generator, n: int) -> Graph:
    """A random tree of gates: an inner node is an *and* or an *or*, a leaf true or false."""
    matrix = random_tree(rng, n, rng.uniform(0.3, 1.0))
    gate = (rng.integers(0, 2, n) + 2 * matrix.any(1)).astype(np.int32)
    drawn = from_matrix(matrix, positions=random_positions(rng, n))
    return dataclasses.replace(drawn, values={"gate": gate})


# Distributions for training: what those above draw, and all that they hardly ever do


def any_tree(rng: np.random.Generator, n: int) -> np.ndarray:
    """A tree whose nodes have any number of children, edges from parent to child. The parent of each node is one of the k
    nodes before it, or of the first k; k is drawn too, so paths and stars are among them."""
    _require_square(n)
    labels, nodes = rng.permutation(n), np.arange(1, n)
    k = rng.integers(1, n + 1)
    first, last = (np.maximum(nodes - k, 0), nodes) if rng.random() < 0.5 else (0, np.minimum(nodes, k))
    matrix = np.zeros((n, n), bool)
    matrix[labels[rng.integers(first, last)], labels[nodes]] = True
    return matrix


def any_matrix(rng: np.random.Generator, n: int) -> np.ndarray:
    """Trees, and Erdős–Rényi graphs with few edges or many; a quarter is two of these side by side."""
    if n > 1 and rng.random() < 0.25:
        matrix, some, labels = np.zeros((n, n), bool), rng.integers(1, n), rng.permutation(n)
        for part in (labels[:some], labels[some:]):
            matrix[np.ix_(part, part)] = any_matrix(rng, len(part))
        return matrix
    if rng.random() < 0.2:
        return any_tree(rng, n)
    return erdos_renyi(rng, n, rng.random() if rng.random() < 0.5 else min(1.0, rng.uniform(0.5, 4.0) / n))


def any_directed(rng: np.random.Generator, n: int) -> Graph:
    """Few edges or many, trees, self-loops, and several components."""
    return from_matrix(any_matrix(rng, n), positions=random_positions(rng, n))


def any_undirected(rng: np.random.Generator, n: int) -> Graph:
    """The same with every edge both ways."""
    matrix = any_matrix(rng, n)
    return from_matrix(matrix | matrix.T, positions=random_positions(rng, n))


def any_acyclic(rng: np.random.Generator, n: int) -> Graph:
    """Half of them as in `acyclic`; else trees, and those edges of any graph that follow a random order of the nodes."""
    if rng.random() < 0.5:
        return acyclic(rng, n)
    order = rng.permutation(n)
    matrix = any_tree(rng, n) if rng.random() < 0.2 else any_matrix(rng, n) & (order[:, None] < order)
    return from_matrix(matrix, positions=random_positions(rng, n))


def any_keys(rng: np.random.Generator, n: int) -> Graph:
    """No edges, and a key a node: in any order, of few values, all alike, sorted, reversed, or sorted but for a few."""
    drawn = keys(rng, n)
    key, kind = drawn.values["key"], rng.integers(6)
    if kind in (1, 2):
        key = rng.integers(0, rng.integers(1, n + 1), n).astype(np.float32)
    if kind >= 3:
        key = np.sort(key)[:: -1 if kind == 3 else 1]
    if kind == 5:
        key = np.where(rng.random(n) < 0.2, rng.random(n, dtype=np.float32), key)
    return dataclasses.replace(drawn, values={"key": key})


def any_gates(rng: np.random.Generator, n: int) -> Graph:
    """A tree of gates, whose nodes have any number of children; a quarter has any gate anywhere."""
    matrix = any_tree(rng, n) if rng.random() < 0.5 else random_tree(rng, n, rng.uniform(0.0, 1.0))
    gate = rng.integers(0, 4, n) if rng.random() < 0.25 else rng.integers(0, 2, n) + 2 * matrix.any(1)
    drawn = from_matrix(matrix, positions=random_positions(rng, n))
    return dataclasses.replace(drawn, values={"gate": gate.astype(np.int32)})
