"""Compilation by Numba, where it is installed; elsewhere the same functions run as plain Python.

Compiled functions take NumPy arrays. In plain Python, single elements of lists are read three times as fast as those of
arrays, so there the arrays are lists. `NUMBA_DISABLE_JIT=1` chooses plain Python, too, and so does a process that has only
a short execution to run (`do_without_numba`): plain Python is done with it before Numba is imported and its programs loaded.
"""

import hashlib
import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from recursor.system.compiling import does_without_numba, private_directory

try:
    numba: Any = None if does_without_numba() else importlib.import_module("numba")
except ImportError:
    numba = None

COMPILED = numba is not None and not numba.config.DISABLE_JIT
"""Whether functions are compiled."""


def compiled(function: Callable) -> Any:
    """Compiles a function when it is first called, and keeps the program for later processes.

    The function allocates nothing. So references to its arrays need not be counted, which would take as long as its work.
    """
    if numba is None or not COMPILED:
        return function
    return numba.njit(cache=_keeps, nogil=True, _nrt=False)(function)


def _prepare_cache() -> bool:
    """Has Numba keep its programs in a directory that only this user can write to. Returns whether there is one.

    Each version of the sources has its own, because Numba does not notice that a function in another file changed.
    """
    directory = private_directory("numba") if numba is not None else None
    if numba is None or directory is None:
        return False
    sources = b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py")))
    numba.config.CACHE_DIR = str(directory / hashlib.sha256(sources).hexdigest()[:16])
    return True


_keeps = COMPILED and _prepare_cache()
