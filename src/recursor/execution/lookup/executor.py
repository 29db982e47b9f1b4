"""Executions of graphs by lookup."""

from collections.abc import Callable, Sequence

import numpy as np

from recursor.execution.execution import Execution
from recursor.execution.lookup.advance import advance
from recursor.execution.lookup.beginning import begin, describe_network
from recursor.execution.lookup.compiled import COMPILED
from recursor.execution.lookup.hearing import hash_classes
from recursor.execution.lookup.memory import SituationMemory
from recursor.execution.lookup.state import (
    ARRAYS,
    AT_CLASS_HASH,
    AT_COPY_OF,
    BITS,
    DONE,
    FIRST_UNVERIFIED,
    GRAPH,
    HALTED,
    KEPT,
    LENGTH,
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
    TREE_WORDS,
    UNDERFLOWS,
    Heap,
)
from recursor.graphs.graph import Graph
from recursor.spec import STACK_OP
from recursor.system.memory import SMALL, require_memory


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
        self.heap = begin(executor.memory, executor.network, graph, limit, keep_rows=keep_rows)
        memory = executor.memory
        self._width = len(memory.pointers) + len(memory.categories)
        self._first_nodes = np.concatenate([self.heap["fields"], self.heap["stamps"]]).reshape(-1, len(graph))
        self._rows: list[np.ndarray] = [np.concatenate([self.heap["pointers"], self.heap["categories"]])[None]]
        self._changes: list[np.ndarray] = []

    @property
    def steps(self) -> int:
        """The number of rows so far."""
        return int(self.heap.numbers[STEPS])

    def advance(self) -> bool:
        """Runs a piece; returns whether the execution is over."""
        memory, heap = self.executor.memory, self.heap
        while True:
            reason = advance(heap.numbers, memory.heap)
            if reason == MISSING:
                keys = heap.head("misses", 3 * int(heap.numbers[MISSES])).reshape(-1, 3).tolist()
                memory.grow([(table, a, b) for table, a, b in keys])
                heap.numbers[MISSES] = 0
            elif reason == NO_ROOM:
                _make_room(heap)
            elif reason == NEW_COPY:
                _add_copy(heap)
            elif reason == STACK_FULL:
                heap.enlarge({name: (heap.length(name), 0) for name in ("frames", "node_frames")})
            else:
                self._collect()
                return reason == DONE

    def _collect(self) -> None:
        """Takes the rows of a piece out of the heap."""
        heap = self.heap
        rows = heap.head("recorded", int(heap.numbers[RECORDED]) * self._width).reshape(-1, self._width)
        if not self.keep_rows:
            rows = rows[:, self._op : self._op + 1]
        self._rows.append(rows.astype(np.int32))
        if self.keep_rows:
            need = 8.0 * self.steps * len(self.graph) * max(1, len(self._first_nodes))
            if need > SMALL:
                what = f"keeping {self.steps} rows of {len(self.graph)} nodes"
                require_memory(need, what, "choose a smaller graph, or do not keep the rows")
            self._changes.append(heap.head("kept", 4 * int(heap.numbers[KEPT])).reshape(-1, 4))
        heap.numbers[RECORDED] = 0
        heap.numbers[KEPT] = 0

    @property
    def _op(self) -> int:
        """The column of the op among the graph fields."""
        memory = self.executor.memory
        names = [field.name for field in memory.categories]  # the field itself may be a latent one
        return len(memory.pointers) + names.index(STACK_OP.name)

    def result(self) -> Execution:
        """Returns the finished execution."""
        memory, spec, numbers = self.executor.memory, self.executor.spec, self.heap.numbers
        halted, bad = bool(numbers[HALTED]), int(numbers[FIRST_UNVERIFIED])
        rows: dict[str, np.ndarray] = {}
        if self.keep_rows:
            of_graph = np.concatenate(self._rows).astype(np.int32)
            columns = {field.name: place for place, field in enumerate((*memory.pointers, *memory.categories))}
            of_nodes = self._node_rows(len(of_graph))
            rows = {
                field.name: of_graph[:, columns[field.name]] if field.place == "graph" else of_nodes[field.name]
                for field in spec.hints
            }
            ops = of_graph[:, self._op]
        else:
            first = self._rows[0][:, self._op].astype(np.int32)
            ops = np.concatenate([first, *(part[:, 0] for part in self._rows[1:])])
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
        spec = self.executor.spec
        collected = self.heap["outputs"].reshape(-1, len(self.graph))
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
            return self.heap["pointers"][memory.pointers.index(field)]
        if field in memory.categories:
            return self.heap["categories"][memory.categories.index(field)]
        return self.heap["fields"].reshape(-1, n)[memory.node_fields.index(field)]

    def _node_rows(self, length: int) -> dict[str, np.ndarray]:
        """The node fields and stamps of all rows: the first row, and the sum of the changes since."""
        memory, n = self.executor.memory, len(self.graph)
        stamps = [rule.field for rule in self.executor.spec.stamps]
        first, changes = self._first_nodes, np.concatenate(self._changes)
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


def _make_room(heap: Heap) -> None:
    """Makes room for twice as many classes, sets and cells."""
    names = [name for name in ARRAYS if name.startswith("class_")]
    heap.enlarge({name: (heap.length(name), 0) for name in (*names, "trees", "free_trees", "cells")})
    start, length = heap.numbers[AT_CLASS_HASH], heap.numbers[AT_CLASS_HASH + LENGTH]
    if COMPILED:
        heap.numbers[start : start + length] = -1
        hash_classes(heap.numbers)


def _add_copy(heap: Heap) -> None:
    """Adds a copy for the graph's values, which is not up to date yet."""
    numbers = heap.numbers
    n, bits, rounds, orders, words = (int(numbers[which]) for which in (NODES, BITS, ROUNDS, ORDERS, TREE_WORDS))
    graph, copies, known = int(numbers[GRAPH]), heap.length("heads"), heap.length("copy_of")
    before_all = int(numbers[LOG]) - heap.length("log") - 1
    heap.enlarge(
        {
            "copy_of": (max(0, graph + 1 - known), -1),
            "copy_log": (1, before_all),
            "copy_types": (n, -1),
            "classes": (n, -1),
            "words": (rounds * n, 0),
            "counts": (2 * bits * rounds * n, 0),
            "heads": (1, -1),
            "firsts": (rounds * bits, n),
            "alls": (rounds, 0),
            "order_firsts": (rounds * orders * bits, n + 1),
            "order_lasts": (rounds * orders * bits, 0),
            "speakers": (2 * bits * rounds * orders * words, 0),
        }
    )
    heap.numbers[heap.numbers[AT_COPY_OF] + graph] = copies
