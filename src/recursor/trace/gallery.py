"""The gallery: the playground without a server. One page for each trace, and a page that leads to all of them."""

import html
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from recursor.algorithms import find
from recursor.system.files import write_atomically
from recursor.trace.moving import moving_svg
from recursor.trace.page import HERE, ICON, POLICY, fill, inline_hash, page, project_link
from recursor.trace.scene import is_drawable
from recursor.trace.trace import Trace


@dataclass(frozen=True)
class Exhibit:
    """A page of the gallery: one trace, or two side by side."""

    file: str
    """The name of its files, without a suffix."""
    title: str
    about: str
    """What is to be seen, in a sentence."""
    traces: Sequence[Trace]


def exhibit_of(trace: Trace) -> Exhibit:
    """Returns the page of one trace, with the words of its algorithm."""
    algorithm = find(trace.spec.algorithm)
    return Exhibit(algorithm.name, algorithm.title, algorithm.summary, [trace])


def write_gallery(directory: Path | str, exhibits: Sequence[Exhibit]) -> list[Path]:
    """Writes a gallery.

    Args:
        directory: Where it is written to; made if it is not there.
        exhibits: Its pages.

    Returns:
        The files: `index.html`, and a page and a moving picture of each exhibit.

    Raises:
        ValueError: If two exhibits have the same file, or one is too large for a picture.
    """
    directory = Path(directory)
    if len({exhibit.file for exhibit in exhibits}) < len(exhibits):
        raise ValueError("two pages of a gallery have the same name")
    for exhibit in exhibits:
        if not all(is_drawable(trace) for trace in exhibit.traces):
            raise ValueError(f"{exhibit.file} is too large for a picture")
    directory.mkdir(parents=True, exist_ok=True)
    files = {}
    for exhibit in exhibits:
        files[f"{exhibit.file}.html"] = page(exhibit.traces, exhibit.title)
        files[f"{exhibit.file}.svg"] = moving_svg(exhibit.traces[-1], exhibit.title)
    files["index.html"] = _index(exhibits)
    for name, text in files.items():
        write_atomically(directory / name, text.encode("utf-8", "replace"))
    return [directory / name for name in files]


def _index(exhibits: Sequence[Exhibit]) -> str:
    """Returns the page that leads to all others."""
    style = "\n".join((HERE / name).read_text("utf-8") for name in ("colours.css", "gallery.css"))
    policy = POLICY.replace("img-src data:", "img-src data: 'self' file:")
    values = {
        "policy": f"{policy}; style-src '{inline_hash(style)}'",
        "style": style,
        "icon": ICON,
        "project": project_link(),
        "cards": "\n".join(map(_card, exhibits)),
    }
    return fill((HERE / "gallery.html").read_text("utf-8"), values)


def _card(exhibit: Exhibit) -> str:
    file, title, about = (html.escape(text) for text in (exhibit.file, exhibit.title, exhibit.about))
    answer = html.escape(exhibit.traces[-1].picture.sentence)
    return (
        f'<li><a href="{file}.html"><img src="{file}.svg" width="900" height="500" alt="{title}: {answer}" loading="lazy">'
        f"<b>{title}</b><span>{about}</span></a></li>"
    )
