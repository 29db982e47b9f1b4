"""The tasks of CLRS-30 (Veličković et al., ICML 2022) that algorithms of ours compute, as dm-clrs 2.0.3 specifies them.

A task is one entry of `TASKS`: the form of its inputs (`forms.py`), its hints if our recordings give them, and how our
outputs become CLRS-30's. `fields.py` has the shapes.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from recursor.clrs.fields import ClrsField, fields, one_hot
from recursor.clrs.forms import (
    ACTIVITIES,
    KEYS,
    LETTERS,
    PLAIN,
    SEARCH,
    SOURCE,
    WEIGHTED,
    WEIGHTED_SOURCE,
    Form,
    adjacency,
    places,
    vertices,
)
from recursor.graphs.graph import Graph
from recursor.graphs.weighted import edge_nodes

Outputs = Mapping[str, Any]


@dataclass(frozen=True)
class Task:
    """A task of CLRS-30."""

    name: str
    form: Form
    """The form of its inputs."""
    outputs: Mapping[str, ClrsField]
    convert: Callable[[Graph, Outputs], Outputs] = lambda graph, outputs: outputs
    """Converts the outputs of our algorithm on one graph."""
    hints: Mapping[str, ClrsField] = field(default_factory=dict)
    """The hints that our recordings give. It is all of CLRS-30's or none."""
    besides: tuple[str, ...] = ()
    """Other algorithms of ours that compute the task."""

    @property
    def inputs(self) -> Mapping[str, ClrsField]:
        """The inputs by name."""
        return self.form.inputs

    @property
    def algorithms(self) -> tuple[str, ...]:
        """Our algorithms that compute it. The first one has its name, and is recorded for its hints."""
        return (self.name, *self.besides)


def edge_mask(graph: Graph, ends: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Returns a symmetric edge mask: 1 between `ends[k]` and `others[k]`, 0 at the other edges and the diagonal, and -1
    where there is no edge."""
    mask = np.maximum(adjacency(graph), np.eye(len(graph), dtype=np.float32)) - 1
    mask[ends, others] = mask[others, ends] = 1
    return mask


def _marked(name: str, *, after: int = 0) -> Callable[[Graph, Outputs], Outputs]:
    """A node becomes a one-hot vector of the nodes, of which the first few may not count."""
    return lambda graph, outputs: {name: one_hot(np.asarray(outputs[name]) - after, len(graph) - after)}


def _topological(graph: Graph, outputs: Outputs) -> Outputs:
    return {"topo": outputs["topo"], "topo_head": one_hot(outputs["topo_head"], len(graph))}


def _bridges(graph: Graph, outputs: Outputs) -> Outputs:
    lower = np.flatnonzero(outputs["bridge"])
    return {"is_bridge": edge_mask(graph, lower, np.asarray(outputs["pi"])[lower])}


def _in_own_order(graph: Graph, outputs: Outputs) -> Outputs:
    return {"pi": _relabelled(np.asarray(outputs["pi"]), places(graph))}


def _tree_of_source(graph: Graph, outputs: Outputs) -> Outputs:
    """CLRS-30 has the tree of the source alone, ours has a forest: nodes of other trees name themselves."""
    n = vertices(graph)
    own, pi = np.arange(n), np.asarray(outputs["pi"])[:n]
    pi = np.where((pi >= 0) & (pi < n), pi, own)  # a network may name anything
    root = pi
    for _ in range(n.bit_length()):
        root = root[root]
    return {"pi": _relabelled(np.where(root == 0, pi, own), places(graph)[:n])}


def _relabelled(pi: np.ndarray, place: np.ndarray) -> np.ndarray:
    """Returns pointers of nodes in the order of the sample."""
    own = np.empty_like(place)
    own[place] = place[pi]
    return own


def _tree_edges(graph: Graph, outputs: Outputs) -> Outputs:
    mask, place = np.zeros((vertices(graph),) * 2, np.float32), places(graph)
    for edge, ends in edge_nodes(graph).items():
        if outputs["in_mst"][edge]:
            a, b = place[list(ends)]
            mask[a, b] = mask[b, a] = 1
    return {"in_mst": mask}


def _of_ends(graph: Graph, outputs: Outputs) -> Outputs:
    return {"selected": np.asarray(outputs["selected"])[graph.senders]}


_SEARCH = fields(
    color="node categorical", s_prev="node pointer", s="node mask_one", u="node mask_one", v="node mask_one",
    s_last="node mask_one",
)  # fmt: skip
_TIMES = fields(d="node scalar", f="node scalar", time="graph scalar")
_LOW = fields(pi_h="node pointer", low="node scalar")
_DFS = _SEARCH | _TIMES | fields(pi_h="node pointer")
_TOPOLOGICAL = _SEARCH | fields(topo_h="node pointer", topo_head_h="node mask_one")
_COMPONENTS = _SEARCH | _TIMES | fields(scc_id_h="node pointer", A_t="edge mask", phase="graph mask")
_CUTS = _SEARCH | _TIMES | _LOW | fields(is_cut_h="node mask", child_cnt="node scalar")
_BRIDGES = _SEARCH | _TIMES | _LOW | fields(is_bridge_h="edge mask")
_PI = fields(pi="node pointer")
_PRED = fields(pred="node should_be_permutation")
_ORDER = fields(topo="node pointer", topo_head="node mask_one")

TASKS: Mapping[str, Task] = {
    task.name: task
    for task in (
        Task("dfs", PLAIN, _PI, hints=_DFS),
        Task("topological_sort", PLAIN, _ORDER, _topological, _TOPOLOGICAL),
        Task("strongly_connected_components", PLAIN, fields(scc_id="node pointer"), hints=_COMPONENTS, besides=("tarjan",)),
        Task("articulation_points", PLAIN, fields(is_cut="node mask"), hints=_CUTS),
        Task("bridges", PLAIN, fields(is_bridge="edge mask"), _bridges, _BRIDGES),
        # CLRS-30 sorts in place around the last key; ours is a recursion on sets, whose rows show none of that.
        Task("quicksort", KEYS, _PRED, besides=("merge_sort",)),
        Task("bfs", SOURCE, _PI, _in_own_order),
        Task("mst_prim", WEIGHTED_SOURCE, _PI, _tree_of_source),
        Task("mst_kruskal", WEIGHTED, fields(in_mst="edge mask"), _tree_edges),
        Task("minimum", KEYS, fields(min="node mask_one"), _marked("min")),
        Task("quickselect", KEYS, fields(median="node mask_one"), _marked("median")),
        Task("insertion_sort", KEYS, _PRED),
        Task("binary_search", SEARCH, fields(**{"return": "node mask_one"}), _marked("return", after=1)),
        Task("activity_selector", ACTIVITIES, fields(selected="node mask"), _of_ends),
        Task("naive_string_matcher", LETTERS, fields(match="node mask_one"), _marked("match")),
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
        if name in task.algorithms:
            return task
    names = sorted(algorithm for task in TASKS.values() for algorithm in task.algorithms)
    raise ValueError(f"{name!r} is not a CLRS-30 task that is available here; there are {', '.join(names)}")


def convert_outputs(task: Task, graphs: Sequence[Graph], outputs: Sequence[Outputs]) -> dict[str, np.ndarray]:
    """Returns the outputs of our algorithm on several graphs of one size as CLRS-30 has them, with the batch as first
    axis."""
    converted = [task.convert(graph, own) for graph, own in zip(graphs, outputs, strict=True)]
    return {
        name: np.stack([np.asarray(own[name], np.int32 if kind.is_index else np.float32) for own in converted])
        for name, kind in task.outputs.items()
    }
