r"""Is each row computable from the one before? The mistake that everyone makes is a hint that is missing.

A network sees, in row t, the inputs, the hints, and the top frame: the call's own variables as its caller's push row showed
them. What it can tell of a node in k rounds of the order processor is at most

$$ s_i^0 = \text{its values, and which pointers name it} $$
$$ s_i^{r+1} = (s_i^r,\ \{s_j^r\}_{j \to i},\ \{s_j^r\}_{i \to j},\ \{s_j^r\}_j,\ \{s_j^r\}_{j < i},\ \dots) $$

with a pair of sets more for each further order: sets, since a maximum does not count. Two rows, of one graph or of two, with
the same values of the graph and the same set of $s_i^k$ are *alike*: every network predicts the same after both. Two nodes
of a row with the same $s_i^k$ are alike too: no pointer can name one and not the other. Where the algorithm goes on
differently all the same, no training helps. `find_alike` looks for such rows in small random graphs.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from recursor.graphs.graph import Graph
from recursor.recording.algorithm import Algorithm
from recursor.recording.rows import Trajectory, top_frame_rows
from recursor.spec import OPS, Field, Spec


@dataclass(frozen=True)
class Alike:
    """Rows (or nodes of one row) that no network can tell apart, although the algorithm goes on differently."""

    field: str
    """The field of the next row that cannot be computed."""
    one: Trajectory
    row: int
    other: Trajectory
    other_row: int
    nodes: tuple[int, ...] = ()
    """The nodes that are alike, if it is one row; the first is the one that is named."""


def without(algorithm: Algorithm, view: str, hint: str) -> Algorithm:
    """The same algorithm with one hint fewer in one of its views."""
    if hint not in algorithm.views[view]:
        raise ValueError(
            f"the view {view!r} of {algorithm.name} has no hint {hint!r}; it has {', '.join(algorithm.views[view])}"
        )
    return replace(algorithm, views={view: [name for name in algorithm.views[view] if name != hint]})


def find_uncollected(algorithm: Algorithm, view: str, *, graphs: int = 100, seed: int = 0) -> str:
    """What is wrong, in a sentence, with how the outputs are tabulated from the rows; nothing if it is right in so many
    graphs. However well a network learns its rows, its outputs are what is collected from them."""
    spec, rng = algorithm.spec(view), np.random.default_rng(seed)
    for output in spec.outputs:
        if output.name not in [rule.output for rule in spec.collect]:
            return f"no row of the view {view!r} tells the output {output.name}: collect it from hints that the view shows"
    for index in range(graphs):
        graph = algorithm.train(rng, 1 + index % 8)
        if unfit := algorithm.unfit(graph):
            return f"{algorithm.name} needs {unfit}, but its `train` draws other graphs: give it a `train` and a `test`."
        trajectory = algorithm.record(graph).view(view)
        for name, values in trajectory.collect().items():
            wrong = np.flatnonzero(np.atleast_1d(values != trajectory.outputs[name]))
            if len(wrong):
                of, truth = (np.atleast_1d(found)[wrong[0]] for found in (values, trajectory.outputs[name]))
                where = f"{name}[{wrong[0]}]" if np.ndim(values) else name
                return (
                    f"What is collected from the rows is not the output: {where} is {of}, but the algorithm says {truth}.\n"
                    f"    {_said(trajectory.graph)}\n"
                    f"Each output has to be collected for every node in some row; one that never is stays 0."
                )
    return ""


def find_alike(
    algorithm: Algorithm,
    view: str,
    *,
    graphs: int = 2000,
    sizes: Sequence[int] = (2, 3, 4, 5, 6, 7, 8),
    rounds: int = 2,
    seed: int = 0,
    progress: Callable[[int], None] = lambda done: None,
) -> Alike | None:
    """Two rows that are alike and go on differently, if there are any in so many graphs; `progress` is told how many are
    looked at."""
    spec = algorithm.spec(view).halting()
    if any(field.kind == "scalar" for field in spec.hints):
        raise ValueError(
            f"the view {view!r} of {algorithm.name} shows scalars, which are always different; choose a view without"
        )
    rng = np.random.default_rng(seed)
    names: dict[Hashable, int] = {}
    seen: dict[Hashable, tuple[dict[str, Hashable], Trajectory, int]] = {}
    for index in range(graphs):
        graph = algorithm.train(rng, sizes[index % len(sizes)])
        trajectory = _halting(algorithm.record(graph).view(view), spec)
        for row, top in enumerate(top_frame_rows(trajectory.ops.tolist())[:-1]):
            look = _Look(trajectory, row, top, names, rounds)
            for field in look.pointers:
                target = trajectory.hints[field.name][row + 1]
                twins = [node for node in range(len(graph)) if target >= 0 and look.nodes[node] == look.nodes[target]]
                if len(twins) > 1:
                    twins.sort(key=lambda node, target=target: node != target)
                    return Alike(field.name, trajectory, row, trajectory, row, tuple(twins))
            follows = look.follows()
            before, other, other_row = seen.setdefault(look.key, (follows, trajectory, row))
            for name in follows:
                if before[name] != follows[name]:
                    return Alike(name, other, other_row, trajectory, row)
        progress(index + 1)
    return None


def _halting(trajectory: Trajectory, spec: Spec) -> Trajectory:
    done = (np.arange(len(trajectory)) == len(trajectory) - 1).astype(np.int32)
    return replace(trajectory, spec=spec, hints={**trajectory.hints, "done": done})


class _Look:
    """What can be told of one row."""

    def __init__(self, trajectory: Trajectory, row: int, top: int, names: dict[Hashable, int], rounds: int) -> None:
        self.trajectory, self.row = trajectory, row
        spec, graph, hints = trajectory.spec, trajectory.graph, trajectory.hints
        n = len(graph)
        self.pointers = [field for field in spec.predicted if field.kind == "pointer"]
        shown: list[tuple[Field, Any]] = [(field, hints[field.name][row]) for field in spec.hints]
        for variable in spec.frame:
            values = hints[variable]
            shown.append((spec.hint(variable), values[top + 1] if top >= 0 else np.full_like(values[0], -2)))
        shown += [(f, trajectory.inputs[f.name]) for f in spec.inputs if f.place == "node" and f.kind != "scalar"]
        own: list[list[int]] = [[] for _ in range(n)]
        of_graph: list[int] = []
        for field, value in shown:
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
                heard: frozenset[int] = frozenset()
                for node in order:
                    parts[node].append(heard)
                    heard |= {nodes[node]}
            nodes = [name(tuple(part)) for part in parts]
        self.nodes = nodes
        self.key = (tuple(of_graph), frozenset(nodes))

    def follows(self) -> dict[str, Hashable]:
        """The next row as a network would have to tell it: pointers by what can be told of the node they name, node fields
        by that of all nodes, given the pointers."""
        hints, then = self.trajectory.hints, self.row + 1
        named = {field.name: int(hints[field.name][then]) for field in self.pointers}
        told: dict[str, Hashable] = {name: self.nodes[node] if node >= 0 else None for name, node in named.items()}
        for field in self.trajectory.spec.predicted:
            value = hints[field.name][then]
            if field.place == "graph" and field.kind != "pointer":
                told[field.name] = int(value)
            elif field.place == "node":
                told[field.name] = frozenset(
                    (look, tuple(target == node for target in named.values()), int(value[node]))
                    for node, look in enumerate(self.nodes)
                )
        return told


def describe(alike: Alike) -> str:
    """In words."""
    one, other = alike.one, alike.other
    names = [field.name for field in one.spec.hints]
    if alike.nodes:
        same = ", ".join(map(str, alike.nodes))
        said = (
            f"After row {alike.row} the algorithm names node {alike.nodes[0]} as {alike.field}, but nothing that a network "
            f"sees tells the nodes {same} apart."
        )
        lines = [said, *_shown(one, alike.row, names)]
    else:
        where = "of the same graph" if one.graph == other.graph else "of another graph"
        said = (
            f"Row {alike.row} and row {alike.other_row} {where} look alike to every network, but {alike.field} differs "
            f"after them."
        )
        lines = [said, *_shown(one, alike.row, names), *_shown(other, alike.other_row, names)]
    return "\n".join([*lines, "A hint is missing: whatever the algorithm knows here that decides how it goes on."])


def _said(graph: Graph) -> str:
    edges = ", ".join(f"{a}→{b}" for a, b in zip(graph.senders.tolist(), graph.receivers.tolist(), strict=True))
    values = "".join(f", {name} {values.tolist()}" for name, values in graph.values.items())
    return f"{len(graph)} nodes, edges {edges or 'none'}{values}"


def _shown(trajectory: Trajectory, row: int, names: Sequence[str]) -> list[str]:
    lines = [f"    {_said(trajectory.graph)}"]
    for index in (row, row + 1):
        op = OPS[trajectory.ops[index]]
        values = "  ".join(f"{name}={trajectory.hints[name][index].tolist()}" for name in names if name != "stack_op")
        lines.append(f"    row {index}: {op:<5} line {trajectory.lines[index]}  {values}")
    return lines
