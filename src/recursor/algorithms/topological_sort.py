"""Topological sort of an acyclic graph by depth-first search, as in Introduction to Algorithms, 3rd edition, section 22.4.

Each node is put before all that are finished already when its own call returns. The order is a linked list, as in CLRS-30:
`topo` names for each node the one after it, the last names itself, and `topo_head` is the first.
"""

from collections.abc import Hashable, Mapping

import numpy as np

from recursor.algorithms.answers import follow
from recursor.graphs import enumeration, shapes
from recursor.graphs.conditions import not_acyclic
from recursor.graphs.distributions import acyclic, any_acyclic
from recursor.graphs.graph import Graph, named_graph
from recursor.recording.algorithm import Algorithm
from recursor.recording.picture import Picture, listed
from recursor.recording.recorder import Recorder
from recursor.recording.words import SEARCH, SEEN, Words
from recursor.spec import Collect, Field


def topological_sort(graph: Graph, record: Recorder) -> dict:
    n = len(graph)
    (seen,) = record.nodes(seen=[0] * n)
    now = record.graph(head=-1)
    topo = list(range(n))

    @record.recursive
    def visit(call, u):
        call.u, seen[u] = u, 1
        record.step()
        for v in graph.successors[u]:
            if not seen[v]:
                call.v = v
                visit(v)
        topo[u] = u if now.head < 0 else now.head
        now.head = u

    for s in range(n):
        if not seen[s]:
            record.outermost.v = s
            record.step()
            visit(s)
            record.outermost.v = -1
    return {"topo": topo, "topo_head": now.head}


def as_order(graph: Graph, outputs: Mapping[str, np.ndarray]) -> list[Hashable]:
    """Returns the names in an order in which every edge leads forwards."""
    return [graph.names[node] for node in order_of(graph, outputs)]


def order_of(graph: Graph, outputs: Mapping[str, np.ndarray]) -> list[int]:
    """Returns the nodes in order."""
    after = {node: then for node, then in enumerate(outputs["topo"].tolist()) if node != then}
    return follow(after, int(outputs["topo_head"]), len(graph))


def picture(graph: Graph, outputs: Mapping[str, np.ndarray]) -> Picture:
    """Returns the picture of an order: its nodes are numbered."""
    order = order_of(graph, outputs)
    return Picture(listed(graph.names[node] for node in order), order=order)


TOPOLOGICAL_SORT = Algorithm(
    name="topological_sort",
    title="Topological sort",
    summary="An order of the nodes of an acyclic graph in which every edge leads forwards.",
    function=topological_sort,
    inputs=("pos", "A", "adj"),
    shared=(Field("seen", "node", "mask"), Field("head", "graph", "pointer", null=True)),
    call=(Field("u", "graph", "pointer", null=True), Field("v", "graph", "pointer", null=True)),
    outputs=(Field("topo", "node", "pointer"), Field("topo_head", "graph", "pointer")),
    collect=(Collect("topo", at="u", value="head"), Collect("topo_head", at=None, value="head")),
    views={"discrete": ("u", "v", "seen", "head", "stack_op")},
    train=any_acyclic,
    test=acyclic,
    unfit=not_acyclic,
    words=Words(
        categories=SEEN,
        pointers=SEARCH | {"head": "first of the order so far"},
        callee="v",
        onward=("topo",),
        meanings={"topo": "the node after it in the order; the last names itself", "topo_head": "the first of the order"},
        answer="the order, a list of names",
    ),
    example=named_graph("shirt tie", "tie jacket", "trousers shoes", "trousers belt", "belt jacket", "socks shoes"),
    others=shapes.ACYCLIC,
    small_inputs=enumeration.acyclic,
    small_size=5,
    answer=as_order,
    picture=picture,
)
