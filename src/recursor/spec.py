"""Fields and specs: the types of an algorithm's data.

A *field* is a named quantity with a place and a kind. For a graph of n nodes its values are

    place        node         edge         graph
    shape        [n]          [n, n]       []

    kind         values                                      dtype
    scalar       a real number                               float32
    mask         0 or 1                                      int32
    category     the index of one of k categories            int32
    pointer      the index of a node; -1 for null            int32
    stamp        1 + the row that first named it; 0: none    int32

For example, the predecessors of all nodes are a node pointer, the current node is a graph pointer (in CLRS-30, a one-hot
node mask), and the colours are a node category with k = 3. Hint fields have the row as a leading axis. A stamp is not
predicted: the execution sets it, and networks only compare stamps.
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
    """A named quantity, with a place and a kind.

    Example:
        >>> Field("colour", "node", "category", 3).describe()
        'a category of every node, 0 to 2'
        >>> Field("v", "graph", "pointer", null=True).describe()
        'a pointer of the graph'
    """

    name: str
    """The name."""
    place: Place
    """What has a value: every `node`, every `edge`, or the `graph`."""
    kind: Kind
    """What the values are: `scalar`, `mask`, `category`, `pointer` or `stamp`."""
    categories: int = 0
    """The number of categories of a category; 0 for every other kind."""
    null: bool = False
    """Whether a pointer of the graph may name no node."""
    latent: bool = False
    """Whether no recording tells it: a network predicts it, but it is never shown to one."""

    def __post_init__(self) -> None:
        if not (2 <= self.categories <= 256 if self.kind == "category" else self.categories == 0):
            raise ValueError(
                f"field {self.name!r}: a category has 2 to 256 categories, and every other kind has 0, "
                f"not kind={self.kind!r} with categories={self.categories}"
            )
        if self.null and (self.place, self.kind) != ("graph", "pointer"):
            raise ValueError(f"field {self.name!r}: only a graph pointer can be null, not a {self.place} {self.kind}")
        if self.kind == "stamp" and self.place != "node":
            raise ValueError(f"field {self.name!r}: a stamp must be a node field, not a field of a {self.place}")

    def describe(self) -> str:
        """Returns the place and kind in words.

        Example:
            >>> Field("color", "node", "category", 3).describe()
            'a category of every node, 0 to 2'
        """
        of = {"node": "of every node", "edge": "of every edge", "graph": "of the graph"}[self.place]
        what = {"mask": "a truth value"}.get(self.kind, f"a {self.kind}")
        return f"{what} {of}" + (f", 0 to {self.categories - 1}" if self.categories else "")

    @property
    def dtype(self) -> type:
        """The NumPy type of the values."""
        return np.float32 if self.kind == "scalar" else np.int32


STACK_OP = Field("stack_op", "graph", "category", len(OPS))
LATENT_OP = replace(STACK_OP, latent=True)
DONE = Field("done", "graph", "mask")


@dataclass(frozen=True)
class Collect:
    """A rule that collects an output from two hints: in every row, `output[at] ← value`.

    If `at` is null, nothing is written. A null value is written as the node itself, as in CLRS-30. If `at` is None, the
    output is the hint `value` of the last row. If `value` is None, 1 is written: the output is the set of nodes that `at`
    has named.
    """

    output: str
    """The name of the output."""
    at: str | None
    """The pointer that names the node."""
    value: str | None = None
    """The hint that has the value."""

    def describe(self) -> str:
        """Returns the rule as text.

        Example:
            >>> Collect("pi", at="u", value="u_pi").describe()
            'pi[u] ← u_pi'
        """
        return f"{self.output}[{self.at}]" * bool(self.at) + self.output * (not self.at) + f" ← {self.value or 1}"


@dataclass(frozen=True)
class Stamp:
    """A rule that stamps nodes: a node's stamp is one more than the number of the first row in which `at` names it.

    Example:
        >>> Stamp(Field("d", "node", "stamp"), at="u").field.describe()
        'a stamp of every node'
    """

    field: Field
    """The node field that holds the stamps."""
    at: str
    """The pointer that names the nodes."""


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
    """The hints that are a call's own variables, which a frame has to save."""
    stamps: tuple[Stamp, ...] = ()
    """The rules of the hints that are stamps, which are not predicted."""

    def halting(self) -> "Spec":
        """Returns the spec with one more hint, the mark of the last row, from which a network learns to halt."""
        return self if self.halts else replace(self, hints=(*self.hints, DONE))

    def finding_ops(self) -> "Spec":
        """Returns the spec with the op as a latent hint, which a network has to find by itself."""
        return self if self.has_ops else replace(self, hints=(*self.hints, LATENT_OP))

    @property
    def finds_ops(self) -> bool:
        """Whether the op is latent."""
        return LATENT_OP in self.hints

    @property
    def predicted(self) -> tuple[Field, ...]:
        """The hints except stamps."""
        return tuple(field for field in self.hints if field.kind != "stamp")

    @property
    def halts(self) -> bool:
        """Whether the mark of the last row is among the hints."""
        return DONE in self.hints

    @property
    def compared(self) -> tuple[Field, ...]:
        """The inputs that define further orders of the nodes, besides their positions. Networks only compare them."""
        return tuple(f for f in self.inputs if (f.place, f.kind) == ("node", "scalar") and f.name != "pos")

    def hint(self, name: str) -> Field:
        """Returns the hint field with a given name."""
        return by_name(self.hints)[name]

    @property
    def has_ops(self) -> bool:
        """Whether the stack op, which every network with a stack needs, is among the hints."""
        return STACK_OP in self.hints or self.finds_ops


def by_name(fields: Iterable[Field]) -> dict[str, Field]:
    """Returns the fields by name. Refuses two different fields with the same name."""
    table: dict[str, Field] = {}
    for field in fields:
        if table.setdefault(field.name, field) != field:
            raise ValueError(f"two different fields are called {field.name!r}: {table[field.name]} and {field}")
    return table
