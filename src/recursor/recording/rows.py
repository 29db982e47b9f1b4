"""Rows as arrays.

A `Recording` holds the raw rows of one execution; `Rows` decodes the rows of several executions into padded arrays; a
`Trajectory` is one execution in one view.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np

from recursor.graphs.graph import Graph
from recursor.graphs.inputs import dense_inputs
from recursor.recording.declaration import Declaration
from recursor.spec import DONE, Field, Spec
from recursor.system.memory import SMALL, require_memory


@dataclass(frozen=True)
class Recording:
    """The raw rows of one execution. `Rows` decodes them."""

    algorithm: Declaration
    graph: Graph
    rows: list[bytes]  # in the layout of `algorithm.form`
    outputs: Mapping[str, Sequence]

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def nbytes(self) -> int:
        """About how many bytes the recording takes, with the lists of neighbours that the algorithm made of the graph."""
        return len(self.rows) * len(self.rows[0]) + 50 * (len(self.graph) + len(self.graph.senders))

    @property
    def ops(self) -> np.ndarray:
        """The op of each row, [rows]."""
        return np.array([row[0] for row in self.rows], np.int32)

    def view(self, view: str, *, halting: bool = False) -> "Trajectory":
        """Returns the execution with the hints of one view, and with `halting` the hint
        that marks the last row."""
        spec = self.algorithm.spec(view)
        spec = spec.halting() if halting else spec
        need = decoded_bytes(spec, len(self), len(self.graph))
        if need > SMALL:
            what = f"showing {len(self)} rows of {spec.algorithm} on {len(self.graph)} nodes"
            require_memory(2 * need, what, "choose a smaller graph")
        rows = Rows([self])
        return Trajectory(
            spec,
            self.graph,
            dense_inputs(self.graph, spec.inputs),
            {field.name: rows[field.name][0] for field in spec.hints},
            {field.name: np.array(self.outputs[field.name], field.dtype) for field in spec.outputs},
            rows.ops[0],
            rows.lines[0],
        )


def decoded_bytes(spec: Spec, rows: int, nodes: int) -> int:
    """Returns how many bytes the decoded rows and the dense inputs of one execution take."""
    fields = [field.place for field in (*spec.hints, *spec.inputs)]
    return 4 * (rows * (len(fields) + nodes * fields.count("node")) + nodes * nodes * fields.count("edge"))


class Rows:
    """The rows of several executions of one algorithm as arrays, padded with zeros.

    `rows[name]` are a field's values: [batch, rows] for a graph field, [batch, rows, nodes] for a node field.
    """

    def __init__(self, recordings: Sequence[Recording], *, length: int = 0, nodes: int = 0) -> None:
        self.recordings = recordings
        self._algorithm = recordings[0].algorithm
        self.lengths = np.array([len(recording) for recording in recordings])
        self.sizes = np.array([len(recording.graph) for recording in recordings])
        self._length, self.nodes = length or int(self.lengths.max()), nodes or int(self.sizes.max())
        self.mask = np.arange(self._length) < self.lengths[:, None]  # [batch, rows]
        self._values: dict[str, np.ndarray] = {}

    @property
    def ops(self) -> np.ndarray:
        """The op of each row, [batch, rows]."""
        return self["stack_op"]

    @property
    def lines(self) -> np.ndarray:
        """The source line of each row, [batch, rows]."""
        return self._stored("line", np.int32, ())

    def at(self, name: str, pointer: str) -> np.ndarray:
        """Returns a node field's value at the node that a pointer names, [batch, rows]; zero where the pointer is null."""
        taken = np.take_along_axis(self[name], np.maximum(self[pointer], 0)[..., None], -1)[..., 0]
        return np.where(self[pointer] >= 0, taken, 0).astype(taken.dtype)

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._values:
            self._values[name] = self._decode(self._algorithm.fields[name])
        return self._values[name]

    def _decode(self, field: Field) -> np.ndarray:
        if field == DONE:  # 1 in the last row of each execution
            return (np.arange(self._length) == self.lengths[:, None] - 1).astype(np.int32)
        if field.kind == "stamp":
            return self._stamps(field)
        if field in self._algorithm.derived:
            values = self._algorithm.derived[field](self)
            mask = self.mask if field.place == "graph" else self.mask[..., None]
            return np.where(mask, values, 0).astype(field.dtype)
        return self._stored(field.name, field.dtype, (self.nodes,) if field.place == "node" else ())

    def _stamps(self, field: Field) -> np.ndarray:
        """Returns the stamps of all nodes, [batch, rows, nodes]; zero before the row that first names the node (`Stamp`)."""
        (rule,) = (rule for rule in self._algorithm.stamps if rule.field == field)
        named = (self[rule.at][..., None] == np.arange(self.nodes)) & self.mask[..., None]
        # The first row that names each node, [batch, 1, nodes]; a node that no row names gets a number beyond all rows.
        first = np.where(named.any(1), named.argmax(1), self._length)[:, None]
        return np.where(first <= np.arange(self._length)[:, None], first + 1, 0).astype(field.dtype) * self.mask[..., None]

    def _stored(self, name: str, dtype: type, shape: tuple[int, ...]) -> np.ndarray:
        """Returns the values of a field that the rows hold as bytes, padded with zeros."""
        values = np.zeros((*self.mask.shape, *shape), dtype)
        for indices, rows in self._groups:
            part = rows[name]  # [executions, rows] or [executions, rows, nodes]
            if name in self._algorithm.fields:
                _check_values(self._algorithm.fields[name], part, int(self.sizes[indices[0]]))
            which = slice(None) if len(part) == len(values) else indices  # NumPy copies into a slice much faster
            values[which, *(slice(width) for width in part.shape[1:])] = part
        return values

    @cached_property
    def _groups(self) -> list[tuple[list[int], np.ndarray]]:
        """The executions grouped by size and length: their indices in the batch, and their rows as records, [executions,
        rows]. The rows of one group have one layout, so that all are decoded at once."""
        shapes: dict[tuple[int, int], list[int]] = {}
        for index, shape in enumerate(zip(self.sizes.tolist(), self.lengths.tolist(), strict=True)):
            shapes.setdefault(shape, []).append(index)
        groups = []
        for (size, length), indices in shapes.items():
            data = b"".join(chain.from_iterable(self.recordings[index].rows for index in indices))
            _, layout = self._algorithm.form(size)
            groups.append((indices, np.frombuffer(data, layout).reshape(-1, length)))
        return groups


def _check_values(field: Field, values: np.ndarray, nodes: int) -> None:
    """Refuses recorded values that are outside the range of their field, for a graph with this many nodes."""
    if field.kind == "scalar":
        return
    most = {"mask": 1, "category": field.categories - 1}.get(field.kind, nodes - 1)
    least = -1 if field.null else 0
    if values.max() > most or values.min() < least:
        execution, row, *node = np.argwhere((values > most) | (values < least))[0]
        value = values[(execution, row, *node)]
        raise ValueError(f"row {row} shows {field.name} = {value}, but a {field.kind} must be from {least} to {most} here")


def first_rows(spec: Spec, recordings: Sequence[Recording], nodes: int) -> dict[str, np.ndarray]:
    """Returns row 0 of several executions, from which a network starts.

    Args:
        spec: The fields.
        recordings: The executions; row 0 of each is enough (`Algorithm.first_row`).
        nodes: The number of nodes, padding included.

    Returns:
        The values of each hint, [batch] or [batch, nodes]. The hint that marks the last row is 0 in all of
        them.
    """
    rows = Rows(recordings, length=1, nodes=nodes)
    not_done = np.zeros(len(recordings), DONE.dtype)
    return {field.name: not_done if field == DONE else rows[field.name][:, 0] for field in spec.hints}


@dataclass(frozen=True)
class Trajectory:
    """One execution as a network sees it: the inputs, the rows of all hints, the outputs.

    Pointers, categories and one-of-n masks are integer indices.

    Example:
        >>> import recursor
        >>> trajectory = recursor.record("dfs", [[0, 1], [0, 0]], view="discrete")
        >>> trajectory
        <Trajectory of dfs (discrete) on 2 nodes: 6 rows; .inputs, .hints, .outputs, .ops, .lines>
        >>> trajectory.hints["u"].tolist()
        [0, 0, 0, 1, 1, 0]
    """

    spec: Spec
    """The fields of the view."""
    graph: Graph
    """The graph."""
    inputs: dict[str, np.ndarray]
    """The inputs, by name; edge fields as matrices."""
    hints: dict[str, np.ndarray]
    """The hints, by name; the first axis is the row."""
    outputs: dict[str, np.ndarray]
    """What the function returned, by name."""
    ops: np.ndarray
    """The op of each row: 0 pop, 1 noop, 2 push."""
    lines: np.ndarray
    """The source line that each row came from."""

    def __len__(self) -> int:
        return len(self.ops)

    def __repr__(self) -> str:
        what = f"{self.spec.algorithm} ({self.spec.view}) on {len(self.graph)} nodes"
        return f"<Trajectory of {what}: {len(self)} rows; .inputs, .hints, .outputs, .ops, .lines>"

    def collect(self) -> dict[str, np.ndarray]:
        """Returns the outputs collected from the hints, row by row; later rows overwrite earlier ones."""
        hints = {name: values[None] for name, values in self.hints.items()}
        collected = collect_outputs(self.spec, hints, np.ones((1, len(self)), bool), len(self.graph))
        return {name: values[0] for name, values in collected.items()}


def collect_outputs(
    spec: Spec, hints: "Mapping[str, np.ndarray] | Rows", mask: np.ndarray, nodes: int
) -> dict[str, np.ndarray]:
    """Returns the outputs that are collected from the rows of several executions; later rows overwrite earlier ones.

    Args:
        spec: The fields, and the rules of collecting.
        hints: The values of each field, [batch, rows] or [batch, rows, nodes].
        mask: Which rows are no padding, [batch, rows].
        nodes: The number of nodes, padding included.

    Returns:
        The values of each output that has a rule, [batch] or [batch, nodes].
    """
    collected = {}
    for rule in spec.collect:
        if rule.at is None:  # the value in the last row
            collected[rule.output] = hints[rule.value or ""][np.arange(len(mask)), mask.sum(1) - 1]
            continue
        at = hints[rule.at]
        values = np.ones_like(at) if rule.value is None else hints[rule.value]
        if rule.value is not None and spec.hint(rule.value).null:
            values = np.where(values < 0, at, values)  # a null value is written as the node itself
        batch, row = np.nonzero(mask & (at >= 0))  # in the order of the rows, so that the last value stays
        output = collected[rule.output] = np.zeros((len(mask), nodes), values.dtype)
        output[batch, at[batch, row]] = values[batch, row]
    return collected
