"""Strongly connected components by Kosaraju's algorithm, as in Introduction to Algorithms, 3rd edition, section 22.5.

A first search finishes all nodes; a second goes against the edges, from the node that was finished last among those without
a component. The order of finishing is a stamp: it is compared, and never a number.
"""

from recursor.algorithms import pictures
from recursor.algorithms.answers import components
from recursor.graphs import enumeration, shapes
from recursor.graphs.distributions import any_directed, directed
from recursor.graphs.graph import Graph, named_graph
from recursor.recording.algorithm import Algorithm
from recursor.recording.recorder import Recorder
from recursor.recording.words import SEARCH, Words
from recursor.spec import Collect, Field, Stamp

NEW = 0  # then 1 once the first search has seen a node, and 2 once the second has


def strongly_connected_components(graph: Graph, record: Recorder) -> dict:
    n = len(graph)
    (state,) = record.nodes(state=[NEW] * n)
    now = record.graph(s=-1, second=0)
    finished: list[int] = []
    scc = list(range(n))

    @record.recursive
    def visit(call, u):
        call.u, state[u] = u, now.second + 1
        scc[u] = now.s
        record.step()
        for v in (graph.predecessors if now.second else graph.successors)[u]:
            if state[v] == now.second:
                call.v = v
                visit(v)
        if not now.second:
            finished.append(u)
        return u

    def search(nodes):
        for s in nodes:
            if state[s] == now.second:
                record.outermost.v = now.s = s
                record.step()
                visit(s)
                record.outermost.v = -1

    search(range(n))
    now.second = 1
    search(reversed(finished))
    return {"scc_id": scc}


KOSARAJU = Algorithm(
    name="strongly_connected_components",
    title="Strongly connected components (Kosaraju)",
    summary="The sets of nodes that all reach each other, found by two searches.",
    function=strongly_connected_components,
    inputs=("pos", "A", "adj"),
    shared=(
        *(Field("state", "node", "category", 3), Field("second", "graph", "mask")),
        Field("s", "graph", "pointer", null=True),
    ),
    call=(Field("u", "graph", "pointer", null=True), Field("v", "graph", "pointer", null=True)),
    returns=(Field("returned", "graph", "pointer", null=True),),
    stamps=(Stamp(Field("f", "node", "stamp"), at="returned"),),
    outputs=(Field("scc_id", "node", "pointer"),),
    collect=(Collect("scc_id", at="u", value="s"),),
    views={"discrete": ("u", "v", "s", "second", "returned", "f", "state", "stack_op")},
    train=any_directed,
    test=directed,
    words=Words(
        categories={
            "state": ("not seen", "seen by the first search", "seen by the second search"),
            "second": ("first search", "second search, against the edges"),
        },
        pointers=SEARCH | {"s": "root", "returned": "finished node"},
        callee="v",
        meanings={"scc_id": "a node that stands for its component: the one at which the second search began"},
        answer="the components, a list of sets of names",
    ),
    example=named_graph("a b", "b c", "c a", "c d", "d e", "e f", "f d", "f g", "g h", "h g"),
    others=shapes.DIRECTED,
    small_inputs=enumeration.directed,
    small_size=4,
    answer=components,
    picture=pictures.components,
)
