"""A minimum spanning tree by Prim's algorithm: a loop, written as tail recursion.

Every edge of the weighted graph is a node, with edges to its ends (`graphs/weighted.py`). The tree begins at the first node.
In each turn the lightest edge `e` of which one end, `u`, is in the tree and the other, `v`, is not joins v to it. If there
is none, another tree begins at the first node that is in no tree yet. No call needs a frame: the stack stays flat.
"""

from collections.abc import Mapping

import networkx as nx
import numpy as np

from recursor.algorithms.pictures import spanning_tree, weighted_size
from recursor.graphs.graph import Graph
from recursor.graphs.weighted import (
    WEIGHTED,
    all_weighted,
    any_weighted,
    as_weighted,
    edge_nodes,
    not_weighted,
    sparse,
)
from recursor.graphs.weights import from_weighted
from recursor.recording.algorithm import Algorithm
from recursor.recording.recorder import Recorder
from recursor.recording.words import Words
from recursor.spec import Collect, Field


def mst_prim(graph: Graph, record: Recorder) -> dict:
    n = len(graph)
    (tree,) = record.nodes(tree=[0] * n)
    edges = edge_nodes(graph)
    weight = np.argsort(np.argsort(graph.values["key"], kind="stable")).tolist()
    pi = list(range(n))

    @record.recursive
    def grow(call):
        across = [e for e, (a, b) in edges.items() if tree[a] != tree[b]]
        if across:
            return record.tail(choose, min(across, key=weight.__getitem__))
        root = next((v for v in range(n) if v not in edges and not tree[v]), -1)
        return record.tail(join, -1, -1, root) if root >= 0 else None

    @record.recursive
    def choose(call, e):
        call.e = e
        record.step()
        a, b = edges[e]
        return record.tail(join, e, a, b) if tree[a] else record.tail(join, e, b, a)

    @record.recursive
    def join(call, e, u, v):
        call.e, call.u, call.v, tree[v], pi[v] = e, u, v, 1, v if u < 0 else u
        record.step()
        return record.tail(grow)

    for e in edges:
        pi[e] = 0
    record.step()
    grow()
    return {"pi": pi}


def tree_edges(graph: Graph, outputs: Mapping[str, np.ndarray]) -> list[int]:
    """Returns the nodes that are edges of the tree: of parallel edges the lightest.

    Raises:
        ValueError: If a node was not joined by an edge.
    """
    key, ends, lightest = graph.values["key"], edge_nodes(graph), {}
    for e, both in ends.items():
        if (pair := frozenset(both)) not in lightest or key[e] < key[lightest[pair]]:
            lightest[pair] = e
    pi = outputs["pi"].tolist()
    joins = [frozenset((node, pi[node])) for node in range(len(graph)) if node not in ends and pi[node] != node]
    if any(pair not in lightest for pair in joins):
        raise ValueError("these outputs are not a tree: a node points to a node to which it has no edge")
    return [lightest[pair] for pair in joins]


def as_tree(graph: Graph, outputs: Mapping[str, np.ndarray]) -> nx.Graph:
    """Returns the minimum spanning tree, or forest, with the names of the nodes, and weights.

    Raises:
        ValueError: If the outputs are no tree.
    """
    tree, ends = nx.Graph(), edge_nodes(graph)
    tree.add_nodes_from(name for node, name in enumerate(graph.names) if node not in ends)
    for e in tree_edges(graph, outputs):
        a, b = ends[e]
        tree.add_edge(graph.names[a], graph.names[b], weight=graph.value("key", e))
    return tree


def example() -> Graph:
    """Returns five towns and the distances between them."""
    roads = (("a", "b", 4), ("a", "c", 2), ("b", "c", 1), ("b", "d", 5), ("c", "d", 8), ("d", "e", 3))
    source = nx.Graph()
    source.add_weighted_edges_from(roads)
    return as_weighted(source)


MST_PRIM = Algorithm(
    name="mst_prim",
    title="Prim's minimum spanning tree",
    summary="The lightest tree that joins all nodes, grown from the first one.",
    function=mst_prim,
    inputs=("pos", "A", "adj", "inner", Field("key", "node", "scalar")),
    shared=(Field("tree", "node", "mask"),),
    call=tuple(Field(name, "graph", "pointer", null=True) for name in ("e", "u", "v")),
    outputs=(Field("pi", "node", "pointer"),),
    collect=(Collect("pi", at="v", value="u"),),
    views={"discrete": ("e", "u", "v", "tree", "stack_op")},
    train=any_weighted,
    test=sparse,
    unfit=not_weighted,
    from_source=from_weighted,
    words=Words(
        meanings={"key": "the weights of edges", "pi": "the node that joined it to the tree; the first names itself"},
        source="a graph whose edges have weights, in networkx or as the third column of a file or a table",
        answer="the tree, a networkx graph",
        categories={"tree": ("not in the tree", "in the tree")},
        beside=edge_nodes,
        pointers={"e": "lightest edge out of the tree", "u": "its end in the tree", "v": "its other end"},
    ),
    example=example,
    size=weighted_size,
    others=WEIGHTED,
    small_inputs=all_weighted,
    small_size=6,
    answer=as_tree,
    picture=lambda graph, outputs: spanning_tree(graph, tree_edges(graph, outputs)),
)
