"""Values as a page shows them."""

from collections.abc import Mapping
from typing import Any


def flat(plain: Mapping[str, Any], before: str = "") -> dict[str, str]:
    """Nested values by their names with dots, as the command line has them."""
    values: dict[str, str] = {}
    for name, value in plain.items():
        values |= flat(value, f"{before}{name}.") if isinstance(value, dict) else {f"{before}{name}": shown(value)}
    return values


def shown(value: Any) -> str:
    """A value of a configuration in words."""
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "none"
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def percent(share: float) -> str:
    """A share; only one that is whole has no decimals."""
    return "100 %" if share == 1 else f"{100 * share:.2f} %"


def duration(seconds: float) -> str:
    """In the unit that reads best."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def gigabytes(size: float) -> str:
    """Of a number of bytes."""
    return f"{size / 1e9:.2f} GB"
