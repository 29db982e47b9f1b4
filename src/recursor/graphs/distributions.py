"""Distributions of graphs. Each is a function of a `numpy.random.Generator` and a size, so one seed fixes every byte."""

import dataclasses
from dataclasses import dataclass

import numpy as np

from recursor.graphs.graph import Graph, even, from_edges, from_matrix


def erdos_renyi(rng: np.random.Generator, n: int, p: float) -> np.ndarray:
    """Each of the n² ordered pairs, self-loops among them, is an edge with probability p."""
    return rng.random((n, n)) < p


def random_tree(rng: np.random.Generator, n: int, two_children: float = 0.3) -> np.ndarray:
    """A tree filled breadth-first, edges from parent to child: each node gets one child, and with the given probability
    a second, until there are n nodes; then the nodes are relabelled at random."""
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
            raise ValueError(f"edge probabilities must lie in [0, 1] and be at least one, not {self.probabilities}")
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
    return from_edges(np.arange(n - 1), np.arange(1, n), n)


def star(n: int) -> Graph:
    """Node 0 to every other and back: the widest."""
    leaves = np.arange(1, n)
    centre = np.zeros(n - 1, int)
    return from_edges(np.concatenate([centre, leaves]), np.concatenate([leaves, centre]), n)


def complete(n: int) -> Graph:
    """Every ordered pair of different nodes."""
    return from_matrix(~np.eye(n, dtype=bool))


def grid(n: int) -> Graph:
    """Undirected, as near to a square as n nodes allow, row by row; the last row may be short."""
    width = max(1, round(n**0.5))
    nodes = np.arange(n)
    right, down = nodes[(nodes % width < width - 1) & (nodes + 1 < n)], nodes[nodes + width < n]
    ends = np.concatenate([right, down]), np.concatenate([right + 1, down + width])
    return from_edges(np.concatenate(ends), np.concatenate(ends[::-1]), n)


def sparse(rng: np.random.Generator, n: int, degree: float) -> Graph:
    """Directed, with about `degree` edges out of each node, drawn without ever making n² of anything."""
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
