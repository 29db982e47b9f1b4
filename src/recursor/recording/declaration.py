"""The declaration of an algorithm: its fields, the layout of a recorded row, and its views."""

import dataclasses
from abc import ABC
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from struct import Struct
from typing import Any, Literal, Protocol

import numpy as np

from recursor.graphs.inputs import INPUTS
from recursor.spec import DONE, STACK_OP, Collect, Field, Spec, Stamp, by_name

Typecode = Literal["f", "B", "b", "h", "i"]


def typecode(field: Field, nodes: int) -> Typecode:
    """Returns the type code of a field's values, for a graph with this many nodes: the smallest type that fits."""
    match field.kind:
        case "scalar":
            return "f"
        case "pointer" | "stamp":
            return "b" if nodes <= 2**7 else "h" if nodes <= 2**15 else "i"
        case "mask" | "category":
            return "B"


def unset_value(field: Field) -> int:
    """Returns the value of a variable that is not set."""
    return -1 if field.null else 0


class RowValues(Protocol):
    """The rows of several executions, from which a derived field is computed. `values[name]` are the values of a field."""

    sizes: np.ndarray
    """The number of nodes of each graph, [batch]."""

    @property
    def ops(self) -> np.ndarray:
        """The op of each row, [batch, rows]."""
        ...

    def __getitem__(self, name: str) -> np.ndarray: ...

    def at(self, name: str, pointer: str) -> np.ndarray:
        """Returns a node field's value at the node that a graph pointer names, [batch, rows]."""
        ...


@dataclass(frozen=True, kw_only=True)
class Declaration(ABC):
    """The fields of an algorithm. `Algorithm` adds the function that is recorded.

    `shared`: the node and graph fields of the shared state. `call`: a call's own variables. `returns`: the graph fields that
    a call returns. `derived`: fields that are computed from these. `stamps`: the row in which each node was first named.
    `views`: for each view, the names of the fields that are its hints. `inputs`: input fields that every graph has, by name,
    or fields of the graph's `values`. Every algorithm also has the stack op, `stack_op`, and the mark of the last row,
    `done`.
    """

    name: str
    inputs: tuple[str | Field, ...]
    shared: tuple[Field, ...]
    call: tuple[Field, ...]
    outputs: tuple[Field, ...]
    collect: tuple[Collect, ...]
    views: Mapping[str, Sequence[str]]
    derived: Mapping[Field, Callable[[RowValues], np.ndarray]] = dataclasses.field(default_factory=dict)
    returns: tuple[Field, ...] = ()
    stamps: tuple[Stamp, ...] = ()
    pop_shows: Literal["caller", "callee"] = "caller"

    def __post_init__(self) -> None:
        for field in self.call:
            if field.place == "edge" or (field.place, field.kind) == ("node", "pointer"):
                raise ValueError(
                    f"{field.name!r} of {self.name!r}: a call's variables are graph fields, or masks, categories or scalars "
                    f"of the nodes, not a {field.place} {field.kind}"
                )
        if self.returns and self.pop_shows == "callee":
            raise ValueError(f"{self.name!r} shows what a call returns, so its pop_shows must be 'caller'")
        for field in self.outputs:
            if field.kind in ("scalar", "stamp"):
                raise ValueError(
                    f"{field.name!r} of {self.name!r}: an output is either right or wrong, so it cannot be a {field.kind}"
                )
        for rule in self.collect:
            if rule.output not in [field.name for field in self.outputs]:
                raise ValueError(f"{self.name!r} collects {rule.output!r}, which is not one of its outputs")
            output = next(field for field in self.outputs if field.name == rule.output)
            if rule.value is None and (rule.at is None or (output.place, output.kind) != ("node", "mask")):
                raise ValueError(
                    f"{self.name!r} collects {rule.output!r} without a value, which a pointer's set of nodes does: it needs "
                    f"`at`, and an output that is a mask of the nodes, not a {output.place} {output.kind}"
                )
            for name in filter(None, (rule.at, rule.value)):
                if name not in self.fields:
                    raise ValueError(
                        f"{self.name!r} collects {rule.output!r} from {name!r}, which is not one of {', '.join(self.fields)}"
                    )
        for view, names in self.views.items():
            for name in names:
                if name not in self.fields:
                    raise ValueError(
                        f"view {view!r} of {self.name!r} shows {name!r}, which is not one of {', '.join(self.fields)}"
                    )

    @cached_property
    def fields(self) -> dict[str, Field]:
        """All fields that can be hints, by name."""
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
        """Returns the layout of a row for a graph with this many nodes: the struct of its first part (op, source line, the
        call's variables, shared graph fields), and the dtype of the whole row, which ends with the node fields."""
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
        """The class of a call's variables, the class of the shared graph fields, and a function that reads all of them. The
        function is compiled from source, like a named tuple's, since every row calls it."""
        of_call = (*self._singles, *self.returns)
        call, shared = ([field.name for field in fields] for fields in (of_call, self.globals))
        of_nodes = [field.name for field in self.call if field.place == "node"]
        values = "".join(f"{holder}.{name}, " for holder, names in (("call", call), ("shared", shared)) for name in names)
        read = eval(f"lambda call, shared: ({values})", {})
        unset = {field.name: unset_value(field) for field in of_call if field.null or field.kind != "pointer"}
        unset |= dict.fromkeys(of_nodes)

        def start(call: Any) -> None:
            for name, value in unset.items():
                setattr(call, name, value)

        kind = type("Call", (), {"__slots__": [*call, *of_nodes]} | ({"__init__": start} if unset else {}))
        return kind, type("Shared", (), {"__slots__": shared}), read

    @cached_property
    def specs(self) -> dict[str, Spec]:
        """The spec of each view. A rule of `collect` applies if the view shows the hints that it needs. Each view that shows
        the op is also there without it: `discrete-no-op` beside `discrete`."""
        own = [*self.call, *(field for field in self.derived if field.place == "graph")]
        views = {view: [*names] for view, names in self.views.items()}
        for view, names in self.views.items():
            if STACK_OP.name in names:
                views.setdefault(f"{view}-no-op", [name for name in names if name != STACK_OP.name])
        return {
            view: Spec(
                self.name,
                view,
                tuple(name if isinstance(name, Field) else INPUTS[name] for name in self.inputs),
                tuple(self.fields[name] for name in names),
                self.outputs,
                tuple(rule for rule in self.collect if {rule.at, rule.value} <= {None, *names}),
                tuple(name for name in names if self.fields[name] in own),
                tuple(rule for rule in self.stamps if rule.field.name in names),
            )
            for view, names in views.items()
        }

    @property
    def exact_view(self) -> str:
        """The view of the exact networks: `discrete`, or the first view if there is none of that name."""
        return "discrete" if "discrete" in self.views else next(iter(self.views))

    def spec(self, view: str) -> Spec:
        """Returns the spec of one view. Refuses an unknown view."""
        if view not in self.specs:
            raise ValueError(f"{self.name!r} has no view {view!r}; its views are {', '.join(self.specs)}")
        return self.specs[view]
