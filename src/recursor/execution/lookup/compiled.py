"""Compilation by Numba, where it is installed; elsewhere the same functions run as plain Python.

Compiled functions take NumPy arrays. In plain Python, single elements of lists are read three times as fast as those of
arrays, so there the arrays are lists. `NUMBA_DISABLE_JIT=1` chooses plain Python, too.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from recursor.system.compiling import private_directory

try:
    import numba
except ImportError:
    numba = None

COMPILED = numba is not None and not numba.config.DISABLE_JIT
"""Whether functions are compiled."""


def compiled(function: Callable) -> Any:
    """Compiles a function when it is first called, and keeps the program for later processes."""
    if numba is None or not COMPILED:
        return function
    return numba.njit(cache=_cache, nogil=True)(function)


def _prepare_cache() -> bool:
    """Has Numba keep its programs in a directory that only this user can write to. Returns whether there is one."""
    directory = private_directory("numba") if numba is not None else None
    if directory is None:
        return False
    numba.config.CACHE_DIR = str(directory)
    return True


_cache = COMPILED and _prepare_cache()


def storage(values: Any, dtype: type = np.int64) -> Any:
    """Returns an array in the form that compiled or plain functions read fastest."""
    array = np.ascontiguousarray(values, dtype)
    return array if COMPILED else array.tolist()


def zeros(count: int, dtype: type = np.int64, fill: int = 0) -> Any:
    """Returns so many equal elements."""
    return np.full(count, fill, dtype) if COMPILED else [fill] * count


def enlarged(values: Any, count: int, fill: int = 0) -> Any:
    """Returns the elements and so many more."""
    return np.concatenate([values, np.full(count, fill, values.dtype)]) if COMPILED else values + [fill] * count


def as_array(values: Any, dtype: type) -> np.ndarray:
    """Returns the elements as a NumPy array of their own."""
    return np.array(values, dtype)


if COMPILED:

    @compiled
    def slot_of(memory, table, a, b):
        """Returns the slot of the entry with the key (a, b) of a table; -1 if there is none. Slots are probed in turn."""
        last = len(memory.table) - 1
        slot = ((a * 40503 + (b & 0x7FFFFFFF) * 2654435 + (b >> 31) * 69069 + table * 7919) >> 3) & last
        while memory.table[slot] >= 0:
            if memory.table[slot] == table and memory.key_a[slot] == a and memory.key_b[slot] == b:
                return slot
            slot = (slot + 1) & last
        return -1
else:

    def slot_of(memory, table, a, b):
        """Returns the slot of the entry with the key (a, b) of a table; -1 if there is none."""
        return memory.slots.get((table, a, b), -1)
