"""The inputs of CLRS-30's tasks: each form of them becomes a graph of ours, and a graph becomes such inputs.

    PLAIN            a graph: A of 0 and 1
    SOURCE           a graph, and the node `s` at which a search begins
    WEIGHTED         an undirected graph: A of weights, 0 where there is no edge
    WEIGHTED_SOURCE  the same, and the node `s` at which a tree begins
    KEYS             numbers
    SEARCH           sorted numbers, and a target
    ACTIVITIES       starts `s` and ends `f`
    LETTERS          the letters of a text, and after them those of a needle

Our searches and trees begin at the first node. So the source becomes the first, and all others keep their order; `place`
among the graph's values says which node of the sample each one is.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import networkx as nx
import numpy as np

from recursor.clrs.fields import Arrays, ClrsField, fields, one_hot
from recursor.graphs.activities import as_activities
from recursor.graphs.adjacency import GraphError, from_dense
from recursor.graphs.graph import Graph, even
from recursor.graphs.weighted import as_weighted, edge_nodes

PLACE = "place"
Sample = Mapping[str, np.ndarray]
"""The inputs of one sample by name."""


@dataclass(frozen=True)
class Form:
    """A form of inputs."""

    inputs: Mapping[str, ClrsField]
    to_graph: Callable[[Sample, str], Graph]
    """Converts one sample. The second argument is what errors call it."""
    to_inputs: Callable[[Graph], Arrays]
    """Converts a graph of ours to one sample."""

    @property
    def needed(self) -> tuple[str, ...]:
        """The inputs that cannot be left out. Positions, `adj` and a source have defaults."""
        return tuple(name for name, field in self.inputs.items() if name not in ("pos", "adj") and field.type != "mask_one")


def adjacency(graph: Graph) -> np.ndarray:
    """Returns the matrix of 0 and 1, [sender, receiver], that CLRS-30 calls A."""
    matrix = np.zeros((len(graph), len(graph)), np.float32)
    matrix[graph.senders, graph.receivers] = 1
    return matrix


def places(graph: Graph) -> np.ndarray:
    """Returns which node of the sample each node is; -1 for one that stands for an edge."""
    return np.asarray(graph.values.get(PLACE, np.arange(len(graph))))


def vertices(graph: Graph) -> int:
    """Returns how many nodes of a graph of `WEIGHTED` are not edges. They come first."""
    return len(graph) - len(edge_nodes(graph))


def compared(numbers: np.ndarray, where: str, name: str = "keys") -> np.ndarray:
    """Returns numbers that single precision tells apart: the given ones, or else their ranks from 1."""
    if not np.isfinite(numbers).all():
        raise GraphError(f"{where}: the {name} must be finite numbers")
    different, ranks = np.unique(numbers, return_inverse=True)
    return numbers if len(np.unique(numbers.astype(np.float32))) == len(different) else ranks.astype(np.float32) + 1


def _positions(sample: Sample, n: int, where: str) -> np.ndarray:
    positions = np.asarray(sample.get("pos", even(n)), np.float32)
    if not np.isfinite(positions).all() or (np.diff(positions) <= 0).any():
        raise GraphError(f"{where}: the positions `pos` must increase from node to node, as in CLRS-30")
    return positions


def _without_edges(n: int, values: Mapping[str, np.ndarray], names: tuple | None = None) -> Graph:
    none = np.zeros(0, np.int32)
    return Graph(none, none, even(n), names or range(n), values)


def _source_first(sample: Sample, n: int, where: str) -> np.ndarray:
    """Returns the nodes with the source as the first."""
    marks = np.asarray(sample.get("s", one_hot(0, n)))
    if np.count_nonzero(marks) != 1 or marks.max() != 1:
        raise GraphError(f"{where}: `s` must be 1 at one node, the source, and 0 at all others")
    source = int(marks.argmax())
    return np.array([source, *(node for node in range(n) if node != source)])


def _to_plain(sample: Sample, where: str) -> Graph:
    graph = from_dense(sample["A"], where)
    return replace(graph, positions=_positions(sample, len(graph), where))


def _from_plain(graph: Graph) -> Arrays:
    matrix = adjacency(graph)
    return {"pos": graph.positions, "A": matrix, "adj": _with_loops(matrix)}


def _to_source(sample: Sample, where: str) -> Graph:
    order = _source_first(sample, len(sample["A"]), where)
    from_dense(sample["A"], where)  # errors name the sample's own nodes
    graph = _to_plain({**sample, "A": np.asarray(sample["A"])[np.ix_(order, order)]}, where)
    return replace(graph, names=order.tolist(), values={PLACE: order})


def _from_source(graph: Graph) -> Arrays:
    place, own = places(graph), adjacency(graph)
    matrix = np.zeros_like(own)
    matrix[np.ix_(place, place)] = own
    return {"pos": graph.positions, "s": one_hot(place[0], len(graph)), "A": matrix, "adj": _with_loops(matrix)}


def _with_loops(matrix: np.ndarray) -> np.ndarray:
    """Returns CLRS-30's `adj`: 1 at the edges and on the diagonal."""
    return np.maximum(matrix != 0, np.eye(len(matrix))).astype(np.float32)


def _to_weighted(sample: Sample, where: str) -> Graph:
    matrix = np.asarray(sample["A"])
    order = _source_first(sample, len(matrix), where)
    if not (np.isfinite(matrix).all() and (matrix >= 0).all() and np.array_equal(matrix, matrix.T)):
        raise GraphError(f"{where}: `A` must be symmetric, with weights above 0 for edges, and 0 for all other pairs")
    first, second = np.nonzero(np.triu(matrix))
    weights = compared(matrix[first, second], where, "weights")
    source = nx.Graph()
    source.add_nodes_from(order.tolist())
    source.add_weighted_edges_from(zip(first.tolist(), second.tolist(), weights.tolist(), strict=True))
    graph = as_weighted(source)
    no_place = np.full(len(graph) - len(order), -1)
    return replace(graph, values={**graph.values, PLACE: np.concatenate([order, no_place])})


def _from_weighted(graph: Graph) -> Arrays:
    n, place, key = vertices(graph), places(graph), graph.values["key"]
    matrix = np.zeros((n, n))
    for edge, ends in edge_nodes(graph).items():
        a, b = place[list(ends)]
        weight = key[edge]
        if weight <= 0:
            raise ValueError(f"CLRS-30 allows only weights above 0, but {graph.names[edge]} has {weight}")
        matrix[a, b] = matrix[b, a] = min(weight, matrix[a, b] or weight)
    return {"pos": even(n), "s": one_hot(place[0], n), "A": matrix, "adj": _with_loops(matrix)}


def _to_keys(sample: Sample, where: str) -> Graph:
    key = compared(sample["key"], where)
    return replace(_without_edges(len(key), {"key": key}), positions=_positions(sample, len(key), where))


def _to_search(sample: Sample, where: str) -> Graph:
    key = compared(np.concatenate([[sample["target"]], sample["key"]]), where)
    return _without_edges(len(key), {"key": key}, ("target", *range(len(key) - 1)))


def _from_search(graph: Graph) -> Arrays:
    target, *key = graph.values["key"]
    return {"pos": even(len(key)), "key": np.array(key), "target": np.array(target)}


def _to_activities(sample: Sample, where: str) -> Graph:
    starts, ends = np.split(compared(np.concatenate([sample["s"], sample["f"]]), where, "starts and ends"), 2)
    return as_activities(dict(enumerate(zip(starts, ends, strict=True))))


def _from_activities(graph: Graph) -> Arrays:
    key, ends = graph.values["key"], graph.senders
    return {"pos": even(len(ends)), "s": key[graph.receivers], "f": key[ends]}


def _to_letters(sample: Sample, where: str) -> Graph:
    string, letters = np.asarray(sample["string"]), np.asarray(sample["key"])
    if letters.shape[-1] > 4 or not np.array_equal(one_hot(letters.argmax(-1), letters.shape[-1]), letters):
        raise GraphError(f"{where}: every letter of `key` must be one-hot, with at most 4 categories")
    values = {"string": string.astype(np.int32), "key": letters.argmax(-1).astype(np.int32)}
    return _without_edges(len(string), values)


def _from_letters(graph: Graph) -> Arrays:
    string = np.asarray(graph.values["string"])
    sizes = len(string) - int(string.sum()), int(string.sum())
    return {
        "string": string.astype(np.float32),
        "pos": np.concatenate([even(size) for size in sizes if size]),  # CLRS-30 counts them in each text by itself
        "key": one_hot(graph.values["key"], 4),
    }


_GRAPH = fields(pos="node scalar", A="edge scalar", adj="edge mask")
_SOURCE = fields(pos="node scalar", s="node mask_one", A="edge scalar", adj="edge mask")
_NUMBERS = fields(pos="node scalar", key="node scalar")

PLAIN = Form(_GRAPH, _to_plain, _from_plain)
SOURCE = Form(_SOURCE, _to_source, _from_source)
WEIGHTED = Form(_GRAPH, _to_weighted, _from_weighted)
WEIGHTED_SOURCE = Form(_SOURCE, _to_weighted, _from_weighted)
KEYS = Form(_NUMBERS, _to_keys, lambda graph: {"pos": graph.positions, "key": graph.values["key"]})
SEARCH = Form(_NUMBERS | fields(target="graph scalar"), _to_search, _from_search)
ACTIVITIES = Form(fields(pos="node scalar", s="node scalar", f="node scalar"), _to_activities, _from_activities)
LETTERS = Form(fields(string="node mask", pos="node scalar", key="node categorical"), _to_letters, _from_letters)
