"""Tracks beside CLRS-30: graphs of other people, scored by networkx.

Each track is a function from the name of a network to entries for `tracks.json`. An entry is right on a graph if the network
halted and its answer, in the graph's own names, is the answer of networkx.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import log
from typing import Any

import networkx as nx
import numpy as np
from benchmarks.scoreboard.networks import execute
from scipy.spatial import Delaunay

Graphs = Sequence[Any]
Entry = dict[str, Any]

SALSA_SIZES = {16: 32, 80: 32, 160: 16, 800: 2, 1600: 1}
"""Graphs of each distribution by number of nodes; SALSA-CLRS itself has 1000 of each."""


def search_forest(graph: Any) -> set[tuple]:
    """Returns the edges of the depth-first forest that networkx finds, neighbours in the order of the nodes."""
    place = {node: index for index, node in enumerate(graph)}
    return set(nx.dfs_edges(graph, sort_neighbors=lambda nodes: sorted(nodes, key=place.__getitem__)))


def is_order(graph: Any, order: Sequence) -> bool:
    """Returns whether a sequence has all nodes once and every edge of the graph leads forwards in it."""
    place = {node: index for index, node in enumerate(order)}
    whole = len(place) == len(order) == len(graph) and set(place) == set(graph)
    return whole and all(place[a] < place[b] for a, b in graph.edges)


def is_search_tree(graph: Any, tree: Any) -> bool:
    """Returns whether a tree has the nodes that the first node reaches, by edges of the graph, at networkx's distances."""
    source = next(iter(graph))
    distances = dict(nx.single_source_shortest_path_length(graph, source))
    depths = dict(nx.single_source_shortest_path_length(tree, source))
    return depths == distances and len(tree.edges) == len(tree) - 1 and all(graph.has_edge(*edge) for edge in tree.edges)


def is_lightest_forest(graph: Any, forest: Any) -> bool:
    """Returns whether a forest has edges of the graph, its components, and the weights of networkx's."""
    edges = all(graph.has_edge(*edge) for edge in forest.edges)
    spans = _sets(nx.connected_components(forest)) == _sets(nx.connected_components(graph))
    if not (edges and spans and nx.is_forest(forest)):
        return False
    theirs, ours = (
        sorted(weight for *_, weight in each.edges(data="weight")) for each in (nx.minimum_spanning_tree(graph), forest)
    )
    return np.allclose(ours, theirs)


ORACLES: Mapping[str, Callable[[Any, Any], bool]] = {
    "dfs": lambda graph, answer: set(answer.edges) == search_forest(graph),
    "bfs": is_search_tree,
    "mst_prim": is_lightest_forest,
    "mst_kruskal": is_lightest_forest,
    "topological_sort": is_order,
    "strongly_connected_components": lambda graph, answer: _sets(answer) == _sets(_components(graph)),
    "tarjan": lambda graph, answer: _sets(answer) == _sets(_components(graph)),
    "articulation_points": lambda graph, answer: set(answer) == set(nx.articulation_points(graph)),
    "bridges": lambda graph, answer: _sets(answer) == _sets(nx.bridges(graph)),
}
"""Whether networkx gives the same answer, by network."""

UNDIRECTED = ("dfs", "bfs", "strongly_connected_components", "tarjan", "articulation_points", "bridges")
ONE_WAY = ("dfs", "bfs", "strongly_connected_components", "tarjan")
WEIGHTED = ("mst_prim", "mst_kruskal")


def _sets(groups: Any) -> set[frozenset]:
    return {frozenset(group) for group in groups}


def _components(graph: Any) -> Iterator:
    return nx.strongly_connected_components(graph) if graph.is_directed() else nx.connected_components(graph)


def judge(name: str, graphs: Graphs, **entry: Any) -> Entry:
    """Runs a network on graphs and has networkx score the answers."""
    executions = execute(name, graphs)
    right = [
        execution.halted and ORACLES[name](graph, execution.answer)
        for graph, execution in zip(graphs, executions, strict=True)
    ]
    sizes = [len(graph) for graph in graphs]
    entry = {"algorithm": name, "scored_by": f"networkx {nx.__version__}", **entry}
    entry |= {"nodes": [min(sizes), max(sizes)], "graphs": len(graphs), "right": sum(right)}
    sizes_in_words = f"{min(sizes)} to {max(sizes)} nodes"
    print(f"{entry['track']}, {name}: {entry['right']} of {entry['graphs']} right, {sizes_in_words}", flush=True)
    return entry


def one_way(graph: Any, rng: random.Random) -> Any:
    """Returns the graph with each edge in one direction, at random."""
    directed = nx.DiGraph()
    directed.add_nodes_from(graph)
    directed.add_edges_from((a, b) if rng.random() < 0.5 else (b, a) for a, b in graph.edges)
    return directed


def forwards(graph: Any, rng: random.Random) -> Any:
    """Returns the graph with each edge in the direction of a random order, which makes it acyclic."""
    order = list(graph)
    rng.shuffle(order)
    place = {node: index for index, node in enumerate(order)}
    directed = nx.DiGraph()
    directed.add_nodes_from(graph)
    directed.add_edges_from((a, b) if place[a] < place[b] else (b, a) for a, b in graph.edges if a != b)
    return directed


def weighted(graph: Any, rng: random.Random) -> Any:
    """Returns the graph with random weights that differ from each other, also in single precision."""
    copy = nx.Graph()
    copy.add_nodes_from(graph)
    weights = rng.sample(range(1, 1_000_000), len(graph.edges))
    copy.add_weighted_edges_from((a, b, weight) for (a, b), weight in zip(graph.edges, weights, strict=True))
    return copy


def _in_all_ways(name: str, track: str, graphs: Graphs) -> list[Entry]:
    """Gives undirected graphs to a network in every form that it takes."""
    entries = []
    if name in UNDIRECTED:
        entries.append(judge(name, graphs, track=track))
    if name in ONE_WAY:
        rng = random.Random(1)
        entries.append(judge(name, [one_way(graph, rng) for graph in graphs], track=f"{track}, each edge one way"))
    if name == "topological_sort":
        rng = random.Random(2)
        entries.append(judge(name, [forwards(graph, rng) for graph in graphs], track=f"{track}, made acyclic"))
    if name in WEIGHTED:
        rng = random.Random(3)
        entries.append(judge(name, [weighted(graph, rng) for graph in graphs], track=f"{track}, with random weights"))
    return entries


def atlas(name: str) -> list[Entry]:
    """Every graph of networkx's atlas: all 1252 graphs of 1 to 7 nodes, up to isomorphism (Read and Wilson 1998)."""
    return _in_all_ways(name, "networkx's atlas", [graph for graph in nx.graph_atlas_g() if len(graph)])


def real(name: str) -> list[Entry]:
    """The social networks that come with networkx."""
    graphs = [
        nx.karate_club_graph(),
        nx.les_miserables_graph(),
        nx.davis_southern_women_graph(),
        nx.florentine_families_graph(),
    ]
    plain = []
    for graph in graphs:  # without weights
        plain.append(nx.Graph())
        plain[-1].add_nodes_from(graph)
        plain[-1].add_edges_from(graph.edges)
    return _in_all_ways(name, "real graphs of networkx", plain)


def erdos_renyi(n: int, rng: random.Random) -> Any:
    """A connected Erdős–Rényi graph with p drawn from log(n)/n to 3 log(n)/n."""
    while True:
        graph = nx.fast_gnp_random_graph(n, rng.uniform(log(n) / n, 3 * log(n) / n), seed=rng)
        if nx.is_connected(graph):
            return graph


def watts_strogatz(n: int, rng: random.Random) -> Any:
    """A connected Watts–Strogatz graph with k from 4, 6, 8 and p from 0.05 to 0.2."""
    return nx.connected_watts_strogatz_graph(n, rng.choice((4, 6, 8)), rng.uniform(0.05, 0.2), seed=rng)


def delaunay(n: int, rng: random.Random) -> Any:
    """The Delaunay triangulation of random points in the unit square."""
    points = np.array([[rng.random(), rng.random()] for _ in range(n)])
    graph = nx.Graph()
    graph.add_nodes_from(range(n))
    for a, b, c in Delaunay(points).simplices.tolist():
        graph.add_edges_from([(a, b), (b, c), (c, a)])
    return graph


SALSA = {"Erdős–Rényi": erdos_renyi, "Watts–Strogatz": watts_strogatz, "Delaunay": delaunay}
"""The test distributions of SALSA-CLRS (Minder et al., LoG 2023; its repository, `salsaclrs/data.py` and `sampler.py`)."""


def salsa(name: str) -> list[Entry]:
    """SALSA-CLRS's test distributions and sizes, for its tasks that are run here."""
    if name not in ("dfs", "bfs", "mst_prim"):
        return []
    entries = []
    for n, count in SALSA_SIZES.items():
        for distribution, sample in SALSA.items():
            rng = random.Random(f"{distribution} {n}")
            graphs = [sample(n, rng) for _ in range(count)]
            graphs = [weighted(graph, rng) for graph in graphs] if name in WEIGHTED else graphs
            entries.append(judge(name, graphs, track="SALSA-CLRS", distribution=distribution))
    return entries


TRACKS = (atlas, real, salsa)
