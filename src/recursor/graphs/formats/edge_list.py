"""Edge lists: one edge a line.

**Edge lists**, one edge a line, as two names, sender first: separated by whitespace in `.txt`, `.edges` and
`.edgelist`, by a comma in `.csv`, by a tab in `.tsv`. They are text in UTF-8, such as::

    # undirected
    # nodes: a b c d
    # A comment takes a whole line.
    a b
    b c

- `# undirected` makes each edge two, one in each direction; without it edges are directed.
- `# nodes:` lists all names, separated as the two of an edge are, in the order that the nodes shall have; several
  such lines make one list. No name may then occur that is not in it, and none may be in it twice. It is written in
  lower case, so that the `# Nodes: 4039 Edges: 88234` of published edge lists stays a comment.
- `# values:` gives every node a number: first what they are called, then one number a node, in the order of
  `# nodes:`, which comes before; several such lines of one name make one list. They become the graph's `values`. An
  algorithm may have words for them, such as `# values: gate and true false`.
- These stand before the first edge. Other lines that begin with #, and blank ones, are skipped.
- A line with a single name is a node, which need not have an edge.
- Without `# nodes:` the nodes are those named: by value if all names are integers, else as they first appear.
- If all names are integers (written plainly: 7, not 07 or +7) they become numbers, else all stay strings.
- An edge that is given twice counts once, as does an undirected one that is given from both of its ends. Algorithms to which
  two edges between the same nodes are not one, such as bridges, refuse a file that gives an edge twice from the same end.
- A name holds no comma, semicolon, quote or #, and does not begin with a bracket. In `.csv` and `.tsv` it may hold
  spaces, but not where it stands alone on its line.
"""

import math
import re
import reprlib
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from recursor.graphs.adjacency import IGNORE, GraphError
from recursor.graphs.formats.contract import Format, Source, text_of
from recursor.graphs.graph import Graph, from_ends
from recursor.graphs.values import as_category, as_values, read_number, what_is_wanted

SEPARATORS: Mapping[str, str | None] = {".txt": None, ".edges": None, ".edgelist": None, ".csv": ",", ".tsv": "\t"}
"""What stands between two names, by suffix; None is any whitespace."""

PIECE = 2**23
"""Characters that are read at once."""

_NO_NAME = re.compile(r'["#,;]|^[{\[<]|^$')
INTEGER = re.compile(r"-?[1-9][0-9]{0,17}|0")
_HEADINGS = {("source", "target"), ("from", "to"), ("src", "dst"), ("sender", "receiver")}


def parse(data: bytes, source: Source) -> Graph:
    """Returns the graph of an edge list."""
    text, where = text_of(data, source.where), source.where
    lines = _Lines(source)
    # Comments and directives first, line by line; if the rest is plain pairs of names, it is read as a whole.
    start, before = 0, 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        content = text[start:end].strip()
        if content and not content.startswith("#"):
            break
        before += 1
        lines.read(text[start:end], before)
        start = end + 1
    if not lines.read_plain(text[start:]):
        rest = text[start:].split("\n")
        for number, line in enumerate(rest, before + 1):
            if number % 100_000 == 0:
                source.progress(number, len(rest))
            lines.read(line, number)
    if not lines.index:
        raise GraphError(f"{where}: a graph needs at least one node, but the file names none")
    graph = _in_order(list(lines.index), lines.ends, undirected=lines.undirected, declared=lines.declared)
    for name, numbers in lines.values.items():
        if not lines.declared or len(numbers) != len(graph):
            raise GraphError(
                f"{where}: `# values:` gives one number to each node that `# nodes:` lists, but there are {len(numbers)} of "
                f"{reprlib.repr(name)} and {len(graph) if lines.declared else 'no'} such nodes"
            )
    return replace(graph, values={name: as_values(numbers) for name, numbers in lines.values.items()})


class _Lines:
    """What the lines of an edge list have said so far."""

    def __init__(self, source: Source) -> None:
        self.source, self.separator = source, SEPARATORS[source.suffix]
        self.index: dict[str, int] = {}
        self.ends: list[int] | np.ndarray = []
        self.values: dict[str, list[float]] = {}
        self.undirected = self.declared = self.begun = False

    def read(self, line: str, number: int) -> None:
        """Reads one line."""
        content, where, index = line.strip(), self.source.where, self.index
        if not content:
            return
        if content.startswith("#"):
            self._read_comment(content[1:].strip(), number)
            return
        names = [name.strip() for name in line.split(self.separator)]
        if len(names) == 3 and self.source.pattern and _is_number(names[2]):
            del names[2]
        if len(names) > 2:
            weight = f" ({IGNORE})" if len(names) == 3 and _is_number(names[2]) else ""
            raise GraphError(
                f"{where}, line {number}: an edge is two names, without a weight, not {len(names)} columns{weight}"
            )
        if self.declared:
            _check_declared(names, index, where, number)
        else:
            _check_meant(names, index, where, number)
        self.begun = True
        nodes = [index.setdefault(name, len(index)) for name in names]
        if len(nodes) == 2:
            self.ends += nodes

    def _read_comment(self, comment: str, number: int) -> None:
        where = self.source.where
        directive = next((word for word in ("nodes:", "values:") if comment.startswith(word)), comment.lower())
        if directive in ("nodes:", "values:", "undirected") and self.begun:
            raise GraphError(f"{where}, line {number}: `# {directive}` must stand before the first edge")
        self.undirected |= directive == "undirected"
        words = comment.removeprefix(directive).strip().split(self.separator)
        if directive == "nodes:":
            self.declared = True
            _declare(self.index, words, where, number)
        if directive == "values:":
            _read_values(self.values, words, self.source.words, where, number)

    def read_plain(self, body: str) -> bool:
        """Reads all edges at once and returns True, if there is nothing but good pairs of names; else reads nothing."""
        if not self.index and (numbers := self._read_integers(body)) is not None:
            found = np.sort(numbers)
            found = found[np.concatenate([[True], found[1:] > found[:-1]])]
            self.ends = np.searchsorted(found, numbers)
            self.index = {str(number): node for node, number in enumerate(found.tolist())}
            return True
        names = _pairs(body, self.separator)
        if names is None or tuple(map(str.lower, names[:2])) in _HEADINGS:
            return False
        new = [name for name in dict.fromkeys(names) if name not in self.index]
        if new and (self.declared or any(map(_NO_NAME.search, new))):
            return False
        self.index.update(zip(new, range(len(self.index), len(self.index) + len(new)), strict=True))
        self.ends = np.fromiter(map(self.index.__getitem__, names), np.int64, len(names))
        self.source.progress(len(names) // 2, len(names) // 2)
        return True

    def _read_integers(self, body: str) -> np.ndarray | None:
        """Returns all names as integers, read in pieces of whole lines, so that people see how far it is; None if a name is
        no plain integer."""
        start, done, total, pieces = 0, 0, body.count("\n") + (not body.endswith("\n")), []
        while start < len(body):
            end = body.find("\n", start + PIECE) + 1 or len(body)
            piece = _pairs_of_integers(body[start:end], self.separator)
            if piece is None:
                return None
            pieces.append(piece)
            start, done = end, done + len(piece) // 2
            self.source.progress(done, total)
        return np.concatenate(pieces) if pieces else None


def _pairs(body: str, separator: str | None) -> list[str] | None:
    """All names of an edge list in ASCII without comments, if every line has two or none."""
    if "#" in body or not body.isascii():
        return None
    if separator is not None:
        body = body.rstrip("\n")
        if " " in body or (separator != "\t" and "\t" in body):
            return None
        codes = np.frombuffer(body.encode("ascii"), np.uint8)
        places = np.flatnonzero(codes == ord(separator))
    else:
        codes = np.frombuffer(body.encode("ascii"), np.uint8)
        space = (codes == ord(" ")) | (codes == ord("\t")) | (codes == ord("\n"))
        places = np.flatnonzero(~space & np.concatenate([[True], space])[:-1])  # where names begin
    ends = np.concatenate([np.flatnonzero(codes == ord("\n")), [len(codes)]])
    counts = np.diff(np.searchsorted(places, ends), prepend=0)
    if separator is None:
        return body.split() if ((counts == 2) | (counts == 0)).all() else None
    return body.replace(separator, "\n").split("\n") if (counts == 1).all() else None


def _pairs_of_integers(body: str, separator: str | None) -> np.ndarray | None:
    """All names of an edge list as integers, if every line has two or none and each is written plainly."""
    if separator is not None:
        body = body.rstrip("\n")
        if any(space in body for space in " \t" if space != separator) or "\n\n" in body:
            return None
        if body.count(separator) != body.count("\n") + 1:
            return None
        body = body.replace(separator, " ")
    if not body.isascii():
        return None
    codes = np.frombuffer(f" {body} ".encode("ascii"), np.uint8)
    digit, minus = (codes >= ord("0")) & (codes <= ord("9")), codes == ord("-")
    newline = codes == ord("\n")
    space = newline | (codes == ord(" ")) | (codes == ord("\t"))
    if not (digit | minus | space).all():
        return None
    begins, ends = np.flatnonzero(space[:-1] & ~space[1:]) + 1, np.flatnonzero(~space[:-1] & space[1:]) + 1
    first = begins + minus[begins]  # the first digit
    zero = (codes[first] == ord("0")) & ((ends - first > 1) | minus[begins])
    if not digit[first].all() or zero.any() or np.count_nonzero(minus) != np.count_nonzero(minus[begins]):
        return None
    if not len(begins) or (ends - first).max() > 18:
        return None
    places = np.concatenate([np.flatnonzero(newline), [len(codes)]])
    counts = np.diff(np.searchsorted(begins, places), prepend=0)
    if not ((counts == 2) | (counts == 0)).all():
        return None
    return np.fromstring(body, np.int64, sep=" ")


def _is_number(word: str) -> bool:
    try:
        return math.isfinite(float(word))
    except ValueError:
        return False


def _declare(index: dict[str, int], names: Sequence[str], where: str, line: int) -> None:
    """Adds the names of a `# nodes:` line to the index."""
    for name in names:
        name = name.strip()
        check_name(name, where, line)
        if name in index:
            raise GraphError(
                f"{where}, line {line}: `# nodes:` must list each name once, but {reprlib.repr(name)} is there twice"
            )
        index[name] = len(index)


def _read_values(
    values: dict[str, list[float]], words: Sequence[str], categories: Mapping[str, Sequence[str]], where: str, line: int
) -> None:
    """Adds the numbers of a `# values:` line to those of its name."""
    name, *column = [word.strip() for word in words] or [""]
    check_name(name, where, line)
    known = categories.get(name, ())
    for word in column:
        number = read_number(str(as_category(word, known)))
        if number is None:
            if _is_number(word):
                raise GraphError(f"{where}, line {line}: {reprlib.repr(word)} has more digits than a value can hold")
            wanted = f"each be {what_is_wanted(known)}" if known else "be numbers"
            raise GraphError(f"{where}, line {line}: the values after the name must {wanted}, not {reprlib.repr(word)}")
        values.setdefault(name, []).append(number)


def _check_declared(names: Sequence[str], index: Mapping[str, int], where: str, line: int) -> None:
    for name in names:
        if name not in index:
            raise GraphError(f"{where}, line {line}: `# nodes:` must list all names, but {reprlib.repr(name)} is missing")


def _check_meant(names: Sequence[str], index: Mapping[str, int], where: str, line: int) -> None:
    """Refuses a line that could be taken for an edge or a node, but was hardly meant as one."""
    for name in names:
        if name not in index:
            check_name(name, where, line)
    if len(names) == 1 and any(map(str.isspace, names[0])):
        raise GraphError(
            f"{where}, line {line}: a single name on a line must not contain a space, as in {reprlib.repr(names[0])}; "
            "separate the two names of an edge as the file's suffix says, or list the lone node under `# nodes:`"
        )
    if not index and tuple(map(str.lower, names)) in _HEADINGS:
        raise GraphError(
            f"{where}, line {line}: {' '.join(names)!r} looks like a heading; put # before it, or, if these are nodes, "
            "list all names under `# nodes:`"
        )


def check_name(name: str, where: str, line: int) -> None:
    """Refuses what cannot be a node's name."""
    if _NO_NAME.search(name):
        raise GraphError(
            f"{where}, line {line}: {reprlib.repr(name)} cannot be a node's name; a name is not empty, contains no comma, "
            "semicolon, quote or #, and does not begin with a bracket"
        )


def _in_order(names: Sequence[str], ends: Sequence[int] | np.ndarray, *, undirected: bool, declared: bool) -> Graph:
    """The graph with its names as numbers, if all are, and its nodes in the order that was declared or is natural."""
    if not all(INTEGER.fullmatch(name) for name in names):
        return from_ends(ends, tuple(names), undirected=undirected)
    values = [int(name) for name in names]
    if declared:
        return from_ends(ends, tuple(values), undirected=undirected)
    rank = np.argsort(np.argsort(values))
    return from_ends(rank[ends], tuple(sorted(values)), undirected=undirected)


FORMAT = Format(tuple(SEPARATORS), parse)
