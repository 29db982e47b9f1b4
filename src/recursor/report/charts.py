"""Line charts as SVG, without a library and without scripts. The colours come from the style sheet of the page.

No information is in the colour alone: each line has its own dash pattern and marker, and tables repeat the numbers.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal, NamedTuple

import numpy as np

MOST = 100  # points of a line; more could not be told apart
LEAST = 1e-12  # smallest value on a logarithmic axis; smaller values are drawn there
MARKED = 12  # lines of up to this many points have a marker at each


class Shape(NamedTuple):
    """The size of a chart, its margins (a letter is 11 units high) and the largest number of ticks on an axis."""

    width: int
    height: int
    left: int
    right: int
    top: int
    bottom: int
    ticks: int


SHAPES = {"wide": Shape(400, 236, 52, 16, 10, 38, 5), "small": Shape(210, 124, 47, 16, 8, 20, 3)}


@dataclass(frozen=True)
class Line:
    """A line through points. If each point is the mean of several values, `low` and `high` bound a band around it."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()
    style: int = 0
    """0 to 3: colour, dash pattern and marker. Style 3 has markers only."""


@dataclass(frozen=True)
class Axis:
    """An axis. Without a `span` its range is that of the lines. `format_value` returns a value as text."""

    name: str = ""
    log: bool = False
    span: tuple[float, float] | None = None
    ticks: Sequence[float] = ()
    format_value: Callable[[float], str] = lambda value: number(value)


SHARE = Axis(span=(0.0, 1.0), ticks=(0, 0.25, 0.5, 0.75, 1), format_value=lambda value: f"{100 * value:.0f} %")
"""An axis for shares, in percent."""


def number(value: float) -> str:
    """Returns a number as text, with about three significant digits."""
    if not math.isfinite(value):
        return "∞" if value > 0 else "no number"
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def binned(name: str, x: Sequence[float], y: Sequence[float], style: int = 0, most: int = MOST) -> Line:
    """Returns a line of at most `most` points. Each is the mean of a piece of the data, with its minimum and maximum."""
    finite = np.isfinite(y)
    pieces = np.array_split(np.flatnonzero(finite), max(1, min(most, int(finite.sum()))))
    pieces = [piece for piece in pieces if len(piece)]
    xs, ys = np.asarray(x, float), np.asarray(y, float)
    return Line(
        name,
        [float(xs[piece].mean()) for piece in pieces],
        [float(ys[piece].mean()) for piece in pieces],
        [float(ys[piece].min()) for piece in pieces],
        [float(ys[piece].max()) for piece in pieces],
        style,
    )


def chart(
    title: str,
    lines: Sequence[Line],
    x: Axis,
    y: Axis,
    *,
    shape: Literal["wide", "small"] = "wide",
    mark: float | None = None,
) -> str:
    """Returns a chart as an HTML figure: heading, drawing, and a legend if there are several lines. `mark` is a value of x
    that is marked by a dotted vertical line."""
    size = SHAPES[shape]
    lines = [line for line in lines if len(line.x)]
    across = _Scale(x, [v for line in lines for v in line.x], size.left, size.width - size.right, size.ticks)
    up = _Scale(
        y, [v for line in lines for v in (*line.y, *line.low, *line.high)], size.height - size.bottom, size.top, size.ticks
    )
    parts = [f'<rect class="field" {_box(size)}/>']
    for value in up.ticks:
        place, text = up(value), escape(y.format_value(value))
        parts.append(f'<path class="grid" d="M{size.left} {_n(place)}H{size.width - size.right}"/>')
        parts.append(f'<text class="tick" x="{size.left - 8}" y="{_n(place + 4)}" text-anchor="end">{text}</text>')
    floor = size.height - size.bottom
    for value in across.ticks:
        place, text = across(value), escape(x.format_value(value))
        parts.append(f'<path class="grid" d="M{_n(place)} {floor}v4"/>')
        parts.append(f'<text class="tick" x="{_n(place)}" y="{floor + 15}" text-anchor="middle">{text}</text>')
    if mark is not None and across.within(mark):
        parts.append(f'<path class="mark" d="M{_n(across(mark))} {size.top}V{floor}"/>')
    if x.name and shape == "wide":
        middle = (size.left + size.width - size.right) / 2
        parts.append(
            f'<text class="axis" x="{_n(middle)}" y="{size.height - 5}" text-anchor="middle">{escape(x.name)}</text>'
        )
    for line in reversed(lines):  # the first is on top; its markers are smaller, so that all stay visible
        parts += _line(line, across, up)
    if not lines:
        parts.append(
            f'<text class="axis" x="{size.width / 2}" y="{size.height / 2}" text-anchor="middle">nothing yet</text>'
        )
    description = "; ".join(_describe(line, x, y) for line in lines) or "nothing yet"
    legend = (
        "".join(f"<li>{_key(line)} {escape(line.name)}</li>" for line in lines)
        if len(lines) > 1 or any(line.style == 3 for line in lines)
        else ""
    )
    return (
        f'<figure class="chart {shape}"><h3>{escape(title)}</h3>'
        f'<svg viewBox="0 0 {size.width} {size.height}" role="img" aria-label="{escape(f"{title}: {description}")}">'
        f"{''.join(parts)}</svg>" + (f'<ul class="keys">{legend}</ul>' if legend else "") + "</figure>"
    )


class _Scale:
    """Maps values to coordinates."""

    def __init__(self, axis: Axis, values: Sequence[float], start: float, end: float, most: int) -> None:
        values = [value for value in values if math.isfinite(value) and (value > LEAST or not axis.log)]
        self.axis, self.start, self.end = axis, start, end
        low, high = axis.span or (min(values, default=1.0), max(values, default=1.0))
        if axis.log:
            high = max(high, 1.2 * low)
        elif high - low <= 1e-9 * max(abs(low), abs(high), 1e-3):  # a single value is drawn in the middle
            low, high = low - max(1.0, abs(low)), high + max(1.0, abs(high))
        self.ticks = list(axis.ticks) or (_log_ticks(low, high, most) if axis.log else _ticks(low, high, most))
        if axis.ticks and len(axis.ticks) > most:
            self.ticks = list(axis.ticks)[:: math.ceil((len(axis.ticks) - 1) / (most - 1))]
        self.low, self.high = self._transform(low), self._transform(high)

    def _transform(self, value: float) -> float:
        return math.log10(max(value, LEAST)) if self.axis.log else value

    def within(self, value: float) -> bool:
        return self.low <= self._transform(value) <= self.high

    def __call__(self, value: float) -> float:
        share = (self._transform(value) - self.low) / (self.high - self.low)
        return self.start + (self.end - self.start) * min(1.0, max(0.0, share))


def _ticks(low: float, high: float, most: int) -> list[float]:
    """Returns at most `most` round values within a range."""
    for power in range(-12, 16):
        for times in (1, 2, 5):
            step = times * 10.0**power
            first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
            if last - first < most:
                return [k * step for k in range(first, last + 1)]
    return []


def _log_ticks(low: float, high: float, most: int) -> list[float]:
    """Returns ticks of a logarithmic axis: powers of ten times 1, 2 and 5; only powers of ten if those are too many; round
    values if there is at most one power."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for times in ((1, 2, 5), (1,)):
        ticks = [t * 10.0**power for power in powers for t in times if low <= t * 10.0**power <= high]
        if len(ticks) <= most:
            return ticks if len(ticks) > 1 else _ticks(low, high, most)
    return ticks[:: math.ceil(len(ticks) / most)]


def _line(line: Line, across: _Scale, up: _Scale) -> list[str]:
    """Returns the band, the line and the markers."""
    parts = []
    style = f"s{line.style}"
    places = [(across(x), up(y)) for x, y in zip(line.x, line.y, strict=True) if math.isfinite(y)]
    if line.low and list(line.low) != list(line.high):
        edge = [(across(x), up(y)) for x, y in zip(line.x, line.high, strict=True)]
        edge += [(across(x), up(y)) for x, y in zip(reversed(line.x), reversed(line.low), strict=True)]
        parts.append(f'<path class="band {style}" d="M{_path(edge)}z"/>')
    if len(places) > 1 and line.style != 3:
        parts.append(f'<path class="line {style}" d="M{_path(places)}"/>')
    if len(places) <= MARKED or line.style == 3:
        parts += [_dot(line.style, x, y) for x, y in places]
    return parts


def _path(places: Sequence[tuple[float, float]]) -> str:
    return "L".join(f"{_n(x)} {_n(y)}" for x, y in places)


def _dot(style: int, x: float, y: float) -> str:
    """Returns a marker: a full circle, or an empty square, triangle or diamond."""
    left, top = _n(x), _n(y)
    shapes = (
        "m-2.8 0a2.8 2.8 0 1 0 5.6 0a2.8 2.8 0 1 0 -5.6 0z",
        "m-4 -4h8v8h-8z",
        "m0 -7.5l6.5 11.5h-13z",
        "m0 -6.5l6.5 6.5l-6.5 6.5l-6.5 -6.5z",
    )
    return f'<path class="dot s{style}" d="M{left} {top}{shapes[style]}"/>'


def _key(line: Line) -> str:
    """Returns a sample of a line for the legend."""
    stroke = "" if line.style == 3 else f'<path class="line s{line.style}" d="M1 8H31"/>'
    return f'<svg class="key" viewBox="0 0 32 16" aria-hidden="true">{stroke}{_dot(line.style, 16, 8)}</svg>'


def _describe(line: Line, x: Axis, y: Axis) -> str:
    """Describes a line by its two ends, for screen readers."""
    ends = [f"{y.format_value(line.y[at])} at {x.format_value(line.x[at])}" for at in (0, -1)]
    name = f"{line.name}: " if line.name else ""
    return name + (ends[0] if len(line.x) == 1 else f"from {ends[0]} to {ends[1]}")


def _box(size: Shape) -> str:
    width, height = size.width - size.left - size.right, size.height - size.top - size.bottom
    return f'x="{size.left}" y="{size.top}" width="{width}" height="{height}"'


def _n(value: float) -> str:
    """Returns a coordinate with one decimal."""
    return f"{value:.1f}".removesuffix(".0")
