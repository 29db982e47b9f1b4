"""Traces: executions prepared for display, with the recorded execution of the classical algorithm for comparison."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from recursor.algorithms import find
from recursor.execution.execution import Execution
from recursor.graphs.graph import Graph
from recursor.recording.picture import Picture, listed, number_text
from recursor.spec import OPS, POP, PUSH, Field, Spec
from recursor.trace.lines import lines_of
from recursor.trace.source import source_of

NEAR = 0.005  # scalars that differ by less count as equal


@dataclass(frozen=True)
class Trace:
    """One execution and, as `truth`, the classical execution on the same graph (None if this is the classical one)."""

    label: str
    spec: Spec
    execution: Execution
    lines: np.ndarray
    truth: "Trace | None" = None

    @property
    def length_given(self) -> bool:
        """Whether the number of rows was given to the network, since it was not trained to halt."""
        return self.truth is not None and not self.spec.halts

    def __len__(self) -> int:
        return self.execution.steps

    @property
    def graph(self) -> Graph:
        return self.execution.graph

    @property
    def rows(self) -> Mapping[str, np.ndarray]:
        return self.execution.rows

    @property
    def outputs(self) -> Mapping[str, np.ndarray]:
        return self.execution.outputs

    @property
    def ops(self) -> np.ndarray:
        """The op of each row; empty if the view has no ops."""
        return self.execution.ops

    @property
    def halted(self) -> bool:
        return self.execution.halted

    @cached_property
    def stack(self) -> list[tuple[int, ...]]:
        """The call stack after each row, as the rows of the pushes; always empty if the view has no ops."""
        return self.execution.stack or [()] * len(self)

    @property
    def state(self) -> Field | None:
        """The node field that pictures show by shapes and colours: the first category, else the first mask."""
        fields = [field for field in self.spec.hints if field.place == "node" and field.name in self.rows]
        return next((f for kind in ("category", "mask") for f in fields if f.kind == kind), None)

    @cached_property
    def same(self) -> np.ndarray:
        """Whether each row equals the classical algorithm's, [rows]."""
        return _same(self, self.truth) if self.truth else np.ones(len(self), bool)

    @property
    def first_mistake(self) -> int | None:
        """The first row that differs from the classical algorithm's; None if all are equal."""
        return None if self.same.all() else int(self.same.argmin())

    @cached_property
    def right(self) -> bool:
        """Whether the outputs are a right answer: the classical one, or another that the algorithm accepts."""
        if not any(self.wrong_outputs().values()):
            return True
        valid = find(self.spec.algorithm).valid
        return valid is not None and bool(valid(self.graph, self.outputs))

    @cached_property
    def picture(self) -> Picture:
        """The picture of the answer. Outputs that are no answer, such as an order with a circle in it, have a sentence that
        says so."""
        try:
            return find(self.spec.algorithm).picture(self.graph, self.outputs)
        except ValueError as error:
            return Picture(str(error))

    def wrong_outputs(self) -> dict[str, list[int]]:
        """Returns for each output the nodes at which it differs from the classical output."""
        if not self.truth:
            return {}
        return {
            name: np.flatnonzero(np.atleast_1d(values != self.truth.outputs[name])).tolist()
            for name, values in self.outputs.items()
        }

    def correction(self) -> str:
        """Returns what is wrong in the answer: the right one in words, or what differs where both have the same words."""
        if not self.truth or self.right:
            return ""
        right = self.truth.picture
        if right.sentence != self.picture.sentence:
            return f"the right answer: {right.sentence}"
        arrow = "→" if right.arrows else "–"

        def edges(there: Picture, other: Picture) -> str:
            """Returns the edges of one picture that the other does not have."""
            return listed(f"{self.names[a]}{arrow}{self.names[b]}" for a, b in there.edges if (a, b) not in set(other.edges))

        if set(right.edges) != set(self.picture.edges):
            return f"it has {edges(self.picture, right)}; the right answer has {edges(right, self.picture)}"
        wrong = {name: nodes for name, nodes in self.wrong_outputs().items() if nodes}
        return "; ".join(f"{name} differs at {listed(self.names[node] for node in nodes)}" for name, nodes in wrong.items())

    @cached_property
    def names(self) -> list[str]:
        """What each node is called: by the owner, or by its number where nodes are bars."""
        if find(self.spec.algorithm).layout == "bars" and self.spec.compared:
            return [number_text(value) for value in self.graph.values[self.spec.compared[0].name].tolist()]
        return [str(name) for name in self.graph.names]

    def name(self, field: Field, value: float) -> str:
        """Returns a value as text, with the names of the graph's nodes."""
        if field.kind == "pointer":
            node = int(value)
            return self.names[node] if 0 <= node < len(self.graph) else "none"
        if field.kind == "scalar":
            return f"{value:.2f}"
        if field.name == "stack_op":
            return OPS[int(value)]
        return category(self.spec, field, int(value))

    def _text(self, field: Field, value: np.ndarray) -> str:
        """Returns a call's variable as text. A node field is shown as the set of nodes at which it is not zero."""
        if field.place == "graph":
            return self.name(field, float(value))
        return self._set(value)

    def _set(self, value: np.ndarray) -> str:
        return f"{{{', '.join(self.names[node] for node in np.flatnonzero(value).tolist())}}}"

    def call(self, row: int) -> str:
        """Returns the call that a row belongs to, such as visit(hall)."""
        function, parameters = source_of(find(self.spec.algorithm)).call(int(self.lines[row]))
        hints = {field.name: field for field in self.spec.hints}
        known = find(self.spec.algorithm).words.parameters
        values = []
        for parameter in parameters:
            masks = [self.rows[name][row] for name in known.get(parameter, ()) if name in self.rows]
            if masks:
                values.append(self._set(np.any(masks, 0)))
            elif parameter in hints and parameter in self.rows:
                values.append(self._text(hints[parameter], self.rows[parameter][row]))
        return f"{function or '?'}({', '.join(values)})" if values else function or "?"

    def running(self, row: int) -> str:
        """Returns the call that runs after a row: after a push the callee, after a pop the caller; empty if all returned."""
        if not len(self.ops) or self.ops[row] not in (PUSH, POP):
            return self.call(row)
        if self.ops[row] == POP:
            before = self.stack[row - 1] if row else ()
            return self.call(before[-1]) if before else ""
        callee = find(self.spec.algorithm).words.callee
        if callee in self.rows:
            argument = self.name(self.spec.hint(callee), self.rows[callee][row])
            return f"{self._callee_function(row)}({argument})"
        return self.call(row + 1) if row + 1 < len(self) else self.call(row).partition("(")[0]

    def _callee_function(self, row: int) -> str:
        """Returns the name of the function that a push row calls: that of the next row, unless this returns already."""
        there = row + 1 < len(self) and self.ops[row + 1] != POP
        return self.call(row + 1 if there else row).partition("(")[0]

    def verdict(self) -> tuple[str, str]:
        """Returns whether the execution is `right`, `near` (a right answer, although rows differ or it did not halt) or
        `wrong`, and why, in a sentence."""
        rows = f"{len(self)} rows" if len(self) > 1 else "1 row"
        told = f"was given the number of rows, {len(self)}"
        halt = (
            told if self.length_given else f"halted by itself after {rows}" if self.halted else f"did not halt within {rows}"
        )
        if not self.truth:
            return ("right" if self.halted else "near"), halt
        differing = int((~self.same).sum())
        other = any(self.wrong_outputs().values())
        if not differing and len(self) == len(self.truth) and not other:
            return ("right" if self.halted else "near"), f"{halt}; every row is the classical algorithm's"
        differ = f"{differing or 'no'} row{'s differ' if differing != 1 else ' differs'} from the classical algorithm's"
        if self.right:
            return "near", f"{halt}; the answer is right{', another than the classical one' if other else ''}, but {differ}"
        nodes = sum(map(len, self.wrong_outputs().values()))
        return "wrong", f"{halt}; the answer is wrong at {nodes} node{'s' if nodes > 1 else ''}; {differ}"

    def happening(self, row: int) -> str:
        """Returns a sentence that says what happens in a row."""
        if not len(self.ops):
            return f"{self.call(row)} takes a step"
        before = self.stack[row - 1] if row else ()
        if self.ops[row] == PUSH:
            callee = find(self.spec.algorithm).words.callee
            function = self._callee_function(row)
            if callee in self.rows:
                argument = self.name(self.spec.hint(callee), self.rows[callee][row])
                return f"{self.call(row)} calls {function}({argument})"
            return f"{self.call(row)} calls {self.running(row)}"
        if self.ops[row] == POP and find(self.spec.algorithm).pop_shows == "caller":
            callee = self.running(row - 1) if row else "a call"
            return f"{callee} returns" + (f" to {self.call(before[-1])}" if before else "; the stack is empty")
        if self.ops[row] == POP:
            return f"{self.call(row)} returns" + (f" to {self.call(before[-1])}" if before else "")
        return f"{self.call(row)} takes a step"


def category(spec: Spec, field: Field, value: int) -> str:
    """Returns the name of a value of a category or mask."""
    words = find(spec.algorithm).words.categories.get(field.name, ())
    if value < len(words):
        return words[value]
    return ("no", "yes")[value] if field.kind == "mask" and value in (0, 1) else str(value)


def recorded(spec: Spec, graph: Graph) -> Trace:
    """Returns the trace of the classical algorithm on a graph."""
    trajectory = find(spec.algorithm).record(graph).view(spec.view, halting=spec.halts)
    ops = trajectory.ops if spec.has_ops else np.zeros(0, np.int32)
    pops = int((ops == POP).sum() - (ops == PUSH).sum())  # a recorded stack is empty at the end
    execution = Execution(graph, trajectory.outputs, trajectory.hints, ops, True, len(trajectory), pops)
    return Trace("the classical algorithm", spec, execution, trajectory.lines)


def trace(execution: Execution, spec: Spec, label: str | os.PathLike = "the network") -> Trace:
    """Returns the trace of a reasoner's execution, with the classical one as `truth`. Refuses an execution without rows."""
    if not execution.rows:
        raise ValueError("this execution has no rows to show: run it with keep_rows=True")
    truth = recorded(spec, execution.graph)
    result = Trace(os.fspath(label), spec, execution, np.zeros(execution.steps, np.int32), truth)
    return replace(result, lines=lines_of(spec, result.rows, truth.rows, truth.lines, result.same))


def _same(one: Trace, other: Trace) -> np.ndarray:
    """Returns whether each row of one trace equals that of the other, [rows of one]."""
    same = np.zeros(len(one), bool)
    both = min(len(one), len(other))
    same[:both] = True
    for field in one.spec.hints:
        if field.name not in one.rows or field.name not in other.rows:
            continue
        a, b = one.rows[field.name][:both], other.rows[field.name][:both]
        equal = np.abs(a - b) < NEAR + NEAR * np.abs(b) if field.kind == "scalar" else a == b
        same[:both] &= equal.reshape(both, -1).all(1)
    return same


def first_difference(one: Trace, other: Trace) -> int | None:
    """Returns the first row in which two traces differ, or that only one of them has; None if they are equal."""
    same = _same(one, other)
    if not same.all():
        return int(same.argmin())
    return len(one) if len(other) > len(one) else None
