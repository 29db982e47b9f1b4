"""Moving pictures: every row is a moment, and all of them show what the trace says."""

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings

from recursor.algorithms import ALGORITHMS, find
from recursor.graphs.distributions import complete, path
from recursor.graphs.graph import Graph
from recursor.graphs.reading import as_graph
from recursor.trace.gif import write_gif
from recursor.trace.moving import moving_svg, still
from recursor.trace.scene import MOST_NODES, SMALL, WIDE, Room, Scene
from recursor.trace.shapes import Box, Words
from recursor.trace.trace import Trace, recorded
from tests.strategies import graphs
from tests.trace.executions import traced
from tests.trace.test_page import HOSTILE


def example(name: str) -> Trace:
    algorithm = find(name)
    return recorded(algorithm.spec(algorithm.exact_view).halting(), algorithm.example_graph())


def words(scene: Scene, moment: int) -> set[str]:
    return {shape.text for part in scene.moment(moment) for shape in part if isinstance(shape, Words)}


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_moment_shows_its_row_and_the_last_one_the_answer(name: str) -> None:
    trace = example(name)
    scene = Scene(trace, "an example")
    for row in range(len(trace)):
        shown = words(scene, row)
        assert f"row {row} / {len(trace) - 1}" in shown
        assert {f"row {frame}" for frame in trace.stack[row]} <= shown
        if trace.running(row):
            assert "running" in shown
    assert trace.picture.sentence in words(scene, len(trace))


@pytest.mark.parametrize("name", ["circuit", "expression"])
def test_the_answer_stands_beside_what_was_given_and_not_in_its_place(name: str) -> None:
    trace = example(name)
    scene = Scene(trace, "an example")
    notes = [scene.graph._notes()[node] for node in range(len(trace.graph))]
    shown = " ".join(words(scene, len(trace)))
    assert all(note in shown for note in notes)
    assert all(label in shown for label in trace.picture.labels.values())
    assert not [text for text in words(scene, len(trace)) if "…" in text], "the legend is not cut while there is room"


@pytest.mark.parametrize("room", [WIDE, SMALL], ids=["wide", "small"])
@pytest.mark.parametrize("name", ALGORITHMS)
def test_everything_is_inside_the_picture(name: str, room: Room) -> None:
    trace = example(name)
    scene = Scene(trace, "an example", room)
    for moment in (0, len(trace) // 2, len(trace)):
        for shape in (shape for part in scene.moment(moment) for shape in part if isinstance(shape, Box)):
            assert shape.x >= 0 and shape.x + shape.width <= room.width, shape
            assert shape.y >= 0 and shape.y + shape.height <= room.height, shape


@pytest.mark.parametrize("name", ALGORITHMS)
def test_a_picture_is_small_well_formed_and_asks_nobody(name: str) -> None:
    text = moving_svg(example(name), "an example")
    assert len(text) < 150_000
    tags = {element.tag.rpartition("}")[2] for element in ElementTree.fromstring(text).iter()}
    assert tags <= {"svg", "title", "style", "g", "rect", "path", "text"}
    assert text.count("http") == 1, "the name of the language"
    assert "url(" not in text
    for rule in re.findall(r"@keyframes [\w-]+\{((?:[\d.]+%\{[^}]*\})+)\}", text):
        moments = [float(moment) for moment in re.findall(r"([\d.]+)%\{", rule)]
        assert (moments[0], moments[-1]) == (0, 100)
        assert moments == sorted(moments)


@settings(max_examples=15)
@given(graphs())
def test_any_graph_can_be_drawn(graph: Graph) -> None:
    ElementTree.fromstring(moving_svg(traced(graph), "any"))
    ElementTree.fromstring(still(traced(graph), "any"))


def test_names_stay_text() -> None:
    import networkx as nx

    trace = traced(as_graph(nx.path_graph([*HOSTILE, "\x00\x1b[31m"])))
    root = ElementTree.fromstring(moving_svg(trace, HOSTILE[0]))
    assert {element.tag.rpartition("}")[2] for element in root.iter()} <= {
        "svg",
        "title",
        "style",
        "g",
        "rect",
        "path",
        "text",
    }


def test_what_is_too_large_to_be_drawn_is_refused() -> None:
    with pytest.raises(ValueError, match=f"at most {MOST_NODES} nodes"):
        moving_svg(traced(path(MOST_NODES + 1)), "long")
    assert "1 tree" in still(traced(path(MOST_NODES + 1)), "long")
    assert len(still(traced(complete(40)), "dense")) < 20_000


def test_a_gif_has_a_frame_a_row(tmp_path) -> None:
    image = pytest.importorskip("PIL.Image")
    trace = traced(path(2))
    write_gif(tmp_path / "a.gif", trace, "a path")
    with image.open(tmp_path / "a.gif") as picture:
        assert picture.n_frames == len(trace) + 1
        assert picture.info["loop"] == 0
