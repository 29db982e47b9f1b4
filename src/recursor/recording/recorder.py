"""The recorder: runs a plain recursive function and records its rows.

An algorithm is an ordinary recursive Python function of a graph and a `Recorder`, whose docstring has an example.

A push row shows the variables of the caller, which its frame has to save. A pop row shows the caller's variables again,
together with the values that the call returned (the fields `returns`, which are null or zero in every other row). If the
algorithm declares `pop_shows="callee"`, a pop row shows the variables of the returning call instead. The outermost call has
no caller: entering it records no row, and its pop finds the stack empty. A variable that is not set yet is null or zero; a
pointer that cannot be null must be set before the first row.

A loop is a *tail call*, the last thing that a call does: `return record.tail(visit, v)`. It needs no frame, because nothing
is left to do in the caller. So it records no push and no pop: the variables of the callee replace those of the caller, and
the next rows are the callee's own. Python's stack stays as flat as the recorded one.

A row is stored as bytes. They are decoded when a view needs a field, for a whole batch of executions at once (`rows.py`).
"""

import struct
import sys
from array import array
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from types import CodeType
from typing import Any, NamedTuple

from recursor.recording.declaration import Declaration, typecode, unset_value
from recursor.spec import NOOP, POP, PUSH, Field


class TailCall(NamedTuple):
    """A call that replaces the one that returns it."""

    function: Callable
    arguments: tuple


class Recorder:
    """Records the rows of one execution.

    Recursor makes the recorder, and calls an algorithm's function with a graph and it.

    Example:
        >>> def count(graph, record):
        ...     (seen,) = record.nodes(seen=[0] * len(graph))  # one value for each node
        ...
        ...     @record.recursive  # entering a call records a push row, returning from it a pop row
        ...     def visit(call, u):
        ...         call.u, seen[u] = u, 1
        ...         record.step()  # a row in which the op is noop
        ...         for v in graph.successors[u]:
        ...             if not seen[v]:
        ...                 visit(v)
        ...
        ...     visit(0)
        ...     return {"reached": list(seen)}
    """

    def __init__(self, algorithm: Declaration, nodes: int, *, most: int | None = None) -> None:
        """Records all rows if `most` is None; otherwise stops the execution after `most` rows. With `most` = 0 it records no
        row and does not stop the execution."""
        self._algorithm = algorithm
        self._nodes = nodes
        self._only_counts = most == 0
        call_type, globals_type, read = algorithm.holders
        self._globals = shared = globals_type()
        first_part, layout = algorithm.form(nodes)
        call_node_fields = [field for field in algorithm.call if field.place == "node"]
        shared_bytes = sum(layout[field.name].itemsize for field in algorithm.state)
        self._state = state = bytearray(shared_bytes)  # current values of the shared node fields
        self.rows: list[bytes] = []
        """The rows so far, in the layout of `Declaration.form`."""
        keep_row, pack, frame = self.rows.append, first_part.pack, sys._getframe
        self.outermost = current = call_type()  # `current`: the variables of the call that runs now

        # The functions below are closures: every row calls them, and they need no attribute of the recorder.

        def write(op: int, line: int, call: Any) -> None:
            try:
                keep_row(pack(op, line, *read(call, shared)) + state)
                if call_node_fields:
                    self.rows[-1] += b"".join(
                        _node_bytes(getattr(call, field.name), field, nodes) for field in call_node_fields
                    )
            except (AttributeError, TypeError, OverflowError, struct.error) as error:
                raise ValueError(
                    f"algorithm {algorithm.name!r}, line {line}: every row shows all the call's variables as numbers, "
                    f"but one has no value yet or is not a number ({error})"
                ) from None

        self.count = 0
        """The number of rows so far, if rows are only counted (`most` = 0)."""

        def count_row(op: int, line: int, call: Any) -> None:
            self.count += 1

        def write_and_stop(op: int, line: int, call: Any) -> None:
            write(op, line, call)
            if len(self.rows) == most:
                raise EnoughRows

        record_row = write if most is None else write_and_stop if most else count_row

        def step() -> None:
            record_row(NOOP, frame(1).f_lineno, current)

        returns = [field.name for field in algorithm.returns]
        unset_returns = tuple(unset_value(field) for field in algorithm.returns)

        def set_returns(call: Any, values: Any) -> None:
            if not isinstance(values, tuple) or len(values) != len(returns):
                raise ValueError(
                    f"algorithm {algorithm.name!r}: every call must return {', '.join(returns)}, not {values!r}"
                )
            for name, value in zip(returns, values, strict=True):
                setattr(call, name, value)

        functions: dict[
            Callable, tuple[Callable, int]
        ] = {}  # from a decorated function to the original one and its last line

        def run(function: Callable, last: int, arguments: tuple) -> tuple[Any, Any, int]:
            """Runs a call and the tail calls that replace it. Returns the result, the last of these calls, and the last
            line of its function."""
            nonlocal current
            while True:
                current = call = call_type()
                result = function(call, *arguments)
                if type(result) is not TailCall:
                    return result, call, last
                (function, last), arguments = functions[result.function], result.arguments

        def recursive(function: Callable, outermost: Any = current) -> Callable:
            last = _last_line(function.__code__)

            def call_and_show_caller(*arguments: Any) -> Any:
                nonlocal current
                caller = current
                if caller is not outermost:
                    record_row(PUSH, frame(1).f_lineno, caller)
                result, _, line = run(function, last, arguments)
                current = caller
                if returns:
                    set_returns(caller, result if len(returns) > 1 else (result,))
                record_row(POP, line, caller)
                if returns:
                    set_returns(caller, unset_returns)
                return result

            def call_and_show_callee(*arguments: Any) -> Any:
                nonlocal current
                caller = current
                if caller is not outermost:
                    record_row(PUSH, frame(1).f_lineno, caller)
                result, call, line = run(function, last, arguments)
                record_row(POP, line, call)
                current = caller
                return result

            wrapper = call_and_show_callee if algorithm.pop_shows == "callee" else call_and_show_caller
            functions[wrapper] = function, last
            return wrapper

        self.step: Callable[[], None] = step
        """Records a noop row."""
        self._recursive, self._functions = recursive, functions

    def recursive(self, function: Callable) -> Callable:
        """Decorates a recursive function: entering it records a push row, returning from it a pop row.

        Args:
            function: The function. Its first argument is the call, which holds its variables as attributes.

        Returns:
            The function, to be called without that argument.
        """
        return self._recursive(function)

    def tail(self, function: Callable, *arguments: Any) -> TailCall:
        """Returns a tail call, which replaces the call that returns it, without a push or a pop.

        Args:
            function: A function that was decorated with `recursive`.
            arguments: Its arguments.

        Raises:
            ValueError: If it is another function.
        """
        if function not in self._functions:
            raise ValueError(
                f"algorithm {self._algorithm.name!r}: record.tail needs a @record.recursive function, not {function}"
            )
        return TailCall(function, arguments)

    def nodes(self, **values: Sequence) -> tuple[memoryview, ...]:
        """Initialises the node fields of the shared state.

        Args:
            values: For each field its values, one per node.

        Returns:
            Views through which the algorithm reads and writes them: integers, or single-precision floats for a scalar field.
        """
        self._check(values, self._algorithm.state)
        views = {}
        start = 0
        for field in self._algorithm.state:
            first = memoryview(array(code := typecode(field, self._nodes), values[field.name]))
            if len(first) != self._nodes:
                raise ValueError(f"shared field {field.name!r} needs {self._nodes} values, one per node, not {len(first)}")
            views[field.name] = memoryview(self._state)[start : start + first.nbytes].cast(code)
            views[field.name][:] = first
            start += first.nbytes
        return tuple(views[name] for name in values)

    def mask(self, nodes: Iterable[int]) -> Sequence[int] | None:
        """Returns a node mask for a call's variable, which is 1 at these nodes. Returns None if rows are only counted,
        because the mask is then not needed."""
        if self._only_counts:
            return None
        values = array("B", bytes(self._nodes))
        for node in nodes:
            values[node] = 1
        return values

    def graph(self, **values: Any) -> Any:
        """Initialises the graph fields of the shared state. Returns the object that holds them."""
        self._check(values, self._algorithm.globals)
        for name, value in values.items():
            setattr(self._globals, name, value)
        return self._globals

    def _check(self, given: Iterable[str], declared: Sequence[Field]) -> None:
        names = [field.name for field in declared]
        if set(given) != set(names):
            raise ValueError(
                f"algorithm {self._algorithm.name!r} declares the shared fields {', '.join(names) or 'none'}, "
                f"but initialises {', '.join(given) or 'none'}"
            )


def _node_bytes(values: Sequence | None, field: Field, nodes: int) -> bytes:
    """Returns the bytes of a call's node field; zeros if it is not set."""
    node_values = array(typecode(field, nodes), values if values is not None else [0] * nodes)
    if len(node_values) != nodes:
        raise struct.error(f"a value for each of {nodes} nodes is needed, not {len(node_values)}")
    return node_values.tobytes()


class EnoughRows(Exception):  # noqa: N818 (it is no error)
    """Stops an execution once enough rows are recorded."""


@cache
def _last_line(code: CodeType) -> int:
    """Returns the last source line of a function, which the pop row of its calls shows."""
    return max(line for _, _, line in code.co_lines() if line)
