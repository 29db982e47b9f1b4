"""Draws docs/pictures/growth.svg: how many situations are known after the inputs of each size, from results/verify.

    python docs/pictures/growth.py

Up to the small size all inputs were tried; from there on, random ones.
"""

import json
import math
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from recursor.system.files import write_atomically

ROOT = Path(__file__).parents[2]
INKS = {  # of each network the colour of its line, light and dark
    "articulation_points": ("#5f6b76", "#a0abb8"),
    "bridges": ("#0b63b0", "#6cb6ff"),
    "circuit": ("#8a3ffc", "#c4a3ff"),
    "tarjan": ("#b45f06", "#f2b35d"),
    "merge_sort": ("#00704a", "#56d4a1"),
    "strongly_connected_components": ("#b3261e", "#ff8a80"),
    "dfs": ("#111111", "#f0f3f6"),
    "topological_sort": ("#7a6a00", "#d9c74a"),
    "quicksort": ("#a3166f", "#ff8ad0"),
}
LEFT, RIGHT, TOP, BOTTOM = 64, 520, 50, 370  # of the axes
WIDTH, HEIGHT = 800, 430
APART = 17  # minimum distance between two labels
SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 300, 1000)
COUNTS = (1, 10, 100, 1000, 10_000)


def _inks(scheme: int) -> str:
    """Returns the CSS rules of the colours; scheme 0 is light, 1 is dark."""
    return "\n".join(
        f".{name} .line {{ stroke: {inks[scheme]} }} .{name} .dot, .{name} text {{ fill: {inks[scheme]} }}"
        for name, inks in INKS.items()
    )


STYLE = f"""
text {{ font: 13px system-ui, "DejaVu Sans", sans-serif; fill: #333 }}
.title {{ font-size: 15px; font-weight: 600 }}
.back {{ fill: #fff }} .grid {{ stroke: #e4e4e4 }} .axis {{ stroke: #888 }}
.line {{ stroke-width: 2; fill: none; stroke-linejoin: round }} .lead {{ stroke-width: 1; opacity: .5 }}
{_inks(0)}
@media (prefers-color-scheme: dark) {{
text {{ fill: #d6dae0 }} .back {{ fill: #0d1117 }} .grid {{ stroke: #262c36 }} .axis {{ stroke: #7d8590 }}
{_inks(1)}
}}
"""


class Line(NamedTuple):
    """The line of one network."""

    name: str
    points: list[tuple[int, int]]
    """Sizes, and how many situations were known after the inputs of up to this size."""
    small_size: int

    @property
    def last(self) -> int:
        """The size with the last new situation."""
        return next(nodes for nodes, count in self.points if count == self.points[-1][1])


def line(name: str, report: dict[str, Any]) -> Line:
    """Returns the line of a report."""
    small = report["small_size"]
    parts = [part for part in report["growth"] if part["every"] or part["nodes"] > small]
    return Line(name, [(part["nodes"], part["situations"]) for part in parts], small)


def x(nodes: float) -> float:
    """The place of a size."""
    return round(LEFT + (RIGHT - LEFT) * math.log(nodes) / math.log(SIZES[-1]), 1)


def y(count: float) -> float:
    """The place of a number of situations."""
    return round(BOTTOM - (BOTTOM - TOP) * math.log(count) / math.log(COUNTS[-1]), 1)


def picture(lines: Sequence[Line]) -> bytes:
    """Returns the picture: a dot at the last size of which all inputs were tried, and one where the last situation came."""
    title = "Situations that are known after the inputs of each size"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img"',
        f'width="{WIDTH}" height="{HEIGHT}">',
        f"<title>{title}</title>",
        f"<style>{STYLE}</style>",
        f'<rect class="back" width="{WIDTH}" height="{HEIGHT}"/>',
        f'<text class="title" x="16" y="24">{title}</text>',
    ]
    for count in COUNTS:
        parts.append(f'<path class="grid" d="M{LEFT} {y(count)}H{RIGHT}"/>')
        words = f"{count:,}".replace(",", " ")
        parts.append(f'<text x="{LEFT - 8}" y="{y(count) + 4.5}" text-anchor="end">{words}</text>')
    for nodes in SIZES:
        parts.append(f'<path class="axis" d="M{x(nodes)} {BOTTOM}v5"/>')
        parts.append(f'<text x="{x(nodes)}" y="{BOTTOM + 21}" text-anchor="middle">{nodes}</text>')
    words = "nodes; open dot: up to here all inputs, then random ones; full dot: the last new situation"
    parts.append(f'<text x="{(LEFT + RIGHT) / 2:g}" y="{BOTTOM + 44}" text-anchor="middle">{words}</text>')
    lowest = -math.inf
    for each in sorted(lines, key=lambda each: -each.points[-1][1]):
        known = dict(each.points)
        points = " ".join(f"{x(nodes)},{y(count)}" for nodes, count in each.points)
        small, last = each.small_size, each.last
        end = x(each.points[-1][0]), y(each.points[-1][1])
        lowest = max(end[1], lowest + APART)
        label = f"{each.name}, {each.points[-1][1]:,}".replace(",", " ").replace("  ", ", ")
        parts += [
            f'<g class="{each.name}"><polyline class="line" points="{points}"/>',
            f'<path class="line lead" d="M{end[0] + 4} {end[1]}L{RIGHT + 18} {lowest:g}"/>',
            f'<circle class="line back" cx="{x(small)}" cy="{y(known[small])}" r="3.4"/>',
            f'<circle class="dot" cx="{x(last)}" cy="{y(known[last])}" r="3.4"/>',
            f'<text x="{RIGHT + 22}" y="{lowest + 4.5:g}">{escape(label)}</text></g>',
        ]
    return "\n".join([*parts, "</svg>", ""]).encode()


if __name__ == "__main__":
    results = ROOT / "results" / "verify"
    lines = [line(name, json.loads((results / f"{name}.json").read_text())) for name in INKS]
    write_atomically(Path(__file__).with_name("growth.svg"), picture(lines))
