"""`recursor demo`."""

from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Annotated

from rich.table import Table

from recursor.algorithms import find
from recursor.commands.console import console
from recursor.commands.options import option
from recursor.commands.progress import Progress
from recursor.commands.result import show
from recursor.commands.solve import run_with_progress
from recursor.configurations.named import configuration
from recursor.graphs.distributions import grid
from recursor.paper.published import PUBLISHED

SIZES = {32: 64, 96: 64, 250: 16}  # number of graphs for each size


@dataclass(frozen=True)
class Demo:
    """Trains depth-first search from scratch, and solves a graph."""

    seed: int = 1
    """Seed of the training."""
    out: Annotated[Path | None, option("DIRECTORY", "the first of runs/demo-1, runs/demo-2, … that is free")] = None
    """The run directory."""

    def __call__(self) -> None:
        from recursor.evaluation import evaluate
        from recursor.training.loop import train

        out = self.out or next(path for k in count(1) if not (path := Path("runs") / f"demo-{k}").exists())
        config = configuration("exact/dfs", seed=self.seed)
        say = console().print
        say(f"Training on graphs of at most {max(config.sizes)} nodes, {config.updates} updates, in {out}")
        say("It ends with verification: every input of up to 4 nodes, and random ones of up to 64.")
        run = train(config, out)
        scores = []
        for nodes, graphs in SIZES.items():
            with Progress(f"{graphs} graphs of {nodes} nodes", graphs) as bar:
                scores.append(evaluate(run.reasoner, nodes, graphs, progress=bar.show, lookup=run.lookup))
        table = Table(
            title="Nodes whose predecessor is right, in percent, by size of the graph", title_justify="left", box=None
        )
        for name in ("", *map(str, SIZES)):
            table.add_column(name, justify="right" if name else "left")
        table.add_row("this network, by itself", *(f"{100 * score.node_accuracy:.2f}" for score in scores))
        table.add_row("  every node of a graph right", *(f"{100 * score.graph_accuracy:.2f}" for score in scores))
        for name in ("01-per-node-hints", "02-graph-stack", "10-node-stack"):
            number, _, words = name.replace("-", " ").partition(" ")
            table.add_row(f"the paper, experiment {int(number)}, {words}, given the number of rows", *PUBLISHED[name], "")
        say()
        say(table)
        say("\nA grid of nine nodes, solved:\n")
        show(find("dfs"), run_with_progress(run, grid(9)), None)
        say(f"\nOn a graph of your own: recursor solve GRAPH --model {out}")
