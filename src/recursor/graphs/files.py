"""The bytes and lines of a person's file; what cannot be read is refused in one sentence."""

import stat
from pathlib import Path
from typing import NamedTuple

from recursor.graphs.adjacency import GraphError
from recursor.graphs.formats.contract import text_of
from recursor.graphs.formats.edge_list import SEPARATORS
from recursor.graphs.values import read_number
from recursor.system.files import MOST_BYTES
from recursor.system.memory import SMALL, NotEnoughMemoryError, require_memory

UNPACKED = 30
"""Bytes of memory that a byte of a file takes at most while it is read: each short name becomes an object of Python."""


class Line(NamedTuple):
    """A line of a text file."""

    where: str
    """What errors call the file."""
    number: int
    """Which line it is, counted from 1."""
    words: list[str]
    """Its columns."""

    def advice(self) -> str:
        """Returns what helps if the line is a heading; nothing if a number is in it.

        Example:
            >>> Line("w.csv", 1, ["from", "to", "km"]).advice(), Line("w.csv", 2, ["a", "b", "3"]).advice()
            ('; put # before it if it is a heading', '')
        """
        return "" if any(read_number(word) is not None for word in self.words) else "; put # before it if it is a heading"


def read_columns(path: Path) -> list[Line] | None:
    """Returns the lines of a text file in columns, which are separated as those of an edge list are.

    Args:
        path: The file.

    Returns:
        The lines without comments and blank ones. None if the suffix is not that of an edge list, or if the file lists nodes
        or values of its own and so is a graph already.

    Raises:
        GraphError: If the file cannot be read.
    """
    if path.suffix.lower() not in SEPARATORS:
        return None
    text = text_of(read_bytes(path), str(path))
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        content = line.strip()
        if content.startswith("#") and content[1:].strip().startswith(("nodes:", "values:")):
            return None
        if content and not content.startswith("#"):
            words = [word.strip() for word in line.split(SEPARATORS[path.suffix.lower()])]
            found.append(Line(str(path), number, words))
    return found


def read_bytes(path: Path) -> bytes:
    """Returns the bytes of a regular file of at most 1 GiB, at least one.

    Args:
        path: The file.

    Raises:
        GraphError: If the file cannot be read, is empty, or is too large for this machine.
    """
    try:
        regular = stat.S_ISREG(path.stat().st_mode) or path.is_dir()  # a directory cannot be opened, which is said below
        if regular and path.stat().st_size * UNPACKED > SMALL:
            require_memory(path.stat().st_size * UNPACKED, f"reading {path}", "choose a smaller file")
        data = _read_at_most(path, MOST_BYTES + 1) if regular else b""
    except OSError as error:
        raise GraphError(f"{path}: the file cannot be read ({error.strerror})") from error
    except NotEnoughMemoryError as error:
        raise GraphError(str(error)) from None
    except ValueError as error:  # NUL, or half of a surrogate pair
        raise GraphError(f"{str(path)!r}: no file can have this name") from error
    if not regular:
        raise GraphError(f"{path}: a graph is read from a regular file, not from a device or a pipe")
    if len(data) > MOST_BYTES:
        raise GraphError(f"{path}: a graph's file has at most {MOST_BYTES // 2**20} MiB, and this has more")
    if not data:
        raise GraphError(f"{path}: a graph needs at least one node, but the file is empty")
    return data


def _read_at_most(path: Path, count: int) -> bytes:
    with path.open("rb") as file:
        return file.read(min(count, path.stat().st_size + 1) if path.stat().st_size else count)
