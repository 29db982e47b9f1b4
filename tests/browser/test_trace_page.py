"""The trace page in a real browser."""

from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from recursor.algorithms import ALGORITHMS, find
from recursor.graphs.distributions import TEST
from recursor.graphs.graph import Graph
from recursor.graphs.reading import as_graph
from recursor.trace.page import write_page
from recursor.trace.playground import example_of, parse
from recursor.trace.trace import Trace, recorded, trace
from tests.browser.conftest import Watched
from tests.trace.executions import traced
from tests.trace.test_page import HOSTILE

pytestmark = pytest.mark.browser

FRAMES = """[...document.querySelectorAll('.pane')].map(
    pane => [...pane.querySelectorAll('.frame[data-row]')].map(frame => +frame.dataset.row))"""
STATES = "[...document.querySelectorAll('.graph .node')].map(node => +/c(\\d)/.exec(node.getAttribute('class'))[1])"
ROW = "+document.getElementById('timeline').getAttribute('aria-valuenow')"


def graph(nodes: int) -> Graph:
    return TEST(np.random.default_rng(3), nodes)


def opened(watched: Watched, traces: list[Trace], tmp_path: Path):
    write_page(tmp_path / "page.html", traces, "a graph")
    watched.page.goto((tmp_path / "page.html").as_uri())
    return watched.page


def until(page, condition: str) -> None:
    """Waits for it, for ten seconds at most. (The browser's own way to wait is forbidden by the page's policy.)"""
    for _ in range(1000):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(10)
    pytest.fail(condition)


def quiet(watched: Watched) -> None:
    assert watched.errors == []
    assert [url for url in watched.requests if not url.startswith(("file:", "data:"))] == []
    assert len([url for url in watched.requests if url.startswith("file:")]) == 1


@pytest.mark.parametrize("nodes", [16, 96])
def test_every_row_shows_the_recorded_stack_and_states(nodes: int, watched: Watched, tmp_path: Path) -> None:
    trace = traced(graph(nodes), spoil=np.random.default_rng(0), mistakes=6)
    page = opened(watched, [trace], tmp_path)
    for row in range(len(trace)):
        assert page.evaluate(ROW) == row
        (frames,) = page.evaluate(FRAMES)
        assert frames == list(reversed(trace.stack[row])), "the top frame first"
        assert page.evaluate(STATES) == trace.rows["color"][row].tolist()
        marked = page.evaluate("document.querySelector('.line.marked .no')?.textContent")
        assert int(marked or 0) == trace.lines[row]
        page.keyboard.press("ArrowRight")
    assert page.evaluate(ROW) == len(trace) - 1, "and the last row is the last"
    for row in range(len(trace) - 1, -1, -7):  # and back, in jumps
        page.evaluate(f"page.go({row})")
        assert page.evaluate(STATES) == trace.rows["color"][row].tolist()
        assert page.evaluate(FRAMES)[0] == list(reversed(trace.stack[row]))
    quiet(watched)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_algorithm_can_be_looked_at(name: str, watched: Watched, tmp_path: Path) -> None:
    spec, example = find(name).spec("discrete").halting(), example_of(find(name))
    shown = parse(example["graph"], undirected=example["undirected"])
    trace_ = trace(recorded(spec, shown).execution, spec, name)
    page = opened(watched, [trace_], tmp_path)
    for row in range(len(trace_)):
        assert page.evaluate(FRAMES)[0] == list(reversed(trace_.stack[row]))
        assert page.evaluate(ROW) == row
        page.keyboard.press("ArrowRight")
    for node in range(len(shown)):
        page.evaluate(f"page.panes[0].select({node})")
    assert "every row is the classical algorithm's" in page.inner_text("body")
    quiet(watched)


def test_a_page_is_there_and_moves_at_once(watched: Watched, tmp_path: Path) -> None:
    page = opened(watched, [traced(graph(96))], tmp_path)
    assert page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd") < 1000
    steps = page.evaluate(
        """async () => {
            const times = [];
            for (let row = 1; row < page.rows; row++) {
                const before = performance.now();
                page.go(row);
                document.body.getBoundingClientRect(); // layout counts
                times.push(performance.now() - before);
            }
            return times;
        }"""
    )
    assert float(np.percentile(steps, 25)) < 1000 / 60, "sixty rows a second, wherever the machine was not busy otherwise"
    quiet(watched)


def test_keys_alone_are_enough(watched: Watched, tmp_path: Path) -> None:
    trace = traced(graph(16), spoil=np.random.default_rng(0), mistakes=3)
    page = opened(watched, [trace], tmp_path)
    for key, row in [
        ("End", 47),
        ("Home", 0),
        ("ArrowRight", 1),
        ("PageDown", 11),
        ("ArrowLeft", 10),
        ("m", trace.first_mistake),
    ]:
        page.keyboard.press(key)
        assert page.evaluate(ROW) == row, key
    page.keyboard.press("Home")
    reached = set()
    for _ in range(14):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.id || document.activeElement.className"))
        assert page.evaluate(
            "document.activeElement === document.body || getComputedStyle(document.activeElement).outlineStyle"
        ) in (
            "solid",
            "auto",
            True,
        ), "what has the focus is seen"
    assert {"frames", "which", "code", "play", "speed", "timeline"} <= reached
    unnamed = page.evaluate(
        "[...document.querySelectorAll('button, [role=slider], svg[role=img]')]"
        ".filter(e => !(e.getAttribute('aria-label') || e.textContent.trim())).length"
    )
    assert unnamed == 0


def test_it_plays_and_pauses(watched: Watched, tmp_path: Path) -> None:
    page = opened(watched, [traced(graph(16))], tmp_path)
    page.select_option("#speed", "60")
    page.keyboard.press("Space")
    until(page, f"{ROW} > 3")
    page.keyboard.press("Space")
    row = page.evaluate(ROW)
    page.wait_for_timeout(200)
    assert page.evaluate(ROW) == row
    page.click("#play")
    until(page, f"{ROW} === 47")
    assert page.get_attribute("#play", "aria-label") == "Play", "at the end it stops by itself"
    page.click("#play")
    until(page, f"{ROW} > 0 && {ROW} < 47")
    quiet(watched)


def test_the_timeline_can_be_dragged(watched: Watched, tmp_path: Path) -> None:
    page = opened(watched, [traced(graph(16))], tmp_path)
    box = page.locator("#timeline").bounding_box()
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * 0.25, y)
    page.mouse.down()
    assert page.evaluate(ROW) == 12
    page.mouse.move(box["x"] + box["width"] * 0.75, y)
    assert page.evaluate(ROW) == 36
    page.mouse.move(box["x"] + box["width"] + 50, y + 90)
    assert page.evaluate(ROW) == 47
    page.mouse.up()
    page.mouse.move(box["x"], y)
    assert page.evaluate(ROW) == 47
    quiet(watched)


def test_a_mistake_is_marked_and_jumped_to(watched: Watched, tmp_path: Path) -> None:
    trace = traced(graph(16), spoil=np.random.default_rng(0), mistakes=3)
    page = opened(watched, [trace], tmp_path)
    page.click(".jump.wrong")
    assert page.evaluate(ROW) == trace.first_mistake
    assert page.locator(".values tr.wrong:visible, .graph .node.wrong").count() > 0
    assert "✗" in page.inner_text(".happening")
    assert "✗" in page.inner_text("#verdict")
    quiet(watched)


def test_two_traces_share_a_clock(watched: Watched, tmp_path: Path) -> None:
    right, spoilt = traced(graph(16), "right"), traced(graph(16), "spoilt", spoil=np.random.default_rng(1), mistakes=4)
    page = opened(watched, [right, spoilt], tmp_path)
    for row in range(len(right)):
        assert page.evaluate(FRAMES) == [list(reversed(right.stack[row])), list(reversed(spoilt.stack[row]))]
        page.keyboard.press("ArrowRight")
    page.click(".jump.differ")
    assert page.evaluate(ROW) == spoilt.first_mistake
    assert page.locator(".difference").count() == 2
    quiet(watched)


def test_names_are_text_whatever_they_hold(watched: Watched, tmp_path: Path) -> None:
    page = opened(watched, [traced(as_graph(nx.path_graph(HOSTILE)), HOSTILE[0])], tmp_path)
    for _ in range(18):
        page.keyboard.press("ArrowRight")
    titles = page.evaluate("[...document.querySelectorAll('.node > title')].map(e => e.textContent)")
    assert titles == HOSTILE
    assert page.locator("img").count() == 0
    assert page.title() == "a graph"
    labels = page.evaluate("[...document.querySelectorAll('.graph .name')].map(e => e.textContent)")
    assert max(map(len, labels)) <= 16, "long names are cut"
    quiet(watched)


@pytest.mark.parametrize(("width", "height"), [(390, 844), (768, 1024), (1280, 800), (1920, 1080)])
def test_nothing_is_wider_than_the_screen(width: int, height: int, watched: Watched, tmp_path: Path) -> None:
    watched.page.set_viewport_size({"width": width, "height": height})
    page = opened(watched, [traced(graph(16), "x" * 80)], tmp_path)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    box = page.locator("footer").bounding_box()
    assert box["y"] + box["height"] <= height + 1, "the controls are in sight"
    quiet(watched)
