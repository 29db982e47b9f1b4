"""Bridges of an undirected graph: edges without which it falls apart. One depth-first search, as in Introduction to
Algorithms, 3rd edition, problem 22-2.

`low` is the node that was discovered first among those that the subtree of u has an edge to, the one to its parent apart; a
call returns it. The edge to a child is a bridge where the child's low is after u. Bridges are edges of the search's forest,
so each is told by its lower end: `bridge` marks the nodes of which the edge to the predecessor `pi` is one.
"""

from collections.abc import Hashable, Mapping

import numpy as np

from recursor.algorithms.pictures import counted
from recursor.graphs import enumeration, shapes
from recursor.graphs.conditions import has_parallel_edges, not_undirected
from recursor.graphs.distributions import any_undirected, undirected
from recursor.graphs.graph import Graph, named_graph
from recursor.recording.algorithm import Algorithm
from recursor.recording.picture import Picture, listed
from recursor.recording.recorder import Recorder
from recursor.recording.words import LOW, SEEN, Words
from recursor.spec import Collect, Field, Stamp


def bridges(graph: Graph, record: Recorder) -> dict:
    n = len(graph)
    seen, bridge = record.nodes(seen=[0] * n, bridge=[0] * n)
    time: dict[int, int] = {}
    pi = list(range(n))

    @record.recursive
    def visit(call, u, parent):
        call.u, call.pi, seen[u], time[u], pi[u] = u, parent, 1, len(time), parent
        call.low = min([u, *(v for v in graph.successors[u] if seen[v] and v != parent)], key=time.__getitem__)
        record.step()
        for v in graph.successors[u]:
            if not seen[v]:
                call.v = v
                low = visit(v, u)
                if time[low] > time[u]:
                    bridge[v] = 1
                call.low = min(call.low, low, key=time.__getitem__)
        return call.low

    for s in range(n):
        if not seen[s]:
            record.outermost.v = s
            record.step()
            visit(s, s)
            record.outermost.v = -1
    return {"pi": pi, "bridge": list(bridge)}


def as_edges(graph: Graph, outputs: Mapping[str, np.ndarray]) -> list[tuple[Hashable, Hashable]]:
    """Returns the bridges as edges: of each its two ends, in the order of the nodes."""
    return [(graph.names[a], graph.names[b]) for a, b in bridge_ends(outputs)]


def bridge_ends(outputs: Mapping[str, np.ndarray]) -> list[tuple[int, int]]:
    """Returns the two ends of each bridge."""
    lower = np.flatnonzero(outputs["bridge"])
    ends = np.sort(np.stack([lower, outputs["pi"][lower]], 1))
    return sorted((a, b) for a, b in ends.tolist())


def picture(graph: Graph, outputs: Mapping[str, np.ndarray]) -> Picture:
    """Returns the picture of the bridges."""
    ends = bridge_ends(outputs)
    names = listed((f"{graph.names[a]}–{graph.names[b]}" for a, b in ends), "no edge alone holds the graph together")
    return Picture(f"{counted(len(ends), 'bridge')}: {names}", edges=ends, edge_word="bridge")


BRIDGES = Algorithm(
    name="bridges",
    title="Bridges",
    summary="The edges without which an undirected graph falls into more pieces.",
    function=bridges,
    inputs=("pos", "A", "adj"),
    shared=(Field("seen", "node", "mask"), Field("bridge", "node", "mask")),
    call=tuple(Field(name, "graph", "pointer", null=True) for name in ("u", "pi", "v", "low")),
    returns=(Field("returned", "graph", "pointer", null=True),),
    stamps=(Stamp(Field("d", "node", "stamp"), at="u"),),
    outputs=(Field("pi", "node", "pointer"), Field("bridge", "node", "mask")),
    collect=(Collect("pi", at="u", value="pi"), Collect("bridge", at=None, value="bridge")),
    views={"discrete": ("u", "pi", "v", "low", "returned", "d", "seen", "bridge", "stack_op")},
    train=any_undirected,
    test=undirected,
    unfit=lambda graph: has_parallel_edges(graph) or not_undirected(graph),
    words=Words(
        categories=SEEN | {"bridge": ("no bridge above, as far as known", "the edge from its predecessor is a bridge")},
        pointers=LOW | {"pi": "its predecessor"},
        callee="v",
        meanings={
            "pi": "the node from which it was discovered; a root names itself",
            "bridge": "whether the edge to its predecessor is a bridge",
        },
        answer="the bridges, a list of pairs of names",
    ),
    example=named_graph("a b", "b c", "c a", "c d", "d e", "e f", "f d", "b g", undirected=True),
    others=shapes.UNDIRECTED,
    small_inputs=enumeration.undirected_to_six,
    small_size=5,
    full_size=6,
    full_limits="of 6 nodes without loops",
    answer=as_edges,
    picture=picture,
)
