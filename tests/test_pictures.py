"""The pictures of README and docs."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from recursor.graphs.reading import read_graph
from recursor.trace.moving import moving_svg
from recursor.trace.scene import SMALL, WIDE, Room
from recursor.trace.trace import recorded
from tests.trace.executions import spec

ROOT = Path(__file__).parent.parent
PICTURES = {"recursion.svg": WIDE, "recursion-small.svg": SMALL}
picture = pytest.mark.parametrize("name", PICTURES)


def read(name: str) -> str:
    return (ROOT / "docs" / "pictures" / name).read_text("utf-8")


@pytest.mark.parametrize(("name", "room"), PICTURES.items())
def test_the_network_in_the_picture_does_what_the_classical_algorithm_does(name: str, room: Room) -> None:
    """So the picture can be made again without the network, and is the same to the byte."""
    trace = recorded(spec(), read_graph(ROOT / "examples" / "maze.txt"))
    title = "A graph neural network executes depth-first search"
    assert moving_svg(trace, title, room) == read(name), "make pictures"


@picture
def test_the_picture_is_small_and_needs_nothing_else(name: str) -> None:
    text = read(name)
    assert len(text) < 100_000
    assert {element.tag.rpartition("}")[2] for element in ElementTree.fromstring(text).iter()} == {
        *("svg", "title", "style", "g", "rect", "path", "text")
    }
    assert text.count("http") == 1, "the name of the language"
    assert "url(" not in text


@picture
def test_every_keyframe_is_between_the_beginning_and_the_end_and_in_order(name: str) -> None:

    rules = re.findall(r"@keyframes [\w-]+\{((?:[\d.]+%\{[^}]*\})+)\}", read(name))
    assert len(rules) > 27
    for rule in rules:
        moments = [float(moment) for moment in re.findall(r"([\d.]+)%\{", rule)]
        assert moments[0] == 0
        assert moments[-1] == 100
        assert moments == sorted(moments)


@picture
def test_no_name_is_cut_off(name: str) -> None:
    words = [element.text or "" for element in ElementTree.fromstring(read(name)).iter() if element.tag.endswith("}text")]
    assert "visit(entrance)" in words
    assert not any("…" in word for word in words)


def test_the_pictures_in_readme_are_beside_each_other_and_equally_high() -> None:
    shown = re.findall(r'<img src="([^"]+)" width="(\d+)" alt="[^"]+">', (ROOT / "README.md").read_text("utf-8"))
    sizes = [ElementTree.parse(ROOT / path).getroot().attrib for path, _ in shown]
    assert len(shown) == 2
    assert sum(int(width) for _, width in shown) < 825, "GitHub's column is 830 pixels wide"
    high = [int(width) * float(size["height"]) / float(size["width"]) for (_, width), size in zip(shown, sizes, strict=True)]
    assert max(high) - min(high) < 1
