"""Random graphs for property tests."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from recursor.graphs.graph import Graph, from_matrix


def graphs(max_nodes: int = 9) -> st.SearchStrategy[Graph]:
    """Any directed graph, self-loops among its edges, of 1 to `max_nodes` nodes."""
    sizes = st.integers(1, max_nodes)
    return sizes.flatmap(lambda n: hnp.arrays(np.bool_, (n, n))).map(from_matrix)
