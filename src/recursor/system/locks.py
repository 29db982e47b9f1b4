"""Locks between processes. A lock is a file of its own beside what it protects, so that replacing a file keeps the lock."""

import contextlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None
try:
    import msvcrt
except ImportError:  # everywhere else
    msvcrt: Any = None


@contextmanager
def lock(path: Path, *, wait: bool, busy: str = "") -> Iterator[None]:
    """Holds a lock while the context is open.

    Args:
        path: The lock's own file. It is created, holds the number of the process, and stays.
        wait: Whether to wait for another process that holds it.
        busy: The error message if another process holds it and `wait` is off.

    Raises:
        ValueError: If another process holds the lock and `wait` is off.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+") as file:
        try:
            _acquire(file, wait=wait)
        except (BlockingIOError, PermissionError):
            raise ValueError(busy) from None
        with contextlib.suppress(OSError):
            file.truncate(0)
            file.write(f"{os.getpid()}\n")
            file.flush()
        try:
            yield
        finally:
            if fcntl is None and msvcrt is not None:
                file.seek(0)
                msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)


def _acquire(file: IO[str], *, wait: bool) -> None:
    if fcntl is not None:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    elif msvcrt is not None:
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
