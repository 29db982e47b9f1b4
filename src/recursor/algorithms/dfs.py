"""Depth-first search, as in Introduction to Algorithms, 3rd edition, section 22.3.

On a path 0 → 1 the rows are (op, u, u_pi, u_v, the colours):

    noop  0  0     0    white white  a root is found
    noop  0  0     0    grey  white  it is discovered
    push  0  0     1    grey  grey   its neighbour is called
    noop  1  0     1    grey  grey   and discovered
    pop   1  0     1    grey  black  finished: its call returns, then the root's, on the empty stack:
    pop   0  0     0    black black

As in CLRS-30, a neighbour turns grey when it is called, and u_v is u where there is none to call.
"""

from collections.abc import Mapping

import networkx as nx
import numpy as np

from recursor.algorithms.forests import is_depth_first_forest
from recursor.algorithms.pictures import forest
from recursor.graphs import enumeration, shapes
from recursor.graphs.graph import Graph, named_graph
from recursor.recording.algorithm import Algorithm
from recursor.recording.recorder import Recorder
from recursor.recording.words import Words
from recursor.spec import POP, PUSH, Collect, Field

WHITE, GREY, BLACK = range(3)


def dfs(graph: Graph, record: Recorder) -> dict:
    n = len(graph)
    white, self, zero = [WHITE] * n, range(n), [0.0] * n
    color, pi, s_prev, d, f = record.nodes(color=white, pi_h=self, s_prev=self, d=zero, f=zero)
    now = record.graph(s=0, time=0.0)

    @record.recursive
    def visit(call, u):
        call.u = call.u_v = u
        now.time += 0.01
        d[u], color[u] = now.time, GREY
        record.step()
        for v in graph.successors[u]:
            if color[v] == WHITE:
                call.u_v, pi[v], s_prev[v], color[v] = v, u, u, GREY
                visit(v)
                call.u_v, s_prev[v] = u, v
        now.time += 0.01
        f[u], color[u] = now.time, BLACK

    for s in range(n):
        if color[s] == WHITE:
            record.outermost.u = record.outermost.u_v = now.s = s
            record.step()
            visit(s)
    return {"pi": pi}


def as_forest(graph: Graph, outputs: Mapping[str, np.ndarray]) -> nx.DiGraph:
    """Returns the forest of the search, by the names of the nodes; edges lead from a node to those that it discovered."""
    forest = nx.DiGraph()
    forest.add_nodes_from(graph.names)
    pi = outputs["pi"].tolist()
    forest.add_edges_from((graph.names[before], graph.names[node]) for node, before in enumerate(pi) if before != node)
    return forest


LOCAL = ("u", "u_pi", "u_d", "u_f", "u_v", "color", "time")
DFS = Algorithm(
    name="dfs",
    title="Depth-first search",
    summary="The forest of a search that goes on from the node it has found last.",
    function=dfs,
    inputs=("pos", "A", "adj"),
    shared=(
        *(Field("color", "node", "category", 3), Field("pi_h", "node", "pointer"), Field("s_prev", "node", "pointer")),
        *(Field("d", "node", "scalar"), Field("f", "node", "scalar")),
        *(Field("s", "graph", "pointer"), Field("time", "graph", "scalar")),
    ),
    call=(Field("u", "graph", "pointer"), Field("u_v", "graph", "pointer")),
    derived={
        Field("u_pi", "graph", "pointer"): lambda rows: rows.at("pi_h", "u"),
        Field("u_d", "graph", "scalar"): lambda rows: rows.at("d", "u"),
        Field("u_f", "graph", "scalar"): lambda rows: rows.at("f", "u"),
        # CLRS-30 loops over all nodes, which leaves v at the last one in the end.
        Field("v", "graph", "pointer"): lambda rows: np.where(rows.ops == POP, rows.sizes[:, None] - 1, rows["u_v"]),
        Field("s_last", "graph", "pointer"): lambda rows: np.where(rows.ops == PUSH, rows["u_v"], rows["u"]),
    },
    pop_shows="callee",
    outputs=(Field("pi", "node", "pointer"),),
    collect=(Collect("pi", at="u", value="u_pi"),),
    views={
        "local": (*LOCAL, "stack_op"),
        "clrs": ("pi_h", "color", "d", "f", "s_prev", "s", "u", "v", "s_last", "time"),
        "local-no-op": LOCAL,
        "discrete": ("u", "u_pi", "u_v", "color", "stack_op"),
    },
    words=Words(
        categories={"color": ("not seen", "being visited", "finished")},
        pointers={"u": "current node", "u_pi": "its predecessor", "u_v": "neighbour to explore", "s": "root"},
        callee="u_v",
        meanings={"pi": "the node from which it was discovered; a root names itself"},
        answer="the forest of the search, a networkx graph: an edge leads from a node to each that it discovered",
    ),
    example=named_graph(
        *("entrance hall", "hall library", "hall kitchen", "library attic", "library study", "kitchen cellar"),
        *("cellar tunnel", "tunnel study", "study exit"),
        undirected=True,
    ),
    others=shapes.DIRECTED,
    small_inputs=enumeration.directed,
    small_size=4,
    valid=lambda graph, outputs: is_depth_first_forest(graph, outputs["pi"]),
    answer=as_forest,
    picture=forest,
)
