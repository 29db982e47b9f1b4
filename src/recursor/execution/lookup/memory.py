"""The tables of situations in the form in which an execution looks them up; what is missing is computed and added."""

from collections.abc import Collection
from typing import Any

import numpy as np

from recursor.execution.lookup.compiled import compiled
from recursor.execution.lookup.entries import ENTRY, FIRST_ENTRY, FIRST_LEVEL, GRAPHS, TYPES, put
from recursor.execution.lookup.heap import PlainHeap
from recursor.situations.decisions import StageTable, decide
from recursor.situations.tables import Tables
from recursor.spec import Field


class Rows:
    """Rows of numbers, to which more can be added."""

    def __init__(self, width: int, dtype: type) -> None:
        self.width, self.count = width, 0
        self._rows = np.zeros((64, width), dtype)

    def add(self, rows: np.ndarray) -> np.ndarray:
        """Adds rows, [m, width], and returns their numbers."""
        numbers = np.arange(self.count, self.count + len(rows))
        while self.count + len(rows) > len(self._rows):
            self._rows = np.concatenate([self._rows, np.zeros_like(self._rows)])
        self._rows[numbers] = rows
        self.count += len(rows)
        return numbers

    @property
    def rows(self) -> np.ndarray:
        """All rows, [count, width]."""
        return self._rows[: self.count]

    def flat(self) -> np.ndarray:
        """Returns the numbers one after the other."""
        return self.rows.reshape(-1)


class SituationMemory:
    """All entries of all tables, by key.

    Args:
        tables: The situations. They grow, too.
        verified: Whether the situations that are in the tables now are verified ones; those that are added later are not.
    """

    def __init__(self, tables: Tables, *, verified: bool = False) -> None:
        self.tables, self.verified = tables, verified
        self.is_compiled = False
        spec, rounds = tables.spec, tables.rounds
        self.node_fields = [f for f in spec.predicted if f.place == "node"]
        self.pointers = [f for f in spec.predicted if f.place == "graph" and f.kind == "pointer"]
        self.categories = [f for f in spec.predicted if f.place == "graph" and f.kind != "pointer"]
        self._first_stage = FIRST_LEVEL + rounds + 1
        self._entries = Rows(6, np.int64)  # table, two keys, number, word, whether it is unverified
        self._digits = Rows(len(self.node_fields), np.int64)
        self._logits, self._values = Rows(len(self.pointers), np.float64), Rows(len(self.node_fields), np.int64)
        self._nulls, self._choices = Rows(len(self.pointers), np.float64), Rows(len(self.categories), np.int64)
        self._take_all()
        self._slots, self._found = np.zeros(0, np.int64), {}
        self.heap: Any = None
        self._build(0)

    def _take_all(self) -> None:
        """Adds all that the tables hold."""
        tables, last = self.tables, len(self.tables.levels) - 1
        self._add_types(tables.types.keys)
        self._add(GRAPHS, np.zeros(len(tables.graphs), np.int64), tables.graphs.keys, np.arange(len(tables.graphs)))
        for place, level in enumerate(tables.levels):
            keys = level.index.keys
            heard = keys & 0xFFFFFFFF if not place else level.heard.keys[keys & 0xFFFFFFFF]
            words = level.word if place < last else np.zeros(len(keys), np.int64)
            self._add(FIRST_LEVEL + place, keys >> 32, heard, np.arange(len(keys)), words)
        for place, stage in enumerate(tables.stages):
            keys, given = stage.nodes.keys, tables.combinations.keys
            self._add_nodes(place, keys >> 36, (given[(keys >> 16) & 0xFFFFF] << 16) | (keys & 0xFFFF), np.arange(len(keys)))
            keys = stage.graphs.keys
            said = stage.pooled.keys[keys & 0xFFFFFFF]
            self._add_graphs(place, keys >> 48, (given[(keys >> 28) & 0xFFFFF] << 32) | said, np.arange(len(keys)))

    def compile(self) -> None:
        """Makes a memory for compiled functions of one for plain Python."""
        self.is_compiled = True
        self._slots = np.zeros(0, np.int64)
        self._build(0)

    def grow(self, misses: Collection[tuple[int, int, int]]) -> None:
        """Has the network compute entries that are missing.

        Args:
            misses: Their tables and keys.
        """
        start = self._entries.count
        for table in sorted({miss[0] for miss in misses}):
            keys = np.array(sorted({(a, b) for which, a, b in misses if which == table}), np.int64)
            self._compute(table, keys[:, 0], keys[:, 1])
        if self.verified:
            self._entries.rows[start:, 5] = 1
        self._build(start)

    def _compute(self, table: int, a: np.ndarray, b: np.ndarray) -> None:
        tables = self.tables
        if table == TYPES:
            known = len(tables.types)
            tables.types.add(b)
            self._add_types(tables.types.keys[known:])
        elif table == GRAPHS:
            numbers, _ = tables.graphs.add(b)
            self._add(GRAPHS, a, b, numbers)
        elif table == FIRST_LEVEL:
            numbers = tables.first_situations(a, b)
            self._add(table, a, b, numbers, tables.levels[0].word[numbers])
        elif table < self._first_stage:
            level = table - FIRST_LEVEL
            numbers = tables.next_situations(level, a, b)
            words = tables.levels[level].word[numbers] if level < tables.rounds else None
            self._add(table, a, b, numbers, words)
        else:
            place, of_graph = divmod(table - self._first_stage, 2)
            stage = tables.stages[place]
            if of_graph:
                numbers = stage.of_graphs(a, b >> 32, b & 0xFFFFFFFF, tables.graph_channels)
                self._add_graphs(place, a, b, numbers)
            else:
                self._add_nodes(place, a, b, stage.of_nodes(a, b >> 16, b & 0xFFFF))

    def _add(self, table: int, a: np.ndarray, b: np.ndarray, numbers: np.ndarray, words: np.ndarray | None = None) -> None:
        zero = np.zeros(len(a), np.int64)
        self._entries.add(np.stack([zero + table, a, b, numbers, zero if words is None else words, zero], 1))

    def _add_types(self, keys: np.ndarray) -> None:
        """Adds types, in the order of their numbers, with the values that nodes of a type have."""
        rest, values = keys, np.zeros((len(keys), len(self.node_fields)), np.int64)
        for digit in self.tables.layout.node:
            rest, value = np.divmod(rest, digit.radix)
            if digit.source == "row" and digit.field in self.node_fields:
                values[:, self.node_fields.index(digit.field)] = value
        self._add(TYPES, np.zeros(len(keys), np.int64), keys, self._digits.add(values))

    def _add_nodes(self, place: int, a: np.ndarray, b: np.ndarray, numbers: np.ndarray) -> None:
        """Adds entries of nodes in a stage, with what they decide."""
        stage = self.tables.stages[place]
        logits, pointers, values, fields = stage.node_logits[numbers], [], [], []
        start = 0
        for field in stage.stage.decoder.node_fields:
            part = logits[:, start : start + (field.categories or 1)]
            start += part.shape[1]
            if field.kind == "pointer":
                pointers.append(part[:, 0])
            else:
                values.append(decide(field, part)[0])
                fields.append(field)
        rows = self._logits.add(_columns(pointers, self._logits.width, len(a)))
        self._values.add(_columns(values, self._values.width, len(a)))
        self._add(self._first_stage + 2 * place, a, b, rows, stage.word[numbers])

    def _add_graphs(self, place: int, a: np.ndarray, b: np.ndarray, numbers: np.ndarray) -> None:
        """Adds entries of the graph in a stage, with what they decide."""
        stage = self.tables.stages[place]
        if not len(a):
            return
        logits, choices, nulls, start = stage.graph_logits[numbers], [], [], 0
        for field in stage.stage.decoder.graph_fields:
            part = logits[:, start : start + (field.categories or 1)]
            start += part.shape[1]
            choices.append(decide(field, part)[0])
        for field in pointers_of(stage):
            nulls.append(logits[:, start] if field.null else np.full(len(a), -np.inf))
            start += field.null
        rows = self._choices.add(_columns(choices, self._choices.width, len(a)))
        self._nulls.add(_columns(nulls, self._nulls.width, len(a)))
        self._add(self._first_stage + 2 * place + 1, a, b, rows)

    def _build(self, start: int) -> None:
        """Joins all into one heap, in which entries from a number on are new."""
        new = self._entries.rows[start:]
        if not self.is_compiled:
            self._slots = self._entries.flat()
            for place, (table, a, b) in enumerate(new[:, :3].tolist(), start):
                self._found[table, a, b] = FIRST_ENTRY + ENTRY * place
        else:
            if 2 * ENTRY * self._entries.count >= len(self._slots):
                new = self._entries.rows
                self._slots = np.full(ENTRY * max(1024, 1 << (4 * len(new)).bit_length()), -1, np.int64)
            compiled(put)(self._slots, new)
        tables = [
            *(_in_order(self._logits.flat()), self._values.flat(), _in_order(self._nulls.flat())),
            *(self._choices.flat(), self._digits.flat()),
        ]
        starts = np.cumsum([FIRST_ENTRY + len(self._slots), *map(len, tables)])[:-1]
        whole = np.concatenate([[len(self._slots) // ENTRY], starts, self._slots, *tables]).astype(np.int64)
        self.heap = whole if self.is_compiled else PlainHeap(whole.tolist(), self._found)


def _in_order(logits: np.ndarray) -> np.ndarray:
    """Integers in the order of real numbers: equal for equal ones, larger for larger ones."""
    bits = (logits + 0.0).view(np.int64)  # without a negative zero
    return np.where(bits < 0, bits ^ np.int64(2**63 - 1), bits)


def pointers_of(stage: StageTable) -> list[Field]:
    """Returns the pointers that a stage decodes, in their order."""
    return [field for field in stage.stage.decoder.node_fields if field.kind == "pointer"]


def _columns(columns: list[np.ndarray], width: int, rows: int) -> np.ndarray:
    """Columns side by side, padded with zeros to a width."""
    array = np.zeros((rows, width))
    for place, column in enumerate(columns):
        array[:, place] = column
    return array
