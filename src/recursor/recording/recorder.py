"""The recorder: plain recursion in, rows out.

An algorithm is an ordinary recursive Python function of a graph and a `Recorder`:

    def count(graph, record):
        (seen,) = record.nodes(seen=[0] * len(graph))    # shared state, one value a node: node fields

        @record.recursive                                # entering a call: a push row; returning from it: a pop row
        def visit(call, u):                              # call: this call's own variables, graph fields
            call.u = u
            seen[u] = 1
            record.step()                                # an explicit step: a noop row
            for v in graph.successors[u]:
                if not seen[v]:
                    visit(v)

        visit(0)

A push row shows the variables of the caller, which are what its frame has to keep. A pop row shows them again, and beside
them what the call returned (the fields `returns`, which are null or zero in every other row); or, where an algorithm says
so, it shows those of the call that returns. The outermost call has no caller: entering it records nothing, and its pop finds
the stack empty. Until a variable is set it is null or zero, but for a pointer that cannot be null.

A row is written as bytes; nothing is interpreted until a view asks for a field, and then for a whole batch of executions
at once (`rows.py`).
"""

import struct
import sys
from array import array
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from types import CodeType
from typing import Any

from recursor.recording.declaration import Declaration, typecode, unset_value
from recursor.spec import NOOP, POP, PUSH, Field


class Recorder:
    """Writes down the rows of one execution. See the module's text for how an algorithm uses it."""

    def __init__(self, algorithm: Declaration, nodes: int, *, most: int | None = None) -> None:
        """Keeps all rows, or as many as `most` and then ends the execution; 0 keeps none and ends nothing."""
        self._algorithm = algorithm
        self._nodes = nodes
        self._keeps_nothing = most == 0
        call_type, globals_type, read = algorithm.holders
        self._globals = shared = globals_type()
        marks, layout = algorithm.form(nodes)
        of_nodes = [field for field in algorithm.call if field.place == "node"]
        shared_bytes = sum(layout[field.name].itemsize for field in algorithm.state)
        self._state = state = bytearray(shared_bytes)  # the shared node fields as they are now
        self.rows: list[bytes] = []
        """What is written so far, each row as `Declaration.form` says."""
        keep_row, mark, frame = self.rows.append, marks.pack, sys._getframe
        self.outermost = current = call_type()

        def write(op: int, line: int, call: Any) -> None:
            try:
                keep_row(mark(op, line, *read(call, shared)) + state)
                if of_nodes:
                    self.rows[-1] += b"".join(_one_a_node(getattr(call, field.name), field, nodes) for field in of_nodes)
            except (AttributeError, TypeError, OverflowError, struct.error) as error:
                raise ValueError(
                    f"algorithm {algorithm.name!r}, line {line}: every row shows all the call's variables as numbers, "
                    f"but one has no value yet or is no number ({error})"
                ) from None

        def forget(op: int, line: int, call: Any) -> None:
            pass

        def write_some(op: int, line: int, call: Any) -> None:
            write(op, line, call)
            if len(self.rows) == most:
                raise EnoughRows

        row = write if most is None else write_some if most else forget

        def step() -> None:
            row(NOOP, frame(1).f_lineno, current)

        returns = [field.name for field in algorithm.returns]
        nothing = tuple(unset_value(field) for field in algorithm.returns)

        def show(call: Any, values: Any) -> None:
            if not isinstance(values, tuple) or len(values) != len(returns):
                raise ValueError(f"algorithm {algorithm.name!r}: every call returns {', '.join(returns)}, not {values!r}")
            for name, value in zip(returns, values, strict=True):
                setattr(call, name, value)

        def recursive(function: Callable, outermost: Any = current) -> Callable:
            last = _last_line(function.__code__)

            def enter_and_come_back(*arguments: Any) -> Any:
                nonlocal current
                caller = current
                if caller is not outermost:
                    row(PUSH, frame(1).f_lineno, caller)
                current = call_type()
                result = function(current, *arguments)
                current = caller
                if returns:
                    show(caller, result if len(returns) > 1 else (result,))
                row(POP, last, caller)
                if returns:
                    show(caller, nothing)
                return result

            def enter(*arguments: Any) -> Any:
                nonlocal current
                caller = current
                if caller is not outermost:
                    row(PUSH, frame(1).f_lineno, caller)
                current = call = call_type()
                result = function(call, *arguments)
                row(POP, last, call)
                current = caller
                return result

            return enter if algorithm.pop_shows == "callee" else enter_and_come_back

        self.step: Callable[[], None] = step
        """Records a noop row."""
        self._recursive = recursive

    def recursive(self, function: Callable) -> Callable:
        """Makes entering `function` a push row and returning from it a pop row; its first argument becomes the call."""
        return self._recursive(function)

    def nodes(self, **values: Sequence) -> tuple[memoryview, ...]:
        """Starts the node fields of the shared state: of each the first values, one a node. Returns what to read and
        write them by, which holds integers, or single-precision floats for a scalar field."""
        self._check(values, self._algorithm.state)
        views = {}
        start = 0
        for field in self._algorithm.state:
            first = memoryview(array(code := typecode(field, self._nodes), values[field.name]))
            if len(first) != self._nodes:
                raise ValueError(f"shared field {field.name!r} needs {self._nodes} values, one a node, not {len(first)}")
            views[field.name] = memoryview(self._state)[start : start + first.nbytes].cast(code)
            views[field.name][:] = first
            start += first.nbytes
        return tuple(views[name] for name in values)

    def mask(self, nodes: Iterable[int]) -> Sequence[int] | None:
        """Makes a node mask of a call's variable, 1 at these nodes. Returns None where no row is kept, since nobody would
        read it."""
        if self._keeps_nothing:
            return None
        values = array("B", bytes(self._nodes))
        for node in nodes:
            values[node] = 1
        return values

    def graph(self, **values: Any) -> Any:
        """Starts the graph fields of the shared state with their first values; returns the object that holds them."""
        self._check(values, self._algorithm.globals)
        for name, value in values.items():
            setattr(self._globals, name, value)
        return self._globals

    def _check(self, given: Iterable[str], declared: Sequence[Field]) -> None:
        names = [field.name for field in declared]
        if set(given) != set(names):
            raise ValueError(
                f"algorithm {self._algorithm.name!r} declares {', '.join(names) or 'nothing'} as such shared fields, "
                f"but starts with {', '.join(given) or 'nothing'}"
            )


def _one_a_node(values: Sequence | None, field: Field, nodes: int) -> bytes:
    """A call's variable that has a value for every node; zeros if it is not set."""
    written = array(typecode(field, nodes), values if values is not None else [0] * nodes)
    if len(written) != nodes:
        raise struct.error(f"a value for each of {nodes} nodes is needed, not {len(written)}")
    return written.tobytes()


class EnoughRows(Exception):  # noqa: N818 (it is no error)
    """Ends an execution of which enough rows are recorded."""


@cache
def _last_line(code: CodeType) -> int:
    return max(line for _, _, line in code.co_lines() if line)
