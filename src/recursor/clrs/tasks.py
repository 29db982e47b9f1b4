"""The six recursive tasks of CLRS-30 (Veličković et al., ICML 2022), as dm-clrs 2.0.3 specifies them, and which of our
algorithms compute them.

A CLRS field has a location (node, edge, graph) and a type. Its values for a batch of graphs of n nodes are

    type              node                 edge              graph
    scalar, mask      [batch, n]           [batch, n, n]     [batch]
    mask_one          [batch, n], one-hot
    categorical       [batch, n, k], one-hot
    pointer           [batch, n], indices

Hints have the row as a leading axis. A mask is -1 where it does not count. The words are dm-clrs's own, so that a type here
equals the one there.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from recursor.graphs.graph import Graph

Outputs = Mapping[str, Any]


class ClrsField(NamedTuple):
    """A field of CLRS-30: its location and its type."""

    location: str
    type: str


def _fields(**kinds: str) -> dict[str, ClrsField]:
    return {name: ClrsField(*kind.split()) for name, kind in kinds.items()}


@dataclass(frozen=True)
class Task:
    """A task of CLRS-30."""

    name: str
    algorithms: tuple[str, ...]
    """Our algorithms that compute it. The first one is recorded for its hints."""
    inputs: Mapping[str, ClrsField]
    hints: Mapping[str, ClrsField]
    """The hints that our recordings give. It is all of CLRS-30's or none."""
    outputs: Mapping[str, ClrsField]
    convert: Callable[[Graph, Outputs], Outputs] = lambda graph, outputs: outputs
    """Converts the outputs of our algorithm on one graph."""


def one_hot(index: Any, size: int) -> np.ndarray:
    """Returns one-hot vectors: an axis of this size is added at the end."""
    return (np.asarray(index)[..., None] == np.arange(size)).astype(np.float32)


def adjacency(graph: Graph) -> np.ndarray:
    """Returns the matrix of 0 and 1, [sender, receiver], that CLRS-30 calls A."""
    matrix = np.zeros((len(graph), len(graph)), np.float32)
    matrix[graph.senders, graph.receivers] = 1
    return matrix


def edge_mask(graph: Graph, ends: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Returns a symmetric edge mask: 1 between `ends[k]` and `others[k]`, 0 at the other edges and the diagonal, and -1
    where there is no edge."""
    mask = np.maximum(adjacency(graph), np.eye(len(graph), dtype=np.float32)) - 1
    mask[ends, others] = mask[others, ends] = 1
    return mask


def _topological(graph: Graph, outputs: Outputs) -> Outputs:
    return {"topo": outputs["topo"], "topo_head": one_hot(outputs["topo_head"], len(graph))}


def _bridges(graph: Graph, outputs: Outputs) -> Outputs:
    lower = np.flatnonzero(outputs["bridge"])
    return {"is_bridge": edge_mask(graph, lower, np.asarray(outputs["pi"])[lower])}


_GRAPH = _fields(pos="node scalar", A="edge scalar", adj="edge mask")
_KEYS = _fields(pos="node scalar", key="node scalar")
_SEARCH = _fields(
    color="node categorical", s_prev="node pointer", s="node mask_one", u="node mask_one", v="node mask_one",
    s_last="node mask_one",
)  # fmt: skip
_TIMES = _fields(d="node scalar", f="node scalar", time="graph scalar")
_LOW = _fields(pi_h="node pointer", low="node scalar")

TASKS: Mapping[str, Task] = {
    task.name: task
    for task in (
        Task("dfs", ("dfs",), _GRAPH, _SEARCH | _TIMES | _fields(pi_h="node pointer"), _fields(pi="node pointer")),
        Task(
            "topological_sort",
            ("topological_sort",),
            _GRAPH,
            _SEARCH | _fields(topo_h="node pointer", topo_head_h="node mask_one"),
            _fields(topo="node pointer", topo_head="node mask_one"),
            _topological,
        ),
        Task(
            "strongly_connected_components",
            ("strongly_connected_components", "tarjan"),
            _GRAPH,
            _SEARCH | _TIMES | _fields(scc_id_h="node pointer", A_t="edge mask", phase="graph mask"),
            _fields(scc_id="node pointer"),
        ),
        Task(
            "articulation_points",
            ("articulation_points",),
            _GRAPH,
            _SEARCH | _TIMES | _LOW | _fields(is_cut_h="node mask", child_cnt="node scalar"),
            _fields(is_cut="node mask"),
        ),
        Task(
            "bridges",
            ("bridges",),
            _GRAPH,
            _SEARCH | _TIMES | _LOW | _fields(is_bridge_h="edge mask"),
            _fields(is_bridge="edge mask"),
            _bridges,
        ),
        # CLRS-30 sorts in place around the last key; ours is a recursion on sets, whose rows show none of that.
        Task("quicksort", ("quicksort", "merge_sort"), _KEYS, {}, _fields(pred="node should_be_permutation")),
    )
}
"""The tasks by name."""


def find_task(name: str) -> Task:
    """Returns the task of this name, or the one that our algorithm of this name computes.

    Raises:
        ValueError: If there is none.

    Example:
        >>> find_task("tarjan").name
        'strongly_connected_components'
    """
    for task in TASKS.values():
        if name == task.name or name in task.algorithms:
            return task
    names = sorted({*TASKS, *(algorithm for task in TASKS.values() for algorithm in task.algorithms)})
    raise ValueError(f"{name!r} is no recursive task of CLRS-30; there are {', '.join(names)}")


def convert_outputs(task: Task, graphs: Sequence[Graph], outputs: Sequence[Outputs]) -> dict[str, np.ndarray]:
    """Returns the outputs of our algorithm on several graphs of one size as CLRS-30 has them, with the batch as first
    axis."""
    converted = [task.convert(graph, own) for graph, own in zip(graphs, outputs, strict=True)]
    return {
        name: np.stack([np.asarray(own[name], np.int32 if is_index(field) else np.float32) for own in converted])
        for name, field in task.outputs.items()
    }


def is_index(field: ClrsField) -> bool:
    """Returns whether the values are indices of nodes."""
    return field.type in ("pointer", "should_be_permutation")
