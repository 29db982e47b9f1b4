import re
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

import recursor
from recursor.graphs.distributions import TEST, complete
from recursor.graphs.reading import as_graph
from recursor.trace.page import PAPER, as_script, fill, page, write_page
from tests.trace.executions import traced

HOSTILE = [
    "<script>document.title = 'taken'</script>",
    "</script><img src=x onerror=alert(1)>",
    "{{script}}",
    "<!--",
    "\u2028]]>",
    "ä" * 200,
]


def test_names_cannot_leave_the_data() -> None:
    text = page([traced(as_graph(nx.path_graph(HOSTILE)))], "</title><script>alert(1)</script>")
    assert len(re.findall(r"<script\b", text)) == len(re.findall(r"</script>", text)) == 2, "the data and the program"
    assert "<img" not in text
    assert "<!--" not in text
    assert "&lt;/title&gt;" in text


def test_a_page_asks_nobody_for_anything() -> None:
    text = page([traced(complete(5))], "complete")
    addresses = set(re.findall(r"https?://[^\s\"'`)]+", text))
    language = "http://www.w3.org/2000/svg"  # a name, which no browser looks up
    assert addresses == {language, PAPER}, "a link is followed only by who clicks it"
    assert not re.search(r"\bsrc=|@import|url\(", text)
    assert "default-src 'none'" in text


def test_a_page_says_what_it_is_and_what_made_it() -> None:
    text = page([traced(complete(5))], "a complete graph")
    assert "<title>a complete graph – Depth-first search</title>" in text
    assert f"Recursor</b> {recursor.__version__}" in text
    assert f'href="{PAPER}"' in text
    assert re.search(r'property="og:image" content="data:image/svg\+xml;base64,[A-Za-z0-9+/=]{1000,}"', text)


@pytest.mark.parametrize("seed", [3, 4])  # a tree, and a dense graph
def test_a_page_of_96_nodes_is_small(seed: int, tmp_path: Path) -> None:
    graph = TEST(np.random.default_rng(seed), 96)
    traces = [traced(graph, spoil=np.random.default_rng(0), mistakes=30), traced(graph)]
    write_page(tmp_path / "page.html", traces, "two of them")
    assert (tmp_path / "page.html").stat().st_size < 300_000


def test_the_same_execution_makes_the_same_page() -> None:
    graph = TEST(np.random.default_rng(4), 24)
    assert page([traced(graph)], "same") == page([traced(graph)], "same")


def test_what_is_filled_in_is_not_looked_at_again() -> None:
    assert fill("{{a}} {{b}}", {"a": "{{b}}", "b": "$1 \\1"}) == "{{b}} $1 \\1"


def test_json_in_a_script_cannot_end_it() -> None:
    assert not set("<>&\u2028") & set(as_script({"</script>": "<!-- & \u2028"}))
