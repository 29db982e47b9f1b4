"""Pictures of answers that several algorithms give."""

from collections.abc import Callable, Iterable, Mapping

import numpy as np

from recursor.algorithms.answers import follow
from recursor.graphs.graph import Graph
from recursor.graphs.weighted import edge_nodes
from recursor.recording.picture import Picture, listed, number_text

Outputs = Mapping[str, np.ndarray]


def counted(number: int, one: str, several: str = "") -> str:
    """Returns a number with its noun, such as `1 bridge` or `no bridges`."""
    return f"{number or 'no'} {one if number == 1 else several or one + 's'}"


def forest(graph: Graph, outputs: Outputs) -> Picture:
    """Returns the picture of a forest: `pi` names the predecessor of each node, and a root names itself."""
    pi = outputs["pi"].tolist()
    roots = [node for node, before in enumerate(pi) if node == before]
    edges = [(before, node) for node, before in enumerate(pi) if node != before]
    sentence = (
        f"{counted(len(roots), 'tree')} with {counted(len(edges), 'edge')}; from {listed(graph.names[r] for r in roots)}"
    )
    return Picture(
        sentence, edges=edges, edge_word="edge of the forest", arrows=True, nodes=roots, node_word="root of a tree"
    )


def components(graph: Graph, outputs: Outputs) -> Picture:
    """Returns the picture of components: `scc_id` names one node of its component for every node."""
    found: dict[int, list[int]] = {}
    for node, which in enumerate(outputs["scc_id"].tolist()):
        found.setdefault(which, []).append(node)
    groups = list(found.values())
    sets = listed("{" + listed(graph.names[node] for node in group) + "}" for group in groups)
    words = ["{" + listed(graph.names[node] for node in group) + "}" for group in groups]
    return Picture(f"{counted(len(groups), 'component')}: {sets}", groups=groups, group_words=words)


def sorted_nodes(graph: Graph, outputs: Outputs) -> Picture:
    """Returns the picture of sorted keys: `pred` names for each node the one before it, and the first names itself."""
    pred = outputs["pred"].tolist()
    firsts = [node for node, before in enumerate(pred) if node == before]
    after = {before: node for node, before in enumerate(pred) if node != before}
    order = follow(after, firsts[0] if firsts else -1, len(graph))
    return Picture(listed(map(number_text, graph.values["key"][order].tolist())), order=order)


def one_key(output: str, word: str) -> Callable[[Graph, Outputs], Picture]:
    """Returns what draws one of the keys: the one that the output points at, and what it is, such as `median`."""

    def picture(graph: Graph, outputs: Outputs) -> Picture:
        node = int(outputs[output])
        return Picture(f"the {word} is {number_text(graph.values['key'][node])}", nodes=[node], node_word=word)

    return picture


def weighted_size(graph: Graph) -> str:
    """Returns how large a weighted graph is, whose edges are nodes too, in words."""
    edges = len(edge_nodes(graph))
    return f"{counted(len(graph) - edges, 'node')}, {counted(edges, 'edge')} with weights"


def spanning_tree(graph: Graph, chosen: Iterable[int]) -> Picture:
    """Returns the picture of a spanning tree of a weighted graph, whose edges are nodes too: those that are chosen."""
    ends = edge_nodes(graph)
    nodes = sorted(chosen)
    names = listed((f"{graph.names[ends[node][0]]}–{graph.names[ends[node][1]]}" for node in nodes), "nothing to join")
    weight = number_text(graph.values["key"][nodes].sum())
    return Picture(
        f"{counted(len(nodes), 'edge')} of weight {weight} in all: {names}",
        nodes=nodes,
        node_word="edge of the tree",
        edges=[(node, end) for node in nodes for end in ends[node]],
    )
