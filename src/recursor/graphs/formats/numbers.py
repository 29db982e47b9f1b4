"""Text files of numbers, such as keys to be sorted: separated by whitespace or commas; a line that begins with # is skipped.

Files that end in .numbers are such files. One that ends in .txt, .csv or .tsv is an edge list, unless an algorithm that
takes plain numbers reads it and it begins with a number.
"""

import math
import re
import reprlib

from recursor.graphs.adjacency import GraphError
from recursor.graphs.formats.contract import Format, Source, text_of
from recursor.graphs.graph import Graph
from recursor.graphs.values import from_numbers, read_number

_COMMENT = re.compile(r"(?m)^[ \t]*#.*$")
_DIRECTIVE = re.compile(r"(?m)^[ \t]*#[ \t]*(nodes:|values:|undirected)")
_SEPARATORS = re.compile(r"[,\s]+")


def takes(data: bytes, source: Source) -> bool:
    """Whether a file begins with a number, and numbers are wanted."""
    if source.suffix == ".numbers":
        return True
    if not source.numbers:
        return False
    text = text_of(data, source.where)
    if _DIRECTIVE.search(text):
        return False
    return any(map(_is_float, _words(text)[:1]))


def parse(data: bytes, source: Source) -> Graph:
    """Returns the graph of a file of numbers: no edges, and a value a node."""
    text = text_of(data, source.where)
    numbers = [read_number(word) for word in _words(text)]
    if None in numbers:
        for line, content in enumerate(text.split("\n"), 1):
            for word in _words(content):
                if read_number(word) is None:
                    where, shown = f"{source.where}, line {line}", reprlib.repr(word)
                    if _is_float(word) and math.isfinite(float(word)):
                        raise GraphError(f"{where}: {shown} has more digits than a value can hold")
                    raise GraphError(f"{where}: the file must contain finite numbers only, not {shown}")
    return from_numbers(numbers, source.numbers or "key", source.where)


def _words(text: str) -> list[str]:
    return [word for word in _SEPARATORS.split(_COMMENT.sub("", text)) if word]


def _is_float(word: str) -> bool:
    """Whether a word is a number for Python, which knows NaN and infinity too."""
    try:
        float(word)
    except ValueError:
        return False
    return True


FORMAT = Format((".numbers", ".txt", ".csv", ".tsv"), parse, takes)
