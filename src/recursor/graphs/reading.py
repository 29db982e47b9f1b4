"""Reading a person's own graph: what holds one becomes a `Graph`, or a `GraphError` says in one sentence why not."""

import math
import re
import reprlib
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from numbers import Real
from pathlib import Path

import networkx as nx
import numpy as np
from scipy import sparse

from recursor.graphs.adjacency import GraphError, from_dense, from_sparse, parse_market, parse_npy, text_lines
from recursor.graphs.graph import Graph, from_edges

__all__ = ["GraphError", "as_graph", "read_graph"]


def as_graph(source: object) -> Graph:
    """The graph that a person's object or file holds, on even positions.

    A source is

    - a `Graph`, which is returned as it is;
    - a networkx graph: the order and the names of its nodes are kept, an undirected edge becomes one in each direction,
      parallel edges count once, and a `weight` other than 1 is refused; attributes that are numbers at every node become
      the graph's `values`;
    - an adjacency matrix of zeros and ones (row = sender, column = receiver): a NumPy array, nested lists, or a SciPy
      sparse array or matrix;
    - the path of a file, for `read_graph`.

    Everything else, and every source that is not exactly a graph, is refused with a `GraphError`.

    >>> as_graph([[0, 1], [0, 0]]).successors
    [[1], []]
    """
    if isinstance(source, Graph):
        return source
    if isinstance(source, str | Path):
        return read_graph(source)
    if isinstance(source, nx.Graph):  # as are all of networkx's classes
        return _from_networkx(source)
    if sparse.issparse(source):
        return from_sparse(source, "the sparse matrix")
    if isinstance(source, np.ndarray | list | tuple):
        return from_dense(source, "the matrix")
    raise GraphError(
        "a graph is given as a Graph, a networkx graph, a NumPy or SciPy adjacency matrix, nested lists, or the path "
        f"of a file, not as an object of type {type(source).__name__}"
    )


def _from_networkx(source: nx.Graph) -> Graph:
    names: tuple[Hashable, ...] = tuple(source)
    if not names:
        raise GraphError("the networkx graph: a graph needs at least one node, and this has none")
    index = {name: node for node, name in enumerate(names)}
    ends: list[int] = []
    for sender, receiver, weight in source.edges(data="weight", default=1):
        if not (isinstance(weight, Real) and weight == 1):
            edge = f"the edge from {reprlib.repr(sender)} to {reprlib.repr(receiver)}"
            raise GraphError(
                f"the networkx graph: {edge} has the weight {reprlib.repr(weight)}, but edges have no weights here, so "
                "binarise the graph first: drop the edges that do not count, and the `weight` of all others"
            )
        ends += (index[sender], index[receiver])
    return replace(_from_ends(ends, names, undirected=not source.is_directed()), values=_numbers(source))


def _numbers(source: nx.Graph) -> dict[str, np.ndarray]:
    """The attributes that are finite numbers at every node."""
    attributes = [data for _, data in source.nodes(data=True)]
    values = {}
    for name in attributes[0]:
        column = [_number(data.get(name)) for data in attributes]
        if isinstance(name, str) and np.isfinite(column).all():
            values[name] = _as_values(column)
    return values


def _number(value: object) -> float:
    try:
        return number if isinstance(value, Real) and (number := float(value)) == value else math.nan
    except OverflowError:  # an integer that no float comes near
        return math.nan


def _as_values(numbers: Sequence[float]) -> np.ndarray:
    """Numbers as a graph's values, integers if all are whole."""
    exact = np.array(numbers, np.float64)
    whole = np.abs(exact).max(initial=0) < 2**31 and np.array_equal(exact, exact.astype(np.int32))
    return exact.astype(np.int32) if whole else exact


def _from_ends(ends: Sequence[int] | np.ndarray, names: Sequence[Hashable], *, undirected: bool) -> Graph:
    """The graph of the edges ends[0] → ends[1], ends[2] → ends[3], …"""
    senders, receivers = np.asarray(ends, np.int64).reshape(-1, 2).T
    if undirected:
        senders, receivers = np.concatenate([senders, receivers]), np.concatenate([receivers, senders])
    return from_edges(senders, receivers, len(names), names=names)


def read_graph(path: str | Path) -> Graph:
    """The graph in a file, whose suffix says how to read it.

    **Adjacency matrices** of zeros and ones, row = sender, column = receiver: `.npy` (NumPy) and `.mtx` (Matrix Market:
    coordinate or array; pattern, integer or real; general or symmetric; no cell twice). The nodes are called 0 … n-1.

    **Edge lists**, one edge a line, as two names, sender first: separated by whitespace in `.txt`, `.edges` and
    `.edgelist`, by a comma in `.csv`, by a tab in `.tsv`. They are text in UTF-8, such as::

        # undirected
        # nodes: a b c d
        # A comment takes a whole line.
        a b
        b c

    - `# undirected` makes each edge two, one in each direction; without it edges are directed.
    - `# nodes:` lists all names, separated as the two of an edge are, in the order that the nodes shall have; several
      such lines make one list. No name may then occur that is not in it, and none may be in it twice. It is written in
      lower case, so that the `# Nodes: 4039 Edges: 88234` of published edge lists stays a comment.
    - `# values:` gives every node a number: first what they are called, then one number a node, in the order of
      `# nodes:`, which comes before; several such lines of one name make one list. They become the graph's `values`.
    - These stand before the first edge. Other lines that begin with #, and blank ones, are skipped.
    - A line with a single name is a node, which need not have an edge.
    - Without `# nodes:` the nodes are those named: by value if all names are integers, else as they first appear.
    - If all names are integers (written plainly: 7, not 07 or +7) they become numbers, else all stay strings.
    - An edge that is given twice counts once, as does an undirected one that is given from both of its ends.
    - A name holds no comma, semicolon, quote or #, and does not begin with a bracket. In `.csv` and `.tsv` it may hold
      spaces, but not where it stands alone on its line.
    """
    path = Path(path)
    parse = _FORMATS.get(path.suffix.lower())
    if parse is None:
        raise GraphError(f"{path}: the suffix of a graph's file is one of {', '.join(_FORMATS)}, not {path.suffix!r}")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise GraphError(f"{path}: a graph is read from a file, but this cannot be read ({error.strerror})") from error
    except ValueError as error:  # NUL, or half of a surrogate pair
        raise GraphError(f"{str(path)!r}: a graph is read from a file, but no file can have this name") from error
    if not data:
        raise GraphError(f"{path}: a graph needs at least one node, but the file is empty")
    return parse(data, str(path))


_NO_NAME = re.compile(r'["#,;]|^[{\[<]|^$')
_INTEGER = re.compile(r"-?[1-9][0-9]{0,17}|0")
_HEADINGS = {("source", "target"), ("from", "to"), ("src", "dst"), ("sender", "receiver")}


def _parse_edges(data: bytes, where: str, *, separator: str | None) -> Graph:
    """The graph of an edge list; no separator means any whitespace."""
    index: dict[str, int] = {}
    ends: list[int] = []
    values: dict[str, list[float]] = {}
    undirected = declared = begun = False
    for number, line in enumerate(text_lines(data, where), 1):
        content = line.strip()
        if not content:
            continue
        if content.startswith("#"):
            comment = content[1:].strip()
            directive = next((word for word in ("nodes:", "values:") if comment.startswith(word)), comment.lower())
            if directive in ("nodes:", "values:", "undirected") and begun:
                raise GraphError(f"{where}, line {number}: `# {directive}` must stand before the first edge")
            undirected |= directive == "undirected"
            if directive == "nodes:":
                declared = True
                _declare(index, comment.removeprefix(directive).strip().split(separator), where, number)
            if directive == "values:":
                _read_values(values, comment.removeprefix(directive).strip().split(separator), where, number)
            continue
        names = [name.strip() for name in line.split(separator)]
        if len(names) > 2:
            raise GraphError(f"{where}, line {number}: an edge is two names, without a weight, not {len(names)} columns")
        if declared:
            _check_declared(names, index, where, number)
        else:
            _check_meant(names, index, where, number)
        begun = True
        nodes = [index.setdefault(name, len(index)) for name in names]
        if len(nodes) == 2:
            ends += nodes
    if not index:
        raise GraphError(f"{where}: a graph needs at least one node, but the file names none")
    graph = _in_order(list(index), ends, undirected=undirected, declared=declared)
    for name, numbers in values.items():
        if not declared or len(numbers) != len(graph):
            raise GraphError(
                f"{where}: `# values:` gives one number to each node that `# nodes:` lists, but there are {len(numbers)} of "
                f"{reprlib.repr(name)} and {len(graph) if declared else 'no'} such nodes"
            )
    return replace(graph, values={name: _as_values(numbers) for name, numbers in values.items()})


def _declare(index: dict[str, int], names: Sequence[str], where: str, line: int) -> None:
    """Add the names of a `# nodes:` line to the index."""
    for name in names:
        name = name.strip()
        _check_name(name, where, line)
        if name in index:
            raise GraphError(
                f"{where}, line {line}: `# nodes:` must list each name once, but has {reprlib.repr(name)} again"
            )
        index[name] = len(index)


def _read_values(values: dict[str, list[float]], words: Sequence[str], where: str, line: int) -> None:
    """Add the numbers of a `# values:` line to those of its name."""
    name, *numbers = [word.strip() for word in words] or [""]
    _check_name(name, where, line)
    for word in numbers:
        try:
            number = float(word)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise GraphError(f"{where}, line {line}: after their name, values are numbers, unlike {reprlib.repr(word)}")
        if re.fullmatch(r"[+-]?\d+", word) and int(word) != number:
            raise GraphError(f"{where}, line {line}: {reprlib.repr(word)} has more digits than a value can hold")
        values.setdefault(name, []).append(number)


def _check_declared(names: Sequence[str], index: Mapping[str, int], where: str, line: int) -> None:
    for name in names:
        if name not in index:
            raise GraphError(f"{where}, line {line}: `# nodes:` must list all names, but lacks {reprlib.repr(name)}")


def _check_meant(names: Sequence[str], index: Mapping[str, int], where: str, line: int) -> None:
    """Refuse a line that could be taken for an edge or a node, but was hardly meant as one."""
    for name in names:
        if name not in index:
            _check_name(name, where, line)
    if len(names) == 1 and any(map(str.isspace, names[0])):
        raise GraphError(
            f"{where}, line {line}: a name alone on its line has no space in it, unlike {reprlib.repr(names[0])}, so "
            "separate the two names of an edge as the file's suffix says, or list the lone node under `# nodes:`"
        )
    if not index and tuple(map(str.lower, names)) in _HEADINGS:
        raise GraphError(
            f"{where}, line {line}: {' '.join(names)!r} looks like a heading, so put # before it, or list all names "
            "under `# nodes:` if these are nodes"
        )


def _check_name(name: str, where: str, line: int) -> None:
    if _NO_NAME.search(name):
        raise GraphError(
            f"{where}, line {line}: {reprlib.repr(name)} cannot be a node's name, which is not empty, holds no comma, "
            "semicolon, quote or #, and does not begin with a bracket"
        )


def _in_order(names: Sequence[str], ends: Sequence[int], *, undirected: bool, declared: bool) -> Graph:
    """The graph with its names as numbers, if all are, and its nodes in the order that was declared or is natural."""
    if not all(_INTEGER.fullmatch(name) for name in names):
        return _from_ends(ends, tuple(names), undirected=undirected)
    values = [int(name) for name in names]
    if declared:
        return _from_ends(ends, tuple(values), undirected=undirected)
    rank = np.argsort(np.argsort(values))
    return _from_ends(rank[ends], tuple(sorted(values)), undirected=undirected)


_FORMATS: Mapping[str, Callable[[bytes, str], Graph]] = {
    ".txt": partial(_parse_edges, separator=None),
    ".edges": partial(_parse_edges, separator=None),
    ".edgelist": partial(_parse_edges, separator=None),
    ".csv": partial(_parse_edges, separator=","),
    ".tsv": partial(_parse_edges, separator="\t"),
    ".npy": parse_npy,
    ".mtx": parse_market,
}
