"""Adjacency matrices of strangers: each becomes a graph, or is refused.

Row = sender, column = receiver, and every entry is 0 or 1; with `pattern` every finite entry that is not 0 is an edge.
`where` is what errors call the matrix.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from recursor.graphs.graph import Graph, from_edges, from_matrix


class GraphError(ValueError):
    """What was given is no graph; the message says where, what is wrong, and what would be right."""


MOST_ISOLATED = 1_000_000
"""More nodes without an edge than this are taken for a broken size, not for a graph."""


def from_dense(source: Any, where: str, *, pattern: bool = False) -> Graph:
    """The graph of a NumPy array or nested lists."""
    refuse_masked(source, where)
    try:
        matrix = np.asarray(source)
    except (ValueError, TypeError, OverflowError) as error:
        raise GraphError(f"{where}: the rows must be equally long lists of the numbers 0 and 1") from error
    check_dtype(matrix.dtype, where)
    check_shape(matrix.shape, where)
    with np.errstate(invalid="ignore"):  # comparing a NaN may warn, and it is refused anyway
        wrong = ~np.isfinite(matrix) if pattern else (matrix != 0) & (matrix != 1)
    if wrong.any():
        row, column = np.unravel_index(np.argmax(wrong), wrong.shape)
        raise wrong_entry(matrix[row, column], f"{where}, row {row}, column {column} (counted from 0)")
    return from_matrix(matrix)


def from_sparse(matrix: Any, where: str, *, pattern: bool = False) -> Graph:
    """The graph of a SciPy sparse array or matrix; several entries of one cell are added up, as SciPy itself does."""
    check_dtype(matrix.dtype, where)
    check_shape(matrix.shape, where)
    try:
        entries = matrix.tocoo(copy=True)
    except ValueError as error:
        raise GraphError(f"{where}: all indices must be within the shape {matrix.shape}") from error
    check_size(matrix.shape[0], entries.nnz, where)
    with np.errstate(invalid="ignore", over="ignore"):
        entries.sum_duplicates()
        wrong = ~np.isfinite(entries.data) if pattern else (entries.data != 0) & (entries.data != 1)
    if wrong.any():
        k = np.argmax(wrong)
        raise wrong_entry(entries.data[k], f"{where}, row {entries.row[k]}, column {entries.col[k]} (counted from 0)")
    edge = entries.data != 0
    return from_edges(entries.row[edge], entries.col[edge], matrix.shape[0])


def refuse_masked(source: Any, where: str) -> None:
    """Refuses an array with masked entries, which are neither there nor not."""
    if np.ma.is_masked(source):
        raise GraphError(f"{where}: some entries are masked, so give them numbers first, such as by `.filled(0)`")


def check_dtype(dtype: np.dtype, where: str) -> None:
    """Refuses entries that are no numbers."""
    if dtype.kind not in "biuf":  # truth values, integers, floats
        raise GraphError(f"{where}: the entries must be numbers or truth values, not of the type {dtype}")


def check_shape(shape: Sequence[int], where: str) -> None:
    """Refuses a matrix that is not square, or empty."""
    if math.prod(shape) == 0:
        raise GraphError(f"{where}: a graph needs at least one node, but the shape {tuple(shape)} holds none")
    if len(shape) != 2:
        raise GraphError(f"{where}: an adjacency matrix has 2 dimensions, not {len(shape)} (shape {tuple(shape)})")
    if shape[0] != shape[1]:
        raise GraphError(f"{where}: an adjacency matrix is square, not {shape[0]} rows by {shape[1]} columns")


def check_size(nodes: int, entries: int, where: str) -> None:
    """Refuses more nodes than so few entries make believable, each joining at most two, or than int32 can number."""
    if nodes > MOST_ISOLATED + 2 * entries:
        raise GraphError(
            f"{where}: with {nodes} nodes and {entries} entries, more than {MOST_ISOLATED} nodes have no edge, so "
            "correct the size, or remove those nodes"
        )
    if nodes > np.iinfo(np.int32).max:
        raise GraphError(f"{where}: a graph has at most {np.iinfo(np.int32).max} nodes, not {nodes}")


IGNORE = "so use `pattern=True` in Python, or --pattern in commands, to ignore the weights"
"""The advice for a source whose edges have weights."""
PATTERN = f"{IGNORE}: each entry that is not 0 is then an edge"
"""The advice for a matrix."""


def wrong_entry(value: float, where: str) -> GraphError:
    """Returns the error of an entry that says neither that there is an edge nor that there is none."""
    if not np.isfinite(value):
        return GraphError(f"{where}: the entry {value} is not finite, but an entry is 0 or 1, so replace it first")
    kind = "negative" if value < 0 else "a weight"
    return GraphError(
        f"{where}: the entry {value} is {kind}, but edges have no weights here and an entry is 0 or 1, {PATTERN}"
    )
