"""Which predecessor arrays are depth-first forests, of whatever order of the nodes and their neighbours.

A rooted spanning forest of a directed graph is left behind by some depth-first search exactly if every tree edge is an edge
of the graph and the children of each node (and the roots) can be put into an order in which no edge leads from the subtree
of an earlier one into that of a later one: the earlier call would have taken that edge. So each edge between the subtrees of
two siblings says which of the two came first, and the forest is valid if nothing is said in a circle.
"""

import networkx as nx
import numpy as np

from recursor.graphs.graph import Graph


def is_depth_first_forest(graph: Graph, pi: np.ndarray) -> bool:
    """Whether some depth-first search of the graph leaves these predecessors; a root's is the root itself."""
    n = len(graph)
    if pi.shape != (n,) or pi.min() < 0 or pi.max() >= n:
        return False
    successors = [set(after) for after in graph.successors]
    if any(v not in successors[p] for v, p in enumerate(pi.tolist()) if p != v):
        return False
    ancestors = _ancestors(pi)
    if ancestors is None:
        return False
    before = nx.DiGraph()
    for u, v in zip(graph.senders.tolist(), graph.receivers.tolist(), strict=True):
        siblings = _siblings(ancestors[u], ancestors[v])
        if siblings is not None:
            before.add_edge(siblings[1], siblings[0])
    return nx.is_directed_acyclic_graph(before)


def _ancestors(pi: np.ndarray) -> list[list[int]] | None:
    """From each node's root down to the node itself; None if the predecessors run in a circle."""
    ancestors: list[list[int]] = [[] for _ in pi]
    for node in range(len(pi)):
        chain = []
        while not ancestors[node]:
            chain.append(node)
            if pi[node] == node:
                break
            node = int(pi[node])
            if len(chain) > len(pi):
                return None
        above = ancestors[node]
        for below in reversed(chain):
            above = ancestors[below] = [*above, below]
    return ancestors


def _siblings(one: list[int], other: list[int]) -> tuple[int, int] | None:
    """Where two lines of ancestors part; None if one node lies below the other."""
    for a, b in zip(one, other, strict=False):
        if a != b:
            return a, b
    return None
