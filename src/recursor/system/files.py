"""Files that are whole or not there, and are checked when read."""

import hashlib
import io
import math
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np


class DamagedFileError(ValueError):
    """A file that is not what was written."""

    def __init__(self, path: Path, what: str) -> None:
        super().__init__(f"{path} is damaged: {what}")


def write_atomically(path: Path, data: bytes) -> None:
    """Writes a file so that, whenever the process is killed, the path holds the old bytes or the new ones, all of them."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def finite(values: Any) -> Any:
    """The same values with None for numbers that JSON does not know."""
    if isinstance(values, dict):
        return {name: finite(value) for name, value in values.items()}
    if isinstance(values, list | tuple):
        return [finite(value) for value in values]
    return None if isinstance(values, float) and not math.isfinite(values) else values


def npz(arrays: dict[str, np.ndarray]) -> tuple[bytes, str]:
    """The bytes of a `.npz` file of these arrays, and their hash."""
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **arrays)  # pyright: ignore[reportArgumentType]
    return buffer.getvalue(), hashlib.sha256(buffer.getvalue()).hexdigest()


def read_arrays(path: Path, *, sha256: str) -> dict[str, np.ndarray]:
    """The arrays of a `.npz` file whose bytes must have that hash."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DamagedFileError(path, f"it cannot be read ({error.strerror})") from None
    if hashlib.sha256(data).hexdigest() != sha256:
        raise DamagedFileError(path, "its bytes are not those that were written; remove it and make it again")
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            return dict(arrays)
    except (ValueError, OSError, zipfile.BadZipFile) as error:
        raise DamagedFileError(path, f"it is no .npz file ({error})") from None
