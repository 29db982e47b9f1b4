"""The recorded algorithms, one file each."""

from recursor.algorithms.dfs import DFS
from recursor.recording import Algorithm

ALGORITHMS: dict[str, Algorithm] = {algorithm.name: algorithm for algorithm in (DFS,)}


def find(name: str) -> Algorithm:
    """The algorithm of that name."""
    if name not in ALGORITHMS:
        raise ValueError(f"no algorithm is called {name!r}; there are {', '.join(ALGORITHMS)}")
    return ALGORITHMS[name]
