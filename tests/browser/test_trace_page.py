"""The trace page in a real browser."""

from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from recursor.algorithms import ALGORITHMS, find
from recursor.graphs.distributions import TEST, complete
from recursor.graphs.graph import Graph, named_graph
from recursor.graphs.reading import as_graph
from recursor.trace.page import write_page
from recursor.trace.playground import example_of, parse
from recursor.trace.source import source_of
from recursor.trace.trace import Trace, recorded, trace
from recursor.training.loading import load
from tests.browser.conftest import Watched
from tests.trace.executions import traced
from tests.trace.test_page import HOSTILE

pytestmark = pytest.mark.browser

FRAMES = """[...document.querySelectorAll('.pane')].map(
    pane => [...pane.querySelectorAll('.frame[data-row]')].map(frame => +frame.dataset.row))"""
STATES = "[...document.querySelectorAll('.graph .node')].map(node => +/c(\\d)/.exec(node.getAttribute('class'))[1])"
MARKED_IS_SEEN = """(() => {
    const marked = document.querySelector('.line.marked');
    if (!marked) return true;
    const [line, panel] = [marked, document.querySelector('.code')].map(element => element.getBoundingClientRect());
    return line.top >= panel.top - 1 && line.bottom <= panel.bottom + 1;
})()"""
FAINTEST = """(() => {
    const numbers = (colour) => colour.match(/[\\d.]+/g).slice(0, 3).map(Number);
    const light = (colour) => {
        const [r, g, b] = colour.map((x) => (x /= 255) <= .04 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4);
        return .2126 * r + .7152 * g + .0722 * b;
    };
    const paper = numbers(getComputedStyle(document.body).backgroundColor);
    const contrast = (element) => {
        let opacity = 1;
        for (let one = element; one; one = one.parentElement) opacity *= getComputedStyle(one).opacity;
        const ink = numbers(getComputedStyle(element).color).map((x, k) => x * opacity + paper[k] * (1 - opacity));
        const [dark, bright] = [light(ink), light(paper)].sort((a, b) => a - b);
        return (bright + .05) / (dark + .05);
    };
    return Math.min(...[...document.querySelectorAll('.panel h3, .values th, .values td, .line .text')].map(contrast));
})()"""
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
        assert int(marked or 0) == source_of(find("dfs")).marked(trace.lines[row])
        page.keyboard.press("ArrowRight")
    assert page.evaluate(ROW) == len(trace), "after the last row comes the answer, and it is the last"
    page.keyboard.press("ArrowRight")
    assert page.evaluate(ROW) == len(trace)
    assert page.inner_text(".clock") == "Answer"
    for row in range(len(trace) - 1, -1, -7):  # and back, in jumps
        page.evaluate(f"page.go({row})")
        assert page.evaluate(STATES) == trace.rows["color"][row].tolist()
        assert page.evaluate(FRAMES)[0] == list(reversed(trace.stack[row]))
    quiet(watched)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_algorithm_can_be_looked_at(name: str, watched: Watched, tmp_path: Path) -> None:
    spec, example = find(name).spec("discrete").halting(), example_of(find(name))
    shown = parse(example["graph"], find(name), undirected=example["undirected"])
    trace_ = trace(recorded(spec, shown).execution, spec, name)
    page = opened(watched, [trace_], tmp_path)
    for row in range(len(trace_)):
        assert page.evaluate(FRAMES)[0] == list(reversed(trace_.stack[row]))
        assert page.evaluate(ROW) == row
        until(page, MARKED_IS_SEEN)  # the source has room, however many fields a row has
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
        ("End", 48),
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
    until(page, f"{ROW} === 48")
    assert page.get_attribute("#play", "aria-label") == "Play", "at the end it stops by itself"
    page.click("#play")
    until(page, f"{ROW} > 0 && {ROW} < 48")
    quiet(watched)


def test_the_timeline_can_be_dragged(watched: Watched, tmp_path: Path) -> None:
    page = opened(watched, [traced(graph(16))], tmp_path)
    box = page.locator("#timeline").bounding_box()
    y = box["y"] + box["height"] / 2
    moments = page.evaluate("page.timeline.moments")  # the rows, and the answer, which is wider
    page.mouse.move(box["x"] + box["width"] * 0.25, y)
    page.mouse.down()
    assert page.evaluate(ROW) == int(0.25 * moments)
    page.mouse.move(box["x"] + box["width"] * 0.75, y)
    assert page.evaluate(ROW) == int(0.75 * moments)
    page.mouse.move(box["x"] + box["width"] + 50, y + 90)
    assert page.evaluate(ROW) == 48
    page.mouse.up()
    page.mouse.move(box["x"], y)
    assert page.evaluate(ROW) == 48
    quiet(watched)


def spoilt(kind: str) -> Trace:
    """An execution with mistakes after which the answer is `wrong`, or right nevertheless (`near`)."""
    tries = (traced(graph(16), spoil=np.random.default_rng(seed), mistakes=3) for seed in range(40))
    return next(trace for trace in tries if trace.verdict()[0] == kind)


RED = "getComputedStyle(document.documentElement).getPropertyValue('--red').trim()"
HAS_RED = f"""(() => {{
    const probe = document.body.appendChild(document.createElement('i'));
    probe.style.color = {RED};
    const red = getComputedStyle(probe).color;
    probe.remove();
    const seen = [...document.querySelectorAll('body *')].filter((element) => element.checkVisibility());
    return seen.some((element) => {{
        const style = getComputedStyle(element);
        return [style.color, style.fill, style.stroke, style.borderTopColor, style.backgroundColor].includes(red);
    }});
}})()"""


def test_a_wrong_answer_is_red_and_its_first_mistake_is_jumped_to(watched: Watched, tmp_path: Path) -> None:
    trace = spoilt("wrong")
    page = opened(watched, [trace], tmp_path)
    page.click(".jump.wrong")
    assert page.evaluate(ROW) == trace.first_mistake
    assert page.locator(".values tr.wrong:visible, .graph .node.wrong").count() > 0
    assert "✗" in page.inner_text(".happening")
    assert "✗" in page.inner_text("#verdict")
    page.keyboard.press("End")
    assert f"✗ wrong; {trace.correction()}" in page.inner_text(".happening")
    wrong = page.evaluate("[...document.querySelectorAll('.graph .node')].flatMap((n, k) => n.matches('.wrong') ? [k] : [])")
    assert wrong == trace.wrong_outputs()["pi"]
    there = "filter((cross) => getComputedStyle(cross).display !== 'none')"
    assert page.evaluate(f"[...document.querySelectorAll('.graph .cross')].{there}.length") == len(wrong), (
        "only these are crossed out"
    )
    assert page.evaluate(HAS_RED)
    quiet(watched)


def test_a_right_answer_is_never_red(watched: Watched, tmp_path: Path) -> None:
    trace = spoilt("near")
    page = opened(watched, [trace], tmp_path)
    assert page.inner_text("#verdict").startswith("≈ halted by itself after 48 rows; the answer is right, but ")
    page.click(".jump.near")
    assert page.evaluate(ROW) == trace.first_mistake
    assert "≠ differs from the classical row" in page.inner_text(".happening")
    for row in (trace.first_mistake, len(trace) - 1, len(trace)):
        page.evaluate(f"page.go({row})")
        assert not page.evaluate(HAS_RED), "amber, not red"
    quiet(watched)


NODES = "[...document.querySelectorAll('.graph .node')].map((node) => node.getAttribute('class').split(' ').slice(-1)[0])"


def example(name: str) -> Trace:
    algorithm = find(name)
    spec = algorithm.spec(algorithm.exact_view).halting()
    return trace(recorded(spec, algorithm.example_graph()).execution, spec, name)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_the_answer_is_shown_at_the_end_of_every_algorithm(name: str, watched: Watched, tmp_path: Path) -> None:
    shown = example(name)
    page = opened(watched, [shown], tmp_path)
    page.keyboard.press("End")
    assert page.inner_text(".op").lower().endswith("answer")
    assert page.inner_text(".sentence") == shown.picture.sentence
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(ROW) == len(shown) - 1
    assert page.locator("[data-answer], .badge, .tag.answer").count() == 0, "the row is as it was"
    quiet(watched)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_is_less_important_can_still_be_read(scheme: str, watched: Watched, tmp_path: Path) -> None:
    watched.page.emulate_media(color_scheme=scheme)
    page = opened(watched, [traced(graph(9))], tmp_path)
    assert page.evaluate(FAINTEST) >= 3, "lines that only call the recorder, too"
    page.keyboard.press("End")
    assert page.evaluate("document.querySelectorAll('.answered').length") == 1
    assert page.evaluate(FAINTEST) >= 2.4, "and what stands back behind the answer"


def test_what_the_answer_views_draw(watched: Watched, tmp_path: Path) -> None:
    def answer(name: str):
        page = opened(watched, [example(name)], tmp_path)
        page.keyboard.press("End")
        return page

    assert answer("tarjan").evaluate(NODES) == ["g0"] * 3 + ["g1"] * 3 + ["g2"] * 2
    assert answer("articulation_points").evaluate(NODES) == ["c0", "hit", "hit", "hit", "c0", "c0", "c0"]
    assert answer("bridges").locator("path[data-answer]").count() == 2
    assert answer("dfs").locator("path[data-answer]").count() == 8
    assert answer("topological_sort").locator(".graph .badge text").all_text_contents() == list("1234567")
    page = answer("circuit")
    assert page.locator(".graph .tag.answer").all_text_contents() == [
        "true",
        "true",
        "true",
        "true",
        "false",
        "false",
        "true",
    ]
    tops = page.evaluate("[...document.querySelectorAll('.graph .node .shape')].map((n) => n.getBoundingClientRect().top)")
    assert tops[0] < min(tops[1:3]) <= max(tops[1:3]) < min(tops[3:]), "parents above their children"
    page = answer("quicksort")
    page.wait_for_timeout(500)  # they move
    bars = page.evaluate(
        "[...document.querySelectorAll('.bar .shape')].map((n) => n.getBoundingClientRect()).map((b) => [b.x, b.height])"
    )
    heights = [height for _, height in sorted(bars)]
    assert heights == sorted(heights), "bars in order"


def test_the_legend_is_that_of_the_colours(watched: Watched, tmp_path: Path) -> None:
    page = opened(watched, [traced(graph(16))], tmp_path)
    assert page.locator(".legend .item").all_inner_texts()[:3] == ["not seen", "being visited", "finished"]


def test_the_running_call_is_the_top_of_the_stack(watched: Watched, tmp_path: Path) -> None:
    for name in ("dfs", "tarjan", "merge_sort", "brackets"):
        shown = example(name)
        page = opened(watched, [shown], tmp_path)
        for row in range(len(shown)):
            page.evaluate(f"page.go({row})")
            top = page.evaluate("document.querySelector('.frames > :not(.ghost)').querySelector('.call')?.textContent ?? ''")
            running = shown.running(row)
            assert top == running or (top.endswith("…)") and running.startswith(top[:-2]))


def test_edges_of_the_current_node_stand_out_in_a_dense_graph(watched: Watched, tmp_path: Path) -> None:
    page = opened(watched, [traced(complete(24))], tmp_path)
    page.evaluate("page.go(1)")
    assert float(page.get_attribute(".edge.many", "stroke-opacity")) < 0.2
    assert page.get_attribute(".edge.near", "d").count("L") >= 23
    assert "24 nodes, 276 edges" in page.inner_text("header")


def test_edges_of_a_graph_that_is_not_dense_are_not_faded(watched: Watched, tmp_path: Path) -> None:
    page = opened(watched, [traced(as_graph(nx.karate_club_graph(), pattern=True))], tmp_path)
    assert page.locator(".edge.many").count() == 0
    assert "34 nodes, 78 edges" in page.inner_text("header")


def test_pairs_in_a_line_of_text_are_bows_over_what_is_between_them(watched: Watched, tmp_path: Path) -> None:
    page = opened(watched, [example("brackets")], tmp_path)
    page.keyboard.press("End")
    ways = page.evaluate("[...document.querySelectorAll('path[data-answer]')].map((path) => path.getAttribute('d'))")
    assert len(ways) == 5
    assert all("Q" in way for way in ways)


COVERED = """(() => {
    const shown = (halo) => halo.getAttribute('visibility') !== 'hidden';
    const rings = [...document.querySelectorAll('.graph .halo')].filter(shown).map((halo) => halo.getBoundingClientRect());
    const near = (box, ring) => {
        const [x, y] = [ring.left + ring.width / 2, ring.top + ring.height / 2];
        const across = Math.max(box.left + 2, Math.min(x, box.right - 2)) - x;
        return Math.hypot(across, Math.max(box.top + 4, Math.min(y, box.bottom - 4)) - y) < ring.width / 2;
    };
    const covered = (word) => rings.some((ring) => near(word.getBoundingClientRect(), ring));
    const words = [...document.querySelectorAll('.graph .name:not(.inside), .graph .note')];
    return words.filter(covered).map((word) => word.textContent);
})()"""
"""Names and notes of nodes that the ring around the current node touches."""


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("name", ["dfs", "circuit", "topological_sort", "expression"])
def test_the_ring_covers_no_words(name: str, width: int, watched: Watched, tmp_path: Path) -> None:
    watched.page.set_viewport_size({"width": width, "height": 844})
    shown = example(name)
    page = opened(watched, [shown], tmp_path)
    for row in range(len(shown)):
        page.evaluate(f"page.go({row})")
        assert page.evaluate(COVERED) == []


def test_names_are_where_no_edges_are(watched: Watched, tmp_path: Path) -> None:
    page = opened(watched, [example("dfs")], tmp_path)
    behind = """(() => {
        const drawing = page.panes[0].drawing;
        const origin = document.querySelector('.graph').getBoundingClientRect();
        return [...document.querySelectorAll('.graph .name')].filter((name) => {
            const { left, top, width, height } = name.getBoundingClientRect();
            const [x, y] = [left + width / 2 - origin.left, top + height / 2 - origin.top];
            return drawing.crossed({ x, y, half: width / 2, high: height / 2 });
        }).map((name) => name.textContent);
    })()"""
    assert page.evaluate(behind) == []


@pytest.mark.parametrize("width", [390, 1280])
def test_long_names_of_neighbours_do_not_cover_one_another(width: int, watched: Watched, tmp_path: Path) -> None:
    watched.page.set_viewport_size({"width": width, "height": 844})
    towns = ["Rome", "Paris", "Berlin", "Kopenhagen-Hovedbanegaard", "Oslo-Sentralstasjon"]
    page = opened(watched, [traced(as_graph(nx.path_graph(towns)))], tmp_path)
    assert page.evaluate(OVERLAPS) == [5, 0]


def test_every_pointer_has_an_arrow_of_its_own(watched: Watched, tmp_path: Path) -> None:
    for name in ("articulation_points", "tarjan", "euler_tour"):
        page = opened(watched, [example(name)], tmp_path)
        looks = page.evaluate(
            """[...document.querySelectorAll('.legend .arrow, .legend .branch')].map((path) => {
                const { stroke, strokeDasharray } = getComputedStyle(path);
                return `${stroke} ${strokeDasharray}`;
            })"""
        )
        assert len(looks) >= 4
        assert len(set(looks)) == len(looks), "the legend tells them apart"


def test_numbers_above_bars_are_rounded_where_there_is_no_room(watched: Watched, tmp_path: Path) -> None:
    watched.page.set_viewport_size({"width": 390, "height": 844})
    numbers = (0.0352243, 0.480237, 1234567.0, 0.655126, -0.376168, 0.5, 7.0, 0.599977)
    graph = named_graph(names="a b c d e f g h", values={"key": numbers})
    page = opened(watched, [recorded(find("minimum").spec("discrete"), graph)], tmp_path)
    labels = page.locator(".bar .name").all_text_contents()
    assert [float(label) for label in labels] == pytest.approx(numbers, rel=0.3), "no digits are left out of the middle"


def test_an_output_is_shown_in_its_own_words(watched: Watched, tmp_path: Path) -> None:
    for name, output, words in (("subtree_size", "size", "1 mod 3"), ("circuit", "value", "true")):
        page = opened(watched, [example(name)], tmp_path)
        page.keyboard.press("End")
        cells = page.locator(".inspector tr", has=page.get_by_text(output, exact=True)).locator("td").all_inner_texts()
        assert set(cells) == {words}, "predicted and classical"


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("name", ["activity_selector", "euler_tour", "quickselect"])
def test_names_of_fields_do_not_run_into_their_values(name: str, width: int, watched: Watched, tmp_path: Path) -> None:
    watched.page.set_viewport_size({"width": width, "height": 844})
    page = opened(watched, [example(name)], tmp_path)
    wide = "(cells) => cells.filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent)"
    assert page.locator(".values tbody th").evaluate_all(wide) == []


def test_a_word_of_a_text_is_below_its_place(watched: Watched, tmp_path: Path) -> None:
    page = opened(watched, [example("expression")], tmp_path)
    assert page.locator(".graph .name").all_text_contents() == [str(place) for place in range(8)]
    assert page.locator(".graph .extra.middle").all_text_contents() == [
        "not",
        "(",
        "true",
        "and",
        "false",
        ")",
        "or",
        "false",
    ]


OUTSIDE = """[...document.querySelectorAll('.graph')].flatMap((graph) => {
    const room = graph.getBoundingClientRect();
    return [...graph.querySelectorAll('text')].filter((text) => {
        const { left, right, top, bottom, width } = text.getBoundingClientRect();
        return width && (left < room.left - 2 || right > room.right + 2 || top < room.top - 2 || bottom > room.bottom + 2);
    }).map((text) => text.textContent);
})"""


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("name", ALGORITHMS)
def test_no_words_of_a_drawing_are_cut_off(name: str, width: int, watched: Watched, tmp_path: Path) -> None:
    watched.page.set_viewport_size({"width": width, "height": 844})
    shown = example(name)
    page = opened(watched, [shown], tmp_path)
    for row in (0, len(shown) // 2, len(shown)):
        page.evaluate(f"page.go({row})")
        page.wait_for_timeout(450)  # bars move
        assert page.evaluate(OUTSIDE) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_two_traces_share_a_clock(watched: Watched, tmp_path: Path) -> None:
    right, other = traced(graph(16), "right"), traced(graph(16), "spoilt", spoil=np.random.default_rng(1), mistakes=4)
    page = opened(watched, [right, other], tmp_path)
    for row in range(len(right)):
        assert page.evaluate(FRAMES) == [list(reversed(right.stack[row])), list(reversed(other.stack[row]))]
        page.keyboard.press("ArrowRight")
    page.click(".jump.differ")
    assert page.evaluate(ROW) == other.first_mistake
    assert page.locator(".difference").count() == 2
    quiet(watched)


def test_names_are_text_whatever_they_hold(watched: Watched, tmp_path: Path) -> None:
    page = opened(watched, [traced(as_graph(nx.path_graph(HOSTILE)), HOSTILE[0])], tmp_path)
    for _ in range(18):
        page.keyboard.press("ArrowRight")
    titles = page.evaluate("[...document.querySelectorAll('.node > title')].map(e => e.textContent)")
    assert titles == HOSTILE
    assert page.locator("img").count() == 0
    assert page.title() == "a graph – Depth-first search"
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


OVERLAPS = """(() => {
    const boxes = [...document.querySelectorAll('.graph .name')]
        .filter((label) => getComputedStyle(label).visibility === 'visible')
        .map((label) => label.getBoundingClientRect());
    const meet = (a, b) => a.left < b.right - 4 && b.left < a.right - 4 && a.top < b.bottom - 4 && b.top < a.bottom - 4;
    return [boxes.length, boxes.filter((a, k) => boxes.slice(k + 1).some((b) => meet(a, b))).length];
})()"""


def test_long_names_in_a_large_graph_do_not_cover_one_another(watched: Watched, tmp_path: Path) -> None:
    source = nx.relabel_nodes(nx.gnm_random_graph(96, 150, seed=1), {node: f"station number {node}" for node in range(96)})
    page = opened(watched, [recorded(find("bridges").spec("discrete"), as_graph(source))], tmp_path)
    shown, overlapping = page.evaluate(OVERLAPS)
    assert shown > 30, "most of the outer nodes have names"
    assert overlapping == 0
    names = page.evaluate("[...document.querySelectorAll('.graph .name')].map(label => label.textContent)")
    assert len(set(names)) > 80, "the ends of the names tell them apart"
    assert max(map(len, names)) <= 8
    hidden = page.locator(".graph .node:has(.crowded)").first
    hidden.locator(".shape").dispatch_event("click")
    quiet(watched)


def test_ops_that_nobody_told_have_no_classical_value(watched: Watched, tmp_path: Path) -> None:
    run = load(Path(__file__).parents[2] / "results" / "latent" / "dfs-seed1")
    page = opened(watched, [trace(run.run(find("dfs").example_graph()), run.reasoner.spec, "found")], tmp_path)
    lines = "[...document.querySelectorAll('.row > .values tbody tr')]"
    cells = {row[0]: row[1:] for row in page.evaluate(f"{lines}.map(row => [...row.cells].map(cell => cell.textContent))")}
    assert cells["u"] == ["entrance", "entrance"]
    assert cells["stack_op"][1] == "–"
    page.keyboard.press("End")
    assert page.locator("tr.wrong:visible").count() == 0
    quiet(watched)
