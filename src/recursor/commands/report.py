"""`recursor report`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console
from rich.progress import Progress

from recursor.commands.console import console, say_loaded


@dataclass(frozen=True)
class Report:
    """Writes a page about a run: its losses, validations, speed and memory, and its accuracy against the size of the graph.

    The page is one file without external resources. Two more files show, row by row, how the run solves a graph and how it
    fails at one. The run may be unfinished: the page then shows the metrics so far.

    `recursor report runs/exact-dfs-seed1` writes report.html in runs/exact-dfs-seed1, with report-solved.html if a graph
    was solved and report-failed.html if one was not.
    """

    run: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="RUN")]
    """The run directory."""
    out: Path | None = None
    """The file of the page. Default: report.html in the run directory. The traces are named after it."""
    sizes: tuple[int, ...] = ()
    """Sizes of the test graphs. Default: a half of the largest training size, that size, twice and three times it."""
    graphs: int = 16
    """Graphs of each size."""
    seed: int = 0
    """Seed of the test graphs. The same seed gives the same graphs as in `recursor evaluate`."""

    def __call__(self) -> None:
        if self.graphs < 1 or min(self.sizes, default=1) < 1:
            raise ValueError("sizes and graphs must be at least 1")
        out = self.out or self.run / "report.html"
        if out.suffix != ".html":
            raise ValueError(f"{out} is an HTML page, so its name must end in .html")
        from recursor.report.history import read_history

        history = read_history(self.run)
        if not out.absolute().parent.is_dir():
            raise ValueError(f"{out} cannot be written: {out.parent} is not a directory")
        from recursor.report.attempts import attempt
        from recursor.report.training import report_files
        from recursor.system.compiling import (
            keep_compiled_programs,  # JAX is slow to import, so the run is checked first
        )
        from recursor.system.files import write_atomically
        from recursor.training import checkpoint
        from recursor.training.run import load

        attempts = None
        if checkpoint.checkpoints(self.run, "weights"):
            keep_compiled_programs()
            run = load(self.run)
            say_loaded(run)
            largest = max(history.config.sizes)
            sizes = sorted(set(self.sizes or (max(1, largest // 2), largest, 2 * largest, 3 * largest)))
            with Progress(console=Console(stderr=True), transient=True) as bar:
                task = bar.add_task("evaluating", total=len(sizes) * self.graphs)
                attempts = attempt(
                    run.reasoner,
                    sizes,
                    self.graphs,
                    self.seed,
                    progress=lambda done: bar.update(task, completed=done),
                )
        files = report_files(out, self.run.absolute().name, history, attempts)
        for path, data in files.items():
            write_atomically(path, data)
        console().print(f"wrote {', '.join(map(str, reversed(files)))}")
