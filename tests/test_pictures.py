"""The pictures of README and docs."""

import re
from pathlib import Path
from xml.etree import ElementTree

from recursor.graphs.reading import read_graph
from recursor.trace.moving import moving_svg
from recursor.trace.trace import recorded
from tests.trace.executions import spec

ROOT = Path(__file__).parent.parent
PICTURE = ROOT / "docs" / "pictures" / "recursion.svg"


def test_the_network_in_the_picture_does_what_the_classical_algorithm_does() -> None:
    """So the picture can be made again without the network, and is the same to the byte."""
    trace = recorded(spec(), read_graph(ROOT / "examples" / "maze.txt"))
    title = "A graph neural network executes depth-first search"
    assert moving_svg(trace, title) == PICTURE.read_text("utf-8"), "make pictures"


def test_the_picture_is_small_and_needs_nothing_else() -> None:
    text = PICTURE.read_text("utf-8")
    assert len(text) < 100_000
    assert {element.tag.rpartition("}")[2] for element in ElementTree.fromstring(text).iter()} == {
        *("svg", "title", "style", "g", "rect", "path", "text")
    }
    assert text.count("http") == 1, "the name of the language"
    assert "url(" not in text


def test_every_keyframe_is_between_the_beginning_and_the_end_and_in_order() -> None:

    rules = re.findall(r"@keyframes [\w-]+\{((?:[\d.]+%\{[^}]*\})+)\}", PICTURE.read_text("utf-8"))
    assert len(rules) > 27
    for rule in rules:
        moments = [float(moment) for moment in re.findall(r"([\d.]+)%\{", rule)]
        assert moments[0] == 0
        assert moments[-1] == 100
        assert moments == sorted(moments)
