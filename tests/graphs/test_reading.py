"""Reading a graph gives back what was written, by every route the same; and what is no graph is refused, and where."""

import io
import math
import random
import re
import struct
import warnings
from collections.abc import Callable
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import networkx as nx
import numpy as np
import pytest
import scipy.io
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from recursor.algorithms import find
from recursor.graphs import distributions
from recursor.graphs.graph import Graph, even, from_edges, from_matrix
from recursor.graphs.reading import GraphError, as_graph, read_graph

SUFFIXES = (".txt", ".edges", ".edgelist", ".csv", ".tsv", ".npy", ".mtx")
SEPARATORS = {".txt": " ", ".edges": "   ", ".edgelist": "\t", ".csv": ",", ".tsv": "\t"}
BANNER = "%%MatrixMarket matrix"

patient = settings(deadline=None)  # a busy disk is no failure


@st.composite
def matrices(draw: st.DrawFn, symmetric: bool = False) -> np.ndarray:
    n = draw(st.integers(1, 7))
    bits = draw(st.lists(st.booleans(), min_size=n * n, max_size=n * n))
    matrix = np.array(bits).reshape(n, n)
    return matrix | matrix.T if symmetric else matrix


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("graphs")


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def edges(graph: Graph) -> list[tuple[Any, Any]]:
    """The edges by name."""
    ends = zip(graph.senders, graph.receivers, strict=True)
    return [(graph.names[sender], graph.names[receiver]) for sender, receiver in ends]


def edge_list(graph: Graph, separator: str) -> str:
    nodes = "# nodes: " + separator.join(map(str, graph.names))
    return "\n".join([nodes, *(f"{sender}{separator}{receiver}" for sender, receiver in edges(graph))])


def npy(matrix: Any) -> bytes:
    stream = io.BytesIO()
    np.save(stream, matrix)
    return stream.getvalue()


def npy_header(header: bytes, version: int = 1) -> bytes:
    length = struct.pack("<H" if version == 1 else "<I", len(header))
    return b"\x93NUMPY" + bytes([version, 0]) + length + header


def market(matrix: Any, **options: Any) -> bytes:
    """The file as SciPy writes it."""
    stream = io.BytesIO()
    scipy.io.mmwrite(stream, matrix, **options)
    return stream.getvalue()


def to_networkx(graph: Graph) -> nx.DiGraph:
    network = nx.DiGraph()
    network.add_nodes_from(graph.names)
    network.add_edges_from(edges(graph))
    return network


# What is written is read


@patient
@given(matrix=matrices())
def test_every_route_gives_the_same_graph(folder: Path, matrix: np.ndarray) -> None:
    graph = from_matrix(matrix)
    numbers = matrix.astype(int)
    files: dict[str, str | bytes] = {suffix: edge_list(graph, separator) for suffix, separator in SEPARATORS.items()}
    files[".npy"] = npy(matrix)
    files[".mtx"] = market(sparse.coo_array(numbers), field="pattern", symmetry="general")
    routes = [
        graph,
        matrix,
        numbers,
        matrix.astype(np.float16),
        np.asfortranarray(matrix.astype(">f8")),
        matrix.tolist(),
        tuple(map(tuple, numbers.tolist())),
        *(form(numbers) for form in (sparse.coo_array, sparse.csr_matrix, sparse.lil_array, sparse.dia_matrix)),
        sparse.csc_array(matrix),
        to_networkx(graph),
        *(write(folder / f"graph{suffix}", content) for suffix, content in files.items()),
        str(folder / "graph.npy"),
    ]
    assert all(as_graph(route) == graph for route in routes)


def test_a_graph_is_returned_as_it_is() -> None:
    graph = distributions.TRAIN(np.random.default_rng(0), 5)
    assert as_graph(graph) is graph


@patient
@given(
    matrix=matrices(),
    dtype=st.sampled_from(["?", "b", "u1", "<i4", ">i8", "f2", "<f4", ">f8", "g"]),
    order=st.sampled_from("CF"),
)
def test_npy_of_any_number_and_layout(folder: Path, matrix: np.ndarray, dtype: str, order: Any) -> None:
    path = write(folder / "layout.npy", npy(np.array(matrix, dtype, order=order)))
    assert read_graph(path) == from_matrix(matrix)


@patient
@given(matrix=matrices(), field=st.sampled_from(["integer", "real"]), dense=st.booleans())
def test_matrix_market_general(folder: Path, matrix: np.ndarray, field: str, dense: bool) -> None:
    numbers = matrix.astype(int if field == "integer" else float)
    content = market(numbers if dense else sparse.coo_array(numbers), field=field, symmetry="general")
    assert read_graph(write(folder / "general.mtx", content)) == from_matrix(matrix)


@patient
@given(matrix=matrices(symmetric=True), field=st.sampled_from(["pattern", "integer", "real"]), dense=st.booleans())
def test_matrix_market_symmetric(folder: Path, matrix: np.ndarray, field: str, dense: bool) -> None:
    dense &= field != "pattern"
    numbers = matrix.astype(float if field == "real" else int)
    content = market(numbers if dense else sparse.coo_array(numbers), field=field, symmetry="symmetric")
    assert b"symmetric" in content
    assert read_graph(write(folder / "symmetric.mtx", content)) == from_matrix(matrix)


def test_explicit_zeros_are_no_edges(tmp_path: Path) -> None:
    content = f"{BANNER} coordinate real general\n% a comment\n\n2 2 2\n1 2 1.0\n2 1 0.0\n"
    graph = read_graph(write(tmp_path / "zeros.mtx", content))
    assert edges(graph) == [(0, 1)]
    assert as_graph(sparse.coo_array(([1, 0], ([0, 1], [1, 0])), shape=(2, 2))) == graph


names = st.one_of(st.integers(), st.text(), st.tuples(st.integers(), st.booleans()), st.frozensets(st.integers()))


@patient
@given(
    nodes=st.lists(names, min_size=1, max_size=6, unique=True),
    pairs=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5))),
    kind=st.sampled_from([nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]),
)
def test_networkx_keeps_its_names_order_and_edges(nodes: list, pairs: list, kind: Callable[[], nx.Graph]) -> None:
    network = kind()
    network.add_nodes_from(nodes)
    network.add_edges_from((nodes[a % len(nodes)], nodes[b % len(nodes)]) for a, b in pairs)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "the networkx graph has . parallel edges")
        graph = as_graph(network)
    assert list(graph.names) == list(network)
    assert len(set(edges(graph))) == len(graph.senders)
    assert set(edges(graph)) == set(nx.DiGraph(network).edges)
    assert as_graph(to_networkx(graph)) == graph
    assert np.array_equal(graph.positions, even(len(graph)))


def test_networkx_weights_of_one_are_no_weights() -> None:
    network = nx.Graph()
    network.add_edge("a", "b", weight=1.0, colour="red")
    network.add_edge("b", "c", weight=np.float32(1))
    assert as_graph(network) == as_graph(nx.Graph([("a", "b"), ("b", "c")]))


@pytest.mark.parametrize(
    ("column", "kept"),
    [
        ([1, 2], True),
        ([0.5, np.float32(2)], True),
        ([1, None], False),
        ([1, "2"], False),
        ([1, 2**53 + 1], False),
        ([1, math.inf], False),
        ([1, 10**400], False),
    ],
)
def test_networkx_attributes_that_are_finite_numbers_at_every_node_are_values(column: list, kept: bool) -> None:
    network = nx.Graph()
    for name, value in zip("ab", column, strict=True):
        network.add_node(name, key=value)
    values = as_graph(network).values
    assert {name: list(numbers) for name, numbers in values.items()} == ({"key": column} if kept else {})


@pytest.mark.parametrize("separator", [" ", ",", "\t"])
def test_words_stand_for_categories_wherever_numbers_do(folder: Path, separator: str) -> None:
    words = ("no", "yes", "perhaps")
    suffix = {" ": ".txt", ",": ".csv", "\t": ".tsv"}[separator]
    for column in product(["no", "yes", "perhaps", "0", "1", "2"], repeat=3):
        numbers = [words.index(word) if word in words else int(word) for word in column]
        network = nx.empty_graph("abc")
        for name, word in zip("abc", column, strict=True):
            network.add_node(name, mood=word if word in words else int(word))
        lines = [["# nodes: a", "b", "c"], ["# values: mood", *column]]
        path = write(folder / f"moods{suffix}", "".join(separator.join(line) + "\n" for line in lines))
        for source in (network, path):
            assert as_graph(source, values={"mood": words}).values["mood"].tolist() == numbers


def test_a_word_for_no_category_is_refused_with_those_that_there_are(tmp_path: Path) -> None:
    network: nx.DiGraph = nx.DiGraph([("a", "b")])
    network.add_node("a", gate="and")
    network.add_node("b", gate="maybe")
    path = write(tmp_path / "gates.txt", "# nodes: a b\n# values: gate and maybe\na b\n")
    for source in (network, path):
        with pytest.raises(GraphError, match=r"one of 'false', 'true', 'and', 'or'.*'maybe'|'maybe'.*one of 'false'"):
            find("circuit").graph(source)


@patient
@given(
    words=st.lists(st.text("aZ9é-._()", min_size=1), min_size=2, max_size=6, unique=True),
    pairs=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5))),
    suffix=st.sampled_from(list(SEPARATORS)),
    undirected=st.booleans(),
    line_end=st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_edge_lists_keep_declared_names(
    folder: Path, words: list[str], pairs: list[tuple[int, int]], suffix: str, undirected: bool, line_end: str
) -> None:
    ends = np.array([(a % len(words), b % len(words)) for a, b in pairs], int).reshape(-1, 2)
    both = np.concatenate([ends, ends[:, ::-1]]) if undirected else ends
    graph = from_edges(both[:, 0], both[:, 1], len(words), names=words)
    separator = SEPARATORS[suffix]
    lines = ["# undirected"] * undirected + ["# nodes: " + separator.join(words)]
    lines += [words[a] + separator + words[b] for a, b in ends]
    read = read_graph(write(folder / f"named{suffix}", line_end.join(lines)))
    assert list(map(str, read.names)) == words
    assert np.array_equal(read.senders, graph.senders)
    assert np.array_equal(read.receivers, graph.receivers)


@patient
@given(
    numbers=st.lists(
        st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**40), 2**40), min_size=1, max_size=6
    ),
    suffix=st.sampled_from(list(SEPARATORS)),
    cut=st.integers(0, 6),
)
def test_edge_lists_keep_the_values_of_the_nodes(folder: Path, numbers: list[float], suffix: str, cut: int) -> None:
    separator = SEPARATORS[suffix]
    lines = ["# nodes: " + separator.join(map(str, range(len(numbers))))]
    lines += ["# values: " + separator.join(["key", *map(repr, part)]) for part in (numbers[:cut], numbers[cut:]) if part]
    read = read_graph(write(folder / f"values{suffix}", "\n".join(lines)))
    assert read.values["key"].tolist() == numbers


@patient
@given(matrix=matrices(), seed=st.integers(0, 99))
def test_the_order_of_lines_does_not_order_integers(folder: Path, matrix: np.ndarray, seed: int) -> None:
    graph = from_matrix(matrix)
    lines = [f"{a} {b}" for a, b in edges(graph)] + [str(name) for name in graph.names]
    random.Random(seed).shuffle(lines)
    assert read_graph(write(folder / "shuffled.txt", "\n".join(lines))) == graph


@pytest.mark.parametrize(
    ("suffix", "content", "order", "pairs"),
    [
        (".txt", "c b\nb a\n", ["c", "b", "a"], {("c", "b"), ("b", "a")}),
        (".txt", "10 9\n-2 9", [-2, 9, 10], {(10, 9), (-2, 9)}),
        (".txt", "1 01\n", ["1", "01"], {("1", "01")}),
        (".txt", "a b\n\nlone\n# comment\na b", ["a", "b", "lone"], {("a", "b")}),
        (".txt", "\ufeff#nodes: 3 1\n# nodes: 2\n", [3, 1, 2], set()),
        (".txt", "# Undirected\n1 2\n2 1\n", [1, 2], {(1, 2), (2, 1)}),
        (".txt", "# Nodes: 4039 Edges: 88234\n# Undirected graph: it.txt\n1\t2", [1, 2], {(1, 2)}),
        (".edges", "a a", ["a"], {("a", "a")}),
        (".csv", "New York, Rome\nRome ,Oslo", ["New York", "Rome", "Oslo"], {("New York", "Rome"), ("Rome", "Oslo")}),
        (".csv", "# nodes: New York, Rome\nRome\n", ["New York", "Rome"], set()),
        (".csv", "# nodes: source, target\nsource,target\n", ["source", "target"], {("source", "target")}),
        (".TSV", "a b\tc", ["a b", "c"], {("a b", "c")}),
    ],
)
def test_the_edge_list_format(tmp_path: Path, suffix: str, content: str, order: list, pairs: set) -> None:
    graph = read_graph(write(tmp_path / f"format{suffix}", content))
    assert list(graph.names) == order
    assert set(edges(graph)) == pairs


def test_a_large_sparse_graph_needs_no_square_array(tmp_path: Path) -> None:
    n = 100_000  # whose square array would take 10 GB even of single bytes
    graph = distributions.sparse(np.random.default_rng(0), n, degree=2)
    matrix = sparse.coo_array((np.ones(len(graph.senders), int), (graph.senders, graph.receivers)), shape=(n, n))
    assert as_graph(matrix) == graph
    assert read_graph(write(tmp_path / "large.mtx", market(matrix))) == graph
    assert read_graph(write(tmp_path / "large.txt", edge_list(graph, " "))) == graph


# What is no graph is refused


def weighted(weight: Any) -> nx.Graph:
    network = nx.Graph()
    network.add_edge("a", "b")
    network.add_edge("b", "c", weight=weight)
    return network


EDGE = {"edge_index": np.array([[0], [1]]), "num_nodes": 2}


def bad_indices() -> sparse.csr_array:
    matrix = sparse.csr_array(np.eye(2))
    matrix.indices[:] = 9
    return matrix


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ([[0, 1, 0], [1, 0, 0]], "square, not 2 rows by 3 columns"),
        ([0, 1], "2 dimensions, not 1"),
        (np.zeros((2, 2, 2)), "2 dimensions, not 3"),
        (np.array(1), "2 dimensions, not 0"),
        ([], "at least one node"),
        ([[]], "at least one node"),
        (np.zeros((0, 0)), "at least one node"),
        ([[0, 1], [1]], "equally long"),
        ([[0, 1], [-1, 0]], "row 1, column 0 .* -1 is negative"),
        ([[0, np.nan], [1, 0]], "row 0, column 1 .* nan is not finite"),
        ([[0, 1], [1, np.inf]], "row 1, column 1 .* inf is not finite"),
        ([[0, 1], [0.5, 0]], "row 1, column 0 .* 0.5 is a weight.*pattern=True"),
        (np.array([[0, 200]] * 2, np.uint8), "row 0, column 1 .* 200 is a weight.*pattern=True"),
        ([[0, 10**30], [0, 0]], "type object"),
        ([[0, None], [0, 0]], "type object"),
        ([["a", "b", "c"]] * 3, "type <U1"),
        ([["a", "b"], ["c", "d"]], "list of pairs .*networkx.Graph"),
        ([("a", "b"), ("b", "c"), ("c", "a")], "list of pairs .*networkx.Graph"),
        ([(0, 1), (1, 2)], "list of pairs .*networkx.DiGraph"),
        ([[0, 1], [1, 2], [2, 3]], "list of pairs"),
        (np.zeros((2, 2), complex), "type complex"),
        (np.ma.masked_equal(np.eye(2), 1), "masked"),
        (sparse.coo_array((2, 3)), "square, not 2 rows by 3"),
        (sparse.coo_array([0, 1]), "2 dimensions, not 1"),
        (sparse.csr_array((0, 0)), "at least one node"),
        (sparse.csr_array(np.diag([0, 1.5])), "row 1, column 1 .* 1.5 is a weight.*pattern=True"),
        (sparse.coo_array(([1, 1], ([0, 0], [1, 1])), shape=(2, 2)), "row 0, column 1 .* 2 is a weight"),
        (sparse.coo_array(([np.inf, -np.inf], ([0, 0], [1, 1])), shape=(2, 2)), "nan is not finite"),
        (sparse.csr_array(np.eye(2, dtype=complex)), "type complex"),
        (sparse.coo_array((10**12, 10**12), dtype=int), "1000000000000 nodes and 0 entries"),
        (bad_indices(), "indices"),
        (nx.Graph(), "at least one node"),
        (weighted(2), "from 'b' to 'c' has the weight 2,.*pattern=True"),
        (weighted(0), "has the weight 0"),
        (weighted(None), "has the weight None"),
        (weighted(float("nan")), "has the weight nan"),
        (weighted(np.ones(2)), "has the weight"),
        (None, "not as an object of type NoneType"),
        ({"a": ["b"]}, "not as an object of type dict; `networkx.Graph`"),
        (SimpleNamespace(edge_index=None), "edge_index: it is missing"),
        (SimpleNamespace(edge_index=np.eye(2), num_nodes=2), "integers in 2 rows, .* not numbers of the type float64"),
        (SimpleNamespace(edge_index=np.ones((3, 2), int), num_nodes=2), r"integers in 2 rows, .* not the shape \(3, 2\)"),
        (SimpleNamespace(**EDGE, edge_weight=np.array([2.0])), "edge_weight: some weights are not 1"),
        (b"graph.txt", "not as an object of type bytes"),
        ([nx.path_graph(2), nx.path_graph(3)], "a list of graphs or files is not one graph; `run_many`"),
    ],
)
def test_objects_that_are_no_graphs(source: object, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        as_graph(source)


PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
GENERAL = f"{BANNER} coordinate pattern general\n"
REAL = f"{BANNER} coordinate real general\n"
ARRAY = f"{BANNER} array integer general\n"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        # edge lists
        ("columns.txt", "a b\na b 3\n", "line 2: .* two names.* not 3 columns"),
        ("columns.csv", "a,b,3\n", "line 1: .* not 3 columns"),
        ("columns.tsv", "a\tb\t\n", "line 1: .* not 3 columns"),
        ("twice.txt", "# nodes: a b\n# nodes: c a\n", "line 2: .* each name once.* 'a'"),
        ("dangling.txt", "# nodes: a b\n\na b\na d\n", "line 4: .* 'd' is missing"),
        ("lone.txt", "# nodes: a b\nd\n", "line 2: .* 'd' is missing"),
        ("late.txt", "a b\n# nodes: a b\n", "line 2: .* before the first edge"),
        ("late.txt", "a\n# undirected\n", "line 2: .* before the first edge"),
        ("late.txt", "# nodes: a\na\n# values: key 1\n", "line 3: .* before the first edge"),
        ("words.txt", "# nodes: a b\n# values: key 1 x\n", "line 2: .* numbers, not 'x'"),
        ("words.txt", "# nodes: a b\n# values: key 1 inf\n", "line 2: .* numbers, not 'inf'"),
        ("digits.txt", "# nodes: a b\n# values: key 1 9007199254740993\n", "line 2: '9007199254740993' has more digits"),
        ("digits.txt", f"# nodes: a b\n# values: key 1 {'9' * 300}\n", "line 2: .* has more digits"),
        ("digits.txt", f"# nodes: a b\n# values: key 1 {'9' * 5000}\n", "line 2: .* numbers, not '9999"),
        ("escape.txt", "a b\x9bm\n", r"line 1: the file must be text, without the character '\\x9b'"),
        ("few.txt", "# nodes: a b\n# values: key 1\n", "one number to each node .* 1 of 'key' and 2 such"),
        ("loose.txt", "# values: key 1 2\na b\n", "one number to each node .* 2 of 'key' and no such"),
        ("nameless.txt", "# nodes: a b\n# values:\n", "line 2: ''"),
        ("empty.csv", "a,\n", "line 1: ''"),
        ("empty.csv", ",\n", "line 1: ''"),
        ("commas.txt", "a,b\n", "line 1: 'a,b'"),
        ("commas.txt", "a, b\n", "line 1: 'a,'"),
        ("spaces.csv", "a b\n", "line 1: .* 'a b'; separate"),
        ("heading.csv", "# a comment\nSource,Target\na,b\n", "line 2: .* heading"),
        ("trailing.txt", "a #b\n", "line 1: '#b'"),
        ("quoted.csv", '"a","b"\n', "line 1: '\"a\"'"),
        ("it.txt", '{\n"nodes": []\n}', "line 1: '{'"),
        ("it.txt", '["a", "b"]', "line 1: '\\[\"a\",'"),
        ("it.edges", "<graphml>", "line 1: '<graphml>'"),
        ("it.txt", "graph [\n]", "line 1: '\\['"),
        ("comments.txt", "# only\n\n", "at least one node"),
        ("nobody.txt", "# nodes:\n", "at least one node"),
        ("png.txt", PNG, "line 1: .* UTF-8"),
        ("latin.txt", "a b\nä b".encode("latin-1"), "line 2: .* UTF-8"),
        ("wide.txt", "a b".encode("utf-16"), "line 1: .* UTF-8"),
        ("binary.txt", b"a b\n\x00\x01", "line 2: .* character"),
        # .npy
        ("png.npy", PNG, "header"),
        ("json.npy", "{}", "header"),
        ("pickle.npy", npy(np.array([[None]])), "type object"),
        ("words.npy", npy(np.array([["a"]])), "type <U1"),
        ("cut.npy", npy(np.eye(3))[:-1], "announces 72 bytes of entries, but 71 follow"),
        ("cut.npy", npy(np.eye(3))[:40], "header"),
        ("more.npy", npy(np.eye(3)) + b"\n", "announces 72 bytes of entries, but 73 follow"),
        ("many.npy", npy(np.zeros((2, 3))), "square, not 2 rows by 3"),
        ("flat.npy", npy(np.zeros(4)), "2 dimensions, not 1"),
        ("none.npy", npy(np.zeros((0, 0))), "at least one node"),
        ("nan.npy", npy([[0, 1], [np.nan, 0]]), "row 1, column 0 .* nan"),
        ("byte.npy", npy(np.array([[0, 7], [0, 0]], np.uint8).view(bool)), "row 0, column 1 .* 7"),
        (
            "huge.npy",
            npy_header(b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 1000000)}\n"),
            "announces 8000000000000 bytes",
        ),
        ("minus.npy", npy_header(b"{'descr': '<f8', 'fortran_order': False, 'shape': (-1, -1)}\n"), "negative"),
        # .mtx
        ("png.mtx", PNG, "line 1: .* UTF-8"),
        ("json.mtx", "{}", "line 1: .* begin like"),
        ("blank.mtx", "\n", "line 1: .* begin like"),
        ("banner.mtx", f"{BANNER} coordinate complex general\n1 1 0\n", "line 1: 'complex' must be one of pattern"),
        ("banner.mtx", f"{BANNER} coordinate real hermitian\n1 1 0\n", "line 1: 'hermitian' must be one of general"),
        ("banner.mtx", f"{BANNER} array pattern general\n1 1\n", "line 1: .* not pattern"),
        ("banner.mtx", "%%MatrixMarket vector coordinate real general\n1 0\n", "line 1: .* begin like"),
        ("size.mtx", GENERAL, "line 2: .* rows, columns and entries"),
        ("size.mtx", GENERAL + "3 3\n1 1\n", "line 2: .* rows, columns and entries"),
        ("size.mtx", GENERAL + "% c\n3 x 0\n", "line 3: .* rows, columns and entries"),
        ("size.mtx", ARRAY + "1 1 1\n", "line 2: .* rows and columns"),
        ("size.mtx", GENERAL + f"{10**30} {10**30} 0\n", "line 2: .* numbers"),
        ("square.mtx", GENERAL + "2 3 0\n", "line 2: .* square, not 2 rows by 3"),
        ("none.mtx", ARRAY + "0 0\n", "line 2: .* at least one node"),
        ("huge.mtx", GENERAL + f"{10**12} {10**12} 1\n1 2\n", "line 2: with 1000000000000 nodes and 1 entries"),
        ("huge.mtx", ARRAY + f"{10**9} {10**9}\n1\n0\n", "line 2: 1000000000000000000 entries are announced"),
        ("huge.mtx", GENERAL + f"9 9 {10**15}\n1 2\n", "line 2: 1000000000000000 entries are announced"),
        ("cut.mtx", GENERAL + "3 3 3\n1 2\n2 3\n", "3 entries are announced, but 2 are there"),
        ("more.mtx", GENERAL + "3 3 1\n1 2\n2 3\n", "1 entries are announced, but 2 are there"),
        ("cut.mtx", ARRAY + "2 2\n0\n1\n1\n", "4 entries are announced, but 3 are there"),
        ("columns.mtx", GENERAL + "3 3 1\n1 2 1\n", "line 3: .* 2 columns .* not 3"),
        ("columns.mtx", REAL + "3 3 1\n1 2\n", "line 3: .* 3 columns .* not 2"),
        ("outside.mtx", GENERAL + "3 3 1\n1 4\n", "line 3: .* from 1 to 3, not '4'"),
        ("outside.mtx", GENERAL + "3 3 1\n0 1\n", "line 3: .* from 1 to 3, not '0'"),
        ("outside.mtx", GENERAL + "3 3 1\n1 -1\n", "line 3: .* from 1 to 3, not '-1'"),
        ("outside.mtx", GENERAL + "3 3 1\n1 1.5\n", "line 3: .* from 1 to 3, not '1.5'"),
        ("twice.mtx", GENERAL + "3 3 3\n1 2\n2 1\n1 2\n", "line 5: row 1 and column 2 must have only one entry"),
        ("twice.mtx", f"{BANNER} coordinate pattern symmetric\n3 3 2\n2 1\n1 2\n", "line 4: row 2 and column 1"),
        ("value.mtx", REAL + "3 3 2\n1 2 1\n2 3 0.5\n", "line 4: the entry 0.5 is a weight.*pattern=True"),
        ("value.mtx", f"{BANNER} coordinate integer general\n3 3 1\n1 2 1.5\n", "line 3: the entry 1.5 is a weight"),
        ("value.mtx", REAL + "3 3 1\n1 2 -1\n", "line 3: .* negative"),
        ("value.mtx", REAL + "3 3 1\n1 2 nan\n", "line 3: .* nan"),
        ("value.mtx", REAL + "3 3 1\n1 2 inf\n", "line 3: .* inf"),
        ("value.mtx", REAL + "3 3 1\n1 2 one\n", "line 3: .* not 'one'"),
        # any file
        *((f"empty{suffix}", b"", "the file is empty") for suffix in SUFFIXES),
        ("graph.json", "{}", "the suffix .* one of .*txt, .* not '.json'"),
        ("graph", "a b", "the suffix .* not ''"),
    ],
)
def test_files_that_hold_no_graph(tmp_path: Path, name: str, content: str | bytes, message: str) -> None:
    path = write(tmp_path / name, content)
    with pytest.raises(GraphError, match=re.escape(str(path)) + f".*{message}") as refusal:
        as_graph(path)
    assert "\n" not in str(refusal.value)


def test_a_list_of_pairs_of_which_each_is_a_row_is_a_matrix() -> None:
    assert as_graph([(0, 1), (1, 0)]).successors == as_graph([[0, 1], [1, 0]]).successors == [[1], [0]]
    assert as_graph([[0, 3], [2, 0]], pattern=True).successors == [[1], [0]]


def test_weights_beside_an_edge_index_are_ignored_only_if_one_says_so() -> None:
    assert as_graph(SimpleNamespace(**EDGE, edge_weight=np.array([2.0])), pattern=True).successors == [[1], []]
    assert as_graph(SimpleNamespace(**EDGE, edge_weight=np.array([1.0]))).successors == [[1], []]


class Tensor:
    """A tensor that has a gradient: NumPy must not take it as it is."""

    ndim = 1

    def __init__(self, numbers: list[float]) -> None:
        self.numbers = numbers

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        raise RuntimeError("Can't call numpy() on a tensor that requires grad.")

    def detach(self) -> "Tensor":
        return self

    def cpu(self) -> np.ndarray:
        return np.array(self.numbers)


def test_the_numbers_of_a_tensor_with_a_gradient_are_taken() -> None:
    assert as_graph(Tensor([3.0, 1.0]), numbers="key").values["key"].tolist() == [3, 1]


def test_several_lists_are_not_one_list_of_numbers() -> None:
    with pytest.raises(GraphError, match="several lists of numbers are not one; `run_many`"):
        as_graph([[2, 1], [3, 5, 4]], numbers="key")


def test_a_directory_is_called_a_directory(tmp_path: Path) -> None:
    with pytest.raises(GraphError, match="a graph is read from a file, and this is a directory"):
        as_graph(tmp_path)


def test_a_text_that_is_too_long_for_a_name_is_refused_in_a_sentence() -> None:
    with pytest.raises(GraphError, match="the suffix of a graph's file is one of"):
        as_graph("long" * 99)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_paths_without_a_file(tmp_path: Path, suffix: str) -> None:
    directory = tmp_path / f"directory{suffix}"
    directory.mkdir()
    for path in (directory, tmp_path / f"missing{suffix}", tmp_path / f"{'long' * 99}{suffix}", f"\0{suffix}"):
        with pytest.raises(GraphError, match=r"the file cannot be read|no file can have this name"):
            as_graph(path)


def reads_or_refuses(path: Path, content: bytes) -> None:
    try:
        graph = read_graph(write(path, content))
    except GraphError as refusal:
        assert str(path) in str(refusal)
        return
    n = len(graph)
    assert n == len(graph.names) == len(set(graph.names)) > 0
    assert from_edges(graph.senders, graph.receivers, n, names=graph.names) == graph
    assert not len(graph.senders) or 0 <= graph.receivers.min() <= graph.receivers.max() < n


atoms = st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=3), st.sampled_from(["<f8", "|b1", "|O"]))
literals = st.one_of(atoms, st.lists(atoms, max_size=3), st.tuples(atoms, atoms), st.lists(st.tuples(atoms, atoms)))
npy_headers = st.one_of(
    st.binary(max_size=40),
    st.builds(
        lambda descr, fortran, shape: repr({"descr": descr, "fortran_order": fortran, "shape": shape}).encode(),
        literals | st.just("<f8") | st.just("|b1"),
        literals | st.booleans(),
        literals | st.tuples(st.integers(), st.integers()) | st.just((1, 1)),
    ),
)
rows = st.lists(
    st.lists(st.sampled_from(["0", "1", "2", "3", "-1", "0.5", "nan", "a", "%", "#", "{"]), max_size=4).map(" ".join)
).map("\n".join)
banners = st.builds(
    " ".join,
    st.tuples(
        st.just(BANNER),
        st.sampled_from(["coordinate", "array"]),
        st.sampled_from(["pattern", "integer", "real", "complex"]),
        st.sampled_from(["general", "symmetric", "skew-symmetric"]),
    ),
)
contents = st.one_of(
    st.binary(),
    st.text().map(str.encode),
    rows.map(str.encode),
    st.builds(lambda banner, text: f"{banner}\n{text}".encode(), banners, rows | st.text()),
    st.builds(lambda header, data: npy_header(header) + data, npy_headers, st.binary() | st.just(bytes(8))),
)


@pytest.mark.parametrize("suffix", SUFFIXES)
@patient
@given(content=contents)
def test_any_bytes_are_read_or_refused(folder: Path, suffix: str, content: bytes) -> None:
    reads_or_refuses(folder / f"any{suffix}", content)


@patient
@given(matrix=matrices(), suffix=st.sampled_from(SUFFIXES), data=st.data())
def test_a_damaged_file_is_read_or_refused(folder: Path, matrix: np.ndarray, suffix: str, data: st.DataObject) -> None:
    if suffix == ".npy":
        content = npy(matrix.astype(float))
    elif suffix == ".mtx":
        content = market(data.draw(st.sampled_from([sparse.coo_array, np.asarray]))(matrix.astype(int)))
    else:
        content = edge_list(from_matrix(matrix), SEPARATORS[suffix]).encode()
    start, stop = sorted(data.draw(st.tuples(*[st.integers(0, len(content))] * 2)))
    reads_or_refuses(folder / f"damaged{suffix}", content[:start] + data.draw(st.binary(max_size=3)) + content[stop:])


def test_a_value_may_begin_with_thousands_of_zeros(tmp_path: Path) -> None:
    path = write(tmp_path / "zeros.txt", f"# nodes: a b\n# values: key {'0' * 5000}7 -0\n")
    assert read_graph(path).values["key"].tolist() == [7, 0]
