"""The moving picture in a real browser."""

import pytest

from tests.browser.conftest import Watched
from tests.test_pictures import ROOT, picture
from tests.trace.executions import spec

pytestmark = pytest.mark.browser

FRAMES = """[...document.querySelectorAll('.frame')].filter((frame) => +getComputedStyle(frame.parentNode).opacity > 0.5)
    .map((frame) => frame.parentNode.querySelector('text').textContent)"""


@picture
def test_every_row_of_the_picture_has_its_stack(watched: Watched, name: str) -> None:
    from recursor.graphs.reading import read_graph
    from recursor.trace.trace import recorded

    trace = recorded(spec(), read_graph(ROOT / "examples" / "maze.txt"))
    page, address = watched.page, (ROOT / "docs" / "pictures" / name).as_uri()
    page.goto(address)
    assert page.evaluate("document.getAnimations().length") > 50
    for row, stack in enumerate(trace.stack):
        when = 1000 * 0.8 * (row + 0.6)
        page.evaluate(f"document.getAnimations().forEach((a) => {{ a.pause(); a.currentTime = {when}; }})")
        assert sorted(page.evaluate(FRAMES)) == sorted(trace.call(pushed) for pushed in stack)
    assert watched.errors == []
    assert watched.requests == [address]


@picture
def test_whoever_asks_for_less_motion_sees_the_answer(watched: Watched, name: str) -> None:
    page, address = watched.page, (ROOT / "docs" / "pictures" / name).as_uri()
    page.emulate_media(reduced_motion="reduce")
    page.goto(address)
    assert page.evaluate("document.getAnimations().length") == 0
    assert page.evaluate(FRAMES) == []
    there = "filter((text) => +getComputedStyle(text.parentNode).opacity)"
    shown = f"[...document.querySelectorAll('text')].{there}.map((text) => text.textContent)"
    assert "1 tree with 8 edges; from entrance" in page.evaluate(shown)
