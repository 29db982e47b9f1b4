"""Articulation points of an undirected graph: nodes without which it falls apart. One depth-first search, as in
Introduction to Algorithms, 3rd edition, problem 22-2.

`low` is the node that was discovered first among those that the subtree of u has an edge to; a call returns it. A node that
is no root is cut off from what is beneath a child where that child's low is not before it; a root where it has two children.
`cut` names such a node in the row after it was found, and no other row does.
"""

from collections.abc import Mapping

import numpy as np

from recursor.algorithms.pictures import counted
from recursor.graphs import enumeration, shapes
from recursor.graphs.conditions import not_undirected
from recursor.graphs.distributions import any_undirected, undirected
from recursor.graphs.graph import Graph, named_graph
from recursor.recording.algorithm import Algorithm
from recursor.recording.picture import Picture, listed
from recursor.recording.recorder import Recorder
from recursor.recording.words import LOW, SEEN, Words
from recursor.spec import Collect, Field, Stamp


def articulation_points(graph: Graph, record: Recorder) -> dict:
    n = len(graph)
    (seen,) = record.nodes(seen=[0] * n)
    found = record.graph(cut=-1)
    time: dict[int, int] = {}
    is_cut = [0] * n

    def note(u, cut):
        found.cut = u if cut else -1  # the next row shows u, or nobody
        is_cut[u] |= cut

    @record.recursive
    def visit(call, u, parent):
        call.u, call.pi, seen[u], time[u] = u, parent, 1, len(time)
        call.low = min([u, *(v for v in graph.successors[u] if seen[v] and v != parent)], key=time.__getitem__)
        found.cut = -1
        record.step()
        for v in graph.successors[u]:
            if not seen[v]:
                if parent == u:
                    note(u, call.v >= 0)
                call.v = v
                low = visit(v, u)
                note(u, parent != u and time[low] >= time[u])
                call.low = min(call.low, low, key=time.__getitem__)
        return call.low

    for s in range(n):
        if not seen[s]:
            record.outermost.v = s
            record.step()
            visit(s, s)
            record.outermost.v = -1
    return {"is_cut": is_cut}


def picture(graph: Graph, outputs: Mapping[str, np.ndarray]) -> Picture:
    """Returns the picture of the articulation points."""
    cut = np.flatnonzero(outputs["is_cut"]).tolist()
    names = listed((graph.names[node] for node in cut), "no node alone holds the graph together")
    return Picture(f"{counted(len(cut), 'articulation point')}: {names}", nodes=cut, node_word="articulation point")


ARTICULATION_POINTS = Algorithm(
    name="articulation_points",
    title="Articulation points",
    summary="The nodes without which an undirected graph falls into more pieces.",
    function=articulation_points,
    inputs=("pos", "A", "adj"),
    shared=(Field("seen", "node", "mask"), Field("cut", "graph", "pointer", null=True)),
    call=tuple(Field(name, "graph", "pointer", null=True) for name in ("u", "pi", "v", "low")),
    returns=(Field("returned", "graph", "pointer", null=True),),
    stamps=(Stamp(Field("d", "node", "stamp"), at="u"),),
    outputs=(Field("is_cut", "node", "mask"),),
    collect=(Collect("is_cut", at="cut"),),
    views={"discrete": ("u", "pi", "v", "low", "returned", "cut", "d", "seen", "stack_op")},
    train=any_undirected,
    test=undirected,
    unfit=not_undirected,
    words=Words(
        categories=SEEN,
        pointers=LOW | {"pi": "its predecessor", "cut": "was found to be an articulation point"},
        callee="v",
        meanings={"is_cut": "whether it is an articulation point"},
        answer="the articulation points, a list of names",
    ),
    example=named_graph("a b", "b c", "c a", "c d", "d e", "e f", "f d", "b g", undirected=True),
    others=shapes.UNDIRECTED,
    small_inputs=enumeration.undirected_to_six,
    small_size=5,
    full_size=6,
    full_limits="of 6 nodes without loops",
    answer=lambda graph, outputs: [graph.names[node] for node in np.flatnonzero(outputs["is_cut"]).tolist()],
    picture=picture,
)
