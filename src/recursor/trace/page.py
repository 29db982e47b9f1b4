"""The trace page: one HTML file without external resources."""

import base64
import hashlib
import html
import json
import re
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

from recursor.system.files import finite, write_atomically
from recursor.trace.data import page_data
from recursor.trace.moving import as_address, still
from recursor.trace.trace import Trace
from recursor.version import __version__

HERE = Path(__file__).parent
COLOURS = HERE / "colours.css"
"""The colours of all pages, light and dark."""
SCRIPTS = ("replay.js", "shapes.js", "drawing.js", "bars.js", "panels.js", "timeline.js", "trace.js")
"""The program of a trace, for pages that show one."""


PAPER = "https://arxiv.org/abs/2307.00337"
POLICY = "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'"
ICON = as_address(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><g fill="#f2b233" stroke="#1b2430" stroke-width="2">'
    '<rect x="3" y="21" width="26" height="8" rx="3"/><rect x="6" y="12" width="20" height="8" rx="3"/>'
    '<rect x="9" y="3" width="14" height="8" rx="3" fill="#7a3db8"/></g></svg>'
)
"""A stack of three frames, as the address of a picture."""


def page(traces: Sequence[Trace], title: str) -> str:
    """Returns the page of one trace, or of two side by side, as HTML."""
    style, script = styles(), scripts("whole.js")
    data = page_data(traces, title)
    first = traces[0]
    return fill(
        (HERE / "trace.html").read_text("utf-8"),
        {
            "policy": f"{POLICY}; {inline_policy(style, script)}",
            "title": html.escape(title if title == data["algorithm"] else f"{title} – {data['algorithm']}"),
            "heading": html.escape(title),
            "description": html.escape(
                f"{data['algorithm']}, executed row by row by {first.label}: {first.picture.sentence}"
            ),
            "preview": as_address(still(first, title)),
            "icon": ICON,
            "project": project_link(),
            "viewer": (HERE / "viewer.html").read_text("utf-8"),
            "style": style,
            "data": as_script(data),
            "script": script,
        },
    )


def styles(*more: str) -> str:
    """Returns the styles of a page that shows traces, and further files of this directory."""
    return "\n".join((HERE / name).read_text("utf-8") for name in ("colours.css", "trace.css", *more))


def scripts(*more: str) -> str:
    """Returns the program of a page that shows traces, and further files of this directory."""
    return '"use strict";\n' + "\n".join((HERE / name).read_text("utf-8") for name in (*SCRIPTS, *more))


def inline_policy(style: str, script: str) -> str:
    """Returns the part of a content security policy that allows one inline style and one inline script."""
    return f"style-src '{inline_hash(style)}'; script-src '{inline_hash(script)}'"


def project_link() -> str:
    """Returns the name and the version of the project, with a link to its home page if the package names one, and one to
    the paper."""
    try:
        named = (one.partition(",") for one in metadata("recursor").get_all("Project-URL") or [])
        addresses = {label.strip().lower(): address.strip() for label, _, address in named}
    except PackageNotFoundError:
        addresses = {}
    home = next((addresses[label] for label in ("homepage", "repository", "source") if label in addresses), "")
    return f"{_link('Recursor', home)} {__version__} ({_link('paper', addresses.get('paper', PAPER))})"


def _link(words: str, address: str) -> str:
    """Returns words in HTML that lead to an address; the words alone if there is none."""
    if not address.startswith("https://"):
        return f"<b>{words}</b>"
    return f'<a href="{html.escape(address)}" rel="noopener">{words}</a>'


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
