"""Compilation by Numba, where it is installed.

All functions here are plain Python, whose arrays are lists: single elements of lists are read three times as fast as those
of NumPy arrays. `compiled` returns the compiled program of such a function, whose arrays are NumPy arrays. Numba is imported
when the first program is asked for, and a program is compiled when it is first called. That takes seconds, so a short
execution is done in plain Python before. `NUMBA_DISABLE_JIT=1` keeps all executions there.
"""

import hashlib
import importlib
import importlib.util
import os
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

from recursor.system.compiling import private_directory

_bodies: dict[Callable, Callable] = {}
"""For each function that can be compiled what is compiled."""
_programs: dict[Callable, Any] = {}
_names: dict[str, dict[str, Any]] = {}
"""For each module its names, as compiled functions see them."""


def compilable(function: Callable, *, body: Callable | None = None) -> Any:
    """Declares that a function can be compiled, and returns it as it is.

    The function allocates nothing. So references to its arrays need not be counted, which would take as long as its work.

    Args:
        function: The function.
        body: The function that is compiled in its place, if Numba needs another one.
    """
    _bodies[function] = body or function
    return function


def can_compile() -> bool:
    """Returns whether Numba is installed, and allowed."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0") and importlib.util.find_spec("numba") is not None


def compiled(function: Callable) -> Any:
    """Returns the compiled program of a function, which is kept on disk for later processes."""
    body = _bodies[function]
    names = _names_in_numba(body.__globals__)
    if function not in _programs:
        numba, keeps = _numba()
        copy = FunctionType(body.__code__, names, body.__name__, body.__defaults__)
        _programs[function] = numba.njit(cache=keeps, nogil=True, _nrt=False)(copy)
    return _programs[function]


def _names_in_numba(names: dict[str, Any]) -> dict[str, Any]:
    """Returns the names of a module: functions are compiled ones, and lists are arrays."""
    module = names["__name__"]
    if module not in _names:
        _names[module] = found = dict(names)  # before the functions are compiled, since they call one another
        for name, value in names.items():
            if isinstance(value, FunctionType) and value in _bodies:
                found[name] = compiled(value)
            elif isinstance(value, list):
                found[name] = np.array(value, np.int64)
    return _names[module]


def _numba() -> tuple[Any, bool]:
    """Returns Numba, and whether it keeps programs: in a directory that only this user can write to, if there is one.

    Each version of the sources has its own directory, because Numba does not notice that a function in another file changed.
    """
    numba = importlib.import_module("numba")
    directory = private_directory("numba")
    if directory is None:
        return numba, False
    sources = b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py")))
    numba.config.CACHE_DIR = str(directory / hashlib.sha256(sources).hexdigest()[:16])
    return numba, True
