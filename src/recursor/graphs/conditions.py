"""What algorithms require of a graph. Each function returns the requirement in words, or nothing if the graph meets it."""

import numpy as np

from recursor.graphs.graph import Graph

UNDIRECTED = (
    "an undirected graph, in which each edge goes both ways (an edge list says so in its first line, # undirected; "
    "a nx.Graph always is, and networkx.from_pandas_edgelist makes one of a table)"
)


def not_undirected(graph: Graph) -> str:
    """Every edge goes both ways."""
    n = len(graph)
    there = np.sort(graph.receivers.astype(np.int64) * n + graph.senders)
    same = np.array_equal(there, graph.senders.astype(np.int64) * n + graph.receivers)
    return "" if same else UNDIRECTED


def has_parallel_edges(graph: Graph) -> str:
    """No two edges of the source join the same nodes."""
    if not graph.parallel:
        return ""
    return f"a graph without parallel edges, of which its source has {graph.parallel}: give every edge once"


def not_acyclic(graph: Graph) -> str:
    """No path leads back to where it began."""
    left = np.bincount(graph.receivers, minlength=len(graph)).tolist()
    free = [node for node, count in enumerate(left) if not count]
    for node in free:
        for successor in graph.successors[node]:
            left[successor] -= 1
            if not left[successor]:
                free.append(successor)
    return "" if len(free) == len(graph) else "a graph without cycles"


def not_tree(graph: Graph) -> str:
    """Edges lead from parent to child: each node but one, the root, has one parent, and all come from the root."""
    parents = np.bincount(graph.receivers, minlength=len(graph))
    good = np.count_nonzero(parents == 0) == 1 and parents.max() <= 1 and not not_acyclic(graph)
    return "" if good else "a tree, with edges from parent to child"
