"""What a reasoner did on one graph."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from recursor.graphs.graph import Graph
from recursor.spec import POP, PUSH


@dataclass(frozen=True)
class Execution:
    """What a reasoner did on one graph."""

    graph: Graph
    outputs: Mapping[str, np.ndarray]
    rows: Mapping[str, np.ndarray]
    """The hints, row by row from row 0; empty if they were not to be kept."""
    ops: np.ndarray
    """The op of each row; empty if the view shows none."""
    halted: bool
    """Whether the reasoner said that it was done; if not, the step limit stopped it."""
    steps: int
    """How many rows it took, row 0 counted."""
    empty_pops: int
    """Pops that found the stack empty."""
    answer: Any = None
    """What a person wants to know, in the names of the graph's owner; what it is depends on the algorithm. None if the
    reasoner did not halt, or its outputs are no answer."""
    certified: bool | None = None
    """Whether every situation in it is one that was verified. None if it was not looked at: the network comes without
    verified situations, or the rows would take too much memory."""
    uncertified_row: int | None = None
    """The first row that was not verified."""

    @cached_property
    def stack(self) -> list[tuple[int, ...]]:
        """For each row the call stack after it, from the bottom up: of each frame the row that pushed it."""
        stack: tuple[int, ...] = ()
        stacks = []
        for row, op in enumerate(self.ops.tolist()):
            stack = (*stack, row) if op == PUSH else stack[:-1] if op == POP else stack
            stacks.append(stack)
        return stacks
