"""What a trace page shows stays legible: where something is wrong, where nodes are small, where calls are long."""

from pathlib import Path

import numpy as np
import pytest

from recursor.algorithms import find
from recursor.graphs.distributions import TEST
from recursor.graphs.graph import Graph
from recursor.trace.trace import recorded, trace
from tests.browser.conftest import Watched
from tests.browser.test_trace_page import opened
from tests.trace.executions import traced

pytestmark = pytest.mark.browser

COVERED = """(([one, other]) => {
    const boxes = (selector) => [...document.querySelectorAll(selector)].map((element) => element.getBoundingClientRect());
    const overlap = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    return boxes(one).flatMap((a, k) => boxes(other).filter((b, j) => (one !== other || j > k) && overlap(a, b))).length;
})"""


def shown(watched: Watched, name: str, graph: Graph, tmp_path: Path):
    """Opens the page of an algorithm on a graph."""
    spec = find(name).spec("discrete").halting()
    return opened(watched, [trace(recorded(spec, graph).execution, spec, name)], tmp_path)


@pytest.mark.parametrize("width", [390, 1280])
def test_the_sign_of_a_mistake_covers_no_name(width: int, watched: Watched, tmp_path: Path) -> None:
    watched.page.set_viewport_size({"width": width, "height": 800})
    graph = TEST(np.random.default_rng(3), 12)
    page = opened(watched, [traced(graph, spoil=np.random.default_rng(0), mistakes=60)], tmp_path)
    page.keyboard.press("End")
    assert page.locator(".node.wrong > .cross").count()
    assert page.evaluate(COVERED, [".node.wrong > .cross", ".node.wrong > .name"]) == 0


@pytest.mark.parametrize("width", [390, 1280])
def test_labels_of_an_answer_cover_no_node(width: int, watched: Watched, tmp_path: Path) -> None:
    watched.page.set_viewport_size({"width": width, "height": 800})
    page = shown(watched, "circuit", find("circuit").train(np.random.default_rng(3), 31), tmp_path)
    page.keyboard.press("End")
    assert page.evaluate(COVERED, [".tag.answer", ".tag.answer"]) == 0
    assert page.locator(".legend .item").count() == 2, "the colours say it"


def test_names_in_small_nodes_can_be_read(watched: Watched, tmp_path: Path) -> None:
    watched.page.set_viewport_size({"width": 390, "height": 844})
    page = shown(watched, "dfs", TEST(np.random.default_rng(3), 96), tmp_path)
    sizes = page.evaluate("[...document.querySelectorAll('.name')].map(name => +name.getAttribute('font-size'))")
    assert min(sizes) >= 8


def test_values_of_a_call_are_cut_off_between_values(watched: Watched, tmp_path: Path) -> None:
    page = shown(watched, "merge_sort", find("merge_sort").graph(list(range(100, 160))), tmp_path)
    page.evaluate("page.go(page.panes[0].replay.depths.indexOf(2))")
    calls = page.locator(".frame .call").all_inner_texts()
    assert "sort({100, 101, 102 and 57 more})" in calls
    assert all(call.endswith("})") for call in calls)
    assert "159" in page.locator(".frame .call").last.get_attribute("title"), "all are in its title"


def test_a_loop_has_no_empty_chart(watched: Watched, tmp_path: Path) -> None:
    page = shown(watched, "minimum", find("minimum").graph([3, 1, 2]), tmp_path)
    assert page.inner_text("#timeline .axis") == "nothing is pushed onto the stack"
    low = page.locator(".chart").bounding_box()["height"]
    page = shown(watched, "quicksort", find("quicksort").graph([3, 1, 2]), tmp_path)
    assert page.inner_text("#timeline .axis") == "stack depth"
    assert page.locator(".chart").bounding_box()["height"] > low


def test_bars_that_are_ranks_say_so(watched: Watched, tmp_path: Path) -> None:
    for numbers, ranks in ([1, 2, 3], False), ([1, 2, 1_000_000], True):
        page = shown(watched, "quicksort", find("quicksort").graph(numbers), tmp_path)
        for key in "Home", "End":
            page.keyboard.press(key)
            assert ("heights: ranks" in page.inner_text(".legend")) is ranks


def test_the_target_of_a_search_is_called_so(watched: Watched, tmp_path: Path) -> None:
    page = shown(watched, "binary_search", find("binary_search").example_graph(), tmp_path)
    page.keyboard.press("End")
    assert page.locator(".bar").first.locator(".before").text_content() == "target"
