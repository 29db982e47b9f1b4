"""`recursor check`."""

import sys
from dataclasses import dataclass
from typing import Annotated

import tyro
from rich.console import Console
from rich.progress import Progress

from recursor.algorithms import find
from recursor.commands.console import console
from recursor.recording.computable import describe, find_alike, find_uncollected, without


@dataclass(frozen=True)
class Check:
    """Looks whether each row of an algorithm can be computed from the one before, before anything is trained.

    It draws small graphs and looks for two rows that no network can tell apart, but after which the algorithm goes on
    differently; then a hint is missing, and no training helps. It prints both rows, and the exit status is 1. Before, it
    looks whether the outputs that are collected from the rows are those that the algorithm returns.
    Try it on a hint that is taken away: `recursor check dfs --without color`.
    """

    algorithm: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="ALGORITHM")]
    """What to check; `recursor algorithms` lists them."""
    view: str | None = None
    """The view; left out, it is `discrete`, or the first if there is none of that name."""
    without: str = ""
    """Take this hint away first."""
    graphs: int = 2000
    """How many graphs are looked at, of 2 to 8 nodes."""
    rounds: int = 2
    """Rounds of the processor in a row."""
    seed: int = 0
    """Of the graphs."""

    def __call__(self) -> None:
        if self.graphs < 1 or self.rounds < 1:
            raise ValueError("there is at least one graph, and one round")
        algorithm = find(self.algorithm)
        view = self.view or algorithm.exact_view
        algorithm.spec(view)
        if self.without:
            algorithm = without(algorithm, view, self.without)
        if not algorithm.spec(view).has_ops:
            raise ValueError(f"the view {view!r} of {algorithm.name} lacks stack_op, without which there is no stack")
        if problem := find_uncollected(algorithm, view, seed=self.seed):
            console().print(problem)
            sys.exit(1)
        with Progress(console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("looking", total=self.graphs)
            alike = find_alike(
                algorithm,
                view,
                graphs=self.graphs,
                rounds=self.rounds,
                seed=self.seed,
                progress=lambda done: bar.update(task, completed=done),
            )
        if alike is not None:
            console().print(describe(alike))
            sys.exit(1)
        console().print(
            f"In {self.graphs} graphs each row of {algorithm.name} ({view}) tells the next: nothing that looks alike to a "
            f"network of {self.rounds} rounds goes on differently."
        )
