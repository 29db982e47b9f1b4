"""What report pages are made of: headings, figures in tables and tiles, and the page around them. They have no script."""

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path

from recursor.trace.page import COLOURS, fill, inline_hash

HERE = Path(__file__).parent


def document(title: str, subtitle: str, sections: Iterable[str]) -> bytes:
    """A page that holds all it needs and asks nobody for anything."""
    style = f"{COLOURS.read_text('utf-8')}\n{(HERE / 'report.css').read_text('utf-8')}"
    policy = "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'"
    text = fill(
        (HERE / "report.html").read_text("utf-8"),
        {
            "policy": f"{policy}; style-src '{inline_hash(style)}'",
            "title": escape(title),
            "subtitle": escape(subtitle),
            "style": style,
            "body": "\n".join(sections),
        },
    )
    return text.encode("utf-8", "replace")


def section(heading: str, *parts: str) -> str:
    """A part of the page; what it is made of is HTML."""
    return f"<section><h2>{escape(heading)}</h2>{''.join(parts)}</section>"


def said(text: str) -> str:
    """A paragraph; what stands between backticks is a command."""
    marked = re.sub(r"`([^`]*)`", r"<code>\1</code>", escape(text))
    return f"<p>{marked}</p>"


def tiles(figures: Mapping[str, str]) -> str:
    """The figures that matter most."""
    shown = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in figures.items())
    return f'<dl class="tiles">{shown}</dl>'


def values(named: Mapping[str, str]) -> str:
    """Names and what they are."""
    shown = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in named.items())
    return f'<dl class="named">{shown}</dl>'


def charts(drawn: Iterable[str], shape: str = "wide") -> str:
    """Charts beside each other, as many as there is room for."""
    return f'<div class="charts {shape}">{"".join(drawn)}</div>'


def table(caption: str, headings: Sequence[str], rows: Iterable[Sequence[str]], words: int = 0) -> str:
    """A table that scrolls by itself where it is too wide. The first column names the row; `words` more are text."""
    text = [False, *[True] * words, *[False] * len(headings)]
    head = "".join(
        f'<th scope="col"{" class=words" * wordy}>{escape(heading)}</th>'
        for heading, wordy in zip(headings, text, strict=False)
    )
    lines = []
    for first, *others in rows:
        cells = "".join(
            f"<td{' class=words' if place < words else ''}>{escape(value)}</td>" for place, value in enumerate(others)
        )
        lines.append(f'<tr><th scope="row">{escape(first)}</th>{cells}</tr>')
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{escape(caption)}"><table>'
        f"<caption>{escape(caption)}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table></div>"
    )


def folded(summary: str, *parts: str) -> str:
    """What is shown when it is asked for."""
    return f"<details><summary>{escape(summary)}</summary>{''.join(parts)}</details>"
