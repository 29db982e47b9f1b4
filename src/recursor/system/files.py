"""Files that are whole or not there, and are checked when read."""

import contextlib
import math
import os
from pathlib import Path
from typing import Any


class DamagedFileError(ValueError):
    """A file that is not what was written."""

    def __init__(self, path: Path, what: str) -> None:
        super().__init__(f"{path} is damaged: {what}")


def write_atomically(path: Path, data: bytes) -> None:
    """Writes a file so that, whenever the process is killed, the path holds the old bytes or the new ones, all of them.

    Args:
        path: The file. Its directory has to exist.
        data: All its bytes.

    Raises:
        OSError: If the file cannot be written, for instance because the disk is full. The error names the file, and the old
            bytes are still there.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        raise OSError(error.errno, f"{path} cannot be written: {error.strerror or error}") from None
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
    sync_directory(path.parent)


def sync_directory(directory: Path) -> None:
    """Asks the system to keep a directory's list of names through a loss of power, where the system can do that."""
    with contextlib.suppress(OSError):  # a directory cannot be opened on Windows, nor synced on some network disks
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def remove_temporary(directory: Path, *names: str) -> None:
    """Removes what killed processes left of `write_atomically`. The caller holds the lock under which these files are
    written.

    Args:
        directory: Where the files are.
        names: The names of the files, or patterns such as `scores-*.json`. Temporary files of others stay.
    """
    for name in names:
        for path in directory.glob(f".{name}.*.tmp"):
            path.unlink(missing_ok=True)


def set_aside(path: Path) -> Path:
    """Renames a damaged file, so that it is neither read nor replaced.

    Args:
        path: The file.

    Returns:
        Its new name: `NAME.damaged`, or `NAME.2.damaged` and so on if that is taken.
    """
    number, aside = 1, path.with_name(f"{path.name}.damaged")
    while aside.exists():
        number += 1
        aside = path.with_name(f"{path.name}.{number}.damaged")
    path.rename(aside)
    sync_directory(path.parent)
    return aside


def finite(values: Any) -> Any:
    """The same values with None for numbers that JSON does not know."""
    if isinstance(values, dict):
        return {name: finite(value) for name, value in values.items()}
    if isinstance(values, list | tuple):
        return [finite(value) for value in values]
    return None if isinstance(values, float) and not math.isfinite(values) else values
