"""A trace as pictures: for every row the graph, the call stack and what happens, made of boxes, lines and words.

A scene has one moment a row, and one more for the answer. The pictures that move (`moving.py`, `gif.py`) are drawn from it,
so all of them show the same.
"""

from collections.abc import Iterator
from typing import NamedTuple

from recursor.algorithms import find
from recursor.spec import OPS
from recursor.trace.graph_picture import GRAPH, GROUP_LOOKS, NODE_LOOKS, GraphPicture
from recursor.trace.shapes import LETTER, Box, Line, Part, Words, short
from recursor.trace.trace import Trace

WIDTH, HEIGHT = 900, 500
DEPTHS = (28, 424, 844, 48)
MOST_NODES, MOST_ROWS = 200, 600
SIGNS = {"push": "↑ push", "noop": "· noop", "pop": "↓ pop", "": "row"}


class Room(NamedTuple):
    """Where things are in a picture. Rectangles are left, top, width and height."""

    width: int
    height: int
    title: float
    """The size of the letters of the title."""
    line: int
    """The base line on which the number of the row is."""
    letters: int
    """The most letters in the line that says what happens."""
    graph: tuple[int, int, int, int]
    stack: tuple[int, int, int, int]
    notes: bool
    """Whether a frame says in which row it was pushed."""
    legend: tuple[int, int]
    """Its left end and its top."""
    depths: tuple[int, int, int, int] | None
    """How deep the stack is in every row, if it is shown."""


WIDE = Room(WIDTH, HEIGHT, 19, 40, 84, GRAPH, (592, 120, 280, 252), True, (190, 404), DEPTHS)
SMALL = Room(560, 410, 17, 74, 40, (12, 96, 352, 262), (386, 112, 160, 246), False, (20, 380), None)
"""For a picture that is shown small, as beside another one: fewer things, and larger letters."""


class Scene:
    """The moments of a trace: its rows, and the answer. Refuses traces that are too large for a picture."""

    def __init__(self, trace: Trace, title: str, room: Room = WIDE) -> None:
        if not is_drawable(trace):
            raise ValueError(
                f"a moving picture shows at most {MOST_NODES} nodes and {MOST_ROWS} rows, and this execution has "
                f"{len(trace.graph)} and {len(trace)}; --html writes a page of it"
            )
        self.trace, self.title, self.rows, self.room = trace, title, len(trace), room
        self.algorithm = find(trace.spec.algorithm)
        self.graph = GraphPicture(trace, room.graph)
        self.deepest = max(1, *(len(stack) for stack in trace.stack)) + 1

    @property
    def still(self) -> int:
        """The moment that is shown where nothing moves: the answer."""
        return self.rows

    def moment(self, number: int) -> list[Part]:
        """Returns what is shown in a row, or, after the last row, in the answer: from the back to the front."""
        head, parts = self._head(number), [self._title(), *self._depths(), *self._legend(number)]
        return [*parts, head, *self.graph.moment(number), *self._stack(min(number, self.rows - 1))]

    def _title(self) -> Part:
        return (Words(28, 40, short(self.title, 66), "ink", size=self.room.title, bold=True),)

    def _head(self, number: int) -> Part:
        """What happens."""
        if number == self.rows:
            kind, _ = self.trace.verdict()
            words = short(self.trace.picture.sentence, self.room.letters + 4)
            return (
                Box(28, 56, 84, 28, 7, f"verdict-{kind}"),
                Words(70, 75, "answer", "paper-ink", "middle", 14, bold=True),
                Words(124, 76, words),
                Words(self.room.width - 28, self.room.line, f"{self.rows} rows", "soft", "end"),
            )
        op = OPS[int(self.trace.ops[number])] if len(self.trace.ops) else ""
        wrong = "" if self.trace.same[number] else "  ≠"
        ink = {"push": "dark", "pop": "paper-ink"}.get(op, "ink")
        return (
            Box(28, 56, 84, 28, 7, op or "noop"),
            Words(70, 75, SIGNS[op], ink, "middle", 14, bold=True),
            Words(124, 76, short(self.trace.happening(number), self.room.letters) + wrong),
            Words(self.room.width - 28, self.room.line, f"row {number} / {self.rows - 1}", "soft", "end"),
        )

    def _stack(self, row: int) -> Iterator[Part]:
        left, top, width, height = self.room.stack
        yield (
            Box(left - 12, top - 16, width + 12, height + 30, 12, "panel"),
            Words(left, top + 6, "call stack", "soft", size=14),
        )
        each = min(32, (height - 24) / self.deepest)
        frames = [(self.trace.call(pushed), f"row {pushed}", "frame") for pushed in self.trace.stack[row]]
        if running := self.trace.running(row):
            frames.append((running, "running", "running"))
        if not frames:
            yield (
                Words(
                    left, top + height - 6, "empty: every call has returned" if self.room.notes else "empty", "soft", size=14
                ),
            )
        for depth, (call, note, look) in enumerate(frames):
            y = round(top + height - each * (depth + 1) + 2, 1)
            middle = y + each / 2 + 3
            size = min(14.0, each * 0.6)
            letters = int((width - (90 if self.room.notes else 24)) / (size * 0.62))
            yield (
                Box(left, y, width - 12, max(2, each - 5), min(7, each / 4), look),
                Words(left + 12, middle, short(call, letters), "ink", size=size, bold=True),
                *((Words(left + width - 24, middle, note, "soft", "end", size * 0.92),) if self.room.notes else ()),
            )

    def _depths(self) -> Iterator[Part]:
        """How deep the stack is in every row."""
        if self.room.depths is None:
            return
        left, top, width, height = self.room.depths
        each = width / self.rows
        shapes: list[Box | Line | Words] = [Line(((left, top + height + 0.5), (left + width, top + height + 0.5)), "ground")]
        for row, stack in enumerate(self.trace.stack):
            if tall := round(height * len(stack) / (self.deepest - 1 or 1)):
                gap = 1.0 if each > 4 else 0.0
                shapes.append(
                    Box(round(left + row * each + gap, 1), top + height - tall, round(each - 2 * gap, 1), tall, 1, "depth")
                )
        heading = "depth of the stack" if any(self.trace.stack) else "the stack stays empty"
        yield (Words(left, self.room.legend[1] + 12, heading, "soft", size=13), *shapes)

    def _legend(self, number: int) -> Iterator[Part]:
        """What the looks of the nodes mean, and where the row is among all."""
        if self.room.depths and number < self.rows:
            left, top, width, height = self.room.depths
            each = width / self.rows
            yield (Box(round(left + number * each, 1), top, round(max(3.0, each), 1), height, 2, "now"),)
        (x, y), shapes = self.room.legend, []
        entries = self._legend_entries(number)
        if x + sum(44 + len(words) * 13 * LETTER for _, words in entries) - 10 > self.room.width - 20:
            entries = [(look, short(words, 26)) for look, words in entries]
        for look, words in entries:
            if x + 34 + len(words) * 13 * LETTER > self.room.width - 20:
                break
            shapes += [Box(x, y, 20, 13, 6.5, look), Words(x + 26, y + 12, words, "soft", size=13)]
            x += 44 + len(words) * 13 * LETTER
        if shapes:
            yield tuple(shapes)

    def _legend_entries(self, number: int) -> list[tuple[str, str]]:
        picture, words, state = self.trace.picture, self.algorithm.words, self.trace.state
        if number == self.rows:
            groups = [(GROUP_LOOKS[k % 8], w) for k, w in enumerate(picture.group_words)]
            nodes = (
                [("bar-state2" if self.graph.bars else "hit", picture.node_word)]
                if picture.nodes and picture.node_word
                else []
            )
            edges = [("answer-key", picture.edge_word)] if picture.edges and picture.edge_word else []
            return (
                groups + nodes + edges + ([("badge", "place in the order")] if picture.order and not self.graph.bars else [])
            )
        prefix = "bar-" if self.graph.bars else ""
        states = [(prefix + NODE_LOOKS[k], w) for k, w in enumerate(words.categories.get(state.name if state else "", ()))]
        current = self.graph.pointers[0].name if self.graph.pointers and not self.graph.bars else ""
        return states + ([("ring", words.pointers.get(current, current))] if current else [])


def is_drawable(trace: Trace) -> bool:
    """Returns whether a trace is small enough for a picture."""
    return len(trace.graph) <= MOST_NODES and len(trace) <= MOST_ROWS
