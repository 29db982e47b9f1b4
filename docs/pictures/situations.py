"""Draws docs/pictures/situations.svg, how the situation of a node is made: python docs/pictures/situations.py"""

from html import escape
from pathlib import Path

STYLE = """
text{font:14px sans-serif;fill:#1f2328}
.small{font-size:12px;fill:#57606a}
.bits{font:13px monospace}
.strong{font-weight:bold}
.card{fill:#ffffff;stroke:#8c959f}
.box{fill:#eef4fb;stroke:#0072b2}
.heard{fill:#fdf1e7;stroke:#d55e00}
.whole{fill:#e8f5ef;stroke:#009e73;stroke-width:2}
.line{fill:none;stroke:#57606a;stroke-width:1.5}
.edge{fill:none;stroke:#d55e00;stroke-width:1.5}
.white{fill:#ffffff;stroke:#1f2328;stroke-width:1.5}
.grey{fill:#b1b8c0;stroke:#1f2328;stroke-width:1.5}
"""  # the card is white in dark pages too, so all colours stand on white


def arrow(kind: str, x1: float, y1: float, x2: float, y2: float) -> str:
    """A line with a head, horizontal or not."""
    length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
    dx, dy = (x2 - x1) / length, (y2 - y1) / length
    left = f"{x2 - 9 * dx - 5 * dy:.1f} {y2 - 9 * dy + 5 * dx:.1f}"
    right = f"{x2 - 9 * dx + 5 * dy:.1f} {y2 - 9 * dy - 5 * dx:.1f}"
    return f'<path class="{kind}" d="M{x1} {y1}L{x2} {y2}M{left}L{x2} {y2}L{right}"/>'


def box(kind: str, x: float, y: float, width: float, height: float, *lines: tuple[str, str]) -> str:
    """A box with lines of text in its middle."""
    drawn = [f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="{height}" rx="6"/>']
    first = y + height / 2 - 9 * (len(lines) - 1) + 5
    drawn += [text(style, x + width / 2, first + 18 * place, words) for place, (style, words) in enumerate(lines)]
    return "".join(drawn)


def text(style: str, x: float, y: float, words: str, anchor: str = "middle") -> str:
    """One line of text."""
    return f'<text class="{style}" x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(words)}</text>'


def node(kind: str, x: float, y: float, name: str) -> str:
    """A node of a graph."""
    return f'<circle class="{kind}" cx="{x}" cy="{y}" r="17"/>' + text("strong", x, y + 5, name)


def picture() -> str:
    """The whole picture."""
    parts = [
        '<rect class="card" x="0.5" y="0.5" width="859" height="369" rx="8"/>',
        text("strong", 24, 32, "One row, seen by the node c", "start"),
        arrow("edge", 76, 131, 123, 178),
        arrow("edge", 188, 131, 149, 176),
        arrow("line", 82, 118, 180, 118),
        node("grey", 64, 118, "a"),
        node("white", 200, 118, "b"),
        node("white", 136, 192, "c"),
        text("small", 64, 90, "u names a"),
        text("bits", 66, 166, "0110"),
        text("bits", 204, 166, "0010"),
        text("small", 24, 250, "What a and b say to c are 4 bits each.", "start"),
        text("small", 24, 270, "c hears their bitwise or, 0110, however", "start"),
        text("small", 24, 290, "many neighbours there are.", "start"),
        box("box", 330, 60, 220, 64, ("strong", "type of c"), ("small", "white, not u, not in the top frame")),
        box("box", 600, 60, 220, 64, ("strong", "graph's values"), ("small", "the op of the row")),
        box("heard", 330, 158, 220, 64, ("strong", "heard in round 1"), ("bits", "0110 0000 1110 0100")),
        box("heard", 600, 158, 220, 64, ("strong", "heard in round 2"), ("bits", "0001 0000 1001 0001")),
        text("small", 440, 240, "in, out, all, before"),
        text("small", 710, 240, "in, out, all, before"),
        box(
            "whole",
            330,
            276,
            490,
            64,
            ("strong", "situation of c: a number"),
            ("small", "all four together; there are finitely many"),
        ),
        arrow("line", 440, 124, 440, 156),
        text("strong", 575, 97, "+"),
        arrow("line", 550, 190, 598, 190),
        arrow("line", 710, 248, 710, 274),
    ]
    title = "The situation of a node: its type, the graph's values, and what it hears in each round"
    head = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 370" width="860" height="370" role="img">'
    return f"{head}<title>{escape(title)}</title><style>{STYLE}</style>{''.join(parts)}</svg>\n"


if __name__ == "__main__":
    (Path(__file__).parent / "situations.svg").write_text(picture(), "utf-8")
