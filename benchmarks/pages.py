"""Tables that measurements write into the documents."""

from collections.abc import Sequence
from pathlib import Path

from recursor.files import write_atomically

ROOT = Path(__file__).parent.parent


def fill(page: Path, mark: str, lines: Sequence[str]) -> None:
    """Puts lines between `<!-- mark -->` and `<!-- end -->`."""
    before, begin, rest = page.read_text().partition(f"<!-- {mark} -->\n")
    _, end, after = rest.partition("<!-- end -->\n")
    if not begin or not end:
        raise ValueError(f"{page} has no place for the table {mark!r}")
    write_atomically(page, (before + begin + "".join(f"{line}\n" for line in lines) + end + after).encode())
