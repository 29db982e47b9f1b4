"""A weighted graph means the same in every form in which people have it: networkx computes the same tree of each."""

from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from recursor.algorithms import find
from recursor.graphs.adjacency import GraphError
from tests.graphs.tables import Table

MST = ["mst_prim", "mst_kruskal"]
weights = st.integers(-3, 9).filter(bool) | st.floats(-4, 4, width=16).filter(bool)


def tree_of(name: str, source: object) -> nx.Graph:
    graph = find(name).graph(source)
    return find(name).answer(graph, find(name).run(graph))


@pytest.mark.parametrize("name", MST)
@given(data=st.data())
def test_all_forms_of_a_weighted_graph_have_the_tree_that_networkx_finds(name: str, data: st.DataObject) -> None:
    source = nx.gnp_random_graph(data.draw(st.integers(1, 6)), 0.6, seed=data.draw(st.integers(0, 99)))
    for a, b in source.edges:
        source.edges[a, b]["weight"] = data.draw(weights)
    ends = np.array(source.edges, int).reshape(-1, 2).T
    own = np.array([weight for _, _, weight in source.edges(data="weight")])
    both, twice = np.concatenate([ends, ends[::-1]], 1), np.concatenate([own, own])
    matrix = nx.to_numpy_array(source)
    size = nx.minimum_spanning_tree(source).size("weight")
    forms: list[object] = [source, matrix, matrix.tolist(), sparse.csr_array(matrix)]
    forms.append(SimpleNamespace(edge_index=ends, edge_weight=own, num_nodes=len(source)))
    forms.append(SimpleNamespace(edge_index=both, edge_attr=twice[:, None], num_nodes=len(source)))
    for form in forms:
        tree = tree_of(name, form)
        assert tree.size("weight") == pytest.approx(size)
        assert list(tree) == list(source)
        assert nx.number_connected_components(tree) == nx.number_connected_components(source)


@pytest.mark.parametrize("name", MST)
@pytest.mark.parametrize(
    ("file", "text"), [("w.txt", "# undirected\na b 3\nb c 1.5\n\na c 2\nd\n"), ("w.csv", "a,b,3\nb,c,1.5\na,c,2\nd\n")]
)
def test_a_file_gives_each_edge_its_weight(name: str, file: str, text: str, tmp_path: Path) -> None:
    (tmp_path / file).write_text(text)
    tree = tree_of(name, tmp_path / file)
    assert sorted(map(str, tree.edges(data="weight"))) == ["('a', 'c', 2)", "('b', 'c', 1.5)"]
    assert "d" in tree


def test_names_that_are_numbers_become_numbers(tmp_path: Path) -> None:
    (tmp_path / "w.txt").write_text("10 9 1\n9 2 5\n")
    assert list(tree_of("mst_prim", str(tmp_path / "w.txt"))) == [2, 9, 10]


def test_a_table_gives_each_edge_its_weight() -> None:
    tree = tree_of("mst_prim", Table([("a", "b", 3), ("b", "c", 1), ("a", "c", 2)], 3))
    assert tree.size("weight") == 3
    with pytest.raises(
        GraphError, match="the table: a table of weighted edges has 3 columns, two names and a weight, not 2"
    ):
        find("mst_prim").graph(Table([("a", "b")]))
    with pytest.raises(GraphError, match=r"row 1 .* one is missing"):
        find("mst_prim").graph(Table([("a", "b", 3), (None, "c", 1)], 3))


def test_numbers_that_are_names_stay_whole_beside_weights_that_are_not() -> None:
    tree = tree_of("mst_prim", Table([(10, 9, 2.5), (9, 2, 1)], 3))
    assert repr(list(tree)) == "[2, 9, 10]"


def test_weights_are_a_persons_own_numbers() -> None:
    source = nx.Graph()
    source.add_weighted_edges_from([("a", "b", 2), ("b", "c", 1.5), ("c", "d", 10**20)])
    assert [str(weight) for _, _, weight in tree_of("mst_prim", source).edges(data="weight")] == ["2", "1.5", str(10**20)]


@pytest.mark.parametrize("weight", [None, "3", float("nan"), float("inf"), 10**400, [1]])
def test_a_weight_that_is_no_finite_number_is_refused_by_its_edge(weight: object) -> None:
    source = nx.Graph()
    source.add_edge("a", "b", weight=weight)
    with pytest.raises(GraphError, match="the weight of the edge between 'a' and 'b' must be a finite number, not "):
        find("mst_kruskal").graph(source)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ([[0, 1], [2, 0]], "so its matrix must be symmetric"),
        ([[0, 1], [1]], "the rows must be equally long lists of numbers"),
        ([[0, float("nan")], [float("nan"), 0]], "must be a finite number, not nan"),
        (np.ma.array([[0, 1], [1, 0]], mask=[[False, True], [True, False]]), "some entries are masked"),
        (SimpleNamespace(edge_index=np.array([[0], [1]])), "edge_weight: it is missing"),
        (SimpleNamespace(edge_index=np.array([[0, 1], [1, 0]]), edge_weight=np.array([1, 2])), "must have one weight"),
        (SimpleNamespace(edge_index=np.array([[0], [1]]), edge_attr=np.ones((1, 3))), "it must be one number an edge"),
        (
            SimpleNamespace(edge_index=np.array([[0], [5]]), edge_weight=np.ones(1), num_nodes=2),
            "nodes from 0 to num_nodes - 1",
        ),
        (SimpleNamespace(edge_index=np.array([[0.5], [1]]), edge_weight=np.ones(1)), "edge_index: it holds integers"),
        (SimpleNamespace(edge_index=np.ones((3, 1), int), edge_weight=np.ones(1)), "edge_index: it holds integers"),
        (SimpleNamespace(edge_index=np.array([[0], [1]]), edge_weight=np.array([np.nan])), "a finite number, not nan"),
        (nx.DiGraph([(0, 1)]), "which `to_undirected\\(\\)` makes of it"),
        (nx.Graph(), "a graph needs at least one node"),
    ],
)
def test_what_is_no_weighted_graph_is_refused_in_a_sentence(source: object, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        find("mst_prim").graph(source)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("b c", "a number, which is missing"),
        ("b c x", "a number, not x"),
        ("b c nan", "a number, not nan"),
        ("b c 1 2", "a number, not 1 2"),
        ("b,c,1", "cannot be a node's name"),
    ],
)
def test_a_line_without_a_weight_is_named(line: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "w.txt").write_text(f"a b 3\n{line}\n")
    with pytest.raises(GraphError, match=f"w.txt, line 2: .*{message}"):
        find("mst_prim").graph(tmp_path / "w.txt")


@pytest.mark.parametrize(
    ("name", "text"), [("mst_prim", "from,to,km\na,b,3\n"), ("activity_selector", "name,start,end\nswim,8,10\n")]
)
def test_a_heading_is_a_comment_after_the_advice(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / "w.csv").write_text(text)
    with pytest.raises(GraphError, match=r"line 1: .*; put # before it if it is a heading$"):
        find(name).graph(tmp_path / "w.csv")
    (tmp_path / "w.csv").write_text(f"#{text}")
    assert len(find(name).graph(tmp_path / "w.csv")) > 1


@pytest.mark.parametrize("name", MST)
def test_weights_that_are_needed_cannot_be_ignored(name: str) -> None:
    with pytest.raises(GraphError, match=f"{name} takes no graph with weights to ignore, so leave out `pattern`"):
        find(name).graph([[0, 1], [1, 0]], pattern=True)


@pytest.mark.parametrize("name", ["mst_kruskal", "circuit", "quicksort", "activity_selector"])
def test_who_needs_values_is_not_advised_to_ignore_weights_of_a_matrix(name: str, tmp_path: Path) -> None:
    matrix = np.array([[0, 3], [3, 0]])
    np.save(tmp_path / "w.npy", matrix)
    (tmp_path / "w.mtx").write_text("%%MatrixMarket matrix coordinate integer symmetric\n2 2 1\n2 1 3\n")
    forms = [tmp_path / "w.npy", tmp_path / "w.mtx", *([] if name == "mst_kruskal" else [matrix, sparse.csr_array(matrix)])]
    for form in forms:
        with pytest.raises(ValueError, match=f"{name} needs a value ") as error:
            find(name).graph(form)
        assert "pattern" not in str(error.value)


@pytest.mark.parametrize("text", ["a b 3\na b 1\nb a 2\na a 1\n", "a b 3\nb c 1\na-b c 2\n"])
def test_no_edge_has_the_name_of_another_or_of_a_node(text: str, tmp_path: Path) -> None:
    (tmp_path / "w.txt").write_text(text)
    graph = find("mst_prim").graph(tmp_path / "w.txt")
    assert len({str(name) for name in graph.names}) == len(graph)


def test_the_times_of_activities_may_be_any_numbers_and_their_names_any_names() -> None:
    graph = find("activity_selector").graph({"a": (Fraction(1, 2), 2**70), "a-starts": (1, 2)})
    assert graph.values["key"].tolist() == [2.0**70, 2, 0.5, 1]
    assert len({str(name) for name in graph.names}) == len(graph)


def test_activities_are_also_a_file(tmp_path: Path) -> None:
    (tmp_path / "day.csv").write_text("# name, start, end\nold swim,8,10\ntalk,9,11.5\ntea,12,13\n")
    selector = find("activity_selector")
    graph = selector.graph(tmp_path / "day.csv")
    assert graph == selector.graph({"old swim": (8, 10), "talk": (9, 11.5), "tea": (12, 13)})
    assert selector.answer(graph, selector.run(graph)) == ["old swim", "tea"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("talk 9", "line 2: 'talk 9' is no activity, which is a name and two numbers"),
        ("talk x 9", "line 2: 'talk x 9' is no activity"),
        ("swim 9 10", "line 2: the activity 'swim' must be there once, not twice"),
        ("talk 9 8", "the activity 'talk': its times must be its start and, larger, its end"),
    ],
)
def test_a_line_that_is_no_activity_is_named(line: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "day.txt").write_text(f"swim 8 10\n{line}\n")
    with pytest.raises(GraphError, match=message):
        find("activity_selector").graph(tmp_path / "day.txt")
