"""The trace page: one HTML file without external resources."""

import base64
import hashlib
import html
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from recursor.system.files import finite, write_atomically
from recursor.trace.data import page_data
from recursor.trace.trace import Trace

HERE = Path(__file__).parent
COLOURS = HERE / "colours.css"
"""The colours of all pages, light and dark."""
SCRIPTS = ("replay.js", "drawing.js", "panels.js", "timeline.js", "trace.js")


def page(traces: Sequence[Trace], title: str) -> str:
    """Returns the page of one trace, or of two side by side, as HTML."""
    style = "\n".join((HERE / name).read_text("utf-8") for name in ("colours.css", "trace.css"))
    script = '"use strict";\n' + "\n".join((HERE / name).read_text("utf-8") for name in SCRIPTS)
    policy = (
        f"default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; "
        f"style-src '{inline_hash(style)}'; script-src '{inline_hash(script)}'"
    )
    return fill(
        (HERE / "trace.html").read_text("utf-8"),
        {
            "policy": policy,
            "title": html.escape(title),
            "style": style,
            "data": as_script(page_data(traces, title)),
            "script": script,
        },
    )


def write_page(path: Path | str, traces: Sequence[Trace], title: str) -> None:
    """Writes the page of one trace, or of two side by side."""
    # Names may contain lone surrogates. The data holds them as JSON escapes; in the title they become question marks.
    write_atomically(Path(path), page(traces, title).encode("utf-8", "replace"))


def as_script(data: object) -> str:
    """Returns JSON that is safe inside a script element, whatever strings it contains."""
    text = json.dumps(finite(data), allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def fill(template: str, values: Mapping[str, str]) -> str:
    """Returns the template with every {{name}} replaced. It is one pass: a {{name}} inside a value is not replaced."""
    return re.sub(r"\{\{(\w+)\}\}", lambda match: values[match[1]], template)


def inline_hash(text: str) -> str:
    """Returns the hash by which a content security policy allows an inline element."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
