"""The pictures of answers, and the verdict on them."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given

from recursor.algorithms import ALGORITHMS, find
from recursor.execution.execution import Execution
from recursor.graphs.distributions import complete, grid, path
from recursor.graphs.graph import Graph, named_graph
from recursor.graphs.reading import as_graph
from recursor.recording.algorithm import Algorithm
from recursor.recording.picture import listed, picture_of_outputs
from recursor.spec import Spec
from recursor.trace.data import heights, size_text
from recursor.trace.layout import layout
from recursor.trace.trace import Trace, recorded, trace
from tests.strategies import graphs
from tests.trace.executions import execution, spec, traced


def of(algorithm: Algorithm) -> Spec:
    return algorithm.spec(algorithm.exact_view).halting()


def example(name: str) -> Trace:
    algorithm = find(name)
    return recorded(of(algorithm), algorithm.example_graph())


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_algorithm_has_a_picture_of_its_answer(name: str) -> None:
    algorithm, rng = find(name), np.random.default_rng(0)
    for size in (1, 2, 3, 7):
        graph = algorithm.train(rng, size)
        picture = algorithm.picture(graph, algorithm.run(graph))
        nodes = [*picture.nodes, *picture.order, *picture.labels, *(n for g in picture.groups for n in g)]
        nodes += [end for edge in picture.edges for end in edge]
        assert all(0 <= node < len(graph) for node in nodes)
        assert picture.sentence
        members = [node for group in picture.groups for node in group]
        assert len(set(members)) == len(members), "no node is in two groups"


def test_the_sentences_say_what_a_person_wants_to_know() -> None:
    sentences = {name: example(name).picture.sentence for name in ALGORITHMS}
    assert sentences["tarjan"] == "3 components: {a, b, c}, {d, e, f}, {g, h}"
    assert sentences["bridges"] == "2 bridges: b–g, c–d"
    assert sentences["articulation_points"] == "3 articulation points: b, c, d"
    assert sentences["quicksort"] == sentences["merge_sort"] == "1, 2, 3, 4, 5, 7, 8, 9"
    assert sentences["circuit"] == "the tree of gates is true"
    assert sentences["bfs"] == "shortest paths from a to 5 nodes; it does not reach g"
    assert sentences["minimum"] == "the smallest key is 1"
    assert sentences["mst_prim"] == sentences["mst_kruskal"] == "4 edges of weight 11 in all: a–c, b–c, b–d, d–e"
    assert sentences["activity_selector"] == "3 activities of 5: swim, lunch, tea"
    assert sentences["topological_sort"] == "socks, trousers, belt, shoes, shirt, tie, jacket"


def test_bridges_and_cut_nodes_are_those_of_networkx() -> None:
    network = nx.karate_club_graph()
    for edge in network.edges:
        network.edges[edge].pop("weight", None)
    graph = as_graph(network)
    found = find("bridges").picture(graph, find("bridges").run(graph)).edges
    assert {frozenset(edge) for edge in found} == {frozenset(edge) for edge in nx.bridges(network)}
    cut = find("articulation_points").picture(graph, find("articulation_points").run(graph)).nodes
    assert set(cut) == set(nx.articulation_points(network))


def test_an_algorithm_without_a_picture_has_one_by_the_kinds_of_its_outputs() -> None:
    for name in ALGORITHMS:
        algorithm = find(name)
        graph = algorithm.example_graph()
        picture = picture_of_outputs(algorithm.outputs, algorithm.words, graph, algorithm.run(graph))
        shown = any(field.place == "node" or field.kind == "pointer" for field in algorithm.outputs)
        assert bool(picture.nodes or picture.edges or picture.groups) == shown
    graph = named_graph("a b")
    plain = replace(find("dfs"), picture=None)
    assert list(plain.picture(graph, plain.run(graph)).edges) == [(0, 1)]


@given(graphs())
def test_a_right_answer_is_never_wrong_whatever_its_rows(graph: Graph) -> None:
    right = execution(graph)
    rows = {name: values.copy() for name, values in right.rows.items()}
    rows["color"][-1] = 0
    kind, words = trace(replace(right, rows=rows), spec()).verdict()
    assert kind == "near"
    assert "the answer is right, but 1 row differs" in words
    assert trace(right, spec()).verdict()[0] == "right"


def test_another_right_forest_is_right() -> None:
    graph = named_graph("a b", "b c", undirected=True)
    done = execution(graph)
    other: Execution = replace(done, outputs={"pi": np.array([1, 2, 2], np.int32)})
    assert trace(other, spec()).verdict()[0] == "near"
    assert "another than the classical one" in trace(other, spec()).verdict()[1]
    assert trace(replace(done, outputs={"pi": np.array([0, 0, 0], np.int32)}), spec()).verdict()[0] == "wrong"


def test_outputs_that_are_no_answer_have_a_sentence() -> None:
    trace_ = example("quicksort")
    broken = replace(trace_, execution=replace(trace_.execution, outputs={"pred": np.zeros(8, np.int32)}))
    assert "not an order" in broken.picture.sentence


def test_undirected_edges_are_counted_once() -> None:
    search = find("dfs")
    assert size_text(complete(5), search) == "5 nodes, 10 edges"
    assert size_text(named_graph("a b", "b c"), search) == "3 nodes, 2 directed edges"
    assert size_text(named_graph("a a", "a b", undirected=True), search) == "2 nodes, 2 edges"
    assert size_text(path(1), search) == "1 node"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("quicksort", "8 numbers"),
        ("mst_prim", "5 nodes, 6 edges with weights"),
        ("activity_selector", "5 activities"),
        ("brackets", "10 brackets"),
        ("expression", "8 words"),
        ("naive_string_matcher", "7 letters, and 4 letters to be found in them"),
    ],
)
def test_the_size_of_an_input_is_in_its_own_words(name: str, words: str) -> None:
    assert size_text(find(name).example_graph(), find(name)) == words


def test_a_tree_is_drawn_from_the_top_down() -> None:
    graph = find("circuit").example_graph()
    places = layout(graph, "tree")
    for parent, child in zip(graph.senders, graph.receivers, strict=True):
        assert places[parent, 1] < places[child, 1]
    assert np.allclose(layout(grid(4), "tree"), layout(grid(4))), "what is no tree is drawn by its edges"


def test_bars_are_as_high_as_their_numbers() -> None:
    quicksort = find("quicksort")
    assert heights(quicksort.graph([0, 5, 10]), of(quicksort)) == [0, 0.5, 1]
    assert heights(quicksort.graph([-10, 0, 10]), of(quicksort)) == [0, 0.5, 1]
    assert heights(quicksort.graph([0, 0]), of(quicksort)) == [0, 0]
    assert heights(quicksort.graph([1_000_000, 2, 1, 2]), of(quicksort)) == [1, 0.6667, 0.3333, 0.6667], "ranks"
    assert recorded(of(quicksort), quicksort.graph([3, 1, 2.5])).names == ["3", "1", "2.5"]


def test_spoilt_rows_never_break_the_words() -> None:
    for seed in range(10):
        shown = traced(grid(9), spoil=np.random.default_rng(seed), mistakes=8)
        for row in range(len(shown)):
            assert shown.happening(row)
            shown.running(row)
        assert shown.verdict()[1]


def test_a_sentence_lists_few_items_and_fewer_long_ones() -> None:
    assert listed(range(24)).endswith(", 23")
    assert listed(range(26)).endswith(", 23 and 2 more")
    assert listed(["x" * 100] * 5) == f"{'x' * 100}, {'x' * 100} and 3 more"
    assert listed(["x" * 1000]) == "x" * 1000
    assert listed([]) == "none"
