"""The contract of a graph format: how a file of it is known, and how its bytes become a graph."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from recursor.graphs.adjacency import GraphError
from recursor.graphs.graph import Graph


@dataclass(frozen=True)
class Source:
    """What is known of a file beside its bytes."""

    where: str
    """What errors call the file."""
    suffix: str
    """The end of its name, in lower case, such as .txt."""
    pattern: bool = False
    """Whether weights are ignored: each entry that is not 0 is an edge."""
    numbers: str = ""
    """What a plain list of numbers gives to the nodes, such as `key`; nothing if a list of numbers is no graph."""
    words: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """For values that are categories, what these are called: a file may hold the words or the numbers."""
    progress: Callable[[int, int], None] = lambda done, total: None
    """Is told from time to time how many lines are read, and of how many."""


@dataclass(frozen=True)
class Format:
    """A kind of file that holds a graph.

    `parse` gets all bytes of a file, at least one, and allocates nothing on a header's word alone: what it announces must
    fit into the bytes that are there. It raises a `GraphError` that begins with `source.where` and names the line.
    """

    suffixes: tuple[str, ...]
    """The ends of names that such files have."""
    parse: Callable[[bytes, Source], Graph]
    """Makes the graph."""
    takes: Callable[[bytes, Source], bool] = lambda data, source: True
    """Whether a file with such a suffix is of this format, where several formats share the suffix."""


def text_of(data: bytes, where: str) -> str:
    """Decodes a text file.

    Args:
        data: Its bytes, UTF-8.
        where: What errors call it.

    Returns:
        The text, each line ended by a newline character alone.

    Raises:
        GraphError: If it is no text.

    Example:
        >>> text_of(b"a\\r\\nb", "f.txt").split()
        ['a', 'b']
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise GraphError(f"{where}, line {line}: the file must be UTF-8 text, and this line is not") from error
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if control := re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]", text):
        line = text.count("\n", 0, control.start()) + 1
        raise GraphError(f"{where}, line {line}: the file must be text, without the character {control[0]!r}")
    return text
