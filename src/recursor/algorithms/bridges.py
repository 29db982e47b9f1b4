"""Bridges of an undirected graph: edges without which it falls apart. One depth-first search, as in Introduction to
Algorithms, 3rd edition, problem 22-2.

`low` is the node that was discovered first among those that the subtree of u has an edge to, the one to its parent apart; a
call returns it. The edge to a child is a bridge where the child's low is after u. Bridges are edges of the search's forest,
so each is told by its lower end: `bridge` marks the nodes of which the edge to the predecessor `pi` is one.
"""

from recursor.graphs.conditions import not_undirected
from recursor.graphs.distributions import any_undirected, undirected
from recursor.graphs.graph import Graph
from recursor.recording.algorithm import Algorithm
from recursor.recording.recorder import Recorder
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


BRIDGES = Algorithm(
    name="bridges",
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
    unfit=not_undirected,
)
