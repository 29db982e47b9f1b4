"""The input fields that graphs give to a network."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from recursor.graphs.graph import Graph, Support, support
from recursor.graphs.values import as_single
from recursor.spec import Field, by_name

NODE_INPUTS: Mapping[Field, Callable[[Graph], np.ndarray]] = {
    Field("pos", "node", "scalar"): lambda graph: graph.positions,
    Field("inner", "node", "mask"): lambda graph: (np.bincount(graph.senders, minlength=len(graph)) > 0).astype(np.int32),
}

EDGE_INPUTS: Mapping[Field, Callable[[Support], np.ndarray]] = {
    Field("A", "edge", "scalar"): lambda support: support.edge,
    Field("adj", "edge", "mask"): lambda support: np.ones_like(support.senders),
}

INPUTS = by_name([*NODE_INPUTS, *EDGE_INPUTS])
"""What graphs give to a network: the input fields, and above how the values of each follow."""


MEANINGS = {
    "pos": "the order of the nodes, as increasing numbers from 0 up to 1",
    "A": "1 where there is an edge",
    "adj": "where there is an edge, or a node with itself",
    "inner": "whether an edge leads out of the node",
}
"""The meaning of each of these inputs."""


def node_input(graph: Graph, field: Field) -> np.ndarray:
    """The values of a node field that is an input."""
    if field in NODE_INPUTS:
        return NODE_INPUTS[field](graph)
    values = np.asarray(graph.values[field.name])
    return as_single(values) if field.kind == "scalar" else values.astype(field.dtype)


def lacks(graph: Graph, field: Field) -> str:
    """What an input field misses among the graph's values, in words; nothing if it is there and good."""
    if field.name in INPUTS:
        return ""
    if field.name not in graph.values:
        return f"a value {field.name!r} of every node (in an edge list `# values: {field.name} …`, in networkx an attribute)"
    if np.shape(graph.values[field.name]) != (len(graph),):
        return f"values {field.name!r} that are one number to each of its {len(graph)} nodes"
    if np.asarray(graph.values[field.name]).dtype.kind not in "biuf":
        return f"values {field.name!r} that are numbers"
    if not np.isfinite(graph.values[field.name]).all():
        return f"values {field.name!r} that are finite numbers, not NaN or infinite"
    values, most = np.asarray(graph.values[field.name]), {"mask": 2, "category": field.categories}.get(field.kind)
    if most and not np.isin(values, np.arange(most)).all():
        return f"values {field.name!r} among the whole numbers from 0 to {most - 1}"
    return ""


def dense_inputs(graph: Graph, fields: Sequence[Field]) -> dict[str, np.ndarray]:
    """The input fields of a graph, edge fields as matrices [nodes, nodes] (sender, receiver), zero off the support."""
    pairs = support([graph])
    inputs = {}
    for field in fields:
        if field.place == "edge":
            inputs[field.name] = np.zeros((len(graph), len(graph)), field.dtype)
            inputs[field.name][pairs.senders, pairs.receivers] = EDGE_INPUTS[field](pairs)
        else:
            inputs[field.name] = node_input(graph, field)
    return inputs
