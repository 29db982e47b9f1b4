"""A trace as a picture that moves: an SVG whose parts appear and disappear by CSS, row by row.

It needs no script, so it moves wherever SVG is shown as an image. Whoever asks for less motion sees the answer.
"""

import base64
from collections.abc import Sequence
from html import escape
from itertools import groupby
from pathlib import Path

from recursor.system.files import write_atomically
from recursor.trace.scene import WIDE, Room, Scene, is_drawable
from recursor.trace.shapes import Box, Line, Part, Words, short
from recursor.trace.trace import Trace

SECONDS = 0.8  # a row takes, or less
LONGEST = 60.0  # seconds that all rows take
HOLD = 5.0  # seconds for which the answer is held
MOST_STILL_EDGES = 500
FADE = 0.22  # of a row's time in which things come and go

LIGHT = {
    "paper": "#f6f5f1",
    "panel": "#ffffff",
    "ink": "#1b2430",
    "soft": "#5b6675",
    "line": "#dcdad2",
    "edge": "#a3abb7",
    "open": "#f2b233",
    "open-soft": "#fdf0d0",
    "done": "#0068a5",
    "violet": "#7a3db8",
    "green": "#00795a",
    "pink": "#a84a86",
    "sky": "#56b4e9",
    "yellow": "#f0e442",
    "rust": "#b34a00",
    "red": "#c8102e",
    "amber": "#855300",
}
"""The colours, as those of the pages."""
DARK = {
    "paper": "#10151c",
    "panel": "#18202a",
    "ink": "#e8edf3",
    "soft": "#9aa7b6",
    "line": "#2b3644",
    "edge": "#56687e",
    "open": "#f2b233",
    "open-soft": "#463716",
    "done": "#4aa8e0",
    "violet": "#c39bf0",
    "green": "#35c79c",
    "pink": "#e79ac8",
    "sky": "#56b4e9",
    "yellow": "#f0e442",
    "rust": "#ff9d4d",
    "red": "#ff7582",
    "amber": "#f2b233",
}
DARK_INK = "#1b2430"  # on light nodes, in both
STATES = ("panel", "open", "done", "green", "pink", "sky", "yellow", "soft")

# look → fill, stroke, width of the stroke; words have a fill only
LOOKS: dict[str, tuple[str, str, float]] = {
    **{f"state{k}": (colour, "soft" if k == 0 else "ink", 1.6) for k, colour in enumerate(STATES)},
    **{f"bar-state{k}": ("edge" if k == 0 else colour, "soft", 1) for k, colour in enumerate(STATES)},
    "panel": ("panel", "line", 1),
    "frame": ("open-soft", "open", 1.6),
    "running": ("panel", "violet", 2.4),
    "push": ("open", "open", 1),
    "pop": ("done", "done", 1),
    "noop": ("panel", "soft", 1.2),
    "hit": ("rust", "ink", 1.6),
    "verdict-right": ("green", "green", 1),
    "verdict-near": ("amber", "amber", 1),
    "verdict-wrong": ("red", "red", 1),
    "ring": ("none", "violet", 3.5),
    "edge": ("none", "edge", 1.6),
    "edge-many": ("none", "edge", 0.6),
    "branch": ("none", "ink", 3.5),
    "answer-edge": ("none", "rust", 4),
    "answer-key": ("rust", "rust", 1),
    "ground": ("none", "soft", 1),
    "depth": ("open-line", "none", 0),
    "now": ("violet-line", "none", 0),
    "badge": ("ink", "none", 0),
}
INKS = {"ink": "ink", "soft": "soft", "violet": "violet", "paper-ink": "panel", "dark": "dark"}


def moving_svg(trace: Trace, title: str, room: Room = WIDE) -> str:
    """Returns the moving picture of a trace."""
    scene = Scene(trace, title, room)
    seconds = min(SECONDS, LONGEST / scene.rows)
    hold = HOLD / seconds  # in rows
    when: dict[Part, list[int]] = {}
    order: dict[Part, tuple[int, int]] = {}
    for moment in range(scene.rows + 1):
        for place, part in enumerate(scene.moment(moment)):
            when.setdefault(part, []).append(moment)
            order[part] = max(order.get(part, (0, 0)), (_layer(part), place))
    names: dict[tuple[tuple[int, int], ...], str] = {}
    drawn = []
    for part in sorted(when, key=order.__getitem__):
        spans = _spans(when[part])
        if spans == ((0, scene.rows + 1),):
            drawn.append(f"<g>{_draw(part)}</g>")
        else:
            name = names.setdefault(spans, f"f{len(names)}")
            gone = "" if scene.still in when[part] else " gone"
            drawn.append(f'<g class="moving{gone} {name}">{_draw(part)}</g>')
    rules = "".join(_rule(name, spans, scene.rows, hold) for spans, name in names.items())
    total = (scene.rows + hold) * seconds
    moving = f".moving {{ animation: {total:g}s linear infinite; }}\n{rules}"
    motion = f"@media (prefers-reduced-motion: no-preference) {{\n{moving}}}\n"
    return _document(title, motion, drawn, room)


def still(trace: Trace, title: str) -> str:
    """Returns a small picture of the answer that does not move; of a large graph, only its words."""
    if not is_drawable(trace) or len(trace.graph.senders) > MOST_STILL_EDGES:
        words = (Words(28, 40, short(title, 66), size=19, bold=True), Words(28, 76, short(trace.picture.sentence, 88)))
        return _document(title, "", [_draw(words)])
    scene = Scene(trace, title)
    return _document(title, "", [_draw(part) for part in scene.moment(scene.still)])


def write_svg(path: Path | str, trace: Trace, title: str, room: Room = WIDE) -> None:
    """Writes the moving picture of a trace."""
    write_atomically(Path(path), moving_svg(trace, title, room).encode("utf-8", "replace"))


def as_address(svg: str) -> str:
    """Returns a picture as an address that holds all of it."""
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode("utf-8", "replace")).decode()


def _document(title: str, motion: str, drawn: Sequence[str], room: Room = WIDE) -> str:
    width, height = room.width, room.height
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-labelledby="title">\n<title id="title">{escape(_printable(title))}</title>\n'
        f"<style>{_style()}\n{motion}</style>\n"
        f'<rect class="back" x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="14"/>\n'
        + "\n".join(drawn)
        + "\n</svg>\n"
    )


def _style() -> str:
    def colours(table: dict[str, str]) -> str:
        return " ".join(f"--{name}: {value};" for name, value in table.items())

    def paint(name: str) -> str:
        base, line, _ = name.partition("-line")
        return "none" if name == "none" else DARK_INK if name == "dark" else f"var(--{base if line else name})"

    lines = [f"svg {{ {colours(LIGHT)} font-family: system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif; }}"]
    lines.append(f"@media (prefers-color-scheme: dark) {{ svg {{ {colours(DARK)} }} }}")
    lines.append(".back { fill: var(--paper); stroke: var(--line); } .gone { opacity: 0; }")
    for look, (fill, stroke, width) in LOOKS.items():
        faint = " opacity: .5;" if fill.endswith("-line") else ""
        lines.append(f".{look} {{ fill: {paint(fill)}; stroke: {paint(stroke)}; stroke-width: {width:g};{faint} }}")
    lines += [f".t-{look} {{ fill: {paint(colour)}; }}" for look, colour in INKS.items()]
    lines.append("path { stroke-linecap: round; stroke-linejoin: round; } .bold { font-weight: 700; }")
    lines.append(".middle { text-anchor: middle; } .end { text-anchor: end; }")
    return "\n".join(lines)


def _layer(part: Part) -> int:
    """Lines are behind boxes, and rings in front of all."""
    first = part[0] if part else None
    if isinstance(first, Line):
        return 1 if first.look in ("edge", "edge-many", "ground") else 2
    return 4 if isinstance(first, Box) and first.look in ("ring", "badge") else 0 if _is_back(first) else 3


def _is_back(shape: Box | Line | Words | None) -> bool:
    return isinstance(shape, Box) and shape.look in ("panel", "now")


def _draw(part: Part) -> str:
    """Returns a part as SVG. Lines of one look that follow each other are one path."""
    pieces = []
    for look, shapes in groupby(part, key=lambda shape: shape.look if isinstance(shape, Line) else ""):
        if look:
            ways = ("L".join(f"{x:g} {y:g}" for x, y in line.points) for line in shapes if isinstance(line, Line))
            pieces.append(f'<path class="{look}" d="M{"M".join(ways)}"/>')
        else:
            pieces += [_shape(shape) for shape in shapes if not isinstance(shape, Line)]
    return "".join(pieces)


def _shape(shape: Box | Words) -> str:
    match shape:
        case Box():
            return (
                f'<rect class="{shape.look}" x="{shape.x:g}" y="{shape.y:g}" width="{shape.width:g}" '
                f'height="{shape.height:g}" rx="{shape.radius:g}"/>'
            )
        case Words():
            look = " ".join(
                filter(None, (f"t-{shape.look}", shape.anchor if shape.anchor != "start" else "", "bold" * shape.bold))
            )
            return (
                f'<text class="{look}" x="{shape.x:g}" y="{shape.y:g}" font-size="{shape.size:g}">'
                f"{escape(_printable(shape.text))}</text>"
            )


def _printable(text: str) -> str:
    """Without characters that XML forbids."""
    return "".join(c if c.isprintable() else "�" for c in text)


def _spans(moments: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Returns from when to when something is there."""
    there = set(moments)
    starts = [m for m in moments if m - 1 not in there]
    ends = [m + 1 for m in moments if m + 1 not in there]
    return tuple(zip(starts, ends, strict=True))


def _rule(name: str, spans: tuple[tuple[int, int], ...], rows: int, hold: float) -> str:
    """Returns the CSS by which something comes and goes."""

    def moment(row: float) -> str:
        return f"{100 * row / (rows + hold):.2f}".rstrip("0").rstrip(".") + "%"

    out, there, steps = "opacity:0", "opacity:1", []
    steps.append(f"0%{{{there if spans[0][0] == 0 else out}}}")
    for start, end in spans:
        if start > 0:
            steps.append(f"{moment(start)}{{{out}}}{moment(start + FADE)}{{{there}}}")
        if end <= rows:
            steps.append(f"{moment(end)}{{{there}}}{moment(end + FADE)}{{{out}}}")
    steps.append(f"100%{{{there if spans[-1][1] > rows else out}}}")
    return f".{name}{{animation-name:{name}}}@keyframes {name}{{{''.join(steps)}}}\n"
