"""The edges of tables and of edge indices, as their owner wrote them: rows of names, and numbers of nodes."""

import math
from typing import Any

import numpy as np

from recursor.graphs.adjacency import GraphError
from recursor.graphs.values import as_array


def rows_of(table: Any) -> list[list[Any]]:
    """Returns the rows of a pandas table of edges. The first two cells of a row are names, whole numbers among them whole.

    Raises:
        GraphError: If there is no row, or a name is missing.
    """
    rows = table.to_numpy(dtype=object).tolist()  # else pandas makes all numbers floats, if one column is of floats
    if not rows:
        raise GraphError("the table: a graph needs at least one node, but the table is empty")
    for place, row in enumerate(rows):
        for name in row[:2]:
            if name is None or (isinstance(name, float) and math.isnan(name)):
                raise GraphError(f"the table, row {place} (counted from 0): an edge is two names, but one is missing")
    return rows


def in_order(names: Any) -> list[Any]:
    """Returns each name once: in ascending order if all are whole numbers, else as they first appear.

    Example:
        >>> in_order([10, 9, 10]), in_order(["b", "a"])
        ([9, 10], ['b', 'a'])
    """
    found = dict.fromkeys(names)
    return sorted(found) if all(isinstance(name, int) for name in found) else list(found)


def ends_of(source: Any) -> tuple[np.ndarray, int]:
    """Returns the `edge_index` of a PyTorch Geometric `Data`, [2, edges], and its number of nodes.

    Raises:
        GraphError: If it is missing, or does not hold nodes in two rows.
    """
    if source.edge_index is None:
        raise GraphError("edge_index: it is missing; an empty one says that there are no edges")
    ends = as_array(source.edge_index)
    if ends.ndim != 2 or len(ends) != 2 or ends.dtype.kind not in "iu":
        has = f"numbers of the type {ends.dtype}" if ends.ndim == 2 and len(ends) == 2 else f"the shape {ends.shape}"
        raise GraphError(f"edge_index: it holds integers in 2 rows, senders and receivers, not {has}")
    count = getattr(source, "num_nodes", None)
    n = int(count) if count is not None else int(ends.max(initial=-1)) + 1
    if n < 1 or (ends.size and not 0 <= ends.min() <= ends.max() < n):
        raise GraphError(f"edge_index: its entries must be nodes from 0 to num_nodes - 1, and num_nodes is {n}")
    return ends, n
