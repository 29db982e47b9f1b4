"""Formats of graph files: the recipe for a new one, weights, and files that are none."""

import os
import sys
from pathlib import Path
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from recursor.graphs import files, formats, reading
from recursor.graphs.formats import edge_list
from recursor.graphs.formats.contract import Format, Source
from recursor.graphs.graph import Graph, from_edges
from recursor.graphs.reading import GraphError, as_graph, read_graph
from tests.graphs.tables import Table


def test_the_recipe_for_a_format_is_one_file_and_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def parse(data: bytes, source: Source) -> Graph:
        nodes = int(data)
        return from_edges(np.arange(nodes - 1), np.arange(1, nodes), nodes)

    monkeypatch.setattr(reading, "FORMATS", (*reading.FORMATS, Format((".path",), parse)))
    (tmp_path / "mine.path").write_text("3")
    assert read_graph(tmp_path / "mine.path").successors == [[1], [2], []]
    folder = Path(formats.__file__).parent
    assert all((folder / f"{file}.py").is_file() for file in formats.FILES)


PATTERN = [[0, 1], [1, 1]]


def test_a_weighted_source_can_be_taken_by_its_pattern(tmp_path: Path) -> None:
    matrix = np.array([[0, -2.5], [0.5, 3]])
    market = tmp_path / "weights.mtx"
    market.write_text("%%MatrixMarket matrix coordinate real general\n2 2 3\n1 2 -2.5\n2 1 0.5\n2 2 3\n")
    np.save(tmp_path / "weights.npy", matrix)
    lines = tmp_path / "weights.csv"
    lines.write_text("0,1,-2.5\n1,0,0.5\n1,1,3\n")
    weighted = nx.DiGraph()
    weighted.add_weighted_edges_from([(0, 1, -2.5), (1, 0, 0.5), (1, 1, 3)])
    for source in (matrix, matrix.tolist(), sparse.csr_array(matrix), weighted, market, tmp_path / "weights.npy", lines):
        with pytest.raises(GraphError, match=r"`pattern=True` in Python, or --pattern in commands"):
            as_graph(source)
        assert as_graph(source, pattern=True) == as_graph(PATTERN)


def test_the_karate_club_has_a_pattern() -> None:
    assert len(as_graph(nx.karate_club_graph(), pattern=True).senders) == 2 * 78


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_not_finite_has_no_pattern(value: float) -> None:
    for source in (np.array([[0, value], [0, 0]]), sparse.csr_array(np.array([[0, value], [0, 0]]))):
        with pytest.raises(GraphError, match="not finite"):
            as_graph(source, pattern=True)


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("Windows has no such pipes")
    os.mkfifo(tmp_path / "pipe.txt")
    (tmp_path / "zero.npy").symlink_to("/dev/zero")
    for name in ("pipe.txt", "zero.npy"):
        with pytest.raises(GraphError, match="regular file, not from a device or a pipe"):
            read_graph(tmp_path / name)


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MOST_BYTES", 2**20)
    with (tmp_path / "large.txt").open("wb") as file:
        file.truncate(2**20 + 1)
    with pytest.raises(GraphError, match="at most 1 MiB"):
        read_graph(tmp_path / "large.txt")


words = st.text("0123456789-a", min_size=1, max_size=4)
lines = st.lists(st.tuples(words, words), min_size=1, max_size=6)


@given(lines, st.sampled_from([".txt", ".csv", ".tsv"]), st.booleans())
def test_reading_all_edges_at_once_is_reading_line_by_line(pairs: list, suffix: str, blank: bool) -> None:
    separator = edge_list.SEPARATORS[suffix] or " "
    text = ("\n\n" if blank else "\n").join(separator.join(pair) for pair in pairs)
    source = Source(f"graph{suffix}", suffix)
    at_once = edge_list.parse(text.encode(), source)
    slowly = edge_list.parse(f"{text}\n# the end".encode(), source)  # a comment among the edges: no fast way
    assert at_once == slowly


def test_the_fast_way_tells_how_far_it_is(tmp_path: Path) -> None:
    (tmp_path / "g.txt").write_text("1 2\n2 3\n")
    told: list[tuple[int, int]] = []
    read_graph(tmp_path / "g.txt", progress=lambda done, total: told.append((done, total)))
    assert told == [(2, 2)]


@given(lines, st.sampled_from([".txt", ".csv"]), st.integers(0, 9))
def test_reading_in_pieces_is_reading_as_a_whole(pairs: list, suffix: str, piece: int) -> None:
    text = "\n".join((edge_list.SEPARATORS[suffix] or " ").join(pair) for pair in pairs).replace("a", "7")
    whole, told = edge_list.parse(text.encode(), Source(f"graph{suffix}", suffix)), []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(edge_list, "PIECE", piece)
        progress = lambda done, total: told.append((done, total))  # noqa: E731
        assert edge_list.parse(text.encode(), Source(f"graph{suffix}", suffix, progress=progress)) == whole
    assert told == sorted(told)
    assert told[-1:] in ([], [(len(pairs), len(pairs))])


def test_a_table_of_edges_is_a_graph() -> None:
    assert list(as_graph(Table([(10, 9), (9, 2)])).names) == [2, 9, 10]
    assert list(as_graph(Table([("b", "a")])).names) == ["b", "a"]
    with pytest.raises(GraphError, match=r"must have 2 columns, sender and receiver, not 3.*pattern=True"):
        as_graph(Table([("a", "b", 2.0)], 3))
    assert as_graph(Table([("a", "b", 2.0)], 3), pattern=True).successors == [[1], []]
    assert list(as_graph(Table([(10, 9, 2.5)], 3), pattern=True).names) == [9, 10]
    with pytest.raises(GraphError, match=r"row 1 .* one is missing"):
        as_graph(Table([("a", "b"), ("a", None)]))


def test_an_edge_index_is_a_graph() -> None:
    data = SimpleNamespace(
        edge_index=np.array([[0, 1], [1, 2]]), num_nodes=4, key=np.arange(4), keys=lambda: ["edge_index", "key"]
    )
    graph = as_graph(data)
    assert graph.successors == [[1], [2], [], []]
    assert graph.values["key"].tolist() == [0, 1, 2, 3]
    data.num_nodes = 2
    with pytest.raises(GraphError, match="num_nodes is 2"):
        as_graph(data)


@pytest.mark.parametrize(("content", "message"), [("1 x\n", "line 1: .* not 'x'"), ("1\n2, nan\n", "line 2: .* 'nan'")])
def test_a_file_of_numbers_holds_numbers(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "mine.numbers").write_text(content)
    with pytest.raises(GraphError, match=message):
        read_graph(tmp_path / "mine.numbers")
