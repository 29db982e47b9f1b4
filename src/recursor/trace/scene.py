"""A trace as pictures: for every row the graph, the call stack and what happens, made of boxes, lines and words.

A scene has one moment a row, and one more for the answer. The pictures that move (`moving.py`, `gif.py`) are drawn from it,
so all of them show the same.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from recursor.algorithms import find
from recursor.spec import OPS, Field
from recursor.trace.data import heights
from recursor.trace.layout import WIDE, layout
from recursor.trace.trace import Trace

WIDTH, HEIGHT = 900, 500
GRAPH = (28, 104, 500, 258)  # left, top, width, height
STACK = (592, 120, 280, 252)
DEPTHS = (28, 424, 844, 48)
LEGEND_LINE = 404
MOST_NODES, MOST_ROWS = 200, 600
LETTER = 0.58  # width of a letter, beside its height
NODE_LOOKS = ("state0", "state1", "state2", "state3", "state4", "state5", "state6", "state7")
GROUP_LOOKS = ("state1", "state2", "state3", "state4", "state5", "state6", "state7", "state0")
SIGNS = {"push": "↑ push", "noop": "· noop", "pop": "↓ pop", "": "row"}
INKS = {"state2": "paper-ink", "state3": "paper-ink", "state4": "paper-ink", "state7": "paper-ink", "hit": "paper-ink"}
"""The looks of words on dark nodes; on others they are dark."""


@dataclass(frozen=True)
class Box:
    """A rectangle with round corners."""

    x: float
    y: float
    width: float
    height: float
    radius: float
    look: str


@dataclass(frozen=True)
class Line:
    """Lines through some points."""

    points: tuple[tuple[float, float], ...]
    look: str


@dataclass(frozen=True)
class Words:
    """A line of text, whose base line is at y."""

    x: float
    y: float
    text: str
    look: str = "ink"
    anchor: Literal["start", "middle", "end"] = "start"
    size: float = 15
    bold: bool = False


Part = tuple[Box | Line | Words, ...]
"""What appears and disappears together."""


class Scene:
    """The moments of a trace: its rows, and the answer. Refuses traces that are too large for a picture."""

    def __init__(self, trace: Trace, title: str) -> None:
        if not is_drawable(trace):
            raise ValueError(
                f"a moving picture shows at most {MOST_NODES} nodes and {MOST_ROWS} rows, and this execution has "
                f"{len(trace.graph)} and {len(trace)}; --html writes a page of it"
            )
        self.trace, self.title, self.rows = trace, title, len(trace)
        self.algorithm = find(trace.spec.algorithm)
        self.bars = self.algorithm.layout == "bars"
        self.deepest = max(1, *(len(stack) for stack in trace.stack)) + 1
        hints = [field for field in trace.spec.hints if field.name in trace.rows]
        of_nodes = [field for field in hints if field.place == "node"]
        self.state = next((f for kind in ("category", "mask") for f in of_nodes if f.kind == kind), None)
        parameters = {name for _, names in self._functions for name in names}
        pointers = [field for field in hints if field.place == "graph" and field.kind == "pointer"]
        self.pointers = sorted(pointers, key=lambda field: field.name not in parameters)

    @property
    def _functions(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        from recursor.trace.source import source_of

        return source_of(self.algorithm).functions

    @property
    def still(self) -> int:
        """The moment that is shown where nothing moves: the answer."""
        return self.rows

    def moment(self, number: int) -> list[Part]:
        """Returns what is shown in a row, or, after the last row, in the answer: from the back to the front."""
        head, parts = self._head(number), [self._title(), *self._depths(), *self._legend(number)]
        graph = self._bars(number) if self.bars else self._graph(number)
        return [*parts, head, *graph, *self._stack(min(number, self.rows - 1))]

    def _title(self) -> Part:
        return (Words(28, 40, short(self.title, 66), "ink", size=19, bold=True),)

    def _head(self, number: int) -> Part:
        """What happens."""
        if number == self.rows:
            kind, _ = self.trace.verdict()
            words = short(self.trace.picture.sentence, 88)
            return (
                Box(28, 56, 84, 28, 7, f"verdict-{kind}"),
                Words(70, 75, "answer", "paper-ink", "middle", 14, bold=True),
                Words(124, 76, words),
                Words(WIDTH - 28, 40, f"{self.rows} rows", "soft", "end"),
            )
        op = OPS[int(self.trace.ops[number])] if len(self.trace.ops) else ""
        wrong = "" if self.trace.same[number] else "  ≠"
        ink = {"push": "dark", "pop": "paper-ink"}.get(op, "ink")
        return (
            Box(28, 56, 84, 28, 7, op or "noop"),
            Words(70, 75, SIGNS[op], ink, "middle", 14, bold=True),
            Words(124, 76, short(self.trace.happening(number), 84) + wrong),
            Words(WIDTH - 28, 40, f"row {number} / {self.rows - 1}", "soft", "end"),
        )

    @cached_property
    def places(self) -> np.ndarray:
        """Where the nodes are, [nodes, 2]."""
        left, top, width, height = GRAPH
        shares = layout(self.trace.graph, self.algorithm.layout) / (WIDE, 1)
        margin = np.array([max(self._pill(node)[0] for node in range(len(shares))), self._pill(0)[1]])
        return np.round((left, top) + margin / 2 + shares * (np.array((width, height)) - margin), 1)

    def _pill(self, node: int) -> tuple[float, float]:
        """How wide and how high a node is drawn."""
        n = len(self.trace.graph)
        if n > 40:
            return 10.0, 10.0
        text = len(short(self.trace.names[node], 11))
        return (max(30.0, 18 + text * 14 * LETTER), 30.0) if n <= 20 else (max(22.0, 10 + text * 11 * LETTER), 20.0)

    def _node(self, node: int, look: str, note: str = "") -> Part:
        (x, y), (width, height) = self.places[node].tolist(), self._pill(node)
        box = Box(x - width / 2, y - height / 2, width, height, height / 2, look)
        size = 14 if height >= 30 else 11
        words = Words(x, y + size * 0.36, short(self.trace.names[node], 11), INKS.get(look, "dark"), "middle", size)
        words = words if look != "state0" else Words(x, words.y, words.text, "ink", "middle", size)
        noted = (Words(x, y + height / 2 + 14, note, "soft", "middle", 12),) if note else ()
        return (box, words, *noted) if height > 10 else (box, *noted)

    def _graph(self, number: int) -> Iterator[Part]:
        graph, picture = self.trace.graph, self.trace.picture
        ends = set(zip(graph.senders.tolist(), graph.receivers.tolist(), strict=True))
        once = [(a, b) for a, b in sorted(ends) if a != b and not (a > b and (b, a) in ends)]
        look = "edge" if len(once) <= 4 * len(graph) else "edge-many"
        arrows = len(ends) <= 120
        yield tuple(line for a, b in once for line in self._segment(a, b, look, arrow=arrows and (b, a) not in ends))
        answer = number == self.rows
        notes = self._notes() | (dict(picture.labels) if answer else {})
        branches = picture.edges if answer else self._collected[number]
        look = "answer-edge" if answer else "branch"
        for a, b in branches:
            yield self._segment(a, b, look, arrow=picture.arrows if answer else True)
        looks = self._answer_looks() if answer else self._state_looks(number)
        for node, kind in enumerate(looks):
            yield self._node(node, kind, notes.get(node, ""))
        if answer:
            for place, node in enumerate(picture.order, 1):
                (x, y), (width, height) = self.places[node].tolist(), self._pill(node)
                yield (
                    Box(x + width / 2 - 11, y - height / 2 - 11, 20, 20, 10, "badge"),
                    Words(x + width / 2 - 1, y - height / 2 + 4, str(place), "paper-ink", "middle", 12, bold=True),
                )
        elif self.pointers and 0 <= (current := int(self.trace.rows[self.pointers[0].name][number])) < len(graph):
            (x, y), (width, height) = self.places[current].tolist(), self._pill(current)
            yield (Box(x - width / 2 - 6, y - height / 2 - 6, width + 12, height + 12, height / 2 + 6, "ring"),)

    def _notes(self) -> dict[int, str]:
        """Values of the nodes in words, such as the kinds of gates."""
        from recursor.trace.data import notes

        return {node: note for node, note in enumerate(notes(self.trace.graph, self.trace.spec)) if note}

    def _segment(self, a: int, b: int, look: str, *, arrow: bool) -> Part:
        """A line between the edges of two pills."""
        start, end = self.places[a], self.places[b]
        way = end - start
        first, last = (self._inside(node, way) for node in (a, b))
        p, q = start + way * first, end - way * last
        line = Line((_point(p), _point(q)), look)
        if not arrow or first + last >= 1:
            return (line,)
        unit = way / max(1e-9, float(np.hypot(*way)))
        side = np.array([-unit[1], unit[0]])
        tips = (_point(q - 8 * unit + 4.5 * side), _point(q), _point(q - 8 * unit - 4.5 * side))
        return (line, Line(tips, look))

    def _inside(self, node: int, way: np.ndarray) -> float:
        """Which share of a way lies inside a node at its end."""
        width, height = self._pill(node)
        reach = np.array([width / 2 + 3, height / 2 + 3])
        with np.errstate(divide="ignore"):
            return float(min(0.5, np.min(np.where(way != 0, reach / np.abs(way), np.inf))))

    @cached_property
    def _collected(self) -> list[list[tuple[int, int]]]:
        """For each row the edges that the collected pointers make so far."""
        outputs = {field.name: field for field in self.trace.spec.outputs}
        rules = [r for r in self.trace.spec.collect if r.at is not None and outputs[r.output].kind == "pointer"]
        found: dict[tuple[str, int], tuple[int, int]] = {}
        rows = []
        for row in range(self.rows):
            for rule in rules:
                at, value = (int(self.trace.rows[name or ""][row]) for name in (rule.at, rule.value))
                if at >= 0:
                    value = at if value < 0 else value
                    found[rule.output, at] = (at, value) if rule.output in self.algorithm.words.onward else (value, at)
            rows.append([(a, b) for a, b in found.values() if a != b])
        return rows

    def _state_looks(self, row: int) -> list[str]:
        if self.state is None:
            return ["state0"] * len(self.trace.graph)
        return [NODE_LOOKS[value % 8] for value in self.trace.rows[self.state.name][row].tolist()]

    def _answer_looks(self) -> list[str]:
        looks = ["state0"] * len(self.trace.graph)
        for k, group in enumerate(self.trace.picture.groups):
            for node in group:
                looks[node] = GROUP_LOOKS[k % 8]
        for node in self.trace.picture.nodes:
            looks[node] = "hit"
        return looks

    def _bars(self, number: int) -> Iterator[Part]:
        left, top, width, height = GRAPH
        n, answer = len(self.trace.graph), number == self.rows
        order = list(self.trace.picture.order) if answer and self.trace.picture.order else list(range(n))
        hit = set(self.trace.picture.order or self.trace.picture.nodes)
        looks = ["state2" if node in hit else "state0" for node in range(n)] if answer else self._state_looks(number)
        step, foot = min(70.0, width / n), top + height - 44
        begin, tall = left + (width - min(70.0, width / n) * n) / 2, height - 76
        shares = heights(self.trace.graph, self.trace.spec)
        at = {node: begin + step * (place + 0.5) for place, node in enumerate(order)}
        yield (Line(((begin - 6, foot), (begin + step * n + 6, foot)), "ground"),)
        for node in range(n):
            bar, thick = 3 + tall * shares[node], step * 0.72
            box = Box(at[node] - thick / 2, foot - bar, thick, bar, min(4, thick / 4), "bar-" + looks[node])
            words = Words(at[node], foot - bar - 6, short(self.trace.names[node], 6), "ink", "middle", min(15, step * 0.5))
            yield (box, words) if step >= 16 else (box,)
        if not answer:
            pointed: dict[int, list[str]] = {}
            for field in self.pointers:
                if 0 <= (node := int(self.trace.rows[field.name][number])) < n:
                    pointed.setdefault(node, []).append(field.name)
            for node, names in pointed.items():
                yield tuple(
                    Words(at[node], foot + 16 + 14 * k, name, "violet", "middle", 12, bold=True)
                    for k, name in enumerate(names[:3])
                )

    def _stack(self, row: int) -> Iterator[Part]:
        left, top, width, height = STACK
        yield (
            Box(left - 12, top - 16, width + 12, height + 30, 12, "panel"),
            Words(left, top + 6, "call stack", "soft", size=14),
        )
        each = min(32, (height - 24) / self.deepest)
        frames = [(self.trace.call(pushed), f"row {pushed}", "frame") for pushed in self.trace.stack[row]]
        if running := self.trace.running(row):
            frames.append((running, "running", "running"))
        if not frames:
            yield (Words(left, top + height - 6, "empty: every call has returned", "soft", size=14),)
        for depth, (call, note, look) in enumerate(frames):
            y = round(top + height - each * (depth + 1) + 2, 1)
            middle = y + each / 2 + 3
            size = min(14.0, each * 0.6)
            letters = int((width - 90) / (size * 0.62))
            yield (
                Box(left, y, width - 12, max(2, each - 5), min(7, each / 4), look),
                Words(left + 12, middle, short(call, letters), "ink", size=size, bold=True),
                Words(left + width - 24, middle, note, "soft", "end", size * 0.92),
            )

    def _depths(self) -> Iterator[Part]:
        """How deep the stack is in every row."""
        left, top, width, height = DEPTHS
        each = width / self.rows
        shapes: list[Box | Line | Words] = [Line(((left, top + height + 0.5), (left + width, top + height + 0.5)), "ground")]
        for row, stack in enumerate(self.trace.stack):
            if tall := round(height * len(stack) / (self.deepest - 1 or 1)):
                gap = 1.0 if each > 4 else 0.0
                shapes.append(
                    Box(round(left + row * each + gap, 1), top + height - tall, round(each - 2 * gap, 1), tall, 1, "depth")
                )
        yield (Words(left, LEGEND_LINE + 12, "depth of the stack", "soft", size=13), *shapes)

    def _legend(self, number: int) -> Iterator[Part]:
        """What the looks of the nodes mean, and where the row is among all."""
        left, top, width, height = DEPTHS
        if number < self.rows:
            each = width / self.rows
            yield (Box(round(left + number * each, 1), top, round(max(3.0, each), 1), height, 2, "now"),)
        x, shapes = 190.0, []
        for look, words in self._legend_entries(number):
            words = short(words, 26)
            if x + 34 + len(words) * 13 * LETTER > WIDTH - 20:
                break
            shapes += [Box(x, LEGEND_LINE, 20, 13, 6.5, look), Words(x + 26, LEGEND_LINE + 12, words, "soft", size=13)]
            x += 44 + len(words) * 13 * LETTER
        if shapes:
            yield tuple(shapes)

    def _legend_entries(self, number: int) -> list[tuple[str, str]]:
        picture, words = self.trace.picture, self.algorithm.words
        if number == self.rows:
            groups = [(GROUP_LOOKS[k % 8], w) for k, w in enumerate(picture.group_words)]
            nodes = (
                [("bar-state2" if self.bars else "hit", picture.node_word)] if picture.nodes and picture.node_word else []
            )
            edges = [("answer-key", picture.edge_word)] if picture.edges and picture.edge_word else []
            return groups + nodes + edges + ([("badge", "place in the order")] if picture.order and not self.bars else [])
        prefix = "bar-" if self.bars else ""
        states = [(prefix + NODE_LOOKS[k], w) for k, w in enumerate(words.categories.get(_name(self.state), ()))]
        current = self.pointers[0].name if self.pointers and not self.bars else ""
        return states + ([("ring", words.pointers.get(current, current))] if current else [])


def is_drawable(trace: Trace) -> bool:
    """Returns whether a trace is small enough for a picture."""
    return len(trace.graph) <= MOST_NODES and len(trace) <= MOST_ROWS


def _name(field: Field | None) -> str:
    return field.name if field else ""


def _point(place: np.ndarray) -> tuple[float, float]:
    return round(float(place[0]), 1), round(float(place[1]), 1)


def short(text: str, longest: int) -> str:
    """Returns at most so many characters, with control characters replaced."""
    text = "".join(c if c.isprintable() else "�" for c in text)
    return text if len(text) <= longest else text[: max(1, longest - 1)] + "…"
