"""The page of `recursor play` in a real browser."""

from itertools import pairwise

import pytest

from recursor.trace.playground import Server
from tests.browser.conftest import Watched
from tests.trace.test_playground import server  # noqa: F401 (a fixture)

pytestmark = pytest.mark.browser


def test_a_drawn_graph_is_run_and_shown(watched: Watched, server: Server) -> None:  # noqa: F811
    address = f"http://127.0.0.1:{server.server_port}/"
    page = watched.page
    page.goto(address)
    page.locator("#model option").wait_for(state="attached")
    box = page.locator("#board").bounding_box()
    corners = [(box["x"] + box["width"] * x, box["y"] + box["height"] * y) for x, y in ((0.35, 0.2), (0.6, 0.3), (0.5, 0.8))]
    for start, end in pairwise(corners):
        page.mouse.move(*start)
        page.mouse.down()
        page.mouse.move(*end, steps=3)
        page.mouse.up()
    assert page.input_value("#text") == "1 2\n2 3\n"
    page.click("#run")
    trace = page.frame_locator("#trace")
    trace.locator("#end").click()
    assert trace.locator("#clock").inner_text() == "8 / 8"
    assert trace.locator(".graph .node.c2").count() == 3
    assert watched.errors == []
    assert [url for url in watched.requests if not url.startswith((address, "data:"))] == []


def test_a_graph_that_is_none_is_refused_on_the_page(watched: Watched, server: Server) -> None:  # noqa: F811
    page = watched.page
    page.goto(f"http://127.0.0.1:{server.server_port}/")
    page.locator("#model option").wait_for(state="attached")
    page.fill("#text", "a b\n<b> c d\n")
    page.click("#run")
    page.locator("#message.wrong").wait_for()
    assert page.inner_text("#message").startswith("your graph, line 2: an edge is two names")
    assert page.locator("#trace").is_hidden()
