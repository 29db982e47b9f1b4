"""A network executing depth-first search, as a moving picture: the graph, and beside it the call stack.

It is an SVG whose parts appear and disappear by CSS, row by row, so it moves wherever SVG is shown as an image, and needs no
script. Whoever asks for less motion sees one row, the deepest.
"""

from collections.abc import Iterable, Sequence
from html import escape

import numpy as np

from recursor.spec import OPS
from recursor.trace.layout import WIDE, layout
from recursor.trace.trace import Trace

SECONDS = 0.8  # a row takes
HOLD = 5  # rows for which the end is held
FADE = 0.22  # of a row's time in which things come and go;
SWITCH = 0.02  # and words, two of which in one place cannot be read
WIDTH, HEIGHT = 900, 500
GRAPH = (28, 104, 500, 268)  # left, top, width, height
PILL = (92, 34)
STACK = (592, 120, 280, 252)
BARS = (28, 418, 844, 54)
LEGEND = 360
SIGNS = {"push": "↑ push", "noop": "· noop", "pop": "↓ pop"}
STYLE = """
svg { --paper: #f6f5f1; --panel: #fff; --ink: #1b2430; --soft: #5b6675; --line: #dcdad2; --edge: #b9bec6; --open: #f2b233;
  --open-soft: #fdf0d0; --done: #0068a5; --violet: #7a3db8;
  font: 16px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; }
@media (prefers-color-scheme: dark) { svg { --paper: #10151c; --panel: #18202a; --ink: #e8edf3; --soft: #9aa7b6;
  --line: #2b3644; --edge: #46566a; --open-soft: #463716; --done: #4aa8e0; --violet: #c39bf0; } }
text { fill: var(--ink); } .soft { fill: var(--soft); } .middle { text-anchor: middle; } .end { text-anchor: end; }
.small { font-size: 14px; } .head { font-size: 19px; font-weight: 600; } .bold { font-weight: 700; }
.code { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-weight: 600; }
.paper { fill: var(--paper); stroke: var(--line); } .panel { fill: var(--panel); stroke: var(--line); }
.edge { stroke: var(--edge); stroke-width: 2; stroke-dasharray: 5 5; } .branch { stroke: var(--ink); stroke-width: 4; }
.white { fill: var(--panel); stroke: var(--soft); stroke-width: 1.6; }
.grey { fill: var(--open); stroke: #1b2430; stroke-width: 1.6; } .black { fill: var(--done); stroke: var(--done); }
.on { fill: #1b2430; } .off { fill: var(--panel); }
.ring { fill: none; stroke: var(--violet); stroke-width: 3.5; }
.frame { fill: var(--open-soft); stroke: var(--open); stroke-width: 1.6; }
.push { fill: var(--open); } .pop { fill: var(--done); } .noop { fill: var(--panel); stroke: var(--soft); }
.bar { fill: var(--open); opacity: .55; } .now { fill: var(--violet); opacity: .3; } .ground { stroke: var(--soft); }
.gone { opacity: 0; }
"""


def picture(trace: Trace, title: str) -> str:
    """The moving picture of a trace."""
    return _Picture(trace).draw(title)


class _Picture:
    def __init__(self, trace: Trace) -> None:
        self.trace, self.rows = trace, len(trace)
        depths = [len(stack) for stack in trace.stack]
        self.still = max(range(self.rows), key=lambda row: (depths[row], row))
        self.deepest = max(1, *depths)
        self.frames: dict[tuple[tuple[tuple[int, int], ...], bool, float], str] = {}
        self.rules: list[str] = []
        left, top, width, height = GRAPH
        shares = layout(trace.graph) / (WIDE, 1)
        self.places = np.round((left, top) + np.array(PILL) / 2 + shares * (np.array((width, height)) - PILL)).astype(int)

    def draw(self, title: str) -> str:
        parts = [*self.header(title), *self.graph(), *self.stack(), *self.bars()]
        total = (self.rows + HOLD) * SECONDS
        moving = "".join(self.rules)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
            f'role="img" aria-labelledby="title">\n<title id="title">{escape(title)}: its graph and its call stack, row by '
            f"row</title>\n<style>{STYLE}\n@media (prefers-reduced-motion: no-preference) {{\n"
            f".moving {{ animation: {total:g}s linear infinite; }}\n{moving}}}\n</style>\n"
            f'<rect class="paper" x=".5" y=".5" width="{WIDTH - 1}" height="{HEIGHT - 1}" rx="14"/>\n'
            + "\n".join(parts)
            + "\n</svg>\n"
        )

    def moment(self, row: float) -> str:
        """When a row begins, as a share of the whole."""
        return f"{100 * row / (self.rows + HOLD):.2f}".rstrip("0").rstrip(".") + "%"

    def shown(self, when: Iterable[int], inside: str, *, slide: bool = False, fade: float = FADE) -> str:
        """Something that is there in some rows only."""
        there = sorted(when)
        if not there:
            return ""
        starts = [row for row in there if row - 1 not in there]
        ends = [row + 1 for row in there if row + 1 not in there]
        spans = tuple(zip(starts, ends, strict=True))
        gone = "" if self.still in there else " gone"
        if spans == ((0, self.rows),):
            return f"<g>{inside}</g>"
        return f'<g class="moving{gone} {self.fading(spans, slide, fade)}">{inside}</g>'

    def fading(self, spans: tuple[tuple[int, int], ...], slide: bool, fade: float) -> str:
        key = (spans, slide, fade)
        if key not in self.frames:
            self.frames[key] = f"f{len(self.frames)}"
            out, there = "opacity:0", "opacity:1"
            if slide:
                out, there = f"{out};transform:translateY(-14px)", f"{there};transform:none"
            steps = []
            if spans[0][0] > 0:
                steps.append(f"0%{{{out}}}")
            for start, end in spans:
                if start > 0:
                    steps.append(f"{self.moment(start)}{{{out}}}{self.moment(start + fade)}{{{there}}}")
                else:
                    steps.append(f"0%{{{there}}}")
                if end < self.rows:
                    steps.append(f"{self.moment(end)}{{{there}}}{self.moment(end + fade)}{{{out}}}")
                else:
                    steps.append(f"100%{{{there}}}")
            if spans[-1][1] < self.rows:
                steps.append(f"100%{{{out}}}")
            self.rule(self.frames[key], "".join(steps))
        return self.frames[key]

    def rule(self, name: str, steps: str) -> None:
        self.rules.append(f".{name}{{animation-name:{name}}}@keyframes {name}{{{steps}}}\n")

    def travelling(self, name: str, places: Sequence[tuple[float, float]], inside: str) -> str:
        """Something that is in another place in every row."""
        steps = [f"0%{{transform:translate({places[0][0]:g}px,{places[0][1]:g}px)}}"]
        for row in range(1, self.rows):
            if places[row] != places[row - 1]:
                for when, (x, y) in ((row, places[row - 1]), (row + FADE, places[row])):
                    steps.append(f"{self.moment(when)}{{transform:translate({x:g}px,{y:g}px)}}")
        steps.append(f"100%{{transform:translate({places[-1][0]:g}px,{places[-1][1]:g}px)}}")
        self.rule(name, "".join(steps))
        x, y = places[self.still]
        return f'<g class="moving {name}" transform="translate({x:g} {y:g})">{inside}</g>'

    def header(self, title: str) -> list[str]:
        parts = [
            f'<text class="head" x="28" y="40">{escape(title)}</text>',
            f'<text class="soft end" x="{WIDTH - 96}" y="40">row</text>',
        ]
        for row in range(self.rows):
            op = OPS[int(self.trace.ops[row])]
            ink = {"push": "on", "pop": "off", "noop": ""}[op]
            done = ", and the network says that it is done" if row == self.rows - 1 and self.trace.halted else ""
            parts.append(
                self.shown(
                    [row],
                    f'<rect class="{op}" x="28" y="56" width="84" height="28" rx="7"/>'
                    f'<text class="bold middle small {ink}" x="70" y="75">{SIGNS[op]}</text>'
                    f'<text x="124" y="76">{escape(self.trace.happening(row) + done)}</text>'
                    f'<text class="bold end" x="{WIDTH - 62}" y="40">{row}</text>',
                    fade=SWITCH,
                )
            )
        parts.append(f'<text class="soft" x="{WIDTH - 56}" y="40">/ {self.rows - 1}</text>')
        return parts

    def graph(self) -> list[str]:
        graph, rows = self.trace.graph, self.trace.rows
        edges = {tuple(sorted(edge)) for edge in zip(graph.senders.tolist(), graph.receivers.tolist(), strict=True)}
        parts = [self.segment("edge", a, b) for a, b in sorted(edges) if a != b]
        for branch, when in sorted(self.branches().items()):
            parts.append(self.shown(when, self.segment("branch", *branch)))
        for node, name in enumerate(graph.names):
            parts.append(self.node(node, "white", "", str(name)))
            for state, kind, ink in ((1, "grey", "on"), (2, "black", "off")):
                when = [row for row in range(self.rows) if rows["color"][row][node] == state]
                parts.append(self.shown(when, self.node(node, kind, ink, str(name))))
        width, height = PILL[0] + 12, PILL[1] + 12
        box = f'x="{-width / 2:g}" y="{-height / 2:g}" width="{width}" height="{height}" rx="{height / 2:g}"'
        ring = f'<rect class="ring" {box}/>'
        parts.append(self.travelling("ring-", [tuple(self.places[u].tolist()) for u in rows["u"]], ring))
        return parts

    def branches(self) -> dict[tuple[int, int], list[int]]:
        """In which rows each edge is one of the tree that has been collected so far."""
        found: dict[int, int] = {}
        branches: dict[tuple[int, int], list[int]] = {}
        for row in range(self.rows):
            found[int(self.trace.rows["u"][row])] = int(self.trace.rows["u_pi"][row])
            for node, parent in found.items():
                if node != parent:
                    branches.setdefault((parent, node), []).append(row)
        return branches

    def segment(self, kind: str, a: int, b: int) -> str:
        (ax, ay), (bx, by) = self.places[a], self.places[b]
        return f'<path class="{kind}" d="M{ax} {ay}L{bx} {by}"/>'

    def node(self, node: int, kind: str, ink: str, name: str) -> str:
        (x, y), (width, height) = self.places[node], PILL
        box = f'x="{x - width // 2}" y="{y - height // 2}" width="{width}" height="{height}" rx="{height // 2}"'
        done = "✓ " if kind == "black" else ""
        return (
            f'<rect class="{kind}" {box}/><text class="middle small {ink}" x="{x}" y="{y + 5}">{done}{escape(name)}</text>'
        )

    def stack(self) -> list[str]:
        left, top, width, height = STACK
        parts = [
            f'<rect class="panel" x="{left - 12}" y="{top - 16}" width="{width + 12}" height="{height + 30}" rx="12"/>',
            f'<text class="small soft" x="{left}" y="{top + 6}">call stack of the network</text>',
        ]
        each = min(32, (height - 24) // self.deepest)
        alive: dict[tuple[int, int], list[int]] = {}  # the row that pushed a frame, and how deep it is
        for row, stack in enumerate(self.trace.stack):
            for depth, pushed in enumerate(stack):
                alive.setdefault((pushed, depth), []).append(row)
        for (pushed, depth), when in alive.items():
            y = top + height - each * (depth + 1) + 2
            box = f'<rect class="frame" x="{left}" y="{y}" width="{width - 12}" height="{each - 5}" rx="7"/>'
            words = (
                f'<text class="code small" x="{left + 12}" y="{y + each // 2 + 3}">{escape(self.trace.call(pushed))}</text>'
            )
            note = f'<text class="soft end small" x="{left + width - 24}" y="{y + each // 2 + 3}">row {pushed}</text>'
            parts.append(self.shown(when, box + words + note, slide=True))
        return parts

    def bars(self) -> list[str]:
        """How deep the stack is in every row; and, above, what the nodes look like."""
        left, top, width, height = BARS
        each = width / self.rows
        parts = [f'<text class="small soft" x="{left}" y="{top - 8}">depth of the stack</text>']
        for row, stack in enumerate(self.trace.stack):
            tall = round(height * len(stack) / self.deepest)
            if tall:
                box = f'x="{left + row * each + 1:.1f}" y="{top + height - tall}" width="{each - 2:.1f}" height="{tall}"'
                parts.append(f'<rect class="bar" {box} rx="2"/>')
        parts.append(f'<path class="ground" d="M{left} {top + height + 0.5}h{width}"/>')
        legend = (("white", "not seen", 0), ("grey", "being visited", 104), ("black", "✓ finished", 240))
        for kind, words, x in legend:
            parts.append(f'<rect class="{kind}" x="{LEGEND + x}" y="{top - 20}" width="22" height="14" rx="7"/>')
            parts.append(f'<text class="small soft" x="{LEGEND + x + 28}" y="{top - 8}">{words}</text>')
        parts.append(f'<rect class="ring" x="{LEGEND + 360}" y="{top - 21}" width="24" height="16" rx="8"/>')
        parts.append(f'<text class="small soft" x="{LEGEND + 392}" y="{top - 8}">current node</text>')
        now = f'<rect class="now" y="{top}" width="{each:.1f}" height="{height}" rx="3"/>'
        parts.append(self.travelling("now-", [(round(left + row * each, 1), 0.0) for row in range(self.rows)], now))
        return parts
