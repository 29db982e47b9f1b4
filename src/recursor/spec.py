"""Fields and specs: what an algorithm's data are, without the data.

A *field* is a named quantity with a place and a kind. Its values, for a graph of n nodes with the edges E, are

    place        node         edge         graph
    shape        [n]          [n, n]       []

    kind         values                                      dtype
    scalar       a real number                               float32
    mask         0 or 1                                      int32
    category     one of k, as its index                      int32
    pointer      a node, as its index; -1 if it may be null  int32
    stamp        when a node was first named, 0: not yet     int32

so the predecessors of all nodes are a node pointer, the current node is a graph pointer (CLRS-30 calls that a node mask
with a single one), and the colours are a node category of 3. Hint fields get a leading axis, the row. A stamp is no number
to be predicted: the clock of the execution sets it, and it is only ever compared.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

Place = Literal["node", "edge", "graph"]
Kind = Literal["scalar", "mask", "category", "pointer", "stamp"]

POP, NOOP, PUSH = range(3)
OPS = ("pop", "noop", "push")


@dataclass(frozen=True)
class Field:
    """A named quantity. `categories` is k for the kind category, and 0 for every other kind; `null` says that a graph
    pointer may name no node."""

    name: str
    place: Place
    kind: Kind
    categories: int = 0
    null: bool = False

    def __post_init__(self) -> None:
        if not (2 <= self.categories <= 256 if self.kind == "category" else self.categories == 0):
            raise ValueError(
                f"field {self.name!r}: a category has 2 to 256 categories and no other kind has any, "
                f"not kind={self.kind!r} with categories={self.categories}"
            )
        if self.null and (self.place, self.kind) != ("graph", "pointer"):
            raise ValueError(f"field {self.name!r}: only a graph pointer can be null, not a {self.place} {self.kind}")
        if self.kind == "stamp" and self.place != "node":
            raise ValueError(f"field {self.name!r}: nodes are stamped, not a {self.place}")

    @property
    def dtype(self) -> type:
        """NumPy's type of the values."""
        return np.float32 if self.kind == "scalar" else np.int32


STACK_OP = Field("stack_op", "graph", "category", len(OPS))
DONE = Field("done", "graph", "mask")


@dataclass(frozen=True)
class Collect:
    """`output[at] ← value` in every row: how an output is tabulated from two hints while the algorithm runs.

    Where `at` is null nothing is written; a value that is null is written as the node itself, as CLRS-30 does. Without an
    `at` the output is the value as a whole, and the last row's stays.
    """

    output: str
    at: str | None
    value: str


@dataclass(frozen=True)
class Stamp:
    """A node is stamped by the first row in which the pointer `at` names it, with one more than the row's number."""

    field: Field
    at: str


@dataclass(frozen=True)
class Spec:
    """The fields that one view of one algorithm shows to a network."""

    algorithm: str
    view: str
    inputs: tuple[Field, ...]
    hints: tuple[Field, ...]
    outputs: tuple[Field, ...]
    collect: tuple[Collect, ...]
    frame: tuple[str, ...] = ()
    """The hints that are a call's own variables: what a call has to find again when it goes on."""
    stamps: tuple[Stamp, ...] = ()
    """How those hints come about that are not predicted."""

    def halting(self) -> "Spec":
        """The same with one more hint, the mark of the last row, from which a network learns when to stop."""
        return self if self.halts else replace(self, hints=(*self.hints, DONE))

    @property
    def predicted(self) -> tuple[Field, ...]:
        """The hints but for the stamps."""
        return tuple(field for field in self.hints if field.kind != "stamp")

    @property
    def halts(self) -> bool:
        """Whether the mark of the last row is among the hints."""
        return DONE in self.hints

    @property
    def compared(self) -> tuple[Field, ...]:
        """The inputs that are further orders of the nodes beside their positions: only ever compared."""
        return tuple(f for f in self.inputs if (f.place, f.kind) == ("node", "scalar") and f.name != "pos")

    def hint(self, name: str) -> Field:
        """The hint field of that name."""
        return by_name(self.hints)[name]

    @property
    def has_ops(self) -> bool:
        """Whether the view shows the stack op, without which no network can use a stack."""
        return STACK_OP in self.hints


def by_name(fields: Iterable[Field]) -> dict[str, Field]:
    """The fields under their names; a name that stands for two of them is refused."""
    table: dict[str, Field] = {}
    for field in fields:
        if table.setdefault(field.name, field) != field:
            raise ValueError(f"two different fields are called {field.name!r}: {table[field.name]} and {field}")
    return table
