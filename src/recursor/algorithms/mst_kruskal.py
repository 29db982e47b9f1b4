"""A minimum spanning tree by Kruskal's algorithm: loops, written as tail recursion.

Every edge of the weighted graph is a node, with edges to its ends (`graphs/weighted.py`). Edges have their turn in the order
of their weights. An edge `e` is taken if no path of taken edges joins its ends already. Both are marked as an `end`. From
the first one a search spreads, step by step to taken edges and from these to their ends, and marks all that is `near`, until
none is added. If an end is not near then, e is taken. No step needs more than one round of messages. No call needs a frame:
the stack stays flat.
"""

from collections.abc import Mapping

import networkx as nx
import numpy as np

from recursor.algorithms.mst_prim import example
from recursor.algorithms.pictures import spanning_tree, weighted_size
from recursor.graphs.graph import Graph
from recursor.graphs.weighted import WEIGHTED, all_weighted, any_weighted, edge_nodes, not_weighted, sparse
from recursor.graphs.weights import from_weighted
from recursor.recording.algorithm import Algorithm
from recursor.recording.recorder import Recorder
from recursor.recording.words import SEEN, Words
from recursor.spec import Collect, Field


def mst_kruskal(graph: Graph, record: Recorder) -> dict:
    n = len(graph)
    taken, seen = record.nodes(taken=[0] * n, seen=[0] * n)
    edges = edge_nodes(graph)
    order = sorted(edges, key=graph.values["key"].tolist().__getitem__)
    joined: list[list[int]] = [[] for _ in range(n)]  # of an end its taken edges, and of a taken edge its ends

    @record.recursive
    def look(call, turn):
        if turn == len(order):
            return None
        call.e = e = order[turn]
        seen[e] = 1
        record.step()
        return record.tail(begin, turn)

    @record.recursive
    def begin(call, turn):
        a, b = edges[order[turn]]
        call.e, call.end, call.grows = order[turn], record.mask((a, b)), 1
        record.step()
        return record.tail(spread, turn, {a}, {a})

    @record.recursive
    def spread(call, turn, near, added):
        e = order[turn]
        a, b = edges[e]
        call.e, call.end, call.near, call.grows = e, record.mask((a, b)), record.mask(near), int(bool(added))
        record.step()
        if added:
            further = {v for u in added for v in joined[u]} - near
            return record.tail(spread, turn, near | further, further)
        if b not in near:
            taken[e], joined[e] = 1, [a, b]
            joined[a].append(e)
            joined[b].append(e)
        return record.tail(look, turn + 1)

    record.step()
    look(0)
    return {"in_mst": list(taken)}


def as_forest(graph: Graph, outputs: Mapping[str, np.ndarray]) -> nx.Graph:
    """Returns the minimum spanning tree, or forest, with the names of the nodes, and weights."""
    forest = nx.Graph()
    forest.add_nodes_from(graph.names[node] for node, ends in enumerate(graph.successors) if not ends)
    for e, (a, b) in edge_nodes(graph).items():
        if outputs["in_mst"][e]:
            forest.add_edge(graph.names[a], graph.names[b], weight=graph.value("key", e))
    return forest


MST_KRUSKAL = Algorithm(
    name="mst_kruskal",
    title="Kruskal's minimum spanning tree",
    summary="The lightest tree that joins all nodes, of edges in the order of their weights.",
    function=mst_kruskal,
    inputs=("pos", "A", "adj", "inner", Field("key", "node", "scalar")),
    shared=(Field("taken", "node", "mask"), Field("seen", "node", "mask")),
    call=(
        Field("e", "graph", "pointer", null=True),
        Field("end", "node", "mask"),
        Field("near", "node", "mask"),
        Field("grows", "graph", "mask"),
    ),
    outputs=(Field("in_mst", "node", "mask"),),
    collect=(Collect("in_mst", at=None, value="taken"),),
    views={"discrete": ("e", "end", "near", "grows", "taken", "seen", "stack_op")},
    train=any_weighted,
    test=sparse,
    unfit=not_weighted,
    from_source=from_weighted,
    most_rows=lambda n: 100 + 10 * n + n * n,
    largest=129,
    words=Words(
        meanings={"key": "the weights of edges", "in_mst": "whether the edge is in the tree"},
        source="a graph whose edges have weights, in networkx or as the third column of a file or a table",
        answer="the tree, a networkx graph",
        categories=SEEN
        | {
            "taken": ("not in the tree", "in the tree"),
            "end": ("no end of the edge", "an end of the edge"),
            "near": ("elsewhere", "joined with the first end"),
            "grows": ("no more are near", "more are near"),
        },
        beside=edge_nodes,
        pointers={"e": "edge that has its turn"},
    ),
    example=example,
    size=weighted_size,
    others=WEIGHTED,
    small_inputs=all_weighted,
    small_size=6,
    answer=as_forest,
    picture=lambda graph, outputs: spanning_tree(graph, np.flatnonzero(outputs["in_mst"]).tolist()),
)
