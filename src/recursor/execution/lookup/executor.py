"""Executions of graphs by lookup."""

from collections.abc import Callable, Sequence

import numpy as np

from recursor.algorithms import find
from recursor.execution.execution import Execution
from recursor.execution.lookup.advance import advance
from recursor.execution.lookup.beginning import begin, describe_network
from recursor.execution.lookup.compiled import COMPILED, as_array, enlarged, zeros
from recursor.execution.lookup.hearing import hash_classes
from recursor.execution.lookup.memory import SituationMemory
from recursor.execution.lookup.state import (
    BITS,
    DONE,
    FIRST_UNVERIFIED,
    GRAPH,
    HALTED,
    KEPT,
    LOG,
    MISSES,
    MISSING,
    NEW_COPY,
    NO_ROOM,
    NODES,
    ORDERS,
    RECORDED,
    ROUNDS,
    STACK_FULL,
    STEPS,
    UNDERFLOWS,
    State,
)
from recursor.graphs.graph import Graph
from recursor.spec import STACK_OP


class LookupExecutor:
    """Runs a reasoner with finitely many situations, graph after graph. Its memory grows with what it meets."""

    def __init__(self, memory: SituationMemory) -> None:
        self.memory, self.network = memory, describe_network(memory)
        self.spec = memory.tables.spec

    def execute(
        self,
        graphs: Sequence[Graph],
        limits: Sequence[int],
        *,
        keep_rows: bool,
        progress: Callable[[int], None],
    ) -> list[Execution]:
        """Runs the reasoner on graphs.

        Args:
            graphs: The graphs.
            limits: For each graph the number of rows after which the execution is stopped.
            keep_rows: Whether the executions hold all rows.
            progress: Is called with the number of rows of the longest execution so far.
        """
        longest, executions = 0, []
        for graph, limit in zip(graphs, limits, strict=True):
            execution = _Execution(self, graph, limit, keep_rows)
            while not execution.advance():
                longest = max(longest, execution.steps)
                progress(longest)
            executions.append(execution.result())
        return executions


class _Execution:
    """One execution under way."""

    def __init__(self, executor: LookupExecutor, graph: Graph, limit: int, keep_rows: bool) -> None:
        self.executor, self.graph, self.keep_rows = executor, graph, keep_rows
        self.state = begin(executor.memory, executor.network, graph, limit, keep_rows=keep_rows)
        memory = executor.memory
        self._start = [as_array(values, np.int32) for values in (self.state.pointers, self.state.categories)]
        self._first_nodes = [as_array(values, np.int32) for values in (self.state.fields, self.state.stamps)]
        self._width = len(memory.pointers) + len(memory.categories)
        self._rows: list[np.ndarray] = [np.concatenate(self._start)[None]]
        self._changes: list[np.ndarray] = []

    @property
    def steps(self) -> int:
        """The number of rows so far."""
        return int(self.state.numbers[STEPS])

    def advance(self) -> bool:
        """Runs a piece; returns whether the execution is over."""
        memory, numbers = self.executor.memory, self.state.numbers
        while True:
            reason = advance(self.state, memory.form, self.executor.network)
            if reason == MISSING:
                count = int(numbers[MISSES])
                keys = as_array(self.state.misses[: 3 * count], np.int64).reshape(-1, 3).tolist()
                memory.grow([(table, a, b) for table, a, b in keys])
                numbers[MISSES] = 0
            elif reason == NO_ROOM:
                self.state = _with_room(self.state)
            elif reason == NEW_COPY:
                self.state = _with_copy(self.state)
            elif reason == STACK_FULL:
                frames, of_nodes = self.state.frames, self.state.node_frames
                self.state = self.state._replace(
                    frames=enlarged(frames, len(frames)), node_frames=enlarged(of_nodes, len(of_nodes))
                )
            else:
                self._collect()
                return reason == DONE

    def _collect(self) -> None:
        """Takes the rows of a piece out of the state."""
        numbers = self.state.numbers
        rows = as_array(self.state.recorded[: numbers[RECORDED] * self._width], np.int32).reshape(-1, self._width)
        memory = self.executor.memory
        if not self.keep_rows and self.executor.spec.has_ops:
            rows = rows[:, [len(memory.pointers) + memory.categories.index(STACK_OP)]]
        self._rows.append(rows)
        if self.keep_rows:
            self._changes.append(as_array(self.state.kept[: 4 * numbers[KEPT]], np.int32).reshape(-1, 4))
        numbers[RECORDED] = 0
        numbers[KEPT] = 0

    def result(self) -> Execution:
        """Returns the finished execution."""
        memory, spec, numbers, n = self.executor.memory, self.executor.spec, self.state.numbers, len(self.graph)
        halted, bad = bool(numbers[HALTED]), int(numbers[FIRST_UNVERIFIED])
        fields = {field.name: place for place, field in enumerate((*memory.pointers, *memory.categories))}
        rows: dict[str, np.ndarray] = {}
        if self.keep_rows:
            of_graph = np.concatenate(self._rows)
            of_nodes = self._node_rows(len(of_graph))
            rows = {
                field.name: of_graph[:, fields[field.name]] if field.place == "graph" else of_nodes[field.name]
                for field in spec.hints
            }
            ops = rows["stack_op"] if spec.has_ops else np.zeros(0, np.int32)
        else:
            op = fields.get("stack_op", 0)
            ops = np.concatenate([self._rows[0][0, op : op + 1], *(part[:, 0] for part in self._rows[1:])])
        return Execution(
            self.graph,
            self._outputs(),
            rows,
            ops,
            halted,
            self.steps,
            int(numbers[UNDERFLOWS]),
            certified=(bad < 0 and halted) if memory.verified else None,
            uncertified_row=bad if memory.verified and bad >= 0 else None,
        )

    def _outputs(self) -> dict[str, np.ndarray]:
        memory, spec, n = self.executor.memory, self.executor.spec, len(self.graph)
        collected = as_array(self.state.outputs, np.int32).reshape(-1, n)
        outputs = {}
        for place, field in enumerate(spec.outputs):
            values = collected[place] if field.place == "node" else np.zeros((), np.int32)
            for rule in spec.collect:
                if rule.output == field.name and rule.at is None:
                    values = self._now(rule.value)
            outputs[field.name] = np.asarray(values, field.dtype)
        return outputs

    def _now(self, name: str) -> np.ndarray:
        """The value of a hint in the newest row."""
        memory, n, field = self.executor.memory, len(self.graph), self.executor.spec.hint(name)
        if field in memory.pointers:
            return np.asarray(self.state.pointers[memory.pointers.index(field)])
        if field in memory.categories:
            return np.asarray(self.state.categories[memory.categories.index(field)])
        start = memory.node_fields.index(field) * n
        return as_array(self.state.fields[start : start + n], np.int32)

    def _node_rows(self, length: int) -> dict[str, np.ndarray]:
        """The node fields and stamps of all rows: the first row, and the sum of the changes since."""
        memory, n = self.executor.memory, len(self.graph)
        stamps = [rule.field for rule in self.executor.spec.stamps]
        first = np.concatenate(self._first_nodes).reshape(-1, n)
        changes = np.concatenate(self._changes)
        found = {}
        for place, field in enumerate((*memory.node_fields, *stamps)):
            values = np.zeros((length, n), np.int32)
            row, node, _, value = changes[changes[:, 2] == place].T
            order = np.argsort(node, kind="stable")  # by node, then by row
            row, node, value = row[order], node[order], value[order]
            again = np.concatenate([[False], node[1:] == node[:-1]])[: len(node)]
            before = np.where(again, np.concatenate([[0], value[:-1]])[: len(node)], first[place, node])
            values[0] = first[place]
            np.add.at(values, (row, node), value - before)
            found[field.name] = np.cumsum(values, 0, dtype=np.int32)
        return found


def _with_room(state: State) -> State:
    """Returns the same state with room for twice as many classes, sets and cells."""
    rounds = len(state.class_heard) // len(state.class_type)
    count = len(state.class_type)
    names = ("class_copy", "class_type", "class_slot", "class_tree", "class_size", "class_next", "class_back")
    larger = {name: enlarged(getattr(state, name), count) for name in names}
    larger |= {name: enlarged(getattr(state, name), len(getattr(state, name))) for name in ("trees", "free_trees", "cells")}
    larger["class_heard"] = enlarged(state.class_heard, count * rounds)
    if COMPILED:
        larger["class_hash"] = zeros(2 * len(state.class_hash), fill=-1)
    state = state._replace(**larger)
    if COMPILED:
        hash_classes(state)
    return state


def _with_copy(state: State) -> State:
    """Returns the same state with a copy for the graph's values, which is not up to date yet."""
    numbers = state.numbers
    n, copies = int(numbers[NODES]), len(state.heads)
    bits, rounds, orders = (int(numbers[which]) for which in (BITS, ROUNDS, ORDERS))
    sizes = {
        **{"heads": 1, "copy_types": n, "classes": n, "words": rounds * n, "counts": 2 * bits * rounds * n},
        **{"alls": rounds, "firsts": rounds * bits, "speakers": 2 * bits * rounds * orders * int(state.shape[0])},
        **{"order_firsts": rounds * orders * bits, "order_lasts": rounds * orders * bits},
    }
    fills = {"copy_types": -1, "classes": -1, "heads": -1, "firsts": n, "order_firsts": n + 1}
    larger = {name: enlarged(getattr(state, name), size, fills.get(name, 0)) for name, size in sizes.items()}
    larger["copy_log"] = enlarged(state.copy_log, 1, int(numbers[LOG]) - len(state.log) - 1)
    known, graph = len(state.copy_of), int(numbers[GRAPH])
    copy_of = enlarged(state.copy_of, max(0, graph + 1 - known), -1)
    copy_of[graph] = copies
    return state._replace(copy_of=copy_of, **larger)
