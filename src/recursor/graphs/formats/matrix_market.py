"""Matrix Market's files, .mtx: coordinate or array; pattern, integer or real; general or symmetric; no cell twice."""

import math
import reprlib
from collections.abc import Sequence

import numpy as np

from recursor.graphs.adjacency import GraphError, check_shape, check_size, wrong_entry
from recursor.graphs.formats.contract import Format, Source, text_of
from recursor.graphs.graph import Graph, from_edges


def parse(data: bytes, source: Source) -> Graph:
    """Returns the graph of a .mtx file.

    SciPy's reader would be shorter, but it ends the whole process at an array of size 0, cuts 1.5 to 1 in a file of
    integers, ignores what stands behind an entry, and cannot say in which line a weight stands.
    """
    where = source.where
    lines = text_of(data, where).split("\n")
    coordinate, pattern, symmetric = _banner(lines[0], where)
    content = ((k, line.split()) for k, line in enumerate(lines, 1) if line.strip() and not line.startswith("%"))
    number, sizes = next(content, (len(lines), []))
    here = f"{where}, line {number}"
    if len(sizes) != 2 + coordinate or not all(size.isdecimal() and len(size) < 19 for size in sizes):
        expected = "rows, columns and entries" if coordinate else "rows and columns"
        raise GraphError(f"{here}: the first line after the comments must give the numbers of {expected}")
    n = int(sizes[0])
    check_shape((n, int(sizes[1])), here)
    entries = int(sizes[2]) if coordinate else n * (n + 1) // 2 if symmetric else n * n
    width = 2 * coordinate + (not pattern)
    if entries * 2 * width > len(data):  # a column takes at least a character, and the space or line end behind it
        raise GraphError(f"{here}: {entries} entries are announced, but the file's {len(data)} bytes hold fewer")
    check_size(n, entries, here)

    numbers, values, nodes = [], [], []
    for number, cells in content:
        if number % 100_000 == 0:
            source.progress(number, len(lines))
        if len(cells) != width:
            raise GraphError(f"{where}, line {number}: an entry has {width} columns in such a file, not {len(cells)}")
        numbers.append(number)
        values.append(pattern or _entry(cells[-1], source, number))
        if coordinate:
            nodes += (_node(cells[0], n, where, number), _node(cells[1], n, where, number))
    if len(numbers) != entries:
        raise GraphError(
            f"{where}: {entries} entries are announced, but {len(numbers)} are there; correct one of the two numbers"
        )

    if coordinate:
        rows, columns = np.array(nodes, np.int64).reshape(-1, 2).T
        _check_once(rows, columns, n, symmetric, numbers, where)
    elif symmetric:  # column after column, of each the part from the diagonal down
        columns, rows = np.triu_indices(n)
    else:
        columns, rows = np.divmod(np.arange(n * n), n)
    edge = np.array(values, bool)
    rows, columns = rows[edge], columns[edge]
    if symmetric:
        rows, columns = np.concatenate([rows, columns]), np.concatenate([columns, rows])
    return from_edges(rows, columns, n)


_WORDS = (
    ("coordinate", "array"),
    ("pattern", "integer", "unsigned-integer", "real", "double"),
    ("general", "symmetric"),
)


def _banner(line: str, where: str) -> tuple[bool, bool, bool]:
    """Whether a file lists coordinates (or all entries), is a pattern (or has values), is symmetric (or general)."""
    matrix_market, *words = line.lower().split() or [""]
    if matrix_market != "%%matrixmarket" or len(words) != 4 or words.pop(0) != "matrix":
        example = "%%MatrixMarket matrix coordinate pattern general"
        raise GraphError(f"{where}, line 1: the file must begin like `{example}`, not with {reprlib.repr(line)}")
    for word, known in zip(words, _WORDS, strict=True):
        if word not in known:
            raise GraphError(f"{where}, line 1: {reprlib.repr(word)} must be one of {', '.join(known)}")
    layout, field, symmetry = words
    if layout == "array" and field == "pattern":
        raise GraphError(f"{where}, line 1: an array has values, so it must be integer or real, not pattern")
    return layout == "coordinate", field == "pattern", symmetry == "symmetric"


def _entry(cell: str, source: Source, line: int) -> bool:
    if cell in ("0", "1"):
        return cell == "1"
    try:
        value = float(cell)
    except ValueError as error:
        raise GraphError(f"{source.where}, line {line}: an entry is the number 0 or 1, not {reprlib.repr(cell)}") from error
    if not math.isfinite(value) if source.pattern else value not in (0, 1):
        raise wrong_entry(value, f"{source.where}, line {line}")
    return value != 0


def _node(cell: str, n: int, where: str, line: int) -> int:
    node = int(cell) if cell.isdecimal() and len(cell) < 19 else 0
    if not 1 <= node <= n:
        raise GraphError(f"{where}, line {line}: a row or column is a number from 1 to {n}, not {reprlib.repr(cell)}")
    return node - 1


def _check_once(rows: np.ndarray, columns: np.ndarray, n: int, symmetric: bool, lines: Sequence[int], where: str) -> None:
    """Refuse a cell that is given twice: by the format's rules its entries are added up, which gives a weight."""
    if symmetric:
        rows, columns = np.maximum(rows, columns), np.minimum(rows, columns)
    keys = rows * n + columns
    order = np.argsort(keys, kind="stable")
    repeats = order[1:][np.diff(keys[order]) == 0]
    if len(repeats):
        k = int(repeats.min())
        cell = f"row {rows[k] + 1} and column {columns[k] + 1}"
        raise GraphError(f"{where}, line {lines[k]}: {cell} must have only one entry, but an earlier line already gives one")


FORMAT = Format((".mtx",), parse)
