"""The picture of a graph in one row: nodes and edges, or numbers as bars, with what the row says about them."""

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from recursor.algorithms import find
from recursor.trace.data import have_heads, heights, notes
from recursor.trace.layout import WIDE, layout, word_at_place
from recursor.trace.shapes import LETTER, Box, Line, Part, Words, short
from recursor.trace.source import source_of
from recursor.trace.trace import Trace

GRAPH = (28, 104, 500, 258)  # left, top, width, height
NODE_LOOKS = ("state0", "state1", "state2", "state3", "state4", "state5", "state6", "state7")
GROUP_LOOKS = ("state1", "state2", "state3", "state4", "state5", "state6", "state7", "state0")
INKS = {"state2": "paper-ink", "state3": "paper-ink", "state4": "paper-ink", "state7": "paper-ink", "hit": "paper-ink"}
"""The looks of words on dark nodes; on others they are dark."""


class GraphPicture:
    """The graph of a trace, as it is drawn in each of its rows, and in the answer after the last row."""

    def __init__(self, trace: Trace, room: tuple[int, int, int, int] = GRAPH) -> None:
        self.trace, self.rows, self.room = trace, len(trace), room
        self.algorithm = find(trace.spec.algorithm)
        self.bars = self.algorithm.layout == "bars"
        """Whether nodes are drawn as bars."""
        hints = [field for field in trace.spec.hints if field.name in trace.rows]
        parameters = {name for _, names in source_of(self.algorithm).functions for name in names}
        pointers = [field for field in hints if field.place == "graph" and field.kind == "pointer"]
        self.pointers = sorted(pointers, key=lambda field: field.name not in parameters)
        """The graph's pointers, those first that are parameters of a call."""

    def moment(self, number: int) -> Iterator[Part]:
        """Returns what is drawn in a row, or, after the last row, in the answer: from the back to the front."""
        return self._bars(number) if self.bars else self._nodes_and_edges(number)

    @cached_property
    def places(self) -> np.ndarray:
        """Where the nodes are, [nodes, 2]."""
        left, top, width, height = self.room
        shares = layout(self.trace.graph, self.algorithm.layout) / (WIDE, 1)
        if self.algorithm.layout == "graph" and width < 1.5 * height:
            shares = shares[:, ::-1]  # names are wide, so a picture that is not gets its layers one below the other
        margin = np.array([max(self._pill(node)[0] for node in range(len(shares))), self._pill(0)[1]])
        return np.round((left, top) + margin / 2 + shares * (np.array((width, height)) - margin), 1)

    @cached_property
    def _labels(self) -> list[str]:
        """What is written in the nodes: their names; of a word of a text its place, and the word is below it; of an interval
        of time its end alone, since both would not find room."""
        if self.algorithm.layout == "times":
            starts = set(self.trace.graph.receivers.tolist())
            return ["" if node in starts else name for node, name in enumerate(self.trace.names)]
        places = [word_at_place(name)[0] for name in self.trace.names]
        return places if self.algorithm.layout == "text" and all(places) else self.trace.names

    def _pill(self, node: int) -> tuple[float, float]:
        """How wide and how high a node is drawn."""
        n = len(self.trace.graph)
        if n > 40:
            return 10.0, 10.0
        text = len(short(self._labels[node], 11))
        return (max(30.0, 18 + text * 14 * LETTER), 30.0) if n <= 20 else (max(22.0, 10 + text * 11 * LETTER), 20.0)

    def _node(self, node: int, look: str, note: str = "", label: str = "") -> Part:
        (x, y), (width, height) = self.places[node].tolist(), self._pill(node)
        box = Box(x - width / 2, y - height / 2, width, height, height / 2, look)
        size = 14 if height >= 30 else 11
        words = Words(x, y + size * 0.36, short(self._labels[node], 11), INKS.get(look, "dark"), "middle", size)
        words = words if look != "state0" else Words(x, words.y, words.text, "ink", "middle", size)
        return (box, *((words,) if height > 10 else ()), *self._beside(node, note, label))

    def _beside(self, node: int, note: str, label: str) -> Iterator[Words]:
        """What was given of a node and what the answer says of it, where edges seldom are."""
        (x, y), (width, height) = self.places[node].tolist(), self._pill(node)
        if note and self.algorithm.layout == "graph":
            yield Words(x + width / 2 - 2, y + height / 2 + 10, note, "soft", "start", 12)
        elif note:
            yield Words(x, y + height / 2 + 19, note, "soft", "middle", 12)
        if label and self.algorithm.layout == "text":
            yield Words(x, y - height / 2 - 9, label, "ink", "middle", 12)
        elif label and label != note:
            yield Words(x + width / 2 + 7, y + 4, label, "ink", "start", 12)

    def _nodes_and_edges(self, number: int) -> Iterator[Part]:
        graph, picture = self.trace.graph, self.trace.picture
        ends = set(zip(graph.senders.tolist(), graph.receivers.tolist(), strict=True))
        once = [(a, b) for a, b in sorted(ends) if a != b and not (a > b and (b, a) in ends)]
        look = "edge" if len(once) <= 4 * len(graph) else "edge-many"
        arrows = len(ends) <= 120 and have_heads(self.trace.spec)
        yield tuple(line for a, b in once for line in self._segment(a, b, look, arrow=arrows and (b, a) not in ends))
        answer = number == self.rows
        notes, labels = self._notes(), picture.labels if answer else {}
        branches = picture.edges if answer else self._collected[number]
        look = "answer-edge" if answer else "branch"
        for a, b in branches:
            yield self._segment(a, b, look, arrow=picture.arrows if answer else True)
        looks = self._answer_looks() if answer else self._state_looks(number)
        for node, kind in enumerate(looks):
            yield self._node(node, kind, notes.get(node, ""), labels.get(node, ""))
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
        if self.algorithm.layout == "text" and self._labels is not self.trace.names:
            return {node: word_at_place(name)[1] for node, name in enumerate(self.trace.names)}
        return {node: note for node, note in enumerate(notes(self.trace.graph, self.trace.spec)) if note}

    def _segment(self, a: int, b: int, look: str, *, arrow: bool) -> Part:
        """A line between the edges of two pills; in a line of text, a bow over those between them."""
        start, end = self.places[a], self.places[b]
        way = end - start
        if self.algorithm.layout == "text" and way[1] == 0:
            high = self._pill(a)[1] / 2 + 2 + np.sin(np.linspace(0, np.pi, 9)) * min(34.0, 6 + 0.12 * abs(way[0]))
            return (
                Line(
                    tuple(
                        _point(start + share * way - (0, up)) for share, up in zip(np.linspace(0, 1, 9), high, strict=True)
                    ),
                    look,
                ),
            )
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
        if self.trace.state is None:
            return ["state0"] * len(self.trace.graph)
        return [NODE_LOOKS[value % 8] for value in self.trace.rows[self.trace.state.name][row].tolist()]

    def _answer_looks(self) -> list[str]:
        looks = ["state0"] * len(self.trace.graph)
        for k, group in enumerate(self.trace.picture.groups):
            for node in group:
                looks[node] = GROUP_LOOKS[k % 8]
        for node in self.trace.picture.nodes:
            looks[node] = "hit"
        return looks

    def _bars(self, number: int) -> Iterator[Part]:
        left, top, width, height = self.room
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


def _point(place: np.ndarray) -> tuple[float, float]:
    return round(float(place[0]), 1), round(float(place[1]), 1)
