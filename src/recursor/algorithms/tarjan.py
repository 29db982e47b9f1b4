"""Strongly connected components by Tarjan's algorithm: one depth-first search.

`low` is the node that was discovered first among those that u is known to reach and that are in no component yet; a call
returns it. Where it is u itself, u and all that were discovered after it, and are in no component yet, are one. When a
node was discovered is a stamp: it is compared, and never a number.
"""

from recursor.algorithms import pictures
from recursor.algorithms.answers import components
from recursor.graphs import enumeration, shapes
from recursor.graphs.distributions import any_directed, directed
from recursor.graphs.graph import Graph, named_graph
from recursor.recording.algorithm import Algorithm
from recursor.recording.recorder import Recorder
from recursor.recording.words import LOW, Words
from recursor.spec import Collect, Field, Stamp

NEW, OPEN, CLOSED = range(3)


def strongly_connected_components(graph: Graph, record: Recorder) -> dict:
    n = len(graph)
    (state,) = record.nodes(state=[NEW] * n)
    found: list[int] = []  # open nodes, in the order of their discovery
    time: dict[int, int] = {}
    scc = list(range(n))

    @record.recursive
    def visit(call, u):
        call.u, state[u], time[u] = u, OPEN, len(time)
        found.append(u)
        call.low = min([u, *(v for v in graph.successors[u] if state[v] == OPEN)], key=time.__getitem__)
        record.step()
        for v in graph.successors[u]:
            if state[v] == NEW:
                call.v = v
                call.low = min(call.low, visit(v), key=time.__getitem__)
        while call.low == u and state[u] == OPEN:
            call.w = w = found.pop()
            state[w], scc[w] = CLOSED, u
            record.step()
        return call.low

    for s in range(n):
        if state[s] == NEW:
            record.outermost.v = s
            record.step()
            visit(s)
            record.outermost.v = -1
    return {"scc_id": scc}


TARJAN = Algorithm(
    name="tarjan",
    title="Strongly connected components (Tarjan)",
    summary="The sets of nodes that all reach each other, found by one search.",
    function=strongly_connected_components,
    inputs=("pos", "A", "adj"),
    shared=(Field("state", "node", "category", 3),),
    call=tuple(Field(name, "graph", "pointer", null=True) for name in ("u", "v", "low", "w")),
    returns=(Field("returned", "graph", "pointer", null=True),),
    stamps=(Stamp(Field("d", "node", "stamp"), at="u"),),
    outputs=(Field("scc_id", "node", "pointer"),),
    collect=(Collect("scc_id", at="w", value="u"),),
    views={"discrete": ("u", "v", "low", "w", "returned", "d", "state", "stack_op")},
    train=any_directed,
    test=directed,
    words=Words(
        categories={"state": ("not seen", "in no component yet", "in a component")},
        pointers=LOW | {"w": "goes into the component of u"},
        callee="v",
        meanings={"scc_id": "a node that stands for its component: the one that was discovered first"},
        answer="the components, a list of sets of names",
    ),
    example=named_graph("a b", "b c", "c a", "c d", "d e", "e f", "f d", "f g", "g h", "h g"),
    others=shapes.DIRECTED,
    small_inputs=enumeration.directed,
    small_size=4,
    answer=components,
    picture=pictures.components,
)
