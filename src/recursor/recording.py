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

import dataclasses
import struct
import sys
import threading
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property
from struct import Struct
from types import CodeType
from typing import Any, Literal

import numpy as np

from recursor.graphs import INPUTS, TEST, TRAIN, Graph, lacks
from recursor.rows import Recording, Rows
from recursor.spec import DONE, NOOP, POP, PUSH, STACK_OP, Collect, Field, Spec, Stamp, by_name

Typecode = Literal["f", "B", "b", "h", "i"]


def typecode(field: Field, nodes: int) -> Typecode:
    """How a value is written, on a graph of that many nodes: in as few bytes as hold it, since every row is a copy."""
    match field.kind:
        case "scalar":
            return "f"
        case "pointer" | "stamp":
            return "b" if nodes <= 2**7 else "h" if nodes <= 2**15 else "i"
        case "mask" | "category":
            return "B"


class Recorder:
    """Writes down the rows of one execution. See the module's text for how an algorithm uses it."""

    def __init__(self, algorithm: "Algorithm", nodes: int, *, most: int | None = None) -> None:
        """Keeps all rows, or as many as `most` and then ends the execution; 0 keeps none and ends nothing."""
        self._algorithm = algorithm
        self._nodes = nodes
        call_type, globals_type, read = algorithm.holders
        self._globals = shared = globals_type()
        marks, layout = algorithm.form(nodes)
        of_nodes = [field for field in algorithm.call if field.place == "node"]
        shared_bytes = sum(layout[field.name].itemsize for field in algorithm.state)
        self._state = state = bytearray(shared_bytes)  # the shared node fields as they are now
        self.rows: list[bytes] = []
        """What is written so far, each row as `Algorithm.form` says."""
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
                raise _EnoughRows

        row = write if most is None else write_some if most else forget

        def step() -> None:
            row(NOOP, frame(1).f_lineno, current)

        returns = [field.name for field in algorithm.returns]
        nothing = tuple(_nothing(field) for field in algorithm.returns)

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


class _EnoughRows(Exception):  # noqa: N818 (it is no error)
    pass


def _nothing(field: Field) -> int:
    """The value of a variable that is not set."""
    return -1 if field.null else 0


@cache
def _last_line(code: CodeType) -> int:
    return max(line for _, _, line in code.co_lines() if line)


@dataclass(frozen=True)
class Algorithm:
    """A recursive function and the declaration of what of it is recorded.

    `shared` are the node and graph fields of the shared state, `call` those of a call's own variables, `returns` the graph
    fields of what it returns, `derived` fields that follow from these, `stamps` those that tell when nodes were first named;
    `views` names, for each view, the fields that are its hints. The stack op and the mark of the last row (`stack_op`,
    `done`) are there for every algorithm. `inputs` are those that every graph has, by name, or fields of its `values`.
    Graphs are drawn from `train` and `test`; `unfit` says in words what a graph would have to be and is not. An execution
    takes at most `most_rows` rows, a generous function of the number of nodes: where a network that does not halt is
    stopped.
    """

    name: str
    function: Callable[[Graph, Recorder], Mapping[str, Any]]
    inputs: tuple[str | Field, ...]
    shared: tuple[Field, ...]
    call: tuple[Field, ...]
    outputs: tuple[Field, ...]
    collect: tuple[Collect, ...]
    views: Mapping[str, Sequence[str]]
    derived: Mapping[Field, Callable[[Rows], np.ndarray]] = dataclasses.field(default_factory=dict)
    returns: tuple[Field, ...] = ()
    stamps: tuple[Stamp, ...] = ()
    pop_shows: Literal["caller", "callee"] = "caller"
    train: Callable[[np.random.Generator, int], Graph] = TRAIN
    test: Callable[[np.random.Generator, int], Graph] = TEST
    most_rows: Callable[[int], int] = lambda nodes: 100 + 10 * nodes
    unfit: Callable[[Graph], str] = lambda graph: ""

    def __post_init__(self) -> None:
        for field in self.call:
            if field.place == "edge" or (field.place, field.kind) == ("node", "pointer"):
                raise ValueError(
                    f"{field.name!r} of {self.name!r}: a call's variables are graph fields, or masks, categories or scalars "
                    f"of the nodes, not a {field.place} {field.kind}"
                )
        if self.returns and self.pop_shows == "callee":
            raise ValueError(f"{self.name!r} shows what a call returns beside its caller, so its pop_shows is 'caller'")
        for field in self.outputs:
            if field.kind in ("scalar", "stamp"):
                raise ValueError(f"{field.name!r} of {self.name!r}: an output is right or wrong, so it is no {field.kind}")
        for rule in self.collect:
            if rule.output not in [field.name for field in self.outputs]:
                raise ValueError(f"{self.name!r} collects {rule.output!r}, which is none of its outputs")
            for name in filter(None, (rule.at, rule.value)):
                if name not in self.fields:
                    raise ValueError(
                        f"{self.name!r} collects {rule.output!r} from {name!r}, which is none of {', '.join(self.fields)}"
                    )
        for view, names in self.views.items():
            for name in names:
                if name not in self.fields:
                    raise ValueError(
                        f"view {view!r} of {self.name!r} shows {name!r}, which is none of {', '.join(self.fields)}"
                    )

    @cached_property
    def fields(self) -> dict[str, Field]:
        """All that can be a hint."""
        return by_name(
            [*self.shared, *self.call, *self.returns, *self.derived, *(rule.field for rule in self.stamps), STACK_OP, DONE]
        )

    @cached_property
    def globals(self) -> tuple[Field, ...]:
        """The graph fields of the shared state."""
        return tuple(field for field in self.shared if field.place == "graph")

    @cached_property
    def state(self) -> tuple[Field, ...]:
        """The node fields of the shared state."""
        return tuple(field for field in self.shared if field.place == "node")

    def form(self, nodes: int) -> tuple[Struct, np.dtype]:
        """How a row is written on a graph of that many nodes: its beginning (the op, the source line, the call's variables,
        the shared graph fields), and the whole of it, with the node fields of the shared state and of the call."""
        if nodes not in self._forms:
            graph_fields = [(field.name, typecode(field, nodes)) for field in (*self._singles, *self.returns, *self.globals)]
            of_call = [field for field in self.call if field.place == "node"]
            node_fields = [(field.name, typecode(field, nodes), (nodes,)) for field in (*self.state, *of_call)]
            self._forms[nodes] = (
                Struct("=Bi" + "".join(code for _, code in graph_fields)),
                np.dtype([("stack_op", "B"), ("line", "i"), *graph_fields, *node_fields]),
            )
        return self._forms[nodes]

    @cached_property
    def _singles(self) -> list[Field]:
        """The call's variables that are graph fields."""
        return [field for field in self.call if field.place == "graph"]

    @cached_property
    def _forms(self) -> dict[int, tuple[Struct, np.dtype]]:
        return {}

    @cached_property
    def holders(self) -> tuple[type, type, Callable[[Any, Any], tuple]]:
        """The type that holds a call's variables, the type that holds the shared graph fields, and a function that reads
        them all, which is compiled like a named tuple's, since every row calls it."""
        of_call = (*self._singles, *self.returns)
        call, shared = ([field.name for field in fields] for fields in (of_call, self.globals))
        of_nodes = [field.name for field in self.call if field.place == "node"]
        values = "".join(f"{holder}.{name}, " for holder, names in (("call", call), ("shared", shared)) for name in names)
        read = eval(f"lambda call, shared: ({values})", {})
        unset = {field.name: _nothing(field) for field in of_call if field.null or field.kind != "pointer"}
        unset |= dict.fromkeys(of_nodes)

        def start(call: Any) -> None:
            for name, value in unset.items():
                setattr(call, name, value)

        kind = type("Call", (), {"__slots__": [*call, *of_nodes]} | ({"__init__": start} if unset else {}))
        return kind, type("Shared", (), {"__slots__": shared}), read

    @cached_property
    def specs(self) -> dict[str, Spec]:
        """The fields of each view. Outputs are collected where the view shows what they are collected from."""
        own = [*self.call, *(field for field in self.derived if field.place == "graph")]
        return {
            view: Spec(
                self.name,
                view,
                tuple(name if isinstance(name, Field) else INPUTS[name] for name in self.inputs),
                tuple(self.fields[name] for name in names),
                self.outputs,
                tuple(rule for rule in self.collect if rule.at in (None, *names) and rule.value in names),
                tuple(name for name in names if self.fields[name] in own),
                tuple(rule for rule in self.stamps if rule.field.name in names),
            )
            for view, names in self.views.items()
        }

    @property
    def exact_view(self) -> str:
        """The view that exact networks see: `discrete`, or the first."""
        return "discrete" if "discrete" in self.views else next(iter(self.views))

    def spec(self, view: str) -> Spec:
        """The fields of one view."""
        if view not in self.views:
            raise ValueError(f"{self.name!r} has no view {view!r}; its views are {', '.join(self.views)}")
        return self.specs[view]

    def check(self, graph: Graph) -> None:
        """Refuses a graph that the algorithm is not for."""
        fields = (field for field in self.inputs if isinstance(field, Field))
        missing = self.unfit(graph) or next(filter(None, (lacks(graph, field) for field in fields)), "")
        if missing:
            raise ValueError(f"{self.name} needs {missing}; this graph is not fit for it")

    def record(self, graph: Graph) -> Recording:
        """Runs the algorithm on a graph and writes down its rows."""
        self.check(graph)
        recorder = Recorder(self, len(graph))
        outputs = _with_room(len(graph), lambda: self.function(graph, recorder))
        rows = recorder.rows
        if not rows:
            raise ValueError(f"algorithm {self.name!r} recorded no row")
        missing = [field.name for field in self.outputs if field.name not in (outputs or ())]
        if missing:
            raise ValueError(f"algorithm {self.name!r} declares the output {missing[0]!r}, but its function returns none")
        return Recording(self, graph, rows, outputs)

    def first_row(self, graph: Graph) -> Recording:
        """Row 0 alone, which follows from the inputs."""
        self.check(graph)
        recorder = Recorder(self, len(graph), most=1)
        with suppress(_EnoughRows):
            self.function(graph, recorder)
        return Recording(self, graph, recorder.rows, {})

    def run(self, graph: Graph) -> dict[str, np.ndarray]:
        """The classical answer alone: no row is kept, so that graphs can be large."""
        self.check(graph)
        recorder = Recorder(self, len(graph), most=0)
        outputs = _with_room(len(graph), lambda: self.function(graph, recorder))
        return {field.name: np.array(outputs[field.name], field.dtype) for field in self.outputs}


def _with_room(depth: int, run: Callable[[], Any]) -> Any:
    """Calls `run`, which may recurse `depth` deep, with stack enough for it."""
    if depth <= 100:
        return run()
    sys.setrecursionlimit(max(sys.getrecursionlimit(), 3 * depth + 1000))
    if depth <= 1000:
        return run()
    result: list[Any] = []
    failure: list[BaseException] = []

    def guarded() -> None:
        try:
            result.append(run())
        except BaseException as error:  # handed over to the thread that waits
            failure.append(error)

    before = threading.stack_size(min(64 * 1024 * 1024 + depth * 4096, 2**31 - 2**20))
    try:
        thread = threading.Thread(target=guarded)
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    if failure:
        raise failure[0]
    return result[0]
