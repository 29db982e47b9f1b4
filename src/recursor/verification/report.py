"""The report of a verification."""

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from recursor.graphs.graph import Graph, from_edges
from recursor.verification.all_sizes import AllSizes

FIRM = 0.25
"""The margin from which on a decision is firm."""


@dataclass(frozen=True)
class Counterexample:
    """An input on which the network goes wrong."""

    nodes: int
    edges: list[tuple[int, int]]
    values: dict[str, list[float]]
    row: int
    """The first row that is wrong."""
    field: str
    """A field of that row that is wrong."""

    def graph(self) -> Graph:
        """Returns the input."""
        ends = np.array(self.edges, np.int64).reshape(-1, 2)
        values = {name: np.array(numbers) for name, numbers in self.values.items()}
        return from_edges(ends[:, 0], ends[:, 1], self.nodes, values=values)


@dataclass(frozen=True)
class Growth:
    """How many there were after the inputs of one size."""

    nodes: int
    every: bool
    inputs: int
    rows: int
    wrong: int
    situations: int


@dataclass(frozen=True)
class Report:
    """What was verified of a network, and what was found."""

    algorithm: str
    passed: bool
    small_size: int
    """Every input up to this size was tried,"""
    largest: int
    """and random ones up to this size."""
    inputs: int
    small_inputs: int
    """How many of the inputs are all those up to the small size."""
    searched: int
    """How many of the inputs were searched."""
    small_limits: str
    """What the inputs up to the small size leave out, if anything."""
    rows: int
    wrong: int
    """Inputs on which some row is wrong."""
    uncollected: int
    """Inputs of which the right rows give a wrong output: a mistake of the algorithm's declaration."""
    seconds: float
    counterexample: Counterexample | None
    growth: list[Growth]
    situations: dict[str, int] = field(default_factory=dict)
    """How many there are of each kind; nothing for a network that has no finite number of them."""
    margin: float | None = None
    """The smallest margin of a decision or bit."""
    unsure: int = 0
    rare: int = 0
    """Situations that were met once."""
    separation: float | None = None
    """By how much the logits of nodes that a pointer names are above all others, over all situations. If it is positive, no
    two nodes compete for a pointer, whatever situations meet in one row."""
    contradictions: dict[str, int] = field(default_factory=dict)
    """Of each field in how many situations the algorithm goes on in two ways; fields without any are left out."""

    all_sizes: AllSizes | None = None
    """What is allowed at any size, if that was asked for."""

    @property
    def firm(self) -> bool:
        """Whether the network passed firmly: without contradictions, with a margin of at least `FIRM`, and so that no two
        nodes compete for a pointer."""
        margin, separation = (1.0 if number is None else number for number in (self.margin, self.separation))
        return self.passed and not self.contradictions and margin >= FIRM and separation > 0

    @property
    def obstacles(self) -> list[str]:
        """What is missing for a certificate for every size, in words; nothing if there is one."""
        if self.all_sizes is None:
            return ["what is allowed at any size was not listed"]
        found = [] if self.passed else ["the network is wrong on some input"]
        found += [f"there are contradictions in {name}" for name in self.contradictions]
        return found + self.all_sizes.obstacles

    def to_dict(self) -> dict[str, Any]:
        """Returns the report as plain values, for JSON."""
        return {**asdict(self), "certificate": not self.obstacles}

    def verdict(self) -> str:
        """Returns the verdict in a sentence."""
        if not self.passed:
            found = self.counterexample
            where = (
                f"; the smallest has {found.nodes} nodes and goes wrong in row {found.row}, {found.field}" if found else ""
            )
            return f"{self.algorithm}: WRONG on {self.wrong + self.uncollected} of {self.inputs} inputs{where}"
        limits = f" ({self.small_limits})" if self.small_limits else ""
        return (
            f"{self.algorithm}: right on all {self.small_inputs} inputs of up to {self.small_size} nodes{limits} and on "
            f"{self.inputs - self.small_inputs - self.searched} random ones of up to {self.largest} nodes"
            f"{f' and {self.searched} that were searched' if self.searched else ''} ({self.rows} rows)"
        )
