"""Reading a person's own weighted graph, for spanning trees."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
from scipy import sparse

from recursor.graphs.adjacency import GraphError, check_dtype, check_shape, refuse_masked
from recursor.graphs.edges import ends_of, in_order, rows_of
from recursor.graphs.files import Line, read_columns
from recursor.graphs.formats.edge_list import INTEGER, check_name
from recursor.graphs.graph import Graph
from recursor.graphs.values import as_array, read_number
from recursor.graphs.weighted import as_weighted, join


def from_weighted(source: Any) -> Graph | None:
    """Returns the graph of a source with weighted edges, which all go both ways.

    Args:
        source: A networkx graph, whose edges have the weight 1 unless they have a `weight`; a pandas table or a file of
            edges, each with its weight in a third column; an `edge_index` with an `edge_weight` or an `edge_attr` of one
            number an edge; or a symmetric matrix of weights, in which 0 says that there is no edge.

    Returns:
        The graph; None if the source is none of these, or its nodes have keys already.

    Raises:
        GraphError: If a weight is missing or no finite number, or a matrix is not symmetric.

    Example:
        >>> from_weighted([[0, 3], [3, 0]]).values["key"].tolist()
        [0, 0, 3]
    """
    if isinstance(source, nx.Graph):
        return None if any("key" in values for _, values in source.nodes(data=True)) else as_weighted(source)
    if isinstance(source, str | Path):
        lines = read_columns(Path(source))
        return None if lines is None else _from_lines(lines, str(source))
    if hasattr(source, "columns") and hasattr(source, "to_numpy"):
        return _from_table(source)
    if hasattr(source, "edge_index"):
        return _from_edge_index(source)
    rows = isinstance(source, list | tuple) and source and all(isinstance(row, list) for row in source)
    if rows or sparse.issparse(source) or getattr(source, "ndim", None) == 2:
        return _from_matrix(source)
    return None


def _from_lines(lines: Iterable[Line], where: str) -> Graph:
    """The graph of the lines of a file. A single name is a node, which need not have an edge."""
    edges: list[tuple[str, str, float]] = []
    found: dict[str, None] = {}
    for line in lines:
        names, weights = line.words[:2], line.words[2:]
        for name in names:
            check_name(name, line.where, line.number)
        found |= dict.fromkeys(names)
        if len(names) == 2:
            weight = read_number(weights[0]) if len(weights) == 1 else None
            if weight is None:
                but = f"not {' '.join(weights)}" if weights else "which is missing"
                here = f"{where}, line {line.number}"
                raise GraphError(f"{here}: after its two names an edge has its weight, a number, {but}{line.advice()}")
            edges.append((names[0], names[1], int(weight) if weight.is_integer() else weight))
    if not found:
        raise GraphError(f"{where}: a graph needs at least one node, but the file names none")
    if not all(map(INTEGER.fullmatch, found)):
        return join(list(found), edges, where)
    return join(sorted(map(int, found)), [(int(a), int(b), weight) for a, b, weight in edges], where)


def _from_table(table: Any) -> Graph:
    """The graph of a pandas table."""
    if (width := len(table.columns)) != 3:
        raise GraphError(f"the table: a table of weighted edges has 3 columns, two names and a weight, not {width}")
    rows = rows_of(table)
    return join(in_order(name for row in rows for name in row[:2]), [(a, b, weight) for a, b, weight in rows], "the table")


def _from_edge_index(source: Any) -> Graph:
    """The graph of a PyTorch Geometric `Data`, in which an edge may be given once or in both directions."""
    ends, n = ends_of(source)
    given = getattr(source, "edge_weight", None)
    given = getattr(source, "edge_attr", None) if given is None else given
    if given is None:
        raise GraphError("edge_weight: it is missing, but a spanning tree needs a weight of every edge")
    weights = as_array(given)
    if weights.shape not in ((ends.shape[1],), (ends.shape[1], 1)):
        raise GraphError(f"edge_weight: it must be one number an edge, not of the shape {weights.shape}")
    found: dict[tuple[int, int], Any] = {}
    for a, b, weight in zip(*ends.tolist(), weights.reshape(-1).tolist(), strict=True):
        if (other := found.setdefault((min(a, b), max(a, b)), weight)) is not weight and other != weight:
            raise GraphError(f"edge_weight: the edge between {a} and {b} must have one weight, not two different ones")
    return join(range(n), [(a, b, weight) for (a, b), weight in found.items()], "edge_weight")


def _from_matrix(source: Any) -> Graph:
    """The graph of a matrix of weights."""
    refuse_masked(source, "the matrix")
    try:
        matrix = source.toarray() if sparse.issparse(source) else as_array(source)
    except ValueError as error:
        raise GraphError("the matrix: the rows must be equally long lists of numbers") from error
    check_dtype(matrix.dtype, "the matrix")
    check_shape(matrix.shape, "the matrix")
    if not np.array_equal(matrix, matrix.T, equal_nan=matrix.dtype.kind == "f"):
        raise GraphError("the matrix: a spanning tree needs an undirected graph, so its matrix must be symmetric")
    ends = np.argwhere(np.triu(matrix) != 0).tolist()
    return join(range(len(matrix)), [(a, b, matrix[a, b].item()) for a, b in ends], "the matrix")
