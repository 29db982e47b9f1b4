"""Adjacency matrices of strangers, in memory and in files: each becomes a graph, or is refused.

Row = sender, column = receiver, and every entry is 0 or 1. A file comes as all of its bytes, and `where` is what errors
call it. Nothing is allocated on a header's word alone: what it announces must fit into the bytes that are there.
"""

import io
import math
import re
import reprlib
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from recursor.graphs.graph import Graph, from_edges, from_matrix


class GraphError(ValueError):
    """What was given is no graph; the message says where, what is wrong, and what would be right."""


MOST_ISOLATED = 1_000_000
"""More nodes without an edge than this are taken for a broken size, not for a graph."""


def from_dense(source: Any, where: str) -> Graph:
    """The graph of a NumPy array or nested lists."""
    if np.ma.is_masked(source):
        raise GraphError(f"{where}: some entries are masked, so fill them with 0 or 1 first")
    try:
        matrix = np.asarray(source)
    except (ValueError, TypeError, OverflowError) as error:
        raise GraphError(f"{where}: the rows must be equally long lists of the numbers 0 and 1") from error
    _check_dtype(matrix.dtype, where)
    _check_shape(matrix.shape, where)
    with np.errstate(invalid="ignore"):  # comparing a NaN may warn, and it is refused anyway
        wrong = (matrix != 0) & (matrix != 1)
    if wrong.any():
        row, column = np.unravel_index(np.argmax(wrong), wrong.shape)
        raise _wrong_entry(matrix[row, column], f"{where}, row {row}, column {column} (counted from 0)")
    return from_matrix(matrix)


def from_sparse(matrix: Any, where: str) -> Graph:
    """The graph of a SciPy sparse array or matrix; several entries of one cell are added up, as SciPy itself does."""
    _check_dtype(matrix.dtype, where)
    _check_shape(matrix.shape, where)
    try:
        entries = matrix.tocoo(copy=True)
    except ValueError as error:
        raise GraphError(f"{where}: its indices must lie within its shape {matrix.shape}, and do not") from error
    _check_size(matrix.shape[0], entries.nnz, where)
    with np.errstate(invalid="ignore", over="ignore"):
        entries.sum_duplicates()
        wrong = (entries.data != 0) & (entries.data != 1)
    if wrong.any():
        k = np.argmax(wrong)
        raise _wrong_entry(entries.data[k], f"{where}, row {entries.row[k]}, column {entries.col[k]} (counted from 0)")
    edge = entries.data != 0
    return from_edges(entries.row[edge], entries.col[edge], matrix.shape[0])


def _check_dtype(dtype: np.dtype, where: str) -> None:
    if dtype.kind not in "biuf":  # truth values, integers, floats
        raise GraphError(f"{where}: the entries must be numbers or truth values, not of the type {dtype}")


def _check_shape(shape: Sequence[int], where: str) -> None:
    if math.prod(shape) == 0:
        raise GraphError(f"{where}: a graph needs at least one node, but the shape {tuple(shape)} holds none")
    if len(shape) != 2:
        raise GraphError(f"{where}: an adjacency matrix has 2 dimensions, not {len(shape)} (shape {tuple(shape)})")
    if shape[0] != shape[1]:
        raise GraphError(f"{where}: an adjacency matrix is square, not {shape[0]} rows by {shape[1]} columns")


def _check_size(nodes: int, entries: int, where: str) -> None:
    """Refuse more nodes than so few entries make believable, each joining at most two, or than int32 can number."""
    if nodes > MOST_ISOLATED + 2 * entries:
        raise GraphError(
            f"{where}: with {nodes} nodes and {entries} entries, more than {MOST_ISOLATED} nodes have no edge, so mend "
            "the size, or drop those nodes"
        )
    if nodes > np.iinfo(np.int32).max:
        raise GraphError(f"{where}: a graph has at most {np.iinfo(np.int32).max} nodes, not {nodes}")


def _wrong_entry(value: float, where: str) -> GraphError:
    kind = "not finite" if not np.isfinite(value) else "negative" if value < 0 else "a weight"
    return GraphError(
        f"{where}: the entry {value} is {kind}, but edges have no weights here and an entry is 0 or 1, so binarise the "
        "matrix first (for example `matrix > 0`)"
    )


# NumPy's files


def parse_npy(data: bytes, where: str) -> Graph:
    """The graph of a .npy file."""
    stream = io.BytesIO(data)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a header written by Python 2 is as good as any
            major, _ = np.lib.format.read_magic(stream)
            # Version 3 exists for the field names of structured arrays, which are no adjacency matrices.
            read = {1: np.lib.format.read_array_header_1_0, 2: np.lib.format.read_array_header_2_0}[major]
            shape, fortran_order, dtype = read(stream)
    except Exception as error:  # the header is a Python literal, and NumPy lets through whatever a broken one raises
        raise GraphError(f"{where}: the file must begin with a header as `numpy.save` writes it") from error
    _check_dtype(dtype, where)
    if any(size < 0 for size in shape):
        raise GraphError(f"{where}: the sizes in the header must not be negative, as in its shape {shape}")
    _check_shape(shape, where)
    announced, there = math.prod(shape) * dtype.itemsize, len(data) - stream.tell()
    if announced != there:
        raise GraphError(
            f"{where}: the header announces {announced} bytes of entries, but {there} follow, so save the array again"
        )
    if dtype.kind == "b":  # a truth value on disk can be any byte, and only 0 and 1 are good
        dtype = np.dtype(np.uint8)
    matrix = np.frombuffer(data, dtype, offset=stream.tell()).reshape(shape, order="F" if fortran_order else "C")
    return from_dense(matrix, where)


# Matrix Market's files


def parse_market(data: bytes, where: str) -> Graph:
    """The graph of a .mtx file.

    SciPy's reader would be shorter, but it ends the whole process at an array of size 0, cuts 1.5 to 1 in a file of
    integers, ignores what stands behind an entry, and cannot say in which line a weight stands.
    """
    lines = text_lines(data, where)
    coordinate, pattern, symmetric = _banner(lines[0], where)
    content = ((k, line.split()) for k, line in enumerate(lines, 1) if line.strip() and not line.startswith("%"))
    number, sizes = next(content, (len(lines), []))
    here = f"{where}, line {number}"
    if len(sizes) != 2 + coordinate or not all(size.isdecimal() and len(size) < 19 for size in sizes):
        expected = "rows, columns and entries" if coordinate else "rows and columns"
        raise GraphError(f"{here}: the first line after the comments must give the numbers of {expected}")
    n = int(sizes[0])
    _check_shape((n, int(sizes[1])), here)
    entries = int(sizes[2]) if coordinate else n * (n + 1) // 2 if symmetric else n * n
    width = 2 * coordinate + (not pattern)
    if entries * 2 * width > len(data):  # a column takes at least a character, and the space or line end behind it
        raise GraphError(f"{here}: {entries} entries are announced, but the file's {len(data)} bytes hold fewer")
    _check_size(n, entries, here)

    numbers, values, nodes = [], [], []
    for number, cells in content:
        if len(cells) != width:
            raise GraphError(f"{where}, line {number}: an entry has {width} columns in such a file, not {len(cells)}")
        numbers.append(number)
        values.append(pattern or _entry(cells[-1], where, number))
        if coordinate:
            nodes += (_node(cells[0], n, where, number), _node(cells[1], n, where, number))
    if len(numbers) != entries:
        raise GraphError(f"{where}: {entries} entries are announced, but {len(numbers)} are there, so mend either")

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


def _entry(cell: str, where: str, line: int) -> bool:
    if cell in ("0", "1"):
        return cell == "1"
    try:
        value = float(cell)
    except ValueError as error:
        raise GraphError(f"{where}, line {line}: an entry is the number 0 or 1, not {reprlib.repr(cell)}") from error
    if value not in (0, 1):
        raise _wrong_entry(value, f"{where}, line {line}")
    return value == 1


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
        raise GraphError(f"{where}, line {lines[k]}: {cell} must have one entry, but an earlier line gives one already")


def text_lines(data: bytes, where: str) -> list[str]:
    """The lines of a text file, however their ends are written."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise GraphError(f"{where}, line {line}: such a file must be UTF-8 text, and this is not") from error
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if control := re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]", text):
        line = text.count("\n", 0, control.start()) + 1
        raise GraphError(f"{where}, line {line}: such a file must be text, without the character {control[0]!r}")
    return text.split("\n")
