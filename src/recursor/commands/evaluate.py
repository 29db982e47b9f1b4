"""`recursor evaluate`."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import tyro
from rich.table import Table

from recursor.commands.console import console, say_loaded
from recursor.commands.data import score_data
from recursor.commands.options import Flag, option
from recursor.commands.progress import Progress
from recursor.graphs.dataset import holds_graphs, load_graphs
from recursor.system.files import finite

if TYPE_CHECKING:
    from recursor.evaluation import Scores
    from recursor.training.run import Run


@dataclass(frozen=True)
class Evaluate:
    """Scores a network on random graphs of each size, or on your own.

    The graphs are sampled from the algorithm's test distribution. For depth-first search it is the paper's: edges with
    probability 0.3, 15 % trees. With --data, they come from an .npz file: one that save_graphs wrote (docs/research.md), or
    one with the arrays of CLRS-30, which are A (samples, nodes, nodes), or key (samples, nodes) for sorting, and the outputs
    if they are known, such as pi (docs/clrs.md).

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
            if self.sizes:
                raise ValueError("--data cannot be combined with --sizes: the file has the graphs")
            if not holds_graphs(self.data):
                if self.by_row or self.feedback:
                    raise ValueError("--by-row and --feedback need sampled graphs, or a file of save_graphs")
                score_data(self.run, self.data, as_json=self.json)
                return
        from recursor.system.compiling import keep_compiled_programs
        from recursor.training.loading import load

        keep_compiled_programs()
        run = load(self.run, feedback=self.feedback)
        say_loaded(run)
        scores = self._sampled(run) if self.data is None else run.score(load_graphs(self.data))
        if self.json:
            json.dump(finite([score.to_dict() for score in scores]), sys.stdout)
            print()
            return
        sampled = f"{self.run}: {self.graphs} graphs of each size, seed {self.seed}"
        console().print(_accuracies(sampled if self.data is None else f"{self.run} on {self.data.name}", scores))
        console().print(_hints(scores, by_row=self.by_row))

    def _sampled(self, run: "Run") -> "list[Scores]":
        from recursor.evaluation import evaluate

        sizes = self.sizes or (max(run.config.sizes), 3 * max(run.config.sizes))
        scores = []
        with Progress("evaluating", len(sizes) * self.graphs) as bar:
            for index, nodes in enumerate(sizes):

                def show_progress(done: int, before: int = index * self.graphs) -> None:
                    bar.show(before + done)

                found = evaluate(run.reasoner, nodes, self.graphs, seed=self.seed, progress=show_progress, lookup=run.lookup)
                scores.append(found)
        return scores


def _accuracies(title: str, scores: "list[Scores]") -> Table:
    """Returns the table with a line for each size."""
    table = Table(title=title, box=None)
    valid = ["valid"] * (scores[0].valid is not None)
    for name in ("nodes", "graphs", "node accuracy", "graph accuracy", "halted", *valid, "empty pops", "true empty pops"):
        table.add_column(name, justify="right")
    for score in scores:
        shares = [score.node_accuracy, score.graph_accuracy, score.halted]
        shares += [score.valid] * len(valid)
        shown = ("told" if share is None else f"{share:.2%}" for share in shares)
        pops = (f"{score.empty_pops:.2f}", f"{score.true_empty_pops:.2f}")
        table.add_row(str(score.nodes), str(score.graphs), *shown, *pops)
    return table


def _hints(scores: "list[Scores]", *, by_row: bool) -> Table:
    """Returns the table of the hints, with a line for each size, or for each row."""
    table = Table(title="hints: share right (scalars: mean absolute error)", box=None)
    for name in ("nodes", *["row"] * by_row, *scores[0].hints):
        table.add_column(name, justify="right")
    for score in scores:
        if by_row:
            for row, values in enumerate(zip(*score.hints.values(), strict=True), 1):
                table.add_row(str(score.nodes), str(row), *(f"{value:.4f}" for value in values))
        else:
            table.add_row(str(score.nodes), *(f"{value:.4f}" for value in score.hint_means().values()))
    return table
