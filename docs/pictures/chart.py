"""Draws docs/pictures/chart.svg, the chart over well-nested sequences of stack operations: python docs/pictures/chart.py"""

from html import escape
from pathlib import Path

STYLE = """
text{font:14px sans-serif;fill:#1f2328}
.small{font-size:12px;fill:#57606a}
.strong{font-weight:bold}
.card{fill:#ffffff;stroke:#8c959f}
.row{fill:#eef4fb;stroke:#0072b2}
.span{fill:none;stroke:#57606a;stroke-width:2}
.call{fill:#fdf1e7;stroke:#d55e00;stroke-width:1.5}
.level{fill:#e8f5ef;stroke:#009e73;stroke-width:1.5}
.line{fill:none;stroke:#57606a;stroke-width:1.5}
.push{fill:none;stroke:#d55e00;stroke-width:2}
.pop{fill:none;stroke:#0072b2;stroke-width:2}
"""  # the card is white in dark pages too, so all colours stand on white
LEFT, STEP = 60, 84  # of the first row, and from row to row


def text(style: str, x: float, y: float, words: str, anchor: str = "middle") -> str:
    """One line of text."""
    return f'<text class="{style}" x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(words)}</text>'


def arrow(kind: str, x1: float, y1: float, x2: float, y2: float) -> str:
    """A line with a head."""
    length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
    dx, dy = (x2 - x1) / length, (y2 - y1) / length
    left = f"{x2 - 9 * dx - 5 * dy:.1f} {y2 - 9 * dy + 5 * dx:.1f}"
    right = f"{x2 - 9 * dx + 5 * dy:.1f} {y2 - 9 * dy - 5 * dx:.1f}"
    return f'<path class="{kind}" d="M{x1:g} {y1:g}L{x2:g} {y2:g}M{left}L{x2:g} {y2:g}L{right}"/>'


def bar(kind: str, first: float, last: float, y: float, words: str) -> str:
    """A span of rows at one level."""
    x, width = LEFT + STEP * first - 26, STEP * (last - first) + 52
    return f'<rect class="{kind}" x="{x:g}" y="{y}" width="{width:g}" height="40" rx="6"/>' + text(
        "", x + width / 2, y + 25, words
    )


def picture() -> str:
    """The whole picture: a span of rows 0 to 8 at the level of m, which ends with a call from row p to the pop in row l."""
    names = ["m", "m+1", "…", "p−1", "p", "…", "l−1", "l"]
    parts = [
        '<rect class="card" x="0.5" y="0.5" width="719" height="389" rx="8"/>',
        text("strong", 24, 32, "From row m to row l with the frame of row m on top: two ways", "start"),
        text("", 24, 70, "1. Row l does nothing to the stack: noop.", "start"),
        bar("level", 0, 6, 84, "A(m, l−1): all ways to row l−1"),
        arrow("line", LEFT + STEP * 6 + 28, 104, LEFT + STEP * 7 - 28, 104),
        bar("level", 7, 7, 84, "l"),
        text("small", LEFT + STEP * 6.5, 138, "noop"),
        text("", 24, 176, "2. Row l pops what row p pushed, for some row p in between.", "start"),
        bar("call", 4, 6, 190, "A(p, l−1): the call"),
        bar("level", 0, 3, 260, "A(m, p−1): all ways to row p−1"),
        bar("level", 7, 7, 260, "l"),
        arrow("push", LEFT + STEP * 3 + 20, 258, LEFT + STEP * 4 - 24, 232),
        arrow("pop", LEFT + STEP * 6 + 24, 232, LEFT + STEP * 7 - 18, 258),
        text("small", LEFT + STEP * 3.5 - 26, 240, "push"),
        text("small", LEFT + STEP * 6.5 + 24, 240, "pop"),
        text("small", LEFT + STEP * 5, 284, "the frame of row p is on top"),
    ]
    for place, name in enumerate(names):
        x = LEFT + STEP * place
        parts.append(f'<rect class="row" x="{x - 26}" y="322" width="52" height="30" rx="4"/>' + text("", x, 342, name))
    parts.append(text("small", 24, 374, "rows of the recording", "start"))
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 390" width="720" height="390" role="img" '
        'aria-label="The two ways in which a span of rows at one level of the stack ends">'
        f"<style>{STYLE}</style>{''.join(parts)}</svg>\n"
    )


if __name__ == "__main__":
    (Path(__file__).parent / "chart.svg").write_text(picture())
