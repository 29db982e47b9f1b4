r"""Types: all that a node sees of a row by itself, as one number; and the same for the graph.

A row of the exact networks has no real numbers. A node sees the values of its own fields, which pointers name it, and the
same for the top frame. These are digits of a number in mixed radix:

$$ \tau_i = d_1 + r_1 (d_2 + r_2 (d_3 + \dots)) $$

where digit $d_k$ is the value of a mask or category, or whether a pointer names the node. A category of the top frame has
one more value, 0: the stack is empty. The graph's own masks and categories give a number for the graph in the same way.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from recursor.network.reasoner import Reasoner
from recursor.network.stacks.fields import FieldsStack
from recursor.spec import Field

Source = Literal["input", "row", "frame"]


@dataclass(frozen=True)
class Digit:
    """One field as a digit of a type."""

    field: Field
    source: Source

    @property
    def radix(self) -> int:
        """How many values the digit has."""
        if self.field.kind != "category":
            return 2
        return self.field.categories + (self.source == "frame")

    @property
    def channels(self) -> int:
        """How many channels of the features it stands for."""
        return self.field.categories if self.field.kind == "category" else 1

    def of(self, values: np.ndarray, nodes: int) -> np.ndarray:
        """Returns the digit of recorded values; a graph pointer gives one digit a node.

        Args:
            values: The values of the field, [...] of the graph or [..., nodes] of the nodes.
            nodes: The number of nodes.
        """
        if self.field.kind == "pointer":
            return (values[..., None] == np.arange(nodes)).astype(np.int64)
        if self.field.kind == "stamp":
            return (values > 0).astype(np.int64)
        return values.astype(np.int64) + (self.field.kind == "category" and self.source == "frame")

    def to_channels(self, digits: np.ndarray) -> np.ndarray:
        """Returns the channels that the encoder makes of digits: [m] to [m, channels]."""
        if self.field.kind != "category":
            return digits[:, None].astype(np.float32)
        values = digits - (self.source == "frame")
        return (values[:, None] == np.arange(self.field.categories)).astype(np.float32)


class Layout:
    """How the values of a row become types of nodes and of the graph, in the order of the reasoner's channels."""

    def __init__(self, reasoner: Reasoner) -> None:
        assert isinstance(reasoner.stack, FieldsStack)
        kept = reasoner.stack.fields
        encoders = reasoner.node_encoder, reasoner.graph_encoder
        node, graph = (
            [*(Digit(f, "input") for f in encoder.inputs), *(Digit(f, "row") for f in encoder.hints)] for encoder in encoders
        )
        node += [Digit(f, "frame") for f in kept if f.place == "node" or f.kind == "pointer"]
        graph += [Digit(f, "frame") for f in kept if f.place == "graph" and f.kind != "pointer"]
        self.node, self.graph, self.frame = tuple(node), tuple(graph), kept
        size = float(np.prod([float(digit.radix) for digit in self.node]))
        if size >= 2**62:
            raise ValueError(f"{reasoner.spec.algorithm} has {size:.0e} types of node, more than a number of 62 bits holds")

    def types(
        self, digits: Sequence[Digit], value: Callable[[Digit], np.ndarray], nodes: int, shape: tuple[int, ...]
    ) -> np.ndarray:
        """Returns the numbers whose digits are the values of fields; `value` looks up those of one field."""
        numbers = np.zeros(shape, np.int64)
        for digit in reversed(digits):
            numbers = numbers * digit.radix + digit.of(value(digit), nodes)
        return numbers

    @staticmethod
    def channels(digits: Sequence[Digit], numbers: np.ndarray) -> np.ndarray:
        """Returns the channels of types: [m] to [m, channels]."""
        parts = [np.zeros((len(numbers), 0), np.float32)]
        for digit in digits:
            numbers, rest = np.divmod(numbers, digit.radix)
            parts.append(digit.to_channels(rest))
        return np.concatenate(parts, -1)

    @staticmethod
    def words(digits: Sequence[Digit], number: int) -> Mapping[str, int]:
        """Returns the digits of one type by name, for people; those of the top frame are called `top NAME`."""
        found = {}
        for digit in digits:
            number, rest = divmod(number, digit.radix)
            found[f"top {digit.field.name}" if digit.source == "frame" else digit.field.name] = rest
        return found
