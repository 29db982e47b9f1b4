import hashlib
from collections.abc import Callable
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recursor.algorithms import ALGORITHMS, find
from recursor.graphs import conditions, distributions
from recursor.graphs.graph import Graph, even, from_edges, from_matrix
from recursor.graphs.graph import support as support_of
from recursor.graphs.inputs import node_input
from recursor.graphs.values import from_numbers
from recursor.spec import Field
from tests import strategies

DISTRIBUTIONS = {
    "train": distributions.TRAIN,
    "test": distributions.TEST,
    "tree": distributions.tree,
    "sparse": lambda rng, n: distributions.sparse(rng, n, 3.0),
}
SHAPES = {
    "path": distributions.path,
    "star": distributions.star,
    "complete": distributions.complete,
    "grid": distributions.grid,
}


def network(graph: Graph) -> nx.DiGraph:
    result = nx.DiGraph()
    result.add_nodes_from(range(len(graph)))
    result.add_edges_from(zip(graph.senders.tolist(), graph.receivers.tolist(), strict=True))
    return result


@pytest.mark.parametrize("size", [0, -3])
@pytest.mark.parametrize("name", [*DISTRIBUTIONS, *SHAPES])
def test_a_size_that_no_graph_has_is_refused_in_a_sentence(name: str, size: int) -> None:
    with pytest.raises(ValueError, match=f"a graph has at least one node, not {size}"):
        SHAPES[name](size) if name in SHAPES else DISTRIBUTIONS[name](np.random.default_rng(0), size)


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_same_seed_same_bytes(name: str) -> None:
    def digest(seed: int) -> str:
        rng, hashed = np.random.default_rng(seed), hashlib.sha256()
        for n in (1, 2, 7, 30):
            graph = DISTRIBUTIONS[name](rng, n)
            for part in (graph.senders, graph.receivers, graph.positions):
                hashed.update(part.tobytes())
        return hashed.hexdigest()

    assert digest(1) == digest(1) != digest(2)


@given(st.lists(strategies.graphs(), min_size=1, max_size=4))
def test_support_is_the_edges_and_the_diagonal_sorted_by_receiver(many: list[Graph]) -> None:
    support = support_of(many)
    for which, graph in enumerate(many):
        mine = support.graphs == which
        pairs = list(zip(support.receivers[mine].tolist(), support.senders[mine].tolist(), strict=True))
        assert pairs == sorted(set(pairs))
        edges = set(zip(graph.receivers.tolist(), graph.senders.tolist(), strict=True))
        assert set(pairs) == edges | {(node, node) for node in range(len(graph))}
        assert support.edge[mine].tolist() == [pair in edges for pair in pairs]
    assert (np.diff(support.graphs) >= 0).all()


@given(strategies.graphs())
def test_successors_are_the_edges_in_order(graph: Graph) -> None:
    edges = [(u, v) for u, successors in enumerate(graph.successors) for v in successors]
    assert edges == list(zip(graph.senders.tolist(), graph.receivers.tolist(), strict=True)) == sorted(set(edges))


@given(st.integers(1, 40), st.integers(0, 100))
def test_random_trees_are_trees_filled_breadth_first(n: int, seed: int) -> None:
    tree = network(distributions.tree(np.random.default_rng(seed), n))
    assert n == 1 or nx.is_arborescence(tree)
    children = [degree for _, degree in tree.out_degree()]
    assert max(children) <= 2
    depths = nx.single_source_shortest_path_length(tree, next(node for node, d in tree.in_degree() if d == 0))
    leaves = [depth for node, depth in depths.items() if tree.out_degree(node) == 0]
    assert max(leaves) - min(leaves) <= 1, "breadth-first filling leaves no leaf far above another"


def test_a_second_child_comes_in_three_of_ten(rng: np.random.Generator) -> None:
    inner = [d for _ in range(60) for _, d in network(distributions.tree(rng, 60)).out_degree() if d]
    assert 0.27 < np.mean(np.array(inner) == 2) < 0.33


def test_the_mixture_has_its_shares(rng: np.random.Generator) -> None:
    drawn = [distributions.TRAIN(rng, 24) for _ in range(1500)]
    trees = [graph for graph in drawn if len(graph.senders) == 23 and nx.is_arborescence(network(graph))]
    assert 0.12 < len(trees) / len(drawn) < 0.18
    density = np.array([len(graph.senders) / 24**2 for graph in drawn if len(graph.senders) != 23])
    counts = np.bincount(np.round(density * 10).astype(int), minlength=11)[1:10] / len(density)
    assert (counts > 0.07).all(), "each of p = 0.1, …, 0.9 takes a ninth"
    assert any((graph.senders == graph.receivers).any() for graph in drawn)


def test_positions_are_sorted_draws_or_even(rng: np.random.Generator) -> None:
    random, even = distributions.TRAIN(rng, 16).positions, distributions.TEST(rng, 16).positions
    assert (np.diff(random) > 0).all()
    assert random[0] >= 0 and random[-1] < 1
    np.testing.assert_array_equal(even, np.arange(16, dtype=np.float32) / 16)


def test_test_graphs_have_three_tenths_of_the_edges(rng: np.random.Generator) -> None:
    sizes = [len(graph.senders) for graph in (distributions.TEST(rng, 32) for _ in range(300)) if len(graph.senders) != 31]
    assert 0.29 < np.mean(sizes) / 32**2 < 0.31


@pytest.mark.parametrize("n", [1, 2, 3, 10, 16])
def test_shapes_are_what_their_names_say(n: int) -> None:
    assert nx.utils.edges_equal(network(distributions.path(n)).edges, nx.path_graph(n, nx.DiGraph).edges, directed=True)
    assert network(distributions.star(n)).to_undirected().size() == n - 1
    assert network(distributions.complete(n)).size() == n * (n - 1)
    grid = network(distributions.grid(n))
    assert nx.is_strongly_connected(grid)
    assert max(d for _, d in grid.out_degree()) <= 4


def test_a_square_grid_is_networkx_grid() -> None:
    expected = nx.convert_node_labels_to_integers(nx.grid_2d_graph(5, 5), ordering="sorted").to_directed()
    assert set(network(distributions.grid(25)).edges) == set(expected.edges)


def test_sparse_graphs_have_their_mean_degree(rng: np.random.Generator) -> None:
    graph = distributions.sparse(rng, 2000, 15)
    assert 14 < len(graph.senders) / 2000 < 16


def test_bad_mixtures_are_refused() -> None:
    with pytest.raises(ValueError, match=r"at least one edge probability, each from 0 to 1"):
        distributions.Mixture(probabilities=(1.5,))
    with pytest.raises(ValueError, match="share of trees"):
        distributions.Mixture(trees=-0.1)


def test_edges_out_of_order_are_refused() -> None:
    with pytest.raises(ValueError, match=r"sorted by sender, then receiver, each once; `from_edges` takes any"):
        Graph(np.array([1, 0]), np.array([0, 1]), even(2), range(2))
    with pytest.raises(ValueError, match="each once"):
        Graph(np.array([0, 0]), np.array([1, 1]), even(2), range(2))


def as_networkx(graph: Graph) -> nx.DiGraph:
    twin = nx.DiGraph()
    twin.add_nodes_from(range(len(graph)))
    twin.add_edges_from(zip(graph.senders.tolist(), graph.receivers.tolist(), strict=True))
    return twin


@given(strategies.graphs(5), st.booleans())
def test_what_algorithms_need_of_a_graph_is_what_networkx_finds(graph: Graph, upper: bool) -> None:
    twin = as_networkx(graph)
    if upper:  # else hardly one has no cycle
        keep = graph.senders < graph.receivers
        graph = from_edges(graph.senders[keep], graph.receivers[keep], len(graph))
        twin = as_networkx(graph)
    assert (not conditions.not_acyclic(graph)) == nx.is_directed_acyclic_graph(twin)
    assert (not conditions.not_undirected(graph)) == all(twin.has_edge(b, a) for a, b in twin.edges)
    assert (not conditions.not_tree(graph)) == nx.is_arborescence(twin)


def test_a_graph_without_the_values_of_an_algorithm_is_refused() -> None:
    graph = replace(distributions.path(2), values={})
    for use in (find("quicksort").record, find("quicksort").run, find("quicksort").first_row):
        with pytest.raises(ValueError, match="needs a value 'key' of every node"):
            use(graph)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False) | st.integers(1_700_000_000, 1_700_000_009), min_size=1))
def test_a_network_is_given_numbers_that_compare_like_the_keys(keys: list[float]) -> None:
    graph = from_numbers(keys, "key", "the list")
    given = node_input(graph, Field("key", "node", "scalar"))
    assert given.dtype == np.float32
    assert np.isfinite(given).all()
    assert np.array_equal(np.unique(given, return_inverse=True)[1], np.unique(keys, return_inverse=True)[1])


def test_a_gate_is_one_of_four() -> None:
    with pytest.raises(ValueError, match="circuit needs values 'gate' among the whole numbers from 0 to 3"):
        find("circuit").record(replace(distributions.path(2), values={"gate": np.array([4, 0])}))


# What is trained on

ANY = {
    "directed": distributions.any_directed,
    "undirected": distributions.any_undirected,
    "acyclic": distributions.any_acyclic,
    "keys": distributions.any_keys,
    "gates": distributions.any_gates,
}


@pytest.mark.parametrize("name", [name for name in ALGORITHMS if name != "dfs"])
@given(st.integers(1, 20), st.integers(0, 1000))
def test_what_an_algorithm_is_trained_on_is_for_it(name: str, n: int, seed: int) -> None:
    algorithm = find(name)
    graph = algorithm.train(np.random.default_rng(seed), n)
    assert len(graph) == n
    assert not algorithm.unfit(graph)


@pytest.mark.parametrize("draw", ANY.values(), ids=ANY)
def test_a_seed_fixes_what_is_trained_on(draw: Callable) -> None:
    assert draw(np.random.default_rng(1), 9) == draw(np.random.default_rng(1), 9) != draw(np.random.default_rng(2), 9)


@given(st.integers(1, 20), st.integers(0, 1000))
def test_any_tree_is_a_tree(n: int, seed: int) -> None:
    assert not conditions.not_tree(from_matrix(distributions.any_tree(np.random.default_rng(seed), n)))


def drawn(draw: Callable[[np.random.Generator, int], Graph], n: int, count: int = 2000) -> list[Graph]:
    rng = np.random.default_rng(0)
    return [draw(rng, n) for _ in range(count)]


def shapes(many: list[Graph]) -> set[bytes]:
    return {network_matrix(graph).tobytes() for graph in many}


def network_matrix(graph: Graph) -> np.ndarray:
    matrix = np.zeros((len(graph), len(graph)), bool)
    matrix[graph.senders, graph.receivers] = True
    return matrix


def test_every_small_graph_is_trained_on() -> None:
    """All of two nodes, undirected and acyclic ones of three, trees of two with all gates, all orders of four keys."""
    assert len(shapes(drawn(distributions.any_directed, 2))) == 2**4
    assert len(shapes(drawn(distributions.any_undirected, 3))) == 2**6
    assert len(shapes(drawn(distributions.any_acyclic, 3))) == 25
    circuits = drawn(distributions.any_gates, 2)
    assert len({(network_matrix(graph).tobytes(), graph.values["gate"].tobytes()) for graph in circuits}) == 2 * 4**2
    assert {int(graph.values["gate"][0]) for graph in drawn(distributions.any_gates, 1, 100)} == {0, 1, 2, 3}
    orders = {tuple(np.argsort(graph.values["key"], kind="stable").tolist()) for graph in drawn(distributions.any_keys, 4)}
    assert len(orders) == 24


def test_keys_are_trained_on_alike_sorted_and_reversed() -> None:
    keys = [graph.values["key"] for graph in drawn(distributions.any_keys, 12, 200)]
    assert any(len(np.unique(key)) == 1 for key in keys)
    assert any(1 < len(np.unique(key)) < 6 for key in keys)
    assert any((np.diff(key) > 0).all() for key in keys)
    assert any((np.diff(key) < 0).all() for key in keys)


def test_trees_are_trained_on_from_paths_to_stars() -> None:
    children = [network_matrix(graph).sum(1).max() for graph in drawn(distributions.any_gates, 8, 300)]
    assert set(children) == set(range(1, 8))


def test_graphs_in_several_parts_and_with_few_or_many_edges_are_trained_on() -> None:
    many = drawn(distributions.any_directed, 12, 300)
    parts = [nx.number_weakly_connected_components(network(graph)) for graph in many]
    edges = [len(graph.senders) / 144 for graph in many]
    assert min(parts) == 1 and sum(2 <= part <= 4 for part in parts) > 30
    assert min(edges) < 0.1 and max(edges) > 0.9
