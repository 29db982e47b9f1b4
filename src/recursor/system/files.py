"""Files: written atomically, read up to a limit, and errors for damaged ones."""

import contextlib
import json
import math
import os
import stat
from pathlib import Path
from typing import Any


class DamagedFileError(ValueError):
    """A file whose contents are not what was written."""

    def __init__(self, path: Path, what: str) -> None:
        super().__init__(f"{path} is damaged: {what}")


MOST_BYTES = 2**30
"""The largest file that is read. No file that Recursor writes comes near it."""


def is_there(path: Path | str) -> bool:
    """Returns whether there is such a file or directory. A name that is too long for one is nowhere.

    Example:
        >>> is_there("not " * 100 + "true")
        False
    """
    try:
        return Path(path).exists()
    except OSError:
        return False


def read_whole(path: Path) -> bytes:
    """Reads a file of at most 1 GiB. Devices and pipes, which may never end, are refused without waiting for them.

    Args:
        path: The file.

    Returns:
        Its whole contents.

    Raises:
        FileNotFoundError: If there is no such file.
        DamagedFileError: If it cannot be read, is not a regular file, or is larger.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise DamagedFileError(path, "it is not a regular file, but a directory, a device or a pipe")
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise DamagedFileError(path, f"it cannot be read ({error.strerror})") from None
    if len(data) > MOST_BYTES:
        raise DamagedFileError(
            path, f"it is larger than {MOST_BYTES // 2**20} MiB, and Recursor writes no file of that size"
        )
    return data


def parse_json(text: bytes | str) -> Any:
    """Returns the values of a JSON text.

    Raises:
        ValueError: If it is not JSON, or nested so deeply that it was hardly meant to be read.
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def require_writable(path: Path) -> None:
    """Refuses a path at which no file can be written, before any work is done for it.

    Raises:
        ValueError: If the path is a directory, or its own directory is not there or not writable.
    """
    parent = path.absolute().parent
    if path.is_dir():
        raise ValueError(f"{path} cannot be written: it is a directory")
    if not parent.is_dir():
        raise ValueError(f"{path} cannot be written: {path.parent} is not a directory")
    if not os.access(parent, os.W_OK):
        raise ValueError(f"{path} cannot be written: nothing may be written to {path.parent}")


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
