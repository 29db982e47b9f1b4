"""Which inputs are tried: all small ones, then random ones of every size and of many distributions."""

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np

from recursor.graphs.graph import Graph
from recursor.recording.algorithm import Algorithm

EVERY = 64
"""Random inputs are of every size up to this one,"""
BEYOND = (65, 97, 100, 127, 128, 129, 300, 1000)
"""and of these."""
TOGETHER = 2048
"""Small inputs that are examined at once."""
MOST_EDGES = 60_000
"""A random input of more edges is left out: it would take minutes, and shows no situation that others do not."""


class Part(NamedTuple):
    """Some inputs of one size."""

    name: str
    nodes: int
    every: bool
    """Whether they are all inputs of the size."""
    graphs: list[Graph]
    searched: bool = False
    """Whether they were searched (`search`)."""


def small_parts(algorithm: Algorithm, largest: int) -> Iterator[Part]:
    """Yields all inputs up to a size, the smallest first."""
    for nodes in range(1, largest + 1):
        inputs = algorithm.small_inputs(nodes)
        while graphs := list(islice(inputs, TOGETHER)):
            yield Part(f"all of {nodes} nodes", nodes, True, graphs)


def random_parts(algorithm: Algorithm, sizes: tuple[int, ...], draws: int, seed: int) -> Iterator[Part]:
    """Yields random inputs of each size that is not too large for the algorithm: `draws` of its own distributions and one of
    every other."""
    for nodes in (size for size in sizes if size <= algorithm.largest):
        rng = np.random.default_rng((seed, nodes, 1))
        count = draws if nodes <= EVERY else max(1, draws // 4)
        graphs = [draw(rng, nodes) for draw in (algorithm.train, algorithm.test) for _ in range(count)]
        graphs += [draw(rng, nodes) for draw in algorithm.others.values()]
        graphs = [graph for graph in graphs if len(graph.senders) <= MOST_EDGES]
        yield Part(f"random of {nodes} nodes", nodes, False, graphs)
