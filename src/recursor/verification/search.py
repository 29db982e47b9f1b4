"""Searching: inputs that were met with a rare situation are changed a little, in the hope of one that was never met.

An input that shows a new situation is itself changed later. So the search goes on where something new was found, as
fuzzing does that is guided by coverage; what is covered here are the situations of a network.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from recursor.graphs.graph import Graph, from_edges
from recursor.recording.algorithm import Algorithm
from recursor.verification.examine import BySituation
from recursor.verification.plan import Part

TOGETHER = 64
"""Inputs that are examined at once; all are of one size, so that nothing is padded."""
SMALLEST, LARGEST = 2, 14
"""Sizes of the inputs that are searched."""
LIKE = 0.9
"""The share of inputs that are changed ones; the others are drawn from the algorithm's own distribution, and changed too."""
ATTEMPTS = 20
"""How many inputs are changed for one that meets the requirements of the algorithm."""


def search_parts(algorithm: Algorithm, by: BySituation, inputs: int, seed: int) -> Iterator[Part]:
    """Yields inputs that are like those with rare situations.

    Args:
        algorithm: What they are inputs of.
        by: The situations so far. The caller examines each part before the next one is made.
        inputs: How many to search, at most.
        seed: Of the search.
    """
    rng = np.random.default_rng((seed, 3))
    for start in range(0, inputs, TOGETHER):
        nodes = int(rng.integers(SMALLEST, LARGEST + 1))
        yield search_part(algorithm, _rare_inputs(by, nodes, rng), nodes, rng, min(TOGETHER, inputs - start))


def search_part(
    algorithm: Algorithm, near: Sequence[Graph], nodes: int, rng: np.random.Generator, inputs: int = TOGETHER
) -> Part:
    """Returns inputs of one size that differ a little from some of the given ones."""
    graphs: list[Graph] = []
    for _ in range(ATTEMPTS * inputs):
        if len(graphs) == inputs:
            break
        like = near and rng.random() < LIKE
        graph = near[int(rng.integers(len(near)))] if like else algorithm.train(rng, nodes)
        changed = change(graph, nodes, algorithm, rng)
        if changed is not None:
            graphs.append(changed)
    return Part(f"search, {nodes} nodes", nodes, False, graphs, searched=True)


def _rare_inputs(by: BySituation, nodes: int, rng: np.random.Generator) -> list[Graph]:
    """Inputs of about a size, one for each of some situations: the rarer a situation, the more often it is chosen."""
    sizes = np.array([len(recording.graph) for recording, _ in by.examples], np.int64)
    close = np.flatnonzero(abs(sizes - nodes) <= 2)
    if not len(close):
        return []
    weight = 1 / np.maximum(1, by.met[close])
    chosen = rng.choice(close, TOGETHER, p=weight / weight.sum())
    return [by.examples[place][0].graph for place in chosen.tolist()]


def change(graph: Graph, nodes: int, algorithm: Algorithm, rng: np.random.Generator) -> Graph | None:
    """Returns the input with another number of nodes and some edges, places or values changed.

    A node that is added is a twin of another one, with or without its edges.

    Returns:
        The changed input; None if that is no input of the algorithm.
    """
    n = len(graph)
    if not n:
        return None
    old = np.sort(rng.permutation(n)[: min(n, nodes)])
    places = np.sort(np.concatenate([old, rng.integers(n, size=nodes - len(old))]))
    if rng.random() < 0.3:
        _swap(places, rng)
    matrix = np.zeros((n, n), bool)
    matrix[graph.senders, graph.receivers] = True
    symmetric = bool((matrix == matrix.T).all())
    matrix = matrix[places][:, places]
    for twin in np.flatnonzero(places[1:] == places[:-1]):
        if rng.random() < 0.5:
            matrix[twin], matrix[:, twin] = False, False
    for _ in range(int(rng.integers(4)) if algorithm.takes_edges else 0):
        _change_edge(matrix, rng, symmetric=symmetric)
    values = {name: np.asarray(numbers)[places] for name, numbers in graph.values.items()}
    for numbers in values.values():
        if rng.random() < 0.5:
            _swap(numbers, rng)
        if rng.random() < 0.2:
            numbers[rng.integers(nodes)] = numbers[rng.integers(nodes)]
    senders, receivers = np.nonzero(matrix)
    changed = from_edges(senders, receivers, nodes, values=values)
    return None if algorithm.lacks(changed) else changed


def _swap(numbers: np.ndarray, rng: np.random.Generator) -> None:
    i, j = rng.integers(len(numbers), size=2)
    numbers[[i, j]] = numbers[[j, i]]


def _change_edge(matrix: np.ndarray, rng: np.random.Generator, *, symmetric: bool) -> None:
    """Adds or removes an edge, or gives one another sender, as when a leaf of a tree is moved."""
    i, j, k = rng.integers(len(matrix), size=3)
    if matrix[i, j] and rng.random() < 0.5:
        matrix[k, j] = True
        if symmetric:
            matrix[j, k] = True
    matrix[i, j] = not matrix[i, j]
    if symmetric:
        matrix[j, i] = matrix[i, j]
