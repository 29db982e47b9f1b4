"""Locks between processes. A lock is a separate file, so that the file it protects can be replaced."""

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
        path: The file of the lock. It is created, holds the process id, and is never removed.
        wait: Whether to wait while another process holds the lock.
        busy: The error message if another process holds the lock and `wait` is false.

    Raises:
        ValueError: If another process holds the lock and `wait` is false.
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
