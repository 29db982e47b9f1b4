"""The plot: node accuracy against the size of the graph, for a few networks, as an SVG with a light and a dark scheme."""

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

from recursor.configurations.paper import BUDGETS
from recursor.paper.experiments import BLOCKS

PLOTTED = (10, 1, 2, 5)
"""Numbers of the experiments in the plot: the node-wise stack, and the networks that the paper compares it with."""

LEFT, RIGHT, TOP, BOTTOM = 64, 520, 46, 330  # of the axes
WIDTH, HEIGHT = 790, 386
APART = 17  # minimum distance between two labels

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


def draw(title: str, curves: Sequence[Curve], largest: int, ticks: Sequence[int] = ()) -> bytes:
    """Draws accuracies against size.

    Args:
        title: What is drawn.
        curves: The lines; the first is on top.
        largest: The largest size in training, which is marked.
        ticks: The sizes that are written at the axis; by default all.

    Returns:
        An SVG: lines are means over seeds, bands reach from the worst seed to the best.
    """
    ticks = ticks or sorted({nodes for each in curves for nodes in each.nodes} | {largest})
    low, high = math.log2(ticks[0]), math.log2(max(ticks[-1], 2 * ticks[0]))

    def x(nodes: float) -> float:
        return round(LEFT + (RIGHT - LEFT) * (math.log2(nodes) - low) / (high - low), 1)

    def y(percent: float) -> float:
        return round(BOTTOM - (BOTTOM - TOP) * percent / 100, 1)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img"',
        f'width="{WIDTH}" height="{HEIGHT}">',
        f"<title>{escape(title)}, against the size of the graph</title>",
        f"<style>{STYLE}</style>",
        f'<rect class="back" width="{WIDTH}" height="{HEIGHT}"/>',
        f'<text class="title" x="16" y="24">{escape(title)}</text>',
    ]
    for percent in (0, 25, 50, 75, 100):
        parts.append(f'<path class="grid" d="M{LEFT} {y(percent)}H{RIGHT}"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y(percent) + 4.5}" text-anchor="end">{percent}</text>')
    parts.append(f'<path class="axis" d="M{LEFT} {BOTTOM}H{RIGHT}"/>')
    for nodes in ticks:
        parts.append(f'<path class="axis" d="M{x(nodes)} {BOTTOM}v5"/>')
        parts.append(f'<text x="{x(nodes)}" y="{BOTTOM + 21}" text-anchor="middle">{nodes}</text>')
    middle = (LEFT + RIGHT) / 2
    parts.append(
        f'<text x="{middle:g}" y="{BOTTOM + 44}" text-anchor="middle">'
        f"nodes of the graph; the dotted line is the largest in training, {largest}</text>"
    )
    parts.append(f'<path class="mark" d="M{x(largest)} {TOP - 8}V{BOTTOM}"/>')
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
    parts += _labels([(each, x(each.nodes[-1]), y(each.means[-1])) for each in curves])
    return "\n".join([*parts, "</svg>", ""]).encode()


def _labels(ends: Sequence[tuple[Curve, float, float]]) -> list[str]:
    """Returns a label at the end of each line, moved down where two would overlap."""
    parts, last = [], -math.inf
    for each, right, height in sorted(ends, key=lambda end: end[2]):
        last = max(height, last + APART)
        seeds = f", {len(each.seeds)} {each.unit}{'s' * (len(each.seeds) > 1)}"
        parts.append(f'<g class="{each.key}"><path class="lead" d="M{right + 5} {height}L{RIGHT + 18} {last:g}"/>')
        parts.append(f'<text class="label" x="{RIGHT + 22}" y="{last + 4.5:g}">{escape(each.label + seeds)}</text></g>')
    return parts


def _points(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{a},{b}" for a, b in points)
