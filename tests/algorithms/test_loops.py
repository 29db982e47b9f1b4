"""Loops as tail recursion, and deep recursions that are no search: each answer is Python's, NumPy's or networkx's own."""

import ast
import inspect
import re
from dataclasses import replace
from itertools import pairwise, product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from recursor.algorithms import ALGORITHMS, find
from recursor.algorithms.binary_search import with_target
from recursor.graphs.activities import as_activities
from recursor.graphs.adjacency import GraphError
from recursor.graphs.distributions import path
from recursor.graphs.graph import Graph, even
from recursor.graphs.letters import as_text
from recursor.graphs.shapes import with_keys
from recursor.graphs.texts import TOKENS, all_expressions, as_brackets, as_expression, no_expression
from recursor.graphs.trees import any_rooted_tree
from recursor.graphs.weighted import as_weighted, edge_nodes
from recursor.spec import POP, PUSH
from tests.strategies import graphs

LOOPS = [name for name, algorithm in ALGORITHMS.items() if "record.tail(" in inspect.getsource(algorithm.function)]
seeds = st.integers(0, 2**32 - 1)
some_keys = hnp.arrays(np.float32, st.integers(1, 12), elements=st.floats(-4, 4, width=16))


@pytest.mark.parametrize("name", LOOPS)
@given(n=st.integers(1, 12), seed=seeds)
def test_the_stack_of_a_loop_stays_flat(name: str, n: int, seed: int) -> None:
    """No row pushes, and the only pop is the last row: that of the outermost call, which has no frame."""
    algorithm = find(name)
    ops = algorithm.record(algorithm.train(np.random.default_rng(seed), n)).ops
    assert PUSH not in ops
    assert np.flatnonzero(ops == POP).tolist() == [len(ops) - 1]


@given(graphs())
def test_breadth_first_search_finds_the_shortest_paths(graph: Graph) -> None:
    source = nx.DiGraph()
    source.add_nodes_from(range(len(graph)))
    source.add_edges_from(zip(graph.senders.tolist(), graph.receivers.tolist(), strict=True))
    distance = nx.single_source_shortest_path_length(source, 0)
    pi = find("bfs").run(graph)["pi"].tolist()
    for node, before in enumerate(pi):
        if node == 0 or node not in distance:
            assert before == node
        else:
            layer = [u for u in source.predecessors(node) if distance.get(u, -1) == distance[node] - 1]
            assert before == min(layer), "as in CLRS-30, the first node of the layer before"


@given(some_keys)
def test_the_minimum_is_numpys(keys: np.ndarray) -> None:
    assert find("minimum").run(with_keys(keys))["min"] == keys.argmin()


@given(some_keys)
def test_insertion_sort_gives_numpys_stable_order(keys: np.ndarray) -> None:
    pred, order = find("insertion_sort").run(with_keys(keys))["pred"], np.argsort(keys, kind="stable")
    assert pred[order].tolist() == [order[0], *order[:-1]]


@given(some_keys)
def test_the_median_is_the_key_of_rank_half_n(keys: np.ndarray) -> None:
    assert find("quickselect").run(with_keys(keys))["median"] == np.argsort(keys, kind="stable")[len(keys) // 2]


@given(some_keys, st.floats(-5, 5, width=16))
def test_binary_search_is_numpys(keys: np.ndarray, target: float) -> None:
    keys = np.sort(keys)
    graph = with_target(keys, target)
    assert find("binary_search").run(graph)["return"] == 1 + min(np.searchsorted(keys, target), len(keys) - 1)


@given(st.lists(st.integers(2**40, 2**40 + 9), min_size=1, max_size=6), st.integers(2**40 - 1, 2**40 + 10))
def test_a_search_tells_large_keys_apart_and_finds_none_where_all_are_below(keys: list[int], target: int) -> None:
    keys, search = sorted(keys), find("binary_search")
    graph = search.graph((keys, target))
    place = int(np.searchsorted(keys, target))
    assert search.answer(graph, search.run(graph)) == (place if place < len(keys) else None)
    assert search.picture(graph, search.run(graph)).sentence.startswith(
        ("all keys are below", "the first key")[place < len(keys)]
    )


@pytest.mark.parametrize(("keys", "target"), [([], 1), (["a"], 1), ([1], "b"), ([1], float("nan"))])
def test_a_search_without_keys_or_among_others_than_numbers_is_refused(keys: list, target: object) -> None:
    with pytest.raises(GraphError, match=r"the keys: there must be at least one|every key must be a finite number"):
        find("binary_search").graph((keys, target))


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 4)), min_size=1, max_size=6))
def test_no_more_activities_can_be_selected(spans: list[tuple[int, int]]) -> None:
    activities = {k: (start, start + length) for k, (start, length) in enumerate(spans)}
    graph = as_activities(activities)
    chosen = find("activity_selector").answer(graph, find("activity_selector").run(graph))
    fit = [subset for subset in _subsets([*activities]) if not _overlap([activities[k] for k in subset])]
    assert sorted(chosen) in fit
    assert len(chosen) == max(map(len, fit))


def test_activities_are_also_a_list_of_their_times() -> None:
    selector = find("activity_selector")
    graph = selector.graph([(1, 3), (2, 5), (4, 6)])
    assert selector.answer(graph, selector.run(graph)) == [0, 2]


@pytest.mark.parametrize("times", [(3, 1), (2, 2), (1, float("nan")), (1, float("inf")), ("a", "b"), 5, (1, 2, 3)])
def test_an_activity_that_does_not_end_after_it_starts_is_refused_by_name(times: object) -> None:
    with pytest.raises(ValueError, match=r"the activity 'tea': its times must be its start and, larger, its end, not"):
        find("activity_selector").graph({"talk": (9, 10), "tea": times})


def _subsets(items: list[int]) -> list[list[int]]:
    return [[item for place, item in enumerate(items) if bits >> place & 1] for bits in range(1 << len(items))]


def _overlap(spans: list[tuple[int, int]]) -> bool:
    """Whether they cannot be put one after the other."""
    ordered = sorted(spans, key=lambda span: (span[1], span[0]))
    return any(later[0] < earlier[1] for earlier, later in pairwise(ordered))


@pytest.mark.parametrize("name", ["mst_prim", "mst_kruskal"])
@given(n=st.integers(1, 30), seed=seeds)
def test_spanning_trees_weigh_what_networkx_says(name: str, n: int, seed: int) -> None:
    graph = find(name).train(np.random.default_rng(seed), n)
    source, edges = nx.MultiGraph(), edge_nodes(graph)
    source.add_nodes_from(node for node in range(n) if node not in edges)
    for e, (a, b) in edges.items():
        source.add_edge(a, b, weight=graph.values["key"][e].item())
    tree = find(name).answer(graph, find(name).run(graph))
    expected = nx.minimum_spanning_tree(source)
    assert tree.number_of_edges() == expected.number_of_edges()
    assert {*map(frozenset, nx.connected_components(tree))} == {*map(frozenset, nx.connected_components(expected))}
    assert tree.size("weight") == pytest.approx(expected.size("weight"))


@pytest.mark.parametrize("name", ["mst_prim", "mst_kruskal"])
def test_a_weighted_graph_of_networkx_gets_its_tree_in_its_own_names(name: str) -> None:
    source = nx.Graph()
    source.add_weighted_edges_from([("a", "b", 3), ("b", "c", 1), ("a", "c", 2)])
    graph = as_weighted(source)
    tree = find(name).answer(graph, find(name).run(graph))
    assert {frozenset(edge) for edge in tree.edges} == {frozenset("bc"), frozenset("ac")}
    with pytest.raises(ValueError, match="a spanning tree needs an undirected graph, which"):
        as_weighted(nx.DiGraph([(1, 2)]))
    with pytest.raises(ValueError, match=r"weighted graph as .*as_weighted. makes it"):
        find(name).run(replace(path(3), values={"key": np.ones(3)}))


@given(st.text("abcd", max_size=10), st.text("abcd", min_size=1, max_size=3))
def test_a_needle_is_found_where_python_finds_it(text: str, needle: str) -> None:
    graph, matcher = as_text(text, needle), find("naive_string_matcher")
    outputs = matcher.run(graph)
    assert outputs["match"] == (text.find(needle) if needle in text else len(text))
    assert matcher.answer(graph, outputs) == (text.find(needle) if needle in text else None)


def test_a_text_of_more_than_four_letters_is_refused() -> None:
    with pytest.raises(ValueError, match="at most 4 different letters here, not 5: a b c d e"):
        as_text("abcde", "a")
    with pytest.raises(ValueError, match="at least one letter"):
        as_text("abc", "")


@given(n=st.integers(1, 15), seed=seeds)
def test_the_euler_tour_goes_along_every_edge_twice(n: int, seed: int) -> None:
    graph, euler = any_rooted_tree(np.random.default_rng(seed), n), find("euler_tour")
    answer = euler.answer(graph, euler.run(graph))
    steps = list(pairwise(answer["tour"]))
    edges = list(zip(graph.senders.tolist(), graph.receivers.tolist(), strict=True))
    assert sorted(steps) == sorted([*edges, *((b, a) for a, b in edges)])
    root, source = answer["tour"][0], nx.DiGraph(edges)
    source.add_nodes_from(range(n))
    assert answer["preorder"] == list(nx.dfs_preorder_nodes(source, root, sort_neighbors=sorted))
    assert answer["postorder"] == list(nx.dfs_postorder_nodes(source, root, sort_neighbors=sorted))


@given(n=st.integers(1, 15), seed=seeds)
def test_subtree_sizes_are_networkxs(n: int, seed: int) -> None:
    graph = any_rooted_tree(np.random.default_rng(seed), n)
    source = nx.DiGraph(list(zip(graph.senders.tolist(), graph.receivers.tolist(), strict=True)))
    source.add_nodes_from(range(n))
    sizes = find("subtree_size").run(graph)["size"].tolist()
    assert sizes == [(1 + len(nx.descendants(source, node))) % 3 for node in range(n)]


@given(st.text("()[]", min_size=1, max_size=14))
def test_brackets_are_balanced_if_nothing_is_left_when_pairs_are_struck_out(text: str) -> None:
    graph, algorithm = as_brackets(text), find("brackets")
    answer, rest = algorithm.answer(graph, algorithm.run(graph)), text
    while rest != (shorter := re.sub(r"\(\)|\[\]", "", rest)):
        rest = shorter
    assert answer["balanced"] == (rest == "")
    for opener, closer in answer["pairs"]:
        assert text[opener] + text[closer] in ("()", "[]")
        assert not re.sub(r"\(\)|\[\]", "", text[opener : closer + 1]) or opener < closer
    if answer["balanced"]:
        assert 2 * len(answer["pairs"]) == len(text)


@pytest.mark.parametrize("n", range(1, 8))
def test_an_expression_has_the_value_that_python_gives_it(n: int) -> None:
    for graph in all_expressions(n):
        words = " ".join(TOKENS[token] for token in graph.values["token"])
        values = find("expression").run(graph)["value"]
        assert values.tolist() == values_of_parts(words), words
        assert find("expression").answer(graph, {"value": values}) is bool(values[0])
        floats = replace(graph, values={"token": graph.values["token"].astype(float)})
        assert np.array_equal(find("expression").run(floats)["value"], values), words


def values_of_parts(text: str) -> list[bool]:
    """Returns for each word the value that Python gives to the longest part of the expression that begins there."""
    text = text.replace("true", "True").replace("false", "False")
    parts: dict[int, ast.expr] = {}
    for part in ast.walk(ast.parse(text, mode="eval").body):  # whole parts come before what they are made of
        if isinstance(part, ast.expr):
            parts.setdefault(part.col_offset, part)
    values: list[bool] = []
    for word in reversed(list(re.finditer(r"\S+", text))):
        if word.start() in parts:
            values.append(eval(compile(ast.Expression(parts[word.start()]), text, "eval")))
        else:  # Python has no part for parentheses alone
            values.append(word[0] == "(" and values[-1])
    return values[::-1]


@pytest.mark.parametrize("n", range(1, 5))
def test_all_expressions_are_those_that_are_not_refused(n: int) -> None:
    none = np.zeros(0, np.int32)
    texts = (np.array(words) for words in product(range(len(TOKENS)), repeat=n))
    fit = {tuple(text) for text in texts if not no_expression(Graph(none, none, even(n), range(n), {"token": text}))}
    assert {tuple(graph.values["token"]) for graph in all_expressions(n)} == fit


@pytest.mark.parametrize("text", ["true true", "and", "not", "( true", "true )", "( )", "true or"])
def test_what_is_no_expression_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="needs the words of an expression"):
        find("expression").run(as_expression(text))


def test_an_unknown_word_is_named() -> None:
    with pytest.raises(ValueError, match="'maybe' is not a word of an expression"):
        as_expression("true or maybe")


@pytest.mark.parametrize(
    ("name", "source", "answer"),
    [
        ("naive_string_matcher", ("GATTACA", "TAC"), 3),
        ("naive_string_matcher", ["GATTACA", "TAG"], None),
        ("brackets", "f(x[1])", {"balanced": True, "pairs": [(3, 5), (1, 6)]}),
        ("expression", "not (true and false)", True),
        ("activity_selector", {"talk": (9, 11), "swim": (8, 10), "tea": (10, 12)}, ["swim", "tea"]),
        ("binary_search", ([1, 3, 5], 4), 2),
        ("minimum", [3, 1, 2], 1),
        ("quickselect", [9, 7, 8], 8),
        ("insertion_sort", [3, 1, 2], [1, 2, 3]),
    ],
)
def test_an_input_of_the_algorithms_own_kind_is_taken_as_it_is(name: str, source: object, answer: object) -> None:
    algorithm = find(name)
    graph = algorithm.graph(source)
    assert algorithm.answer(graph, algorithm.run(graph)) == answer


@pytest.mark.parametrize("name", ["mst_prim", "mst_kruskal"])
def test_a_weighted_graph_is_taken_as_it_is(name: str) -> None:
    source = nx.Graph()
    source.add_weighted_edges_from([("a", "b", 3), ("b", "c", 1), ("a", "c", 2)])
    graph = find(name).graph(source)
    assert find(name).answer(graph, find(name).run(graph)).size("weight") == 3
