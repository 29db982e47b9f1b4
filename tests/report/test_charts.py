import math
import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recursor.report.charts import SHAPES, SHARE, Axis, Line, _log_ticks, _ticks, binned, chart

numbers = st.floats(-1e9, 1e9) | st.sampled_from([0.0, math.inf, math.nan])
lines = st.lists(st.tuples(st.floats(0, 1e6), numbers), max_size=200)


@given(places=lines, log=st.booleans(), shape=st.sampled_from(sorted(SHAPES)))
def test_nothing_is_drawn_outside_a_chart(places: list[tuple[float, float]], log: bool, shape) -> None:
    xs, ys = [x for x, _ in places], [y for _, y in places]
    drawn = chart("a <b> & c", [binned("one", xs, ys), Line("two", xs, ys, style=1)], Axis(), Axis(log=log), shape=shape)
    figure = ElementTree.fromstring(drawn)
    size = SHAPES[shape]
    for path in figure.findall("svg/path"):
        start = re.match(r"M(-?[\d.]+) (-?[\d.]+)", path.attrib["d"])
        assert start, path.attrib["d"]
        assert size.left <= float(start[1]) <= size.width - size.right
        assert size.top <= float(start[2]) <= size.height - size.bottom
    assert "nan" not in drawn
    assert figure.find("h3").text == "a <b> & c"  # pyright: ignore[reportOptionalMemberAccess]


@given(low=st.floats(1e-6, 1e6), times=st.floats(1.2, 1e9), most=st.integers(2, 8))
def test_ticks_are_within_the_axis_and_not_too_many(low: float, times: float, most: int) -> None:
    for ticks in (_ticks(low, low * times, most), _log_ticks(low, low * times, most)):
        assert len(ticks) <= most
        assert all(low * (1 - 1e-6) <= tick <= low * times * (1 + 1e-6) for tick in ticks)
        assert ticks == sorted(set(ticks))


@given(places=lines)
def test_pieces_of_a_line_lie_between_their_lowest_and_highest_values(places: list[tuple[float, float]]) -> None:
    line = binned("", [x for x, _ in places], [y for _, y in places])
    assert len(line.x) <= 100
    for low, mean, high in zip(line.low, line.y, line.high, strict=True):
        assert low - 1e-6 * abs(low) <= mean <= high + 1e-6 * abs(high)


def test_a_short_line_is_itself() -> None:
    line = binned("", [1, 2, 3], [4.0, 5.0, math.inf])
    assert (line.x, line.y) == ([1, 2], [4, 5])


@pytest.mark.parametrize("style", range(4))
def test_every_line_has_a_mark_of_its_own_in_the_legend(style: int) -> None:
    drawn = chart("", [Line("one", [1, 2], [0, 1]), Line("other", [1, 2], [1, 0], style=style)], Axis(), SHARE)
    marks = re.findall(r'<path class="dot s\d" d="M16 8([^"]*)"', drawn)
    assert len(marks) == 2
    assert (len(set(marks)) == 2) == (style != 0)
