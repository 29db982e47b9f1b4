"""Files that are written atomically, and errors for damaged ones."""

import contextlib
import math
import os
from pathlib import Path
from typing import Any


class DamagedFileError(ValueError):
    """A file whose contents are not what was written."""

    def __init__(self, path: Path, what: str) -> None:
        super().__init__(f"{path} is damaged: {what}")


def write_atomically(path: Path, data: bytes) -> None:
    """Writes a file atomically: if the process is killed, the path holds all of the old bytes or all of the new ones.

    Args:
        path: The file. Its directory must exist.
        data: Its whole contents.

    Raises:
        OSError: If the file cannot be written, for instance because the disk is full. The error names the file, which
            still holds the old bytes.
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
    """Flushes a directory to disk, so that renames survive a power loss. Does nothing where the system cannot do that."""
    with contextlib.suppress(OSError):  # Windows cannot open a directory, and some network disks cannot sync one
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def remove_temporary(directory: Path, *names: str) -> None:
    """Removes temporary files that killed processes left behind in `write_atomically`. The caller must hold the lock under
    which these files are written.

    Args:
        directory: Where the files are.
        names: The names of the files, or patterns such as `scores-*.json`. Other temporary files stay.
    """
    for name in names:
        for path in directory.glob(f".{name}.*.tmp"):
            path.unlink(missing_ok=True)


def set_aside(path: Path) -> Path:
    """Renames a damaged file, so that it is neither read nor overwritten.

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
    """Returns nested values with None in place of NaN and infinities, which JSON does not have."""
    if isinstance(values, dict):
        return {name: finite(value) for name, value in values.items()}
    if isinstance(values, list | tuple):
        return [finite(value) for value in values]
    return None if isinstance(values, float) and not math.isfinite(values) else values
