"""Examining recorded executions: does the network predict every row?

`BySituation` looks every row up in the tables of situations; it is quick, and knows which situations were met. `ByExecution`
runs the network by itself and compares every row; it takes any network that halts.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from recursor.execution.executor import execute
from recursor.network.reasoner import Reasoner
from recursor.recording.rows import Recording, Rows, collect_outputs
from recursor.situations.kinds import Kinds
from recursor.situations.rows import SeenRows, look_at
from recursor.situations.tables import Tables
from recursor.spec import Spec
from recursor.verification.targets import Targets


class Wrong(NamedTuple):
    """A row that the network gets wrong, on its own predictions up to it."""

    recording: Recording
    row: int
    """The number of the row that is wrong."""
    field: str


class Examiner(ABC):
    """A way to examine executions."""

    @abstractmethod
    def examine(self, recordings: Sequence[Recording]) -> tuple[int, list[Wrong]]:
        """Returns how many rows were examined, and the first wrong row of each execution that has one."""


class ByExecution(Examiner):
    """Runs the network by itself."""

    def __init__(self, reasoner: Reasoner) -> None:
        self.reasoner = reasoner

    def examine(self, recordings: Sequence[Recording]) -> tuple[int, list[Wrong]]:
        found = []
        for start in range(0, len(recordings), 64):
            part = recordings[start : start + 64]
            rows = Rows(part)
            executions = execute(self.reasoner, [recording.graph for recording in part])
            for place, (recording, execution) in enumerate(zip(part, executions, strict=True)):
                length = min(execution.steps, len(recording))
                first: tuple[int, str] | None = None
                for field in self.reasoner.spec.predicted:
                    if field.latent:  # the network's own
                        continue
                    truth = rows[field.name][
                        (place, slice(length), *[slice(len(recording.graph))] * (field.place == "node"))
                    ]
                    differs = (execution.rows[field.name][:length] != truth).reshape(length, -1).any(1)
                    if differs.any() and (first is None or differs.argmax() < first[0]):
                        first = int(differs.argmax()), field.name
                if first is None and (execution.steps != len(recording) or not execution.halted):
                    first = length, "done"
                if first is not None:
                    found.append(Wrong(recording, *first))
        return sum(len(recording) - 1 for recording in recordings), found


class BySituation(Examiner):
    """Looks rows up in tables, and keeps account of the situations."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.met = np.zeros(0, np.int64)
        """How often each situation was met."""
        self.examples: list[tuple[Recording, int]] = []
        """Of each situation the first row in which it was met."""
        self.margin = np.inf
        """The smallest margin of a right decision, bits of messages included."""
        self.unsure: list[tuple[float, Recording, int, str]] = []
        """Right decisions with a margin below `UNSURE`: margin, execution, row, field."""
        self.targets = Targets(tables)
        """What the algorithm does in each situation."""
        self.contradictory: list[tuple[Recording, int]] = []
        """Rows with a situation in which the algorithm did something else before."""
        self.kinds: Kinds | None = None
        """If they are collected: the kinds of pairs."""

    def examine(self, recordings: Sequence[Recording]) -> tuple[int, list[Wrong]]:
        count, found = 0, {}
        for seen in look_at(self.tables, recordings):
            count += len(seen.row)
            self._account(seen, recordings)
            if self.kinds is not None:
                self.kinds.add(seen)
            contradictory = self.targets.add(seen)
            for place in np.flatnonzero(contradictory)[: MOST_CONTRADICTORY - len(self.contradictory)].tolist():
                self.contradictory.append((recordings[int(seen.recording[place])], int(seen.row[place])))
            names = list(seen.wrong)
            wrong = np.stack([seen.wrong[name] for name in names])
            for place in np.flatnonzero(wrong.any(0)).tolist():
                recording, row = int(seen.recording[place]), int(seen.row[place]) + 1
                if recording not in found or row < found[recording].row:
                    found[recording] = Wrong(recordings[recording], row, names[int(wrong[:, place].argmax())])
        return count, list(found.values())

    def _account(self, seen: SeenRows, recordings: Sequence[Recording]) -> None:
        total = len(self.tables.levels[-1].index)
        grown = total - len(self.met)
        if grown:
            new = seen.situations >= len(self.met)
            places, _ = np.nonzero(new & seen.mask)
            _, first = np.unique(seen.situations[new & seen.mask], return_index=True)
            self.examples += [(recordings[int(seen.recording[places[at]])], int(seen.row[places[at]])) for at in first]
            missing = total - len(self.examples)
            self.examples += [self.examples[-1]] * missing
            self.met = np.concatenate([self.met, np.zeros(grown, np.int64)])
        situations = seen.situations[seen.mask]
        self.met += np.bincount(situations, minlength=total)
        right = ~np.stack(list(seen.wrong.values())).any(0)
        for name, margins in seen.decoded.margins.items():
            of_rows = margins if margins.ndim == 1 else margins.min(1)
            self.margin = min(self.margin, float(of_rows[right].min(initial=np.inf)))
            for place in np.flatnonzero(right & (of_rows < UNSURE))[:8].tolist():
                if len(self.unsure) < MOST_UNSURE:
                    where = recordings[int(seen.recording[place])], int(seen.row[place])
                    self.unsure.append((float(of_rows[place]), *where, name))

    def bit_margin(self) -> float:
        """Returns the smallest margin of a bit that a node says in a situation that was met."""
        margins = [level.margin for level in self.tables.levels[:-1]] + [stage.margin for stage in self.tables.stages]
        return min((float(margin.min(initial=np.inf)) for margin in margins), default=np.inf)

    def rare(self, most: int) -> list[int]:
        """Returns the situations that were met at most so often."""
        return np.flatnonzero(self.met <= most).tolist()


UNSURE = 0.1
"""A decision with a smaller margin is unsure."""
MOST_UNSURE, MOST_CONTRADICTORY = 200, 2000


def outputs_right(spec: Spec, recordings: Sequence[Recording]) -> np.ndarray:
    """Returns for each execution whether the outputs that are collected from its rows are those of the algorithm."""
    rows = Rows(recordings)
    collected = collect_outputs(spec, rows, rows.mask, rows.nodes)
    right = np.ones(len(recordings), bool)
    for place, recording in enumerate(recordings):
        for name, values in collected.items():
            truth = np.asarray(recording.outputs[name])
            right[place] &= np.array_equal(values[place][tuple(map(slice, truth.shape))], truth)
    return right
