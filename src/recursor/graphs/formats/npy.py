"""NumPy's own files, .npy."""

import io
import math
import warnings

import numpy as np

from recursor.graphs.adjacency import GraphError, check_dtype, check_shape, from_dense
from recursor.graphs.formats.contract import Format, Source
from recursor.graphs.graph import Graph
from recursor.graphs.values import from_numbers


def parse(data: bytes, source: Source) -> Graph:
    """Returns the graph of a .npy file: an adjacency matrix, or a vector of numbers where the algorithm takes those."""
    where = source.where
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
    check_dtype(dtype, where)
    if any(size < 0 for size in shape):
        raise GraphError(f"{where}: the sizes in the header must not be negative, as in its shape {shape}")
    if not (source.numbers and len(shape) == 1):
        check_shape(shape, where)
    announced, there = math.prod(shape) * dtype.itemsize, len(data) - stream.tell()
    if announced != there:
        raise GraphError(
            f"{where}: the header announces {announced} bytes of entries, but {there} follow, so save the array again"
        )
    if dtype.kind == "b":  # a truth value on disk can be any byte, and only 0 and 1 are good
        dtype = np.dtype(np.uint8)
    matrix = np.frombuffer(data, dtype, offset=stream.tell()).reshape(shape, order="F" if fortran_order else "C")
    if matrix.ndim == 1:
        return from_numbers(matrix, source.numbers, where)
    return from_dense(matrix, where, pattern=source.pattern)


FORMAT = Format((".npy",), parse)
