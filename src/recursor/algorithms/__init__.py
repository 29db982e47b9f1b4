"""The recorded algorithms, one file each, and those that others bring."""

import warnings
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from recursor.recording.algorithm import Algorithm
from recursor.recording.rows import Trajectory
from recursor.system.nearest import nearest

FILES = (
    "dfs",
    "topological_sort",
    "kosaraju",
    "tarjan",
    "articulation_points",
    "bridges",
    "quicksort",
    "merge_sort",
    "circuit",
    "bfs",
    "minimum",
    "insertion_sort",
    "binary_search",
    "quickselect",
    "activity_selector",
    "mst_prim",
    "mst_kruskal",
    "naive_string_matcher",
    "euler_tour",
    "subtree_size",
    "brackets",
    "expression",
)
"""The files of this folder that hold an algorithm."""


def _algorithms_in(module: ModuleType) -> list[Algorithm]:
    return [value for value in vars(module).values() if isinstance(value, Algorithm)]


ALGORITHMS: dict[str, Algorithm] = {
    algorithm.name: algorithm for file in FILES for algorithm in _algorithms_in(import_module(f"{__name__}.{file}"))
}
"""The algorithms by name."""

IMPORTED: list[Path] = []
"""The files whose algorithms were made known, for processes that need them too."""

PLUG_INS = "recursor.algorithms"
"""The entry point group in which an installed package names algorithms of its own."""


BROKEN: list[Any] = []
"""The plug-ins that failed."""


def known() -> dict[str, Algorithm]:
    """All algorithms by name: those that come with Recursor, those that were registered, and those of plug-ins.

    A plug-in that cannot be loaded is named in a warning, once, and left out.
    """
    for point in entry_points(group=PLUG_INS):
        if point in BROKEN:
            continue
        try:
            register(point.load())
        except (Exception, SystemExit) as error:  # a stranger's code may raise anything
            BROKEN.append(point)
            why = str(error).partition("\n")[0] or type(error).__name__
            warnings.warn(f"the plug-in {point.name} ({point.value}) is left out, since it fails: {why}", stacklevel=2)
    return ALGORITHMS


def find(name: str) -> Algorithm:
    """The algorithm of that name."""
    if name not in ALGORITHMS and name not in known():
        near = nearest(str(name), ALGORITHMS)
        there = f"did you mean {near}?" if near else f"there are {', '.join(ALGORITHMS)}"
        raise ValueError(f"no algorithm is called {name!r}; {there} (import your own with recursor --import FILE.py)")
    return ALGORITHMS[name]


def register(algorithm: Algorithm) -> None:
    """Makes an algorithm known by its name.

    Args:
        algorithm: The algorithm.

    Raises:
        ValueError: If it is no `Algorithm`, or another algorithm has its name.

    Example:
        >>> import recursor
        >>> recursor.register(FLOOD_FILL)  # doctest: +SKIP
        >>> recursor.record("flood_fill", graph)  # doctest: +SKIP
    """
    if not isinstance(algorithm, Algorithm):
        raise ValueError(f"{algorithm!r} is not a recursor.Algorithm")
    if ALGORITHMS.setdefault(algorithm.name, algorithm) is not algorithm:
        raise ValueError(f"there is already an algorithm {algorithm.name!r}; give yours another name")


def register_file(path: Path | str) -> list[Algorithm]:
    """Imports a Python file, which runs it, and makes every algorithm in it known.

    A file may also add parts of a network, such as a processor, to their tables; it then needs no algorithm.

    Args:
        path: The file.

    Returns:
        The algorithms that were not known before.

    Raises:
        ValueError: If it is no Python file, or it has neither an algorithm nor a part of a network.
    """
    path = Path(path)
    if path.suffix != ".py" or not path.is_file():
        raise ValueError(f"{path} is not a Python file")
    module, before = ModuleType(path.stem), {id(algorithm) for algorithm in ALGORITHMS.values()}
    module.__file__ = str(path)
    exec(compile(path.read_bytes(), str(path), "exec"), module.__dict__)
    found = [algorithm for algorithm in _algorithms_in(module) if id(algorithm) not in before]
    if not found and not any(type(value).__name__ == "Kinds" for value in vars(module).values()):
        raise ValueError(
            f"{path} defines no algorithm: nothing in it is a recursor.Algorithm, and it imports no table of parts of a "
            "network, such as recursor.network.processors.PROCESSORS, to add one"
        )
    for algorithm in found:
        register(algorithm)
    IMPORTED.append(path.absolute())
    return found


def record(algorithm: str, graph: Any, view: str | None = None, *, pattern: bool = False) -> Trajectory:
    """Executes an algorithm on a graph and records its rows.

    Args:
        algorithm: The name of the algorithm; `recursor algorithms` lists them.
        graph: The graph, as anything that `as_graph` takes; for sorting also a list of numbers.
        view: The view that selects the hints. By default it is the algorithm's first.
        pattern: Whether a weighted graph is taken by its pattern: each entry that is not 0 is an edge.

    Returns:
        The inputs, the hints row by row, and the outputs.

    Raises:
        ValueError: If there is no such algorithm or view, or the algorithm cannot run on this graph.

    Example:
        >>> import recursor
        >>> trajectory = recursor.record("dfs", [[0, 1], [0, 0]], view="discrete")
        >>> trajectory.outputs["pi"].tolist()
        [0, 0]
    """
    recorded = find(algorithm)
    spec = recorded.spec(view or next(iter(recorded.views)))
    return recorded.record(recorded.graph(graph, pattern=pattern)).view(spec.view)
