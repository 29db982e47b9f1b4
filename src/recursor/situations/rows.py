"""Recorded rows as situations, many executions at once."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from recursor.graphs.graph import Graph
from recursor.graphs.inputs import node_input
from recursor.recording.rows import Recording, Rows
from recursor.recording.stack import top_frame_rows
from recursor.situations.decisions import Decoded
from recursor.situations.hearing import Edges, Relations, edges_of
from recursor.situations.layout import Digit
from recursor.situations.tables import Tables
from recursor.spec import NOOP, Field, Spec


class SeenRows(NamedTuple):
    """Rows of recorded executions, each looked up on its true hints, and what the network makes of it."""

    recording: np.ndarray  # [rows] which of the recordings
    row: np.ndarray  # [rows] its number there; what is predicted is the row after it
    graph: np.ndarray  # [rows] the number of the graph's values
    situations: np.ndarray  # [rows, nodes]
    mask: np.ndarray  # [rows, nodes]
    decoded: Decoded
    truth: dict[str, np.ndarray]  # the next rows
    wrong: dict[str, np.ndarray]  # of each field [rows]: whether it is wrong
    relations: Relations  # who hears whom


SPARSE = 48
"""Graphs of more nodes are looked at one by one, edge by edge."""
ENTRIES = 2_000_000
"""Nodes of all rows that are looked at at once."""


def look_at(tables: Tables, recordings: Sequence[Recording]) -> Iterator[SeenRows]:
    """Looks at every row of some executions but the last, in pieces of a bounded size.

    A row is given its true hints and its true top frame. If the network predicts every next row right, then it also does so
    on its own predictions, by induction over the rows: they are the same. A network that finds its own ops is given those
    (`with_own_ops`).

    Args:
        tables: The situations known so far; new ones are added.
        recordings: Executions of the tables' algorithm.

    Yields:
        The rows, what the network makes of them, and where it is wrong. Recordings are numbered as given.
    """
    largest = max(len(recording.graph) for recording in recordings)
    together = 1 if largest > SPARSE else max(1, ENTRIES // (largest * max(map(len, recordings))))
    for start in range(0, len(recordings), together):
        part = recordings[start : start + together]
        rows, graphs = Rows(part), [recording.graph for recording in part]
        ops = [recording.ops for recording in part]
        if tables.spec.finds_ops:
            rows = with_own_ops(tables, rows, graphs)
            ops = [*rows.ops]
        for seen in look_at_rows(tables, rows, graphs, ops):
            yield seen._replace(recording=start + seen.recording)


class RowArrays(Protocol):
    """The rows of executions side by side: `rows[name]` is [executions, rows] or [executions, rows, nodes]."""

    nodes: int
    mask: np.ndarray

    def __getitem__(self, name: str) -> np.ndarray: ...


def look_at_rows(tables: Tables, rows: RowArrays, graphs: Sequence[Graph], ops: Sequence[np.ndarray]) -> Iterator[SeenRows]:
    """Looks at every row of some executions but the last, recorded ones or a network's own.

    Args:
        tables: The situations known so far; new ones are added.
        rows: The values of all fields.
        graphs: The graph of each execution.
        ops: The ops of each execution.
    """
    every_which, every_at = np.nonzero(rows.mask[:, 1:])
    tops = np.full(rows.mask.shape, -1, np.int64)
    for place, each in enumerate(ops):
        tops[place, : len(each)] = top_frame_rows(each.tolist())
    around = _surroundings(tables, rows, graphs)
    piece = _piece(rows, graphs)
    for start in range(0, len(every_which), piece):
        which, at = every_which[start : start + piece], every_at[start : start + piece]
        yield _look(tables, rows, around, which, at, tops[which, at] + 1)


class RowsWithOps:
    """Rows whose ops are other ones than those recorded."""

    def __init__(self, rows: RowArrays, ops: np.ndarray) -> None:
        self._rows, self.ops = rows, ops
        self.nodes, self.mask = rows.nodes, rows.mask

    def __getitem__(self, name: str) -> np.ndarray:
        return self.ops if name == "stack_op" else self._rows[name]


def with_own_ops(tables: Tables, rows: RowArrays, graphs: Sequence[Graph]) -> RowsWithOps:
    """Returns recorded rows with the ops that a network decides on which finds them by itself.

    No recording tells them, so there is nothing to compare them with. Each row has its recorded fields and the frame on top
    that the network's own ops left there. These ops are guessed, at first as those recorded. Every row is looked up with the
    frame that the guess leaves on top, and the ops that are decided on are the next guess, until it is confirmed. What is
    guessed of the first k rows is right after k times, and most often all is right much sooner.

    Args:
        tables: Those of the network. What is looked up only for a guess is not added to them.
        rows: The recorded rows.
        graphs: The graph of each execution.
    """
    guesses = tables.twin
    found = RowsWithOps(rows, np.where(rows.mask == 1, rows["stack_op"], NOOP).astype(np.int64))
    found.ops[:, 0] = NOOP
    around = _surroundings(guesses, found, graphs)
    piece, real = _piece(rows, graphs), rows.mask[:, 1:] == 1
    confirmed = np.full(real.shape, -1)  # the row that pushed the frame with which a row was looked up last
    while True:
        push = np.stack([top_frame_rows(ops) for ops in found.ops[:, :-1].tolist()]) + 1
        every_which, every_at = np.nonzero(real & (push != confirmed))
        if not len(every_at):
            return found
        for start in range(0, len(every_which), piece):
            which, at = every_which[start : start + piece], every_at[start : start + piece]
            seen = _look(guesses, found, around, which, at, push[which, at])
            found.ops[which, at + 1] = seen.decoded.values["stack_op"]
        confirmed = push


def _piece(rows: RowArrays, graphs: Sequence[Graph]) -> int:
    """How many rows are looked at at once."""
    return max(1, ENTRIES // max(rows.nodes, max(len(graph.senders) for graph in graphs) if len(graphs) == 1 else 1))


class _Surroundings(NamedTuple):
    """What is the same in all rows of some executions."""

    edges: np.ndarray | Edges
    real: np.ndarray  # [executions, nodes] which nodes are no padding
    inputs: dict[str, np.ndarray]
    compared: list[np.ndarray]


def _surroundings(tables: Tables, rows: RowArrays, graphs: Sequence[Graph]) -> _Surroundings:
    nodes = rows.nodes
    inputs = [digit.field for digit in tables.layout.node if digit.source == "input"]
    return _Surroundings(
        _edges(tables.spec, graphs, nodes),
        np.arange(nodes) < np.array([len(graph) for graph in graphs])[:, None],
        {field.name: input_values(field, graphs, nodes) for field in inputs},
        [places_in_order(field, graphs, nodes) for field in tables.spec.compared],
    )


def _look(
    tables: Tables, rows: RowArrays, around: _Surroundings, which: np.ndarray, at: np.ndarray, push: np.ndarray
) -> SeenRows:
    """Looks at some rows: of which executions, their numbers, and the rows that pushed the frames on top (0: none)."""
    spec, layout, nodes = tables.spec, tables.layout, rows.nodes

    def value(digit: Digit) -> np.ndarray:
        if digit.source == "input":
            return around.inputs[digit.field.name][which]
        values = rows[digit.field.name]
        if digit.source == "row":
            return values[which, at]
        empty = (push == 0).reshape(-1, *[1] * (values.ndim - 2))
        return np.where(empty, _nothing(digit.field), values[which, push])

    shape = (len(which), nodes)
    types = layout.types(layout.node, value, nodes, shape)
    graph = layout.types(layout.graph, value, nodes, shape[:1])
    stamps = [rows[rule.field.name][which, at].astype(np.int64) for rule in spec.stamps]
    relations = Relations(around.edges, around.real, which, (*(places[which] for places in around.compared), *stamps))
    numbers, situations = tables.find_situations(graph, types, relations)
    mask = around.real[which]
    truth = {field.name: rows[field.name][which, at + 1].astype(np.int64) for field in spec.predicted}
    decoded = tables.decode(numbers, situations, mask, truth)
    wrong = {}
    for field in spec.predicted:
        differs = decoded.values[field.name] != truth[field.name]
        wrong[field.name] = (differs & mask).any(1) if field.place == "node" else differs
    return SeenRows(which, at, numbers, situations, mask, decoded, truth, wrong, relations)


def _nothing(field: Field) -> int:
    """The value in an empty frame, of which nothing is encoded."""
    return -1 if field.kind in ("pointer", "category") else 0


def _edges(spec: Spec, graphs: Sequence[Graph], nodes: int) -> np.ndarray | Edges:
    """Who hears whom along edges."""
    if len(graphs) == 1 and nodes > SPARSE:
        return edge_list(spec, graphs[0])
    matrix = np.zeros((len(graphs), nodes, nodes), bool)
    for place, graph in enumerate(graphs):
        matrix[place, graph.senders, graph.receivers] = True
    return matrix | np.eye(nodes, dtype=bool) if _hears_itself(spec) else matrix


def edge_list(spec: Spec, graph: Graph) -> Edges:
    """Returns who hears whom along the edges of a graph."""
    senders, receivers = graph.senders, graph.receivers
    if _hears_itself(spec):
        loops = np.setdiff1d(np.arange(len(graph)), senders[senders == receivers])
        senders, receivers = np.concatenate([senders, loops]), np.concatenate([receivers, loops])
    return edges_of(senders, receivers)


def _hears_itself(spec: Spec) -> bool:
    """Whether each node hears itself: where the edges are no input, the support of the graph is."""
    return "A" not in [field.name for field in spec.inputs]


def input_values(field: Field, graphs: Sequence[Graph], nodes: int) -> np.ndarray:
    """Returns the values of an input of the nodes, [graphs, nodes]; 0 for padding."""
    padded = np.zeros((len(graphs), nodes), np.int64)
    for place, graph in enumerate(graphs):
        padded[place, : len(graph)] = node_input(graph, field)
    return padded


def places_in_order(field: Field, graphs: Sequence[Graph], nodes: int) -> np.ndarray:
    """Returns the places of the nodes in the order of a compared input, [graphs, nodes], from 1 on; 0 for padding."""
    places = np.zeros((len(graphs), nodes), np.int64)
    for place, graph in enumerate(graphs):
        order = np.argsort(node_input(graph, field), kind="stable")
        places[place, order] = np.arange(1, len(graph) + 1)
    return places
