"""The page of `recursor play` in a real browser: one canvas that is drawn on, written into and watched."""

from itertools import pairwise

import pytest

from recursor.algorithms import ALGORITHMS
from recursor.trace.serving import Server
from tests.browser.conftest import Watched
from tests.trace.test_playground import server  # noqa: F401 (a fixture)

pytestmark = pytest.mark.browser

NODES = "[...document.querySelectorAll('.graph .node title')].map((title) => title.textContent.split(':')[0])"
PLACES = """Object.fromEntries([...document.querySelectorAll('.graph .node')].map((node) => {
    const box = node.querySelector('.shape').getBoundingClientRect();
    return [node.querySelector('title').textContent.split(':')[0], [box.x + box.width / 2, box.y + box.height / 2]];
}))"""


def opened(watched: Watched, server: Server):  # noqa: F811
    watched.page.goto(server.address)
    executed(watched.page)
    return watched.page


def executed(page) -> None:
    """Waits until the network has run on what is shown."""
    page.locator(".pane:not(.sketch)").wait_for()
    page.locator("#message.right, #message.near").wait_for()


def run_anew(page, act) -> None:
    """Does something after which the network runs again, and waits for it."""
    with page.expect_response(lambda response: response.url.endswith("/run") and response.ok):
        act()
    executed(page)


def canvas(page) -> list[tuple[float, float]]:
    """Three places on the canvas."""
    box = page.locator(".graph").bounding_box()
    return [(box["x"] + box["width"] * x, box["y"] + box["height"] * y) for x, y in ((0.2, 0.3), (0.7, 0.3), (0.5, 0.8))]


def drag(page, start: tuple[float, float], end: tuple[float, float]) -> None:
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(*end, steps=4)
    page.mouse.up()


def test_it_opens_with_an_example_that_runs(watched: Watched, server: Server) -> None:  # noqa: F811
    page = opened(watched, server)
    assert "entrance hall\n" in page.input_value("#text")
    assert page.evaluate(NODES)[:2] == ["entrance", "hall"]
    page.locator("#play[aria-label=Pause]").wait_for()
    page.wait_for_timeout(1200)
    assert page.evaluate("page.row") > 0, "it plays by itself"
    assert watched.errors == []
    address = server.address.partition("?")[0]
    assert [url for url in watched.requests if not url.startswith((address, "data:"))] == []


def test_keys_work_without_a_click(watched: Watched, server: Server) -> None:  # noqa: F811
    page = opened(watched, server)
    page.keyboard.press("End")
    assert page.inner_text(".clock") == "Answer"
    assert page.inner_text(".sentence") == "1 tree with 8 edges; from entrance"
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("page.row") == 1
    page.click("#text")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("page.row") == 1, "but not while one writes"


def test_what_is_drawn_is_written_and_run_where_it_was_drawn(watched: Watched, server: Server) -> None:  # noqa: F811
    page = opened(watched, server)
    page.uncheck("#undirected")
    page.click("#clear")
    corners = canvas(page)
    for start, end in pairwise(corners[:2]):
        drag(page, start, end)
    assert page.input_value("#text") == "a b\n"
    drag(page, corners[1], corners[2])
    assert page.input_value("#text") == "a b\nb c\n"
    executed(page)
    assert page.evaluate("page.data.names") == ["a", "b", "c"]
    shown = page.evaluate(PLACES)
    for name, place in zip("abc", corners, strict=True):
        assert shown[name] == pytest.approx(place, abs=3), "drawn positions are kept"
    assert "L" in page.get_attribute(".graph .edge", "d")
    assert page.get_attribute(".graph .edge", "d").count("M") == 4, "two lines and two arrowheads"
    page.keyboard.press("End")
    assert page.inner_text(".sentence") == "1 tree with 2 edges; from a"
    run_anew(page, lambda: drag(page, corners[0], corners[1]))
    assert page.input_value("#text") == "b c\na\n", "an edge that is drawn again is removed"
    run_anew(page, lambda: page.mouse.dblclick(*corners[2]))
    assert page.evaluate("page.data.names") == ["a", "b"] or page.evaluate("page.data.names") == ["b", "a"]
    assert watched.errors == []


def test_what_is_written_is_drawn_and_keeps_its_places(watched: Watched, server: Server) -> None:  # noqa: F811
    page = opened(watched, server)
    before = page.evaluate(PLACES)
    run_anew(page, lambda: page.locator("#text").fill(page.input_value("#text") + "exit garden\n"))
    after = page.evaluate(PLACES)
    assert "garden" in after
    for name, place in before.items():
        assert after[name] == pytest.approx(place, abs=0.01), "up to the rounding of a browser"
    run_anew(page, lambda: page.locator("#text").fill("x y\ny z\n"))
    assert sorted(page.evaluate(NODES)) == ["x", "y", "z"]
    run_anew(page, lambda: drag(page, tuple(page.evaluate(PLACES)["x"]), tuple(page.evaluate(PLACES)["z"])))
    assert page.input_value("#text") == "x y\ny z\nx z\n", "and what was written can be drawn on"
    assert watched.errors == []


def test_a_graph_that_cannot_be_read_has_no_answer_on_the_canvas(watched: Watched, server: Server) -> None:  # noqa: F811
    page = opened(watched, server)
    page.keyboard.press("End")
    assert page.inner_text(".op") == "answer"
    page.locator("#text").fill("entrance hall\nhall <b> exit\n")
    page.locator("#message.wrong").wait_for()
    assert page.locator(".pane.sketch").count() == 1
    assert page.inner_text(".sentence") == "the last graph that could be read"
    assert page.locator("#timeline .answercell").is_hidden(), "nothing was executed"
    run_anew(page, lambda: page.locator("#text").fill("entrance hall\n"))
    assert page.evaluate(NODES) == ["entrance", "hall"]
    assert not [error for error in watched.errors if "400" not in error]


def test_the_canvas_stays_under_the_finger(watched: Watched, server: Server) -> None:  # noqa: F811
    watched.page.set_viewport_size({"width": 390, "height": 844})
    page = opened(watched, server)
    run_anew(page, lambda: page.select_option("#algorithm", "bridges"))
    box = "(({ top, height }) => [top + scrollY, height])(document.querySelector('.graph').getBoundingClientRect())"
    before = page.evaluate(box)
    page.click("#clear")
    assert page.evaluate(box) == before, "an empty canvas"
    corners = canvas(page)
    for start, end in ((0, 1), (1, 2)):
        drag(page, corners[start], corners[end])
        assert page.evaluate(box) == before, "a drawing"
    assert page.input_value("#text") == "a b\nb c\n", "the second line begins at the node that was drawn before"
    executed(page)
    assert page.evaluate(box) == before, "an answer"
    page.locator("#text").fill("a b c d\n")
    page.locator("#message.wrong").wait_for()
    assert page.evaluate(box) == before, "a failure"


@pytest.mark.parametrize("name", ["dfs", "circuit", "quicksort", "expression"])
def test_on_a_phone_the_tools_of_the_canvas_stand_right_above_it(name: str, watched: Watched, server: Server) -> None:  # noqa: F811
    watched.page.set_viewport_size({"width": 390, "height": 844})
    page = opened(watched, server)
    if name != "dfs":
        run_anew(page, lambda: page.select_option("#algorithm", name))
    canvas_top = page.locator(".graph").bounding_box()["y"]
    for tools in ("#graph-tools", "#bar-tools", "#value-tools", "#drawing-help"):
        if box := page.locator(tools).bounding_box():
            assert box["y"] + box["height"] <= canvas_top < box["y"] + 300, tools
    assert page.locator("#text").bounding_box()["y"] > canvas_top, "the text comes after the drawing"
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    if name == "circuit":
        before = page.locator(".graph").bounding_box()
        page.mouse.click(*page.evaluate(PLACES)["p"])
        assert page.locator("#value").is_visible()
        assert page.locator(".graph").bounding_box() == before, "the choice of a gate has had its room"


@pytest.mark.parametrize("name", ["brackets", "naive_string_matcher", "expression"])
def test_the_nodes_of_a_text_stand_side_by_side(name: str, watched: Watched, server: Server) -> None:  # noqa: F811
    watched.page.set_viewport_size({"width": 390, "height": 844})
    page = opened(watched, server)
    run_anew(page, lambda: page.select_option("#algorithm", name))
    places = list(page.evaluate(PLACES).values())
    radius = page.evaluate("page.panes[0].drawing.radius")
    assert all(abs(x - u) + abs(y - v) > 2.4 * radius for k, (x, y) in enumerate(places) for u, v in places[k + 1 :])


def test_a_node_can_be_moved(watched: Watched, server: Server) -> None:  # noqa: F811
    page = opened(watched, server)
    page.check("#moving")
    start = tuple(page.evaluate(PLACES)["exit"])
    end = (start[0] - 60, start[1] + 90)
    run_anew(page, lambda: drag(page, start, end))
    assert page.evaluate(PLACES)["exit"] == pytest.approx(end, abs=3)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_algorithm_has_an_example_that_runs_at_once(name: str, watched: Watched, server: Server) -> None:  # noqa: F811
    page = opened(watched, server)
    run_anew(page, lambda: page.select_option("#algorithm", "tarjan" if name == "dfs" else "dfs"))
    run_anew(page, lambda: page.select_option("#algorithm", name))
    assert page.inner_text("#message").startswith("✓")
    page.keyboard.press("End")
    assert page.inner_text(".clock") == "Answer"
    assert watched.errors == []


def test_numbers_are_bars_that_can_be_dragged(watched: Watched, server: Server) -> None:  # noqa: F811
    page = opened(watched, server)
    run_anew(page, lambda: page.select_option("#algorithm", "quicksort"))
    page.keyboard.press("Home")
    page.wait_for_timeout(400)
    assert page.input_value("#text") == "5 2 8 1 9 3 7 4\n"
    box = page.locator(".bar .shape").nth(3).bounding_box()
    x = box["x"] + box["width"] / 2
    run_anew(page, lambda: drag(page, (x, box["y"] + 4), (x, box["y"] - 150)))
    numbers = [int(number) for number in page.input_value("#text").split()]
    assert numbers[:3] == [5, 2, 8]
    assert numbers[3] > 3
    run_anew(page, lambda: page.locator("#text").fill("30 10 20"))
    page.keyboard.press("End") if page.evaluate("document.activeElement.id") != "text" else page.evaluate("page.go(9999)")
    assert page.inner_text(".sentence") == "10, 20, 30"
    run_anew(page, lambda: page.click("#add"))
    assert len(page.input_value("#text").split()) == 4
    assert watched.errors == []


def test_a_gate_is_chosen_for_a_node(watched: Watched, server: Server) -> None:  # noqa: F811
    page = opened(watched, server)
    run_anew(page, lambda: page.select_option("#algorithm", "circuit"))
    page.mouse.click(*page.evaluate(PLACES)["p"])
    run_anew(page, lambda: page.select_option("#value", label="false"))
    assert "# values: gate and or or false false false true" in page.input_value("#text")
    page.evaluate("page.go(9999)")
    assert page.inner_text(".sentence") == "the tree of gates is false"
    run_anew(page, lambda: page.locator("#text").fill("# nodes: a b c\n# values: gate or false true\na b\na c\n"))
    page.evaluate("page.go(9999)")
    assert page.inner_text(".sentence") == "the tree of gates is true"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a b\n<b> c d\n", "your graph, line 2: an edge is two names"),
        ("\n".join(f"{k} {k + 1}" for k in range(200)), "this page takes at most 200"),
        ("broken b", "the server made a mistake (KeyError"),
    ],
)
def test_every_failure_is_a_sentence_in_the_page(text: str, sentence: str, watched: Watched, server: Server) -> None:  # noqa: F811
    page = opened(watched, server)
    page.locator("#text").fill(text)
    page.locator("#message.wrong").wait_for()
    assert sentence in page.inner_text("#message")
    run_anew(page, lambda: page.click("#example"))
    assert page.inner_text("#message").startswith("✓"), "and one can go on"


def test_missing_keys_and_unfit_graphs_are_sentences(watched: Watched, server: Server) -> None:  # noqa: F811
    page = opened(watched, server)
    run_anew(page, lambda: page.select_option("#algorithm", "topological_sort"))
    page.locator("#text").fill("a b\nb a\n")
    page.locator("#message.wrong").wait_for()
    assert "a graph without cycles" in page.inner_text("#message")
    run_anew(page, lambda: page.select_option("#algorithm", "quicksort"))
    page.locator("#text").fill("1 2 pear")
    page.locator("#message.wrong").wait_for()
    assert page.inner_text("#message")
    assert not [error for error in watched.errors if "400" not in error]


def test_a_server_that_is_gone_is_a_sentence(watched: Watched, server: Server) -> None:  # noqa: F811
    page = opened(watched, server)
    page.route("**/run", lambda route: route.abort())
    page.click("#run")
    page.locator("#message.wrong").wait_for()
    assert "is recursor play still running?" in page.inner_text("#message")


def test_without_the_token_there_is_only_a_sentence(watched: Watched, server: Server) -> None:  # noqa: F811
    watched.page.goto(server.address.partition("?")[0])
    assert "open the address that recursor play has printed" in watched.page.inner_text("body")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("width", "height"), [(390, 844), (1280, 800)])
def test_the_playground_fits_the_screen(
    width: int,
    height: int,
    scheme: str,
    watched: Watched,
    server: Server,  # noqa: F811
) -> None:
    watched.page.set_viewport_size({"width": width, "height": height})
    watched.page.emulate_media(color_scheme=scheme)
    page = opened(watched, server)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    box = page.locator("footer").bounding_box()
    assert box["y"] + box["height"] <= height + 1, "the controls are in sight"
    if width > 1000:
        assert page.evaluate("document.documentElement.scrollHeight") <= height


def test_a_text_is_written_as_it_is_read(watched: Watched, server: Server) -> None:  # noqa: F811
    page = opened(watched, server)
    run_anew(page, lambda: page.select_option("#algorithm", "expression"))
    assert page.input_value("#text") == "not ( true and false ) or false\n"
    assert page.locator("#graph-tools").is_hidden(), "there is nothing to draw"
    run_anew(page, lambda: page.fill("#text", "true and ( false or true )"))
    assert page.locator(".graph .node").count() == 7
    assert page.locator(".graph .node .extra.middle").all_text_contents() == ["true", "and", "(", "false", "or", "true", ")"]
    page.locator(".graph").click(position={"x": 15, "y": 15})
    page.locator(".graph .node").nth(1).dblclick()
    assert page.locator(".graph .node").count() == 7, "the text is what is changed, not the picture"
    assert watched.errors == []
    page.fill("#text", "true and perhaps")
    page.locator("#message.wrong").wait_for()
    assert "perhaps" in page.inner_text("#message")
    assert page.inner_text(".sentence") == "the last text that was read"
    page.click("#clear")
    assert page.inner_text("#message") == "Write a text."
    run_anew(page, lambda: page.select_option("#algorithm", "dfs"))
    assert page.locator("#graph-tools").is_visible()
    assert [error for error in watched.errors if "400" not in error] == []


def test_the_text_is_near_the_canvas_where_nothing_has_run(watched: Watched, server: Server) -> None:  # noqa: F811
    watched.page.set_viewport_size({"width": 390, "height": 844})
    page = opened(watched, server)
    page.click("#clear")
    assert page.locator(".panel:visible").count() == 0, "empty panels would be between them"
    page.set_viewport_size({"width": 1280, "height": 800})
    assert page.locator(".panel h3:visible").count() == 3, "here they say what will be in them"
