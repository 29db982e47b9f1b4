"""The tables of situations in the form in which an execution looks them up; what is missing is computed and added."""

from collections.abc import Sequence

import numpy as np

from recursor.execution.lookup.compiled import COMPILED, compiled, storage, zeros
from recursor.execution.lookup.state import FIRST_LEVEL, GRAPHS, TYPES, Memory
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
        """Returns the numbers one after the other, with room for more."""
        return self._rows.reshape(-1)


class SituationMemory:
    """All entries of all tables, by key.

    Args:
        tables: The situations. They grow, too.
        verified: Whether the situations that are in the tables now are verified ones; those that are added later are not.
    """

    def __init__(self, tables: Tables, *, verified: bool = False) -> None:
        self.tables, self.verified = tables, verified
        spec, rounds = tables.spec, tables.rounds
        self.node_fields = [f for f in spec.predicted if f.place == "node"]
        self.pointers = [f for f in spec.predicted if f.place == "graph" and f.kind == "pointer"]
        self.categories = [f for f in spec.predicted if f.place == "graph" and f.kind != "pointer"]
        self._first_stage = FIRST_LEVEL + rounds + 1
        self._entries = Rows(6, np.int64)  # table, two keys, number, word, whether it is unverified
        self._digits = Rows(len(self.node_fields), np.int64)
        self._logits, self._values = Rows(len(self.pointers), np.float64), Rows(len(self.node_fields), np.int64)
        self._nulls, self._choices = Rows(len(self.pointers), np.float64), Rows(len(self.categories), np.int64)
        self._capacity = 0
        self._take_all()
        self.form = self._build()

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
            self._add_nodes(
                place, keys >> 36, (given[(keys >> 16) & 0xFFFFF] << 16) | (keys & 0xFFFF), np.arange(len(keys))
            )
            keys = stage.graphs.keys
            said = stage.pooled.keys[keys & 0xFFFFFFF]
            self._add_graphs(place, keys >> 48, (given[(keys >> 28) & 0xFFFFF] << 32) | said, np.arange(len(keys)))

    def grow(self, misses: Sequence[tuple[int, int, int]]) -> None:
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
        if 2 * self._entries.count > self._capacity:
            self.form = self._build()
            return
        new = self._entries.rows[start:]
        if COMPILED:
            _put(self.form, new)
            self.form = self.form._replace(**self._decisions())
        else:
            _put_plainly(self.form, new)
            self.form = self.form._replace(**self._decisions())

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

    def _add(
        self, table: int, a: np.ndarray, b: np.ndarray, numbers: np.ndarray, words: np.ndarray | None = None
    ) -> None:
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

    def _decisions(self) -> dict:
        return {
            "logits": storage(self._logits.flat(), np.float64),
            "values": storage(self._values.flat()),
            "nulls": storage(self._nulls.flat(), np.float64),
            "categories": storage(self._choices.flat()),
            "digits": storage(self._digits.flat()),
        }

    def _build(self) -> Memory:
        """Builds the hash table anew, with room for as many entries again."""
        self._capacity = max(1024, 1 << (4 * self._entries.count).bit_length())
        if not COMPILED:
            form = Memory({}, [], [], [], [], [], [], **self._decisions())
            _put_plainly(form, self._entries.rows)
            return form
        empty = [zeros(self._capacity) for _ in range(5)]
        form = Memory(zeros(1), zeros(self._capacity, fill=-1), *empty, **self._decisions())
        _put(form, self._entries.rows)
        return form


def pointers_of(stage: StageTable) -> list[Field]:
    """Returns the pointers that a stage decodes, in their order."""
    return [field for field in stage.stage.decoder.node_fields if field.kind == "pointer"]


def _columns(columns: list[np.ndarray], width: int, rows: int) -> np.ndarray:
    """Columns side by side, padded with zeros to a width."""
    array = np.zeros((rows, width))
    for place, column in enumerate(columns):
        array[:, place] = column
    return array


@compiled
def _put(memory, entries):
    last = len(memory.table) - 1
    for at in range(len(entries)):
        table, a, b = entries[at, 0], entries[at, 1], entries[at, 2]
        slot = ((a * 40503 + (b & 0x7FFFFFFF) * 2654435 + (b >> 31) * 69069 + table * 7919) >> 3) & last
        while memory.table[slot] >= 0:
            slot = (slot + 1) & last
        memory.table[slot], memory.key_a[slot], memory.key_b[slot] = table, a, b
        memory.number[slot], memory.word[slot], memory.unverified[slot] = entries[at, 3], entries[at, 4], entries[at, 5]


def _put_plainly(memory: Memory, entries: np.ndarray) -> None:
    for table, a, b, number, word, unverified in entries.tolist():
        memory.slots[table, a, b] = len(memory.number)
        memory.number.append(number)
        memory.word.append(word)
        memory.unverified.append(unverified)
