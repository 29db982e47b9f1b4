"""Breadth-first search from the first node, layer by layer: a loop, written as tail recursion.

A node of the current layer is `open`. The first of them in the order of the nodes is `u`, and every unseen node `v` that it
has an edge to gets u as its predecessor and waits for the next layer. When no node is open, all that wait are opened. Which
predecessor a node gets is CLRS-30's choice: the first one in its layer. In the end every node that was not reached names
itself. No call needs a frame: the stack stays flat.
"""

import networkx as nx
import numpy as np

from recursor.algorithms.pictures import counted
from recursor.graphs import enumeration, shapes
from recursor.graphs.distributions import any_directed, directed
from recursor.graphs.graph import Graph, named_graph
from recursor.recording.algorithm import Algorithm, Outputs
from recursor.recording.picture import Picture, listed
from recursor.recording.recorder import Recorder
from recursor.recording.words import SEARCH, Words
from recursor.spec import Collect, Field

UNSEEN, WAITING, OPEN, CLOSED = range(4)


def bfs(graph: Graph, record: Recorder) -> dict:
    n = len(graph)
    (state,) = record.nodes(state=[UNSEEN] * n)
    pi = list(range(n))

    @record.recursive
    def discover(call, u, v):
        call.u, call.v, state[v], pi[v] = u, v, WAITING, v if u < 0 else u
        record.step()
        return record.tail(look, u)

    @record.recursive
    def close(call, u):
        call.u, state[u] = u, CLOSED
        record.step()
        return record.tail(look, u)

    @record.recursive
    def look(call, u):
        unseen = [v for v in graph.successors[u] if state[v] == UNSEEN] if u >= 0 else []
        if unseen:
            return record.tail(discover, u, unseen[0])
        layer = first(OPEN)
        if layer >= 0:
            return record.tail(close, layer)
        return record.tail(next_layer) if first(WAITING) >= 0 else record.tail(leave_out)

    @record.recursive
    def next_layer(call):
        for v in range(n):
            state[v] = OPEN if state[v] == WAITING else state[v]
        record.step()
        return record.tail(look, -1)

    @record.recursive
    def leave_out(call):
        v = first(UNSEEN)
        if v < 0:
            return None
        call.v, state[v] = v, CLOSED
        record.step()
        return record.tail(leave_out)

    def first(kind):
        return next((v for v in range(n) if state[v] == kind), -1)

    record.step()
    discover(-1, 0)
    return {"pi": pi}


def as_tree(graph: Graph, outputs: Outputs) -> nx.DiGraph:
    """Returns the tree of shortest paths from the first node, with the names of the nodes; only those that it reaches."""
    pi = np.asarray(outputs["pi"]).tolist()
    tree = nx.DiGraph()
    tree.add_node(graph.names[0])
    tree.add_edges_from((graph.names[before], graph.names[node]) for node, before in enumerate(pi) if before != node)
    return tree


def picture(graph: Graph, outputs: Outputs) -> Picture:
    """Returns the picture of the shortest paths from the first node."""
    pi = outputs["pi"].tolist()
    edges = [(before, node) for node, before in enumerate(pi) if before != node]
    sentence = f"shortest paths from {graph.names[0]} to {counted(len(edges), 'node')}"
    if missed := [graph.names[node] for node, before in enumerate(pi) if before == node and node]:
        sentence += f"; it does not reach {listed(missed)}"
    return Picture(sentence, edges=edges, edge_word="on a shortest path", arrows=True, nodes=[0], node_word="first node")


BFS = Algorithm(
    name="bfs",
    title="Breadth-first search",
    summary="The shortest paths from the first node, by a search that goes on layer by layer.",
    function=bfs,
    inputs=("pos", "A", "adj"),
    shared=(Field("state", "node", "category", 4),),
    call=(Field("u", "graph", "pointer", null=True), Field("v", "graph", "pointer", null=True)),
    outputs=(Field("pi", "node", "pointer"),),
    collect=(Collect("pi", at="v", value="u"),),
    views={"discrete": ("u", "v", "state", "stack_op")},
    train=any_directed,
    test=directed,
    words=Words(
        meanings={"pi": "the node before it on a shortest path from the first node; itself if there is none"},
        answer="the tree of shortest paths, a networkx graph: an edge leads from a node to each that it discovered",
        categories={"state": ("not seen", "in the next layer", "in this layer", "done")},
        pointers=SEARCH | {"v": "neighbour that is found"},
    ),
    example=named_graph("a b", "a c", "b d", "c d", "d e", "c f", "f e", "g a", undirected=False),
    others=shapes.DIRECTED,
    small_inputs=enumeration.directed,
    small_size=4,
    answer=as_tree,
    picture=picture,
)
