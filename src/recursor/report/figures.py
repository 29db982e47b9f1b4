"""Values as text for reports."""

from collections.abc import Mapping
from typing import Any


def flat(plain: Mapping[str, Any], before: str = "") -> dict[str, str]:
    """Returns nested values by their dotted names, as on the command line."""
    values: dict[str, str] = {}
    for name, value in plain.items():
        values |= flat(value, f"{before}{name}.") if isinstance(value, dict) else {f"{before}{name}": as_text(value)}
    return values


def as_text(value: Any) -> str:
    """Returns a value of a configuration as text."""
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "none"
    if value is None or value == "":
        return "none"
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def percent(share: float) -> str:
    """Returns a share in percent, with two decimals unless it is exactly 1."""
    return "100 %" if share == 1 else f"{100 * share:.2f} %"


def duration(seconds: float) -> str:
    """Returns a duration in seconds, minutes or hours."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def gigabytes(size: float) -> str:
    """Returns a number of bytes in GB."""
    return f"{size / 1e9:.2f} GB"
