"""`recursor check`."""

import sys
from dataclasses import dataclass
from typing import Annotated

import tyro

from recursor.algorithms import find
from recursor.commands.console import console
from recursor.commands.options import option
from recursor.commands.progress import Progress
from recursor.recording.computable import describe, find_collision, find_uncollected, find_untrained, without


@dataclass(frozen=True)
class Check:
    """Checks, before training, that a network can learn an algorithm.

    The command samples small graphs and searches for two rows that no network can distinguish, but whose next rows differ.
    If there are any, a hint is missing, and no training helps: the command prints both rows and exits with status 1. It
    also checks that the outputs collected from the rows are those that the algorithm returns, and says so if verification
    would try a kind of graph that training never draws.

    For example:

        recursor check dfs
        recursor check dfs --without color
    """

    algorithm: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="ALGORITHM")]
    """The algorithm to check; `recursor algorithms` lists them."""
    view: Annotated[str | None, option("VIEW", "discrete, or the first view")] = None
    """The view, which selects the hints."""
    without: Annotated[str, option("HINT", "none")] = ""
    """Remove this hint before the check."""
    graphs: int = 2000
    """Number of graphs, of 2 to 8 nodes."""
    rounds: int = 2
    """Rounds of message passing in each row."""
    seed: int = 0
    """Seed of the graphs."""

    def __call__(self) -> None:
        if self.graphs < 1 or self.rounds < 1:
            raise ValueError("graphs and rounds must be at least 1")
        algorithm = find(self.algorithm)
        view = self.view or algorithm.exact_view
        algorithm.spec(view)
        if self.without:
            algorithm = without(algorithm, view, self.without)
        if not algorithm.spec(view).has_ops:
            raise ValueError(f"the view {view!r} of {algorithm.name} does not show stack_op, which a stack needs")
        if problem := find_uncollected(algorithm, view, seed=self.seed):
            console().print(problem)
            sys.exit(1)
        with Progress("checking", self.graphs) as bar:
            collision = find_collision(
                algorithm,
                view,
                graphs=self.graphs,
                rounds=self.rounds,
                seed=self.seed,
                progress=bar.show,
            )
        if collision is not None:
            console().print(describe(collision))
            sys.exit(1)
        console().print(
            f"In {self.graphs} graphs, each row of {algorithm.name} ({view}) determines the next: no two rows that look "
            f"alike to a network of {self.rounds} rounds have different next rows."
        )
        if advice := find_untrained(algorithm, seed=self.seed):
            console().print(advice)
