"""What every algorithm carries, and that one of a stranger has it too."""

import importlib
import sys
from dataclasses import replace
from pathlib import Path
from typing import cast

import networkx as nx
import numpy as np
import pytest

import recursor
from recursor import algorithms
from recursor.algorithms import ALGORITHMS, find, register, register_file
from recursor.graphs.distributions import path
from recursor.graphs.graph import Graph, from_edges
from recursor.recording.algorithm import Algorithm
from recursor.recording.words import Words
from recursor.spec import Field

every_algorithm = pytest.mark.parametrize("algorithm", ALGORITHMS.values(), ids=lambda algorithm: algorithm.name)

REACH = """
from recursor import Algorithm, Collect, Field

def reach(graph, record):
    '''The nodes that node 0 reaches. It is a toy.'''
    (seen,) = record.nodes(seen=[0] * len(graph))

    @record.recursive
    def visit(call, u):
        call.u, seen[u] = u, 1
        record.step()
        for v in graph.successors[u]:
            if not seen[v]:
                call.v = v
                visit(v)

    record.step()
    visit(0)
    return {"reached": list(seen)}

pointers = [Field(name, "graph", "pointer", null=True) for name in ("u", "v")]
NODE_REACH = Algorithm(
    name="node_reach",
    function=reach,
    inputs=("pos", "A", "adj"),
    shared=(Field("seen", "node", "mask"),),
    call=tuple(pointers),
    outputs=(Field("reached", "node", "mask"),),
    collect=(Collect("reached", at=None, value="seen"),),
    views={"discrete": ("u", "v", "seen", "stack_op")},
)
"""


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Algorithm:
    monkeypatch.setattr(algorithms, "ALGORITHMS", dict(ALGORITHMS))
    monkeypatch.setattr(algorithms, "IMPORTED", [])
    file = tmp_path / "node_reach.py"
    file.write_text(REACH)
    return register_file(file)[0]


def test_an_algorithm_of_a_stranger_has_all_that_a_built_in_has(toy: Algorithm) -> None:
    assert (toy.title, toy.summary) == ("Node reach", "The nodes that node 0 reaches.")
    assert toy.words == Words()
    toy.check(toy.example_graph())
    assert (toy.small_size, sum(1 for _ in toy.small_inputs(2))) == (4, 16)
    graph = toy.graph(nx.DiGraph([("a", "b"), ("c", "a")]))
    assert toy.answer(graph, toy.run(graph)) == {"reached": {"a": True, "b": True, "c": False}}


def test_the_recipe_for_an_algorithm_is_one_file_and_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "node_reach.py").write_text(REACH)
    monkeypatch.setattr(algorithms, "__path__", [*algorithms.__path__, str(tmp_path)])
    module = importlib.import_module("recursor.algorithms.node_reach")  # as for each of `FILES`
    monkeypatch.delitem(sys.modules, "recursor.algorithms.node_reach")
    assert [algorithm.name for algorithm in algorithms._algorithms_in(module)] == ["node_reach"]
    folder = Path(algorithms.__file__).parent
    assert all((folder / f"{file}.py").is_file() for file in algorithms.FILES)


def test_the_recipe_for_a_view_is_one_line(toy: Algorithm, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = replace(toy, name="shown", views={**toy.views, "mine": ("u", "stack_op")})
    register(shown)
    assert list(recursor.record("shown", [[0, 1], [0, 0]], view="mine").hints) == ["u", "stack_op"]


@every_algorithm
def test_an_algorithm_is_described_in_a_sentence(algorithm: Algorithm) -> None:
    assert algorithm.title
    assert algorithm.summary.endswith(".")
    assert algorithm.words.callee in ("", *algorithm.fields)
    known = {*algorithm.fields, *(field.name for field in algorithm.inputs if isinstance(field, Field))}
    assert not {*algorithm.words.categories, *algorithm.words.pointers} - known
    assert not set(algorithm.words.onward) - {field.name for field in algorithm.outputs}


@every_algorithm
def test_every_value_that_a_trace_shows_has_a_name(algorithm: Algorithm) -> None:
    for field in algorithm.spec(algorithm.exact_view).hints:
        if field.name == "stack_op":
            continue
        if field.kind == "pointer":
            assert algorithm.words.pointers[field.name]
        elif field.kind in ("category", "mask"):
            assert len(algorithm.words.categories[field.name]) == (field.categories or 2), field.name


@every_algorithm
def test_others_and_small_inputs_are_inputs_of_the_algorithm(algorithm: Algorithm) -> None:
    rng = np.random.default_rng(0)
    for name, draw in algorithm.others.items():
        for n in (1, 2, 7, 20):
            graph = draw(rng, n)
            assert len(graph) == n, name
            algorithm.check(graph)
    for size in range(1, min(3, algorithm.small_size) + 1):
        for graph in algorithm.small_inputs(size):
            algorithm.check(graph)
            assert len(graph) == size


@every_algorithm
def test_the_algorithms_own_answer_is_valid_and_can_be_told(algorithm: Algorithm) -> None:
    for graph in algorithm.small_inputs(2):
        outputs = algorithm.run(graph)
        algorithm.answer(graph, outputs)
        assert algorithm.valid is None or algorithm.valid(graph, outputs)


def test_answers_are_in_the_persons_own_names() -> None:
    def answer(name: str, source: object) -> object:
        algorithm = find(name)
        graph = algorithm.graph(source)
        return algorithm.answer(graph, algorithm.run(graph))

    barbell = nx.Graph([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")])
    assert answer("bridges", barbell) == [("c", "d")]
    assert answer("articulation_points", barbell) == ["c"]
    circle = nx.DiGraph([("x", "y"), ("y", "x"), ("y", "z")])
    for name in ("tarjan", "strongly_connected_components"):
        assert answer(name, circle) == [{"x", "y"}, {"z"}]
    assert answer("topological_sort", nx.DiGraph([("b", "a"), ("c", "b")])) == ["c", "b", "a"]
    assert list(cast(nx.DiGraph, answer("dfs", circle)).edges) == [("x", "y"), ("y", "z")]
    for name in ("quicksort", "merge_sort"):
        assert answer(name, [3, 1.5, 2, 1.5]) == [1.5, 1.5, 2, 3]
    assert answer("circuit", find("circuit").example_graph()) is True


def test_outputs_that_are_no_order_are_said_to_be_none() -> None:
    with pytest.raises(ValueError, match="not an order"):
        find("quicksort").answer(find("quicksort").graph([1, 2]), {"pred": np.array([1, 0])})


def test_parallel_edges_are_no_bridges() -> None:
    double = nx.MultiGraph([("a", "b"), ("a", "b"), ("b", "b"), ("b", "b")])
    with pytest.warns(UserWarning, match="1 parallel edges, which count once"):
        graph = recursor.as_graph(double)
    with pytest.raises(ValueError, match="bridges needs a graph without parallel edges, of which its source has 1"):
        find("bridges").run(graph)
    assert find("articulation_points").run(graph)["is_cut"].tolist() == [0, 0]


@pytest.mark.parametrize(("lines", "parallel"), [("a b\nb c\na b\n", 1), ("a b\nb a\nb c\nb b\nb b\n", 0)])
def test_an_edge_that_a_file_gives_twice_from_the_same_end_may_be_two(lines: str, parallel: int, tmp_path: Path) -> None:
    path = tmp_path / "graph.txt"
    path.write_text("# undirected\n" + lines)
    graph = recursor.as_graph(path)
    assert graph.parallel == parallel
    if parallel:
        with pytest.raises(ValueError, match="bridges needs a graph without parallel edges, of which its source has 1"):
            find("bridges").run(graph)
    else:
        assert find("bridges").run(graph)["bridge"].any()


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ([3, float("nan")], "item 1 .* every key must be a finite number, not nan"),
        ([3, "x"], "item 1 .* not 'x'"),
        (np.array([np.inf]), "item 0 .* must be a finite number"),
        (np.ma.array([1, 2], mask=[False, True]), "some entries are masked"),
        ([], "at least one node"),
        ([[0, 1], [1, 0]], "several lists of numbers are not one"),
        (np.array([[0, 1], [1, 0]]), "needs a value 'key' of every node"),
        (nx.path_graph(3), "needs a value 'key' of every node"),
        (replace(path(2), values={"key": np.array([0, np.nan])}), "finite numbers, not NaN"),
        (replace(path(2), values={"key": np.array(["a", "b"])}), "that are numbers"),
        (replace(path(2), values={"key": np.array([1, 2, 3])}), "one number to each of its 2 nodes"),
    ],
)
def test_keys_that_are_none_are_refused_in_a_sentence(source: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        recursor.record("quicksort", source)


@pytest.mark.parametrize(("name", "value"), [("quicksort", "key"), ("merge_sort", "key"), ("circuit", "gate")])
def test_a_graph_that_lacks_what_an_algorithm_needs_is_refused(name: str, value: str) -> None:
    with pytest.raises(ValueError, match=f"{name} needs a value '{value}' of every node"):
        recursor.record(name, np.array([[0, 1], [0, 0]]))


@pytest.mark.parametrize(
    ("values", "message"), [({"key": float("nan")}, "'key' of the node 1 is nan"), ({}, "'key' of the node 1 is missing")]
)
def test_a_bad_key_of_a_networkx_node_is_named(values: dict, message: str) -> None:
    graph = nx.Graph()
    graph.add_node(0, key=1)
    graph.add_node(1, **values)
    with pytest.raises(ValueError, match=message):
        recursor.record("quicksort", graph)


def test_plain_numbers_are_keys(tmp_path: Path) -> None:
    file = tmp_path / "keys.txt"
    file.write_text("# mine\n3\n1\n2\n")
    expected = recursor.record("quicksort", [3, 1, 2]).outputs["pred"].tolist()
    for source in ((3, 1, 2), np.array([3.0, 1.0, 2.0]), file):
        assert recursor.record("quicksort", source).outputs["pred"].tolist() == expected


@pytest.mark.parametrize("name", ["dfs", "tarjan", "bridges", "quicksort"])
def test_a_recursion_of_a_hundred_thousand_calls_has_room(name: str) -> None:
    n = 100_000
    one, other = np.arange(n - 1), np.arange(1, n)
    limit = sys.getrecursionlimit()
    graph: Graph = path(n)
    if name == "bridges":
        graph = from_edges(np.concatenate([one, other]), np.concatenate([other, one]), n)
    outputs = find(name).run(find(name).graph(np.arange(n)) if name == "quicksort" else graph)
    first = next(iter(outputs.values()))
    assert first.tolist() == ([*range(n)] if name == "tarjan" else [0, *range(n - 1)])
    assert sys.getrecursionlimit() == limit


@pytest.mark.parametrize("name", [name for name, one in ALGORITHMS.items() if not one.takes_edges])
def test_edges_that_are_no_input_are_refused(name: str) -> None:
    graph = ALGORITHMS[name].example_graph()
    linked = from_edges(np.array([0]), np.array([1]), len(graph), values=graph.values)
    with pytest.raises(ValueError, match="needs a graph without edges"):
        ALGORITHMS[name].check(linked)
