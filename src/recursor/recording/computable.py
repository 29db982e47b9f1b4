r"""Checks that each row can be computed from the one before. The most common mistake is a missing hint.

In row t a network sees the inputs, the hints, and the top frame: the caller's variables as its push row showed them. After
k rounds of the order processor, all that it can know about node i is the state $s_i^k$:

$$ s_i^0 = \text{its values, and which pointers name it} $$
$$ s_i^{r+1} = (s_i^r,\ \{s_j^r\}_{j \to i},\ \{s_j^r\}_{i \to j},\ \{s_j^r\}_j,\ \{s_j^r\}_{j < i},\ \dots) $$

with two more sets for each further order. They are sets, not multisets, since a maximum does not count. Two rows, of one
graph or of two, are *alike* if they have the same graph fields and the same set of $s_i^k$: every network makes the same
prediction after both. Two nodes of a row are alike if they have the same $s_i^k$: no pointer can name only one of them. If
the algorithm treats them differently nevertheless, no training helps. `find_collision` searches small random graphs for such
rows.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from recursor.graphs.conditions import not_acyclic, not_tree, not_undirected
from recursor.graphs.graph import Graph
from recursor.recording.algorithm import Algorithm
from recursor.recording.rows import Trajectory
from recursor.recording.stack import top_frame_rows
from recursor.spec import OPS, Field


@dataclass(frozen=True)
class Collision:
    """Two rows, or nodes of one row, that no network can distinguish although the algorithm treats them differently."""

    field: str
    """The field of the next row that cannot be computed."""
    one: Trajectory
    row: int
    other: Trajectory
    other_row: int
    nodes: tuple[int, ...] = ()
    """The nodes that are alike, if it is one row. The first is the one that the pointer names."""


def without(algorithm: Algorithm, view: str, hint: str) -> Algorithm:
    """Returns the algorithm with one view, from which a hint is removed. Refuses a hint that the view does not have."""
    if hint not in algorithm.views[view]:
        raise ValueError(
            f"the view {view!r} of {algorithm.name} has no hint {hint!r}; it has {', '.join(algorithm.views[view])}"
        )
    return replace(algorithm, views={view: [name for name in algorithm.views[view] if name != hint]})


def find_uncollected(algorithm: Algorithm, view: str, *, graphs: int = 100, seed: int = 0) -> str:
    """Checks that the outputs collected from the rows are the outputs of the algorithm, on sampled graphs.

    A network's outputs are collected from its rows. If the rules of collection are wrong, so are the outputs.

    Returns:
        A description of the first difference; an empty string if there is none.
    """
    spec, rng = algorithm.spec(view), np.random.default_rng(seed)
    for output in spec.outputs:
        if output.name not in [rule.output for rule in spec.collect]:
            return f"the view {view!r} has no rule to collect the output {output.name}: collect it from hints of the view"
    for index in range(graphs):
        graph = algorithm.train(rng, 1 + index % 8)
        if unfit := algorithm.unfit(graph):
            return f"{algorithm.name} needs {unfit}, but its `train` samples other graphs: give it a `train` and a `test`."
        trajectory = algorithm.record(graph).view(view)
        for name, values in trajectory.collect().items():
            wrong = np.flatnonzero(np.atleast_1d(values != trajectory.outputs[name]))
            if len(wrong):
                collected, truth = (np.atleast_1d(array)[wrong[0]] for array in (values, trajectory.outputs[name]))
                where = f"{name}[{wrong[0]}]" if np.ndim(values) else name
                return (
                    f"A collected output is wrong: {where} is {collected}, but the algorithm returns {truth}.\n"
                    f"    {_describe_graph(trajectory.graph)}\n"
                    f"Each output must be collected for every node in some row; otherwise it stays 0."
                )
    return ""


SORTS = {"trees": not_tree, "graphs without cycles": not_acyclic, "undirected graphs": not_undirected}
"""Sorts of graphs that a person may draw for training, the narrower ones first, and the `unfit` that asks for them."""


def find_untrained(algorithm: Algorithm, *, graphs: int = 100, nodes: int = 3, seed: int = 0) -> str:
    """Looks whether verification tries a sort of graph that training never draws.

    Args:
        algorithm: The algorithm.
        graphs: How many graphs to draw, of 1 to 8 nodes.
        nodes: The size of the small inputs that are looked at.
        seed: The seed of the graphs.

    Returns:
        Advice; an empty string if none is needed.
    """
    rng = np.random.default_rng(seed)
    drawn = [algorithm.train(rng, 1 + index % 8) for index in range(graphs)]
    for words, unfit in SORTS.items():
        if any(unfit(graph) for graph in drawn):
            continue
        if any(unfit(graph) for graph in algorithm.small_inputs(nodes)):
            return (
                f"But `train` of {algorithm.name} draws {words} only, and verification tries others too: "
                f"set unfit={unfit.__name__}, or draw others for training."
            )
        break
    return ""


def find_collision(
    algorithm: Algorithm,
    view: str,
    *,
    graphs: int = 2000,
    sizes: Sequence[int] = (2, 3, 4, 5, 6, 7, 8),
    rounds: int = 2,
    seed: int = 0,
    progress: Callable[[int], None] = lambda done: None,
) -> Collision | None:
    """Returns two rows that are alike but have different next rows; None if the sampled graphs have none. Refuses a view
    with scalars. Calls `progress` with the number of graphs done."""
    if any(field.kind == "scalar" for field in algorithm.spec(view).hints):
        raise ValueError(
            f"the view {view!r} of {algorithm.name} shows scalars, which make all rows different; choose a view "
            "without scalars"
        )
    rng = np.random.default_rng(seed)
    names: dict[Hashable, int] = {}
    seen: dict[Hashable, tuple[dict[str, Hashable], Trajectory, int]] = {}
    for index in range(graphs):
        graph = algorithm.train(rng, sizes[index % len(sizes)])
        trajectory = algorithm.record(graph).view(view, halting=True)
        for row, top in enumerate(top_frame_rows(trajectory.ops.tolist())[:-1]):
            look = _Look(trajectory, row, top, names, rounds)
            for field in look.pointers:
                target = trajectory.hints[field.name][row + 1]
                twins = [node for node in range(len(graph)) if target >= 0 and look.nodes[node] == look.nodes[target]]
                if len(twins) > 1:
                    twins.sort(key=lambda node, target=target: node != target)
                    return Collision(field.name, trajectory, row, trajectory, row, tuple(twins))
            follows = look.follows()
            before, other, other_row = seen.setdefault(look.key, (follows, trajectory, row))
            for name in follows:
                if before[name] != follows[name]:
                    return Collision(name, other, other_row, trajectory, row)
        progress(index + 1)
    return None


class _Look:
    """What a network can know in one row: a state per node (`nodes`), and a key of the whole row (`key`)."""

    def __init__(self, trajectory: Trajectory, row: int, top: int, names: dict[Hashable, int], rounds: int) -> None:
        self.trajectory, self.row = trajectory, row
        spec, graph, hints = trajectory.spec, trajectory.graph, trajectory.hints
        n = len(graph)
        self.pointers = [field for field in spec.predicted if field.kind == "pointer"]
        visible: list[tuple[Field, Any]] = [(field, hints[field.name][row]) for field in spec.hints]
        for variable in spec.frame:
            values = hints[variable]
            visible.append((spec.hint(variable), values[top + 1] if top >= 0 else np.full_like(values[0], -2)))
        visible += [(f, trajectory.inputs[f.name]) for f in spec.inputs if f.place == "node" and f.kind != "scalar"]
        own: list[list[int]] = [[] for _ in range(n)]
        of_graph: list[int] = []
        for field, value in visible:
            if field.place == "node":
                for node in range(n):
                    own[node].append(int(value[node] > 0) if field.kind == "stamp" else int(value[node]))
            elif field.kind == "pointer":
                of_graph.append(min(int(value), 0))
                for node in range(n):
                    own[node].append(int(node == value))
            else:
                of_graph.append(int(value))
        orders = [sorted(range(n), key=trajectory.inputs[f.name].__getitem__) for f in spec.compared]
        for rule in spec.stamps:
            stamps = hints[rule.field.name][row]
            orders.append(sorted(np.flatnonzero(stamps).tolist(), key=stamps.__getitem__))

        def name(look: Hashable) -> int:
            return names.setdefault(look, len(names))

        nodes = [name(tuple(values)) for values in own]
        for _ in range(rounds):
            parts: list[list[Hashable]] = [[node] for node in nodes]
            everybody = frozenset(nodes)
            for node, (into, out) in enumerate(zip(graph.predecessors, graph.successors, strict=True)):
                parts[node] += [frozenset(nodes[j] for j in into), frozenset(nodes[j] for j in out), everybody]
            for order in ([*range(n)], *orders, *(order[::-1] for order in orders)):
                before: frozenset[int] = frozenset()
                for node in order:
                    parts[node].append(before)
                    before |= {nodes[node]}
            nodes = [name(tuple(part)) for part in parts]
        self.nodes = nodes
        self.key = (tuple(of_graph), frozenset(nodes))

    def follows(self) -> dict[str, Hashable]:
        """Returns the next row in terms of node states: a pointer is the state of the node that it names; a node field is
        the set of (state, pointers at the node, value) over all nodes."""
        hints, then = self.trajectory.hints, self.row + 1
        named = {field.name: int(hints[field.name][then]) for field in self.pointers}
        values: dict[str, Hashable] = {name: self.nodes[node] if node >= 0 else None for name, node in named.items()}
        for field in self.trajectory.spec.predicted:
            value = hints[field.name][then]
            if field.place == "graph" and field.kind != "pointer":
                values[field.name] = int(value)
            elif field.place == "node":
                values[field.name] = frozenset(
                    (look, tuple(target == node for target in named.values()), int(value[node]))
                    for node, look in enumerate(self.nodes)
                )
        return values


def describe(collision: Collision) -> str:
    """Returns a description for people: both rows, and what is missing."""
    one, other, field = collision.one, collision.other, collision.field
    names = [hint.name for hint in one.spec.hints]
    if collision.nodes:
        same = ", ".join(map(str, collision.nodes))
        summary = (
            f"After row {collision.row} the algorithm names node {collision.nodes[0]} as {field}, but nothing that a "
            f"network sees tells the nodes {same} apart."
        )
        lines = [summary, *_describe_rows(one, collision.row, names)]
    else:
        where = "of the same graph" if one.graph == other.graph else "of another graph"
        summary = (
            f"Row {collision.row} and row {collision.other_row} {where} look alike to every network, but {field} differs "
            f"after them."
        )
        lines = [summary, *_describe_rows(one, collision.row, names), *_describe_rows(other, collision.other_row, names)]
    return "\n".join([*lines, "A hint is missing: something that the algorithm uses here to decide on the next row."])


def _describe_graph(graph: Graph) -> str:
    edges = ", ".join(f"{a}→{b}" for a, b in zip(graph.senders.tolist(), graph.receivers.tolist(), strict=True))
    values = "".join(f", {name} {values.tolist()}" for name, values in graph.values.items())
    return f"{len(graph)} nodes, edges {edges or 'none'}{values}"


def _describe_rows(trajectory: Trajectory, row: int, names: Sequence[str]) -> list[str]:
    lines = [f"    {_describe_graph(trajectory.graph)}"]
    for index in (row, row + 1):
        op = OPS[trajectory.ops[index]]
        values = "  ".join(f"{name}={trajectory.hints[name][index].tolist()}" for name in names if name != "stack_op")
        lines.append(f"    row {index}: {op:<5} line {trajectory.lines[index]}  {values}")
    return lines
