"""CLRS-30's hints, from our recordings.

CLRS-30 writes its depth-first searches as loops with a stack of its own, and shows a row where a root is found, where some
nodes are discovered, at every call and at every return. Our recording says which calls were made, in which order; the rest
of CLRS-30's state follows from that: times, colours, the stack (`s_prev`, `s_last`), and for articulation points and bridges
a row for every neighbour that is looked at.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple, final

import numpy as np

from recursor.clrs.fields import one_hot
from recursor.clrs.forms import adjacency
from recursor.clrs.tasks import Task, edge_mask
from recursor.graphs.graph import Graph
from recursor.recording.algorithm import Algorithm
from recursor.recording.rows import Trajectory
from recursor.spec import POP, PUSH

WHITE, GREY, BLACK = range(3)
TICK = 0.01  # CLRS-30 counts time, and children, in hundredths


def clrs_hints(task: Task, algorithm: Algorithm, graph: Graph) -> dict[str, np.ndarray]:
    """Records an algorithm on a graph. Returns the hints of CLRS-30 with the row as first axis; none where our recordings do
    not give them."""
    if not task.hints:
        return {}
    recording = algorithm.record(graph)
    if "clrs" in algorithm.views:
        rows: Mapping[str, Any] = recording.view("clrs").hints
    else:
        trajectory = recording.view(algorithm.exact_view)
        rows = SEARCHES[task.name](graph, task).rows(trajectory)
    n = len(graph)
    hints = {}
    for name, field in task.hints.items():
        values = np.asarray(rows[name])
        if field.type in ("mask_one", "categorical"):
            values = one_hot(values, n if field.type == "mask_one" else 3)
        hints[name] = values.astype(np.int32 if field.is_index else np.float32)
    return hints


class Event(NamedTuple):
    """Something that a recorded search did."""

    kind: Literal["start", "call", "return"]
    node: int
    """The root, the node that is called, or the node that is finished."""


def events(trajectory: Trajectory) -> Iterator[Event]:
    """Yields what a search did. Where no call is running, a row shows the root that is next; a row of a call or a return
    shows the callee."""
    hints = (trajectory.hints[name].tolist() for name in ("u", "v"))
    for op, u, v in zip(trajectory.ops.tolist(), *hints, strict=True):
        if op == PUSH:
            yield Event("call", v)
        elif op == POP:
            yield Event("return", v)
        elif u < 0:
            yield Event("start", v)


class Search:
    """CLRS-30's state of a depth-first search. Attributes have the names of the hints."""

    def __init__(self, graph: Graph, task: Task) -> None:
        self.n = n = len(graph)
        self.graph = graph
        self.color = np.full(n, WHITE)
        self.s_prev = np.arange(n)
        self.s = self.u = self.v = self.s_last = 0
        self.d, self.f, self.time = np.zeros(n), np.zeros(n), 0.0
        self._rows: dict[str, list] = {name: [] for name in task.hints}

    def rows(self, trajectory: Trajectory) -> dict[str, list]:
        """Returns the values of every hint, row by row."""
        for event in events(trajectory):
            match event.kind:
                case "start":
                    self.s = self.u = self.v = self.s_last = event.node
                    self.start()
                    self.show()
                    self.discover()
                case "call":
                    self.look(until=event.node)
                    self.v = event.node
                    self.color[self.v], self.s_prev[self.v] = GREY, self.s_last
                    self.call()
                    self.s_last = self.v
                    self.show()
                    self.u = self.v
                    self.discover()
                case "return":
                    self.look(until=self.n)
                    self.v = self.n - 1  # the loop over all nodes leaves it there
                    self.color[self.u] = BLACK
                    self.time += TICK
                    self.f[self.u] = self.time
                    self.finish()
                    self.show()
                    caller, self.s_prev[self.u] = self.s_prev[self.u], self.u
                    self.u = self.s_last = int(caller)
        return self._rows

    def show(self) -> None:
        """Adds a row."""
        for name, values in self._rows.items():
            values.append(np.copy(getattr(self, name)))

    def start(self) -> None:
        """Is called when a root is found."""

    def discover(self) -> None:
        """Is called when u is visited for the first time."""
        if self.color[self.u] == WHITE or self.d[self.u] == 0:
            self.time += TICK
            self.d[self.u], self.color[self.u] = self.time, GREY
            self.enter()
            self.show()

    def enter(self) -> None:
        """Is called when u is discovered."""

    def look(self, until: int) -> None:
        """Looks at the neighbours of u that come before another node."""

    def call(self) -> None:
        """Is called when u calls v."""

    def finish(self) -> None:
        """Is called when u is finished."""


@final
class TopologicalSort(Search):
    """Puts each finished node before the others. There is no time, so only roots are discovered in a row of their own."""

    def __init__(self, graph: Graph, task: Task) -> None:
        super().__init__(graph, task)
        self.topo_h, self.topo_head_h = np.arange(self.n), 0

    def discover(self) -> None:
        if self.color[self.u] == WHITE:
            self.color[self.u] = GREY
            self.show()

    def finish(self) -> None:
        if self.color[self.topo_head_h] == BLACK:
            self.topo_h[self.u] = self.topo_head_h
        self.topo_head_h = self.u


@final
class Components(Search):
    """Two searches. In the second, all nodes have a time of discovery already, so only roots have a row for it."""

    def __init__(self, graph: Graph, task: Task) -> None:
        super().__init__(graph, task)
        self.scc_id_h, self.phase = np.arange(self.n), 0
        self.A_t = np.maximum(adjacency(graph).T, np.eye(self.n, dtype=np.float32))

    def start(self) -> None:
        if (self.color == BLACK).all():
            self.phase = 1
            self.color[:] = WHITE
            self.s_prev = np.arange(self.n)

    def discover(self) -> None:
        if self.phase:
            self.scc_id_h[self.u] = self.s
        super().discover()


class LowSearch(Search):
    """A search that finds `low`, the earliest discovery within reach. Each time it comes back to a node, it looks again at
    all neighbours up to the next one to call, and each look is a row."""

    def __init__(self, graph: Graph, task: Task) -> None:
        super().__init__(graph, task)
        self.pi_h, self.low = np.arange(self.n), np.zeros(self.n)

    def enter(self) -> None:
        self.low[self.u] = self.time

    def look(self, until: int) -> None:
        for v in self.graph.successors[self.u]:
            if v >= until:
                break
            if v != self.pi_h[self.u]:
                self.v = v
                self.low[self.u] = min(self.low[self.u], self.d[v])
                self.show()

    def call(self) -> None:
        self.pi_h[self.v] = self.u

    def finish(self) -> None:
        for child in np.flatnonzero(self.pi_h == self.u).tolist():
            self.low[self.u] = min(self.low[self.u], self.low[child])
            self.join(child)

    def join(self, child: int) -> None:
        """Is called for each child of a finished node, and for a root itself."""


@final
class ArticulationPoints(LowSearch):
    """Marks the nodes whose children reach nothing above them."""

    def __init__(self, graph: Graph, task: Task) -> None:
        super().__init__(graph, task)
        self.is_cut_h, self.child_cnt = np.zeros(self.n), np.zeros(self.n)

    def call(self) -> None:
        super().call()
        self.child_cnt[self.u] += TICK

    def join(self, child: int) -> None:
        if self.pi_h[self.u] != self.u and self.low[child] >= self.d[self.u]:
            self.is_cut_h[self.u] = 1

    def finish(self) -> None:
        super().finish()
        if self.pi_h[self.u] == self.u and self.child_cnt[self.u] > TICK:
            self.is_cut_h[self.u] = 1


@final
class Bridges(LowSearch):
    """Marks the edges to children that reach nothing above them."""

    def __init__(self, graph: Graph, task: Task) -> None:
        super().__init__(graph, task)
        none = np.zeros(0, int)
        self.is_bridge_h = edge_mask(graph, none, none)

    def join(self, child: int) -> None:
        if self.low[child] > self.d[self.u]:
            self.is_bridge_h[self.u, child] = self.is_bridge_h[child, self.u] = 1


SEARCHES: Mapping[str, type[Search]] = {
    "topological_sort": TopologicalSort,
    "strongly_connected_components": Components,
    "articulation_points": ArticulationPoints,
    "bridges": Bridges,
}
"""The searches of the tasks whose algorithm has no view with the hints of CLRS-30."""
