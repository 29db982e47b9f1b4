"""HTML parts of report pages: sections, paragraphs, tiles, tables, and the page around them. There are no scripts."""

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path

from recursor.trace.page import COLOURS, fill, inline_hash

HERE = Path(__file__).parent


def document(title: str, subtitle: str, sections: Iterable[str]) -> bytes:
    """Returns a page that loads no external resources."""
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
    """Returns a section with a heading. `parts` are HTML."""
    return f"<section><h2>{escape(heading)}</h2>{''.join(parts)}</section>"


def paragraph(text: str) -> str:
    """Returns a paragraph. Text between backticks is set as code."""
    code = re.sub(r"`([^`]*)`", r"<code>\1</code>", escape(text))
    return f"<p>{code}</p>"


def tiles(figures: Mapping[str, str]) -> str:
    """Returns the most important figures as tiles."""
    items = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in figures.items())
    return f'<dl class="tiles">{items}</dl>'


def values(named: Mapping[str, str]) -> str:
    """Returns a list of names and their values."""
    items = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in named.items())
    return f'<dl class="named">{items}</dl>'


def charts(figures: Iterable[str], shape: str = "wide") -> str:
    """Returns charts side by side; they wrap where the page is too narrow."""
    return f'<div class="charts {shape}">{"".join(figures)}</div>'


def table(caption: str, headings: Sequence[str], lines: Iterable[Sequence[str]], words: int = 0) -> str:
    """Returns a table, which scrolls if it is too wide. The first column is a heading; the next `words` columns are text."""
    text = [False, *[True] * words, *[False] * len(headings)]
    head = "".join(
        f'<th scope="col"{" class=words" * wordy}>{escape(heading)}</th>'
        for heading, wordy in zip(headings, text, strict=False)
    )
    body = []
    for first, *others in lines:
        cells = "".join(
            f"<td{' class=words' if place < words else ''}>{escape(value)}</td>" for place, value in enumerate(others)
        )
        body.append(f'<tr><th scope="row">{escape(first)}</th>{cells}</tr>')
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{escape(caption)}"><table>'
        f"<caption>{escape(caption)}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table></div>"
    )


def folded(summary: str, *parts: str) -> str:
    """Returns parts that are hidden until the reader opens them."""
    return f"<details><summary>{escape(summary)}</summary>{''.join(parts)}</details>"
