"""Distributions of rooted trees, with edges from parent to child."""

from collections.abc import Callable, Mapping

import numpy as np

from recursor.graphs.distributions import any_tree, random_positions
from recursor.graphs.graph import Graph, from_matrix
from recursor.graphs.shapes import DIRECTED


def any_rooted_tree(rng: np.random.Generator, n: int) -> Graph:
    """A tree whose nodes have any number of children; paths and stars are among them."""
    return from_matrix(any_tree(rng, n), positions=random_positions(rng, n))


TREES: Mapping[str, Callable[[np.random.Generator, int], Graph]] = {
    name: DIRECTED[name] for name in ("path", "star", "tree", "binary tree", "caterpillar")
}
"""Distributions by name."""
