"""Compilation by Numba, where it is installed; elsewhere the same functions run as plain Python.

Compiled functions take NumPy arrays. In plain Python, single elements of lists are read three times as fast as those of
arrays, so there the arrays are lists. `NUMBA_DISABLE_JIT=1` chooses plain Python, too.
"""

import hashlib
import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from recursor.system.compiling import private_directory

try:
    numba: Any = importlib.import_module("numba")
except ImportError:
    numba = None

COMPILED = numba is not None and not numba.config.DISABLE_JIT
"""Whether functions are compiled."""

SOURCES = "advance", "deciding", "hearing", "memory", "sets", "state"
"""The modules with functions that are compiled, and with their constants."""


def compiled(function: Callable) -> Any:
    """Compiles a function when it is first called, and keeps the program for later processes."""
    if numba is None or not COMPILED:
        return function
    return numba.njit(cache=_keeps, nogil=True)(function)


def _prepare_cache() -> bool:
    """Has Numba keep its programs in a directory that only this user can write to. Returns whether there is one.

    Each version of the sources has its own, because Numba does not notice that a function in another file changed.
    """
    directory = private_directory("numba") if numba is not None else None
    if numba is None or directory is None:
        return False
    sources = b"".join((Path(__file__).parent / f"{name}.py").read_bytes() for name in SOURCES)
    numba.config.CACHE_DIR = str(directory / hashlib.sha256(sources).hexdigest()[:16])
    return True


_keeps = COMPILED and _prepare_cache()
