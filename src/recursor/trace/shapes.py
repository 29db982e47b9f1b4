"""What pictures of a trace are made of: boxes, lines and words."""

from dataclasses import dataclass
from typing import Literal

LETTER = 0.58  # width of a letter, beside its height


@dataclass(frozen=True)
class Box:
    """A rectangle with round corners."""

    x: float
    y: float
    width: float
    height: float
    radius: float
    look: str


@dataclass(frozen=True)
class Line:
    """Lines through some points."""

    points: tuple[tuple[float, float], ...]
    look: str


@dataclass(frozen=True)
class Words:
    """A line of text, whose base line is at y."""

    x: float
    y: float
    text: str
    look: str = "ink"
    anchor: Literal["start", "middle", "end"] = "start"
    size: float = 15
    bold: bool = False


Part = tuple[Box | Line | Words, ...]
"""What appears and disappears together."""


def short(text: str, longest: int) -> str:
    """Returns at most so many characters, with control characters replaced."""
    text = "".join(c if c.isprintable() else "�" for c in text)
    return text if len(text) <= longest else text[: max(1, longest - 1)] + "…"
