"""Reading a person's own graph: what holds one becomes a `Graph`, or a `GraphError` says in one sentence why not."""

import math
import reprlib
import warnings
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from numbers import Real
from pathlib import Path
from types import MappingProxyType
from typing import Any

import networkx as nx
import numpy as np
from scipy import sparse

from recursor.graphs.adjacency import IGNORE, GraphError, from_dense, from_sparse
from recursor.graphs.edges import ends_of, in_order, rows_of
from recursor.graphs.files import read_bytes
from recursor.graphs.formats import FORMATS
from recursor.graphs.formats.contract import Source
from recursor.graphs.formats.edge_list import SEPARATORS
from recursor.graphs.graph import Graph, count_repeated, from_edges, from_ends
from recursor.graphs.values import as_array, as_category, as_number, as_values, from_numbers, what_is_wanted

__all__ = ["GraphError", "as_graph", "read_graph"]

Progress = Callable[[int, int], None]


def as_graph(
    source: object,
    *,
    pattern: bool = False,
    values: Mapping[str, Sequence[str]] = MappingProxyType({}),
    numbers: str = "",
    progress: Progress = lambda done, total: None,
) -> Graph:
    """Returns the graph that a person's object or file holds, on even positions.

    Args:
        source: One of

            - a `Graph`, which is returned as it is;
            - a networkx graph: the order and the names of its nodes are kept, an undirected edge becomes one in each
              direction, parallel edges count once, and a `weight` other than 1 is refused; attributes that are numbers, or
              words for categories, at every node become the graph's `values`;
            - an adjacency matrix of zeros and ones (row = sender, column = receiver): a NumPy array, nested lists, or a
              SciPy sparse array or matrix;
            - a pandas table of two columns, an edge a row, sender first;
            - a PyTorch Geometric `Data`, that is anything with `edge_index` and `num_nodes`; an `edge_weight` other than 1
              is refused;
            - the path of a file, for `read_graph`.
        pattern: Whether weights are ignored: every entry of a matrix that is not 0, and every edge of a networkx graph or a
            `Data`, is an edge.
        values: The values that the nodes must have, such as `key`, each with the words for its categories, if it has any.
            One that is neither a word nor a finite number is then refused where it stands. Weights of a matrix are then not
            refused: it has no values, and whoever needs some refuses it for this.
        numbers: What a plain list or vector of numbers gives to the nodes, such as `key`; without it a list of numbers is
            no graph.
        progress: Is told from time to time how many lines of a file are read, and of how many.

    Returns:
        The graph.

    Raises:
        GraphError: If the source is not exactly a graph.

    Example:
        >>> as_graph([[0, 1], [0, 0]]).successors
        [[1], []]
        >>> as_graph([[0, -2], [0, 0]], pattern=True).successors
        [[1], []]
    """
    if isinstance(source, Graph):
        return source
    if isinstance(source, str | Path):
        return read_graph(source, pattern=pattern, values=values, numbers=numbers, progress=progress)
    if isinstance(source, nx.Graph):  # as are all of networkx's classes
        return _from_networkx(source, pattern, values)
    if sparse.issparse(source):
        return from_sparse(source, "the sparse matrix", pattern=pattern or bool(values))
    if hasattr(source, "edge_index"):
        return _from_edge_index(source, pattern)
    if hasattr(source, "columns") and hasattr(source, "to_numpy"):
        return _from_table(source, pattern)
    lists = isinstance(source, list | tuple) and source and all(isinstance(item, list | tuple) for item in source)
    if numbers and lists and all(isinstance(number, Real) for item in source for number in item):  # pyright: ignore[reportGeneralTypeIssues]
        raise GraphError("several lists of numbers are not one; `run_many` takes several")
    if _is_edges(source):
        raise GraphError(
            "a list of pairs is not an adjacency matrix; `networkx.Graph(pairs)` makes a graph of edges that go both ways, "
            "and `networkx.DiGraph(pairs)` one of directed edges"
        )
    if numbers and is_vector(source):
        return from_numbers(source, numbers, "the numbers")  # pyright: ignore[reportArgumentType] (it is a vector)
    if isinstance(source, list | tuple) and any(isinstance(item, Graph | nx.Graph | str | Path) for item in source):
        raise GraphError("a list of graphs or files is not one graph; `run_many` and `score` take several")
    if isinstance(source, list | tuple):
        return from_dense(source, "the matrix", pattern=pattern or bool(values))
    if hasattr(source, "__array__"):
        matrix = source if isinstance(source, np.ndarray) else as_array(source)
        return from_dense(matrix, "the matrix", pattern=pattern or bool(values))
    advice = "; `networkx.Graph` makes a graph of neighbours in a dictionary" if isinstance(source, dict) else ""
    raise GraphError(
        "a graph is given as a Graph, a networkx graph, a NumPy or SciPy adjacency matrix, nested lists, a table of edges, "
        f"{'a list of numbers, ' if numbers else ''}or the path of a file, not as an object of type {type(source).__name__}"
        f"{advice}"
    )


def _is_edges(source: object) -> bool:
    """Whether something is a list of pairs, and no matrix of two columns."""
    if not isinstance(source, list | tuple) or not source:
        return False
    if not all(isinstance(item, list | tuple) and len(item) == 2 for item in source):
        return False
    names = [name for pair in source for name in pair]
    if len(source) == 2 and all(isinstance(name, Real) for name in names):  # lists are rows of a matrix, with weights or not
        return all(isinstance(pair, tuple) for pair in source) and any(name not in (0, 1) for name in names)
    return len(source) != 2 or all(isinstance(name, str) for name in names)


def is_vector(source: object) -> bool:
    """Returns whether something is a list or an array of one dimension."""
    if isinstance(source, list | tuple | range):
        return not any(isinstance(item, list | tuple | np.ndarray | Graph | nx.Graph) for item in source)
    return getattr(source, "ndim", None) == 1


def _from_networkx(source: nx.Graph, pattern: bool, wanted: Mapping[str, Sequence[str]]) -> Graph:
    names: tuple[Hashable, ...] = tuple(source)
    if not names:
        raise GraphError("the networkx graph: a graph needs at least one node, and this has none")
    index = {name: node for node, name in enumerate(names)}
    ends: list[int] = []
    for sender, receiver, weight in source.edges(data="weight", default=1):
        if not pattern and not (isinstance(weight, Real) and weight == 1):
            edge = f"the edge from {reprlib.repr(sender)} to {reprlib.repr(receiver)} has the weight {reprlib.repr(weight)}"
            advice = f"{IGNORE}: each edge then counts, whatever its weight"
            raise GraphError(f"the networkx graph: {edge}, but edges have no weights here, {advice}")
        ends += (index[sender], index[receiver])
    graph = from_ends(np.array(ends, np.int64), names, undirected=not source.is_directed())
    values = _attributes(source, wanted)
    given = {name: [data[name] for _, data in source.nodes(data=True)] for name in values}
    return replace(graph, values=values, given=given, parallel=_count_parallel(source))


def _count_parallel(source: Any) -> int:
    """How many edges are parallel to another, loops apart; says so in one line if there are any."""
    if not source.is_multigraph():
        return 0
    pairs = [(sender, receiver) for sender, receiver in source.edges() if sender != receiver]
    parallel = len(pairs) - len(set(pairs) if source.is_directed() else set(map(frozenset, pairs)))
    if parallel:
        warnings.warn(f"the networkx graph has {parallel} parallel edges, which count once here", stacklevel=4)
    return parallel


def _attributes(source: nx.Graph, wanted: Mapping[str, Sequence[str]]) -> dict[str, np.ndarray]:
    """The attributes that are finite numbers at every node, or words for categories; those that are wanted must be, if any
    node has them."""
    attributes = [data for _, data in source.nodes(data=True)]
    values = {}
    for name in dict.fromkeys([*attributes[0], *wanted]):
        words = wanted.get(name, ())
        column = [as_number(as_category(data.get(name), words)) for data in attributes]
        if isinstance(name, str) and np.isfinite(column).all():
            values[name] = as_values(column)
        elif name in wanted and any(name in data for data in attributes):
            node, data = next(
                (node, data) for node, data, x in zip(source, attributes, column, strict=True) if not math.isfinite(x)
            )
            has = f"is {reprlib.repr(data[name])}" if name in data else "is missing"
            needs = f"every node needs {what_is_wanted(words)}"
            raise GraphError(f"the networkx graph: {name!r} of the node {reprlib.repr(node)} {has}, but {needs}")
    return values


def _from_edge_index(source: Any, pattern: bool) -> Graph:
    """The graph of a PyTorch Geometric `Data`, or whatever is shaped like it."""
    ends, n = ends_of(source)
    weights = getattr(source, "edge_weight", None)
    if not pattern and weights is not None and (as_array(weights) != 1).any():
        raise GraphError(f"edge_weight: some weights are not 1, but edges have no weights here, {IGNORE}")
    keys = getattr(source, "keys", ())
    values = {}
    names: Any = keys() if callable(keys) else keys
    for name in names:
        column = as_array(getattr(source, name))
        if column.shape == (n,) and column.dtype.kind in "biuf" and np.isfinite(column).all():
            values[name] = as_values(column.tolist())
    return replace(from_edges(ends[0], ends[1], n, values=values), parallel=count_repeated(ends[0], ends[1], n))


def _from_table(source: Any, pattern: bool) -> Graph:
    """The graph of a pandas table: an edge a row."""
    width = len(source.columns)
    if width != 2 and not (pattern and width == 3):
        advice = f"; a third column of weights can be ignored, {IGNORE}" if width == 3 else ""
        raise GraphError(f"the table: a table of edges must have 2 columns, sender and receiver, not {width}{advice}")
    cells = [row[:2] for row in rows_of(source)]
    names = in_order(name for pair in cells for name in pair)
    index = {name: node for node, name in enumerate(names)}
    return from_ends(np.array([[index[a], index[b]] for a, b in cells]), tuple(names), undirected=False)


def read_graph(
    path: str | Path,
    *,
    pattern: bool = False,
    values: Mapping[str, Sequence[str]] = MappingProxyType({}),
    numbers: str = "",
    progress: Progress = lambda done, total: None,
) -> Graph:
    """Returns the graph in a file, whose suffix says how to read it; `graphs/formats/` has one file a format.

    - `.txt`, `.edges`, `.edgelist`, `.csv`, `.tsv`: edge lists, one edge a line (`formats/edge_list.py`);
    - `.npy` and `.mtx`: adjacency matrices, row = sender, column = receiver; the nodes are called 0 … n-1;
    - `.numbers`: numbers, one per node. With `numbers`, files `.txt`, `.csv` and `.tsv` that hold only numbers are read in
      the same way.

    Args:
        path: The file: a regular one of at most 1 GiB.
        pattern: Whether weights are ignored.
        values: Values of the nodes that are categories, with the words for these.
        numbers: What a list of numbers gives to the nodes, such as `key`.
        progress: Is told from time to time how many lines are read, and of how many.

    Returns:
        The graph, on even positions.

    Raises:
        GraphError: If the file cannot be read, or is not exactly a graph.
    """
    path = Path(path)
    formats = [one for one in FORMATS if path.suffix.lower() in one.suffixes]
    if not formats and _is_directory(path):
        raise GraphError(f"{path}: a graph is read from a file, and this is a directory")
    if not formats:
        known = ", ".join(dict.fromkeys(suffix for one in FORMATS for suffix in one.suffixes))
        raise GraphError(f"{path}: the suffix of a graph's file is one of {known}, not {path.suffix!r}")
    data = read_bytes(path)
    suffix = path.suffix.lower()
    pattern = pattern or (bool(values) and suffix not in SEPARATORS)  # a matrix, as in `as_graph`
    source = Source(str(path), suffix, pattern, numbers, values, progress)
    chosen = next((one for one in formats if one.takes(data, source)), formats[-1])
    return chosen.parse(data, source)


def _is_directory(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):  # too long for a name, NUL, or half of a surrogate pair
        return False
