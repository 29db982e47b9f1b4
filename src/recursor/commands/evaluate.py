"""`recursor evaluate`."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import tyro
from rich.table import Table

from recursor.commands.console import console, say_loaded
from recursor.commands.data import score_data
from recursor.commands.options import Flag, option
from recursor.commands.progress import Progress
from recursor.system.files import finite


@dataclass(frozen=True)
class Evaluate:
    """Scores a network on random graphs of each size, or on your own.

    The graphs are sampled from the algorithm's test distribution. For depth-first search it is the paper's: edges with
    probability 0.3, 15 % trees. With --data, they come from an .npz file with the arrays of CLRS-30: A (samples, nodes,
    nodes), or key (samples, nodes) for sorting, and the outputs if they are known, such as pi. docs/clrs.md describes it.

    For example:

        recursor evaluate dfs --sizes 16 64 --graphs 32
        recursor evaluate dfs --data graphs.npz
    """

    run: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="RUN")]
    """A shipped network, such as dfs, or a run directory, such as runs/mine or ./mine."""
    data: Annotated[Path | None, option("FILE", "sampled graphs")] = None
    """Score on the graphs of this .npz file instead of sampled ones."""
    sizes: Annotated[tuple[int, ...], option("SIZE ...", "the largest training size, and three times it")] = ()
    """Sizes of the graphs, in nodes."""
    graphs: int = 64
    """Graphs of each size."""
    seed: int = 0
    """Seed of the test graphs."""
    feedback: Annotated[Literal["soft", "hard"] | None, option("{soft,hard}", "as in training")] = None
    """Feed predicted hints back as probabilities (soft) or as their argmax (hard)."""
    by_row: Flag = False
    """Show the accuracy of each hint in every row, not only the mean over rows."""
    json: Flag = False
    """Print one JSON object instead of tables."""

    def __call__(self) -> None:
        if self.graphs < 1 or min(self.sizes, default=1) < 1:
            raise ValueError("sizes and graphs must be at least 1")
        if self.data is not None:
            if self.sizes or self.by_row or self.feedback:
                raise ValueError("--data cannot be combined with --sizes, --by-row or --feedback: the file has the graphs")
            score_data(self.run, self.data, as_json=self.json)
            return
        from recursor.evaluation import evaluate
        from recursor.system.compiling import keep_compiled_programs
        from recursor.training.loading import load

        keep_compiled_programs()
        run = load(self.run, feedback=self.feedback)
        say_loaded(run)
        sizes = self.sizes or (max(run.config.sizes), 3 * max(run.config.sizes))
        scores = []
        with Progress("evaluating", len(sizes) * self.graphs) as bar:
            for index, nodes in enumerate(sizes):

                def show_progress(done: int, before: int = index * self.graphs) -> None:
                    bar.show(before + done)

                found = evaluate(run.reasoner, nodes, self.graphs, seed=self.seed, progress=show_progress, lookup=run.lookup)
                scores.append(found)
        if self.json:
            json.dump(finite([score.to_dict() for score in scores]), sys.stdout)
            print()
            return
        table = Table(title=f"{self.run}: {self.graphs} graphs of each size, seed {self.seed}", box=None)
        valid = ["valid"] * (scores[0].valid is not None)
        for name in ("nodes", "node accuracy", "graph accuracy", "halted", *valid, "empty pops", "true empty pops"):
            table.add_column(name, justify="right")
        for score in scores:
            shares = [score.node_accuracy, score.graph_accuracy, score.halted]
            shares += [score.valid] * len(valid)
            pops = (f"{score.empty_pops:.2f}", f"{score.true_empty_pops:.2f}")
            table.add_row(str(score.nodes), *("told" if share is None else f"{share:.2%}" for share in shares), *pops)
        console().print(table)
        hints = Table(title="hints: share right (scalars: mean absolute error)", box=None)
        hints.add_column("nodes", justify="right")
        if self.by_row:
            hints.add_column("row", justify="right")
        for name in scores[0].hints:
            hints.add_column(name, justify="right")
        for score in scores:
            if self.by_row:
                for row, values in enumerate(zip(*score.hints.values(), strict=True), 1):
                    hints.add_row(str(score.nodes), str(row), *(f"{value:.4f}" for value in values))
            else:
                hints.add_row(str(score.nodes), *(f"{value:.4f}" for value in score.hint_means().values()))
        console().print(hints)
