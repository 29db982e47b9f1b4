"""The recorded algorithms, one file each."""

from recursor.algorithms.articulation_points import ARTICULATION_POINTS
from recursor.algorithms.bridges import BRIDGES
from recursor.algorithms.circuit import CIRCUIT
from recursor.algorithms.dfs import DFS
from recursor.algorithms.kosaraju import KOSARAJU
from recursor.algorithms.quicksort import QUICKSORT
from recursor.algorithms.tarjan import TARJAN
from recursor.algorithms.topological_sort import TOPOLOGICAL_SORT
from recursor.recording import Algorithm

ALGORITHMS: dict[str, Algorithm] = {
    algorithm.name: algorithm
    for algorithm in (DFS, TOPOLOGICAL_SORT, KOSARAJU, TARJAN, ARTICULATION_POINTS, BRIDGES, QUICKSORT, CIRCUIT)
}


def find(name: str) -> Algorithm:
    """The algorithm of that name."""
    if name not in ALGORITHMS:
        raise ValueError(f"no algorithm is called {name!r}; there are {', '.join(ALGORITHMS)}")
    return ALGORITHMS[name]
