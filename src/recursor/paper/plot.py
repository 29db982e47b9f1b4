"""The plot: node accuracy against the size of the graph, for a few networks, as an SVG with a light and a dark scheme."""

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

from recursor.configurations.paper import BUDGETS
from recursor.paper.experiments import BLOCKS

PLOTTED = (10, 1, 2, 5)
"""Numbers of the experiments in the plot: the node-wise stack, and the networks that the paper compares it with."""

APART = 17  # minimum distance between two labels
LETTER = 6.8  # the width of a letter

INKS = {  # light, dark
    "c0": ("#b3261e", "#ff8a80"),
    "c10": ("#111111", "#f0f3f6"),
    "c1": ("#b45f06", "#f2b35d"),
    "c2": ("#0b63b0", "#6cb6ff"),
    "c5": ("#5f6b76", "#a0abb8"),
}


def _inks(scheme: int) -> str:
    """Returns the CSS rules of the colours; scheme 0 is light, 1 is dark."""
    rules = []
    for key, inks in INKS.items():
        rules.append(f".{key} .line, .{key} .lead {{ stroke: {inks[scheme]} }}")
        rules.append(f".{key} .dot, .{key} .band, .{key} .label {{ fill: {inks[scheme]} }}")
    return "\n".join(rules)


STYLE = f"""
text {{ font: 13px system-ui, "DejaVu Sans", sans-serif; fill: #333 }}
.title {{ font-size: 15px; font-weight: 600 }}
.back {{ fill: #fff }} .grid {{ stroke: #e4e4e4 }} .axis, .mark {{ stroke: #888 }} .mark {{ stroke-dasharray: 2 4 }}
.line {{ stroke-width: 2.2; fill: none }} .exact {{ stroke-width: 3.2 }} .band {{ opacity: .1 }} .lead {{ opacity: .5 }}
{_inks(0)}
@media (prefers-color-scheme: dark) {{
text {{ fill: #d6dae0 }} .back {{ fill: #0d1117 }} .grid {{ stroke: #262c36 }} .axis, .mark {{ stroke: #7d8590 }}
{_inks(1)}
}}
"""


class Room(NamedTuple):
    """Where the axes are in the picture."""

    width: int
    height: int
    left: int
    right: int
    top: int
    bottom: int
    beside: bool
    """Whether there is room for labels to the right of the axes."""
    below: str
    """What is written below, with the largest size in training."""


WIDE = Room(790, 386, 64, 520, 46, 330, True, "nodes of the graph; the dotted line is the largest in training, {}")
SMALL = Room(408, 299, 46, 388, 66, 248, False, "nodes of the graph; trained on at most {}")
"""For a picture that is shown small: labels stand between the axes, and a long one above its line."""


class Curve(NamedTuple):
    """A line of the plot."""

    key: str
    """The CSS class of its colour."""
    label: str
    nodes: list[int]
    seeds: list[list[float]]
    """For each seed the accuracy at each size, in percent."""
    unit: str = "seed"
    """What there are several of: seeds, or networks."""

    @property
    def means(self) -> list[float]:
        return [sum(values) / len(values) for values in zip(*self.seeds, strict=True)]


def curve(key: str, label: str, runs: Sequence[dict[str, Any]], score: str = "node_accuracy") -> Curve:
    """Returns the line of several runs, one per seed."""
    scores = [sorted(run["scores"], key=lambda score: score["nodes"]) for run in runs]
    seeds = [[100 * one[score] for one in seed] for seed in scores]
    return Curve(key, label, [one["nodes"] for one in scores[0]], seeds)


def plot(budget: str, found: Mapping[str, Sequence[dict[str, Any]]], exact: Sequence[dict[str, Any]] = ()) -> bytes:
    """Draws node accuracy against size.

    Args:
        budget: The budget of the runs.
        found: For each experiment, by name, its results.
        exact: Results of the exact network.

    Returns:
        An SVG: lines are means over seeds, bands reach from the worst seed to the best.
    """
    by_number = {experiment.number: experiment for experiment in BLOCKS["rollout"]}
    largest = max(BUDGETS[budget].sizes)
    curves = []
    if exact:
        trained = max(exact[0]["config"]["sizes"])
        at_most = f", trained to {trained}" if trained != largest else ""
        curves.append(curve("c0", f"exact network{at_most}", exact))
    for experiment in (by_number[number] for number in PLOTTED):
        if experiment.name in found:
            label = f"{experiment.number} {experiment.words}"
            curves.append(curve(f"c{experiment.number}", label, found[experiment.name]))
    return draw("Nodes whose predecessor is right, in percent", curves, largest)


TICK_ROOM = 24
"""Pixels between two sizes at the axis, so that they can be read."""


def draw(title: str, curves: Sequence[Curve], largest: int, ticks: Sequence[int] = (), room: Room = WIDE) -> bytes:
    """Draws accuracies against size.

    Args:
        title: What is drawn.
        curves: The lines; the first is on top.
        largest: The largest size in training, which is marked.
        ticks: The sizes that are written at the axis, where there is room; by default all.
        room: How large the picture is.

    Returns:
        An SVG: lines are means over seeds, bands reach from the worst seed to the best.
    """
    ticks = ticks or sorted({nodes for each in curves for nodes in each.nodes} | {largest})
    low, high = math.log2(ticks[0]), math.log2(max(ticks[-1], 2 * ticks[0]))

    def x(nodes: float) -> float:
        return round(room.left + (room.right - room.left) * (math.log2(nodes) - low) / (high - low), 1)

    def y(percent: float) -> float:
        return round(room.bottom - (room.bottom - room.top) * percent / 100, 1)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {room.width} {room.height}" role="img"',
        f'width="{room.width}" height="{room.height}">',
        f"<title>{escape(title)}, against the size of the graph</title>",
        f"<style>{STYLE}</style>",
        f'<rect class="back" width="{room.width}" height="{room.height}"/>',
        f'<text class="title" x="16" y="24">{escape(title)}</text>',
    ]
    for percent in (0, 25, 50, 75, 100):
        parts.append(f'<path class="grid" d="M{room.left} {y(percent)}H{room.right}"/>')
        parts.append(f'<text x="{room.left - 8}" y="{y(percent) + 4.5}" text-anchor="end">{percent}</text>')
    parts.append(f'<path class="axis" d="M{room.left} {room.bottom}H{room.right}"/>')
    written: list[int] = []
    for nodes in sorted(ticks, key=lambda size: size != largest):  # the largest in training has room in any case
        if any(abs(x(nodes) - x(other)) < TICK_ROOM for other in written):
            continue
        written.append(nodes)
        parts.append(f'<path class="axis" d="M{x(nodes)} {room.bottom}v5"/>')
        parts.append(f'<text x="{x(nodes)}" y="{room.bottom + 21}" text-anchor="middle">{nodes}</text>')
    middle = (room.left + room.right) / 2
    parts.append(f'<text x="{middle:g}" y="{room.bottom + 44}" text-anchor="middle">{room.below.format(largest)}</text>')
    parts.append(f'<path class="mark" d="M{x(largest)} {room.top - 8}V{room.bottom}"/>')
    for each in reversed(curves):  # the first one is drawn last, on top
        points = [(x(nodes), y(mean)) for nodes, mean in zip(each.nodes, each.means, strict=True)]
        sizes = range(len(each.nodes))
        upper = [(points[k][0], y(max(seed[k] for seed in each.seeds))) for k in sizes]
        lower = [(points[k][0], y(min(seed[k] for seed in each.seeds))) for k in sizes]
        parts.append(f'<g class="{each.key}"><polygon class="band" points="{_points(upper + lower[::-1])}"/>')
        thick = " exact" if each.key == "c0" else ""
        parts.append(f'<polyline class="line{thick}" points="{_points(points)}"/>')
        parts += [f'<circle class="dot" cx="{a}" cy="{b}" r="3.2"/>' for a, b in points]
        parts.append("</g>")
    parts += _labels([(each, x(each.nodes[-1]), y(each.means[-1])) for each in curves], room)
    return "\n".join([*parts, "</svg>", ""]).encode()


def _labels(ends: Sequence[tuple[Curve, float, float]], room: Room) -> list[str]:
    """Returns a label at the end of each line, moved down where two would overlap.

    A label that has no room beside its line is above it.
    """
    parts, last = [], -math.inf
    for each, right, height in sorted(ends, key=lambda end: end[2]):
        last = max(height, last + APART)
        seeds = f", {len(each.seeds)} {each.unit}{'s' * (len(each.seeds) > 1)}"
        words = each.label + seeds
        place, lead = f'x="{right + 8}" y="{last + 4.5:g}"', ""
        if room.beside:
            place = f'x="{room.right + 22}" y="{last + 4.5:g}"'
            lead = f'<path class="lead" d="M{right + 5} {height}L{room.right + 18} {last:g}"/>'
        elif right + 8 + len(words) * LETTER > room.width:
            place = f'x="{room.right}" y="{height - 9:g}" text-anchor="end"'
        parts.append(f'<g class="{each.key}">{lead}')
        parts.append(f'<text class="label" {place}>{escape(words)}</text></g>')
    return parts


def _points(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{a},{b}" for a, b in points)
