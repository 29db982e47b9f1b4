"""Executions of graphs by lookup."""

from collections.abc import Callable, Sequence

import numpy as np

from recursor.execution.execution import Execution
from recursor.execution.lookup.advance import advance
from recursor.execution.lookup.beginning import begin, copy_arrays
from recursor.execution.lookup.compiled import can_compile, compiled
from recursor.execution.lookup.heap import Heap
from recursor.execution.lookup.memory import SituationMemory
from recursor.execution.lookup.network import describe_network
from recursor.execution.lookup.state import (
    ARRAYS,
    AT_COPY_LOG,
    AT_COPY_OF,
    BITS,
    COPIES,
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
    TREE_WORDS,
    UNDERFLOWS,
    WORK,
)
from recursor.graphs.graph import Graph
from recursor.spec import STACK_OP
from recursor.system.memory import SMALL, require_memory

TOGETHER = 2**18
"""Nodes and edges of the graphs that are executed together, at most."""
SHORT_SIZE, SHORT_ROWS = 1024, 1024
"""Nodes and edges of a graph, and rows of all executions so far, that plain Python is done with before compiled programs are
loaded, let alone made."""


class LookupExecutor:
    """Runs a reasoner with finitely many situations, graph after graph. Its memory grows with what it meets.

    It begins in plain Python. Once it has more to do, it goes on with compiled functions, if there are such.
    """

    def __init__(self, memory: SituationMemory) -> None:
        self.memory, self.network = memory, describe_network(memory)
        self.spec = memory.tables.spec
        self.advance = advance
        """The function that runs rows, compiled or not."""
        self.short_rows = SHORT_ROWS
        """Rows that are run in plain Python, about."""
        self._rows = 0
        """How many were."""

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
        if max(map(_size, graphs), default=0) > SHORT_SIZE:
            self._compile([])
        results, waiting = [], list(zip(graphs, limits, strict=True))[::-1]
        while waiting:
            started: list[_Execution] = []
            size = 0
            while waiting and (not started or size + _size(waiting[-1][0]) <= TOGETHER):
                graph, limit = waiting.pop()
                started.append(_Execution(self, graph, limit, keep_rows))
                size += _size(graph)
            self._finish(started, progress)
            results += [execution.result() for execution in started]
        return results

    def _finish(self, executions: Sequence["_Execution"], progress: Callable[[int], None]) -> None:
        """Runs executions to their ends. They take turns, so that the network computes what all of them miss at once."""
        running = executions
        while running:
            if self._rows > self.short_rows:
                self._compile(running)
            misses: set[tuple[int, int, int]] = set()
            for execution in running:
                before = execution.steps
                execution.advance()
                self._rows += execution.steps - before
                misses |= execution.take_misses()
            if misses:
                self.memory.grow(misses)
            progress(max(execution.steps for execution in executions))
            running = [execution for execution in running if not execution.over]

    def _compile(self, running: Sequence["_Execution"]) -> None:
        """Goes on with compiled functions, if there are such."""
        if self.memory.is_compiled or not can_compile():
            return
        self.memory.compile()
        self.advance = compiled(advance)
        for execution in running:
            execution.heap.compile()


def _size(graph: Graph) -> int:
    return len(graph) + len(graph.senders)


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
        self.over = False
        """Whether it halted, or reached its limit."""

    @property
    def steps(self) -> int:
        """The number of rows so far."""
        return int(self.heap.numbers[STEPS])

    def advance(self) -> None:
        """Runs rows until the execution is over, a piece is full, or the memory misses something."""
        heap = self.heap
        while True:
            reason = self.executor.advance(heap.numbers, self.executor.memory.heap)
            if reason == NO_ROOM:
                _make_room(heap)
            elif reason == NEW_COPY:
                _add_copy(heap)
            elif reason == STACK_FULL:
                heap.enlarge({name: (heap.length(name), 0) for name in ("frames", "node_frames")})
            elif reason == MISSING:
                return
            else:
                self._collect()
                self.over = reason == DONE
                return

    def take_misses(self) -> set[tuple[int, int, int]]:
        """Returns the tables and keys that the memory misses, once."""
        heap = self.heap
        keys = heap.head("misses", 3 * int(heap.numbers[MISSES])).reshape(-1, 3).tolist()
        heap.numbers[MISSES] = 0
        return {(table, a, b) for table, a, b in keys}

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
        heap.numbers[WORK] = 0

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
                if rule.output == field.name and rule.at is None and rule.value is not None:
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
    heap.hash_classes()


def _add_copy(heap: Heap) -> None:
    """Adds a copy for the graph's values, which is not up to date yet."""
    sizes = [int(heap.numbers[which]) for which in (NODES, BITS, ROUNDS, ORDERS, TREE_WORDS)]
    graph, copies = int(heap.numbers[GRAPH]), int(heap.numbers[COPIES])
    longer = {"copy_of": (max(0, graph + 1 - heap.length("copy_of")), -1)}
    if copies == heap.length("heads"):
        longer |= copy_arrays(*sizes)
    heap.enlarge(longer)
    numbers = heap.numbers
    numbers[COPIES] = copies + 1
    numbers[numbers[AT_COPY_OF] + graph] = copies
    numbers[numbers[AT_COPY_LOG] + copies] = numbers[LOG] - heap.length("log") - 1  # before all that the log holds
