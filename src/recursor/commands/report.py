"""`recursor report`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from recursor.commands.console import console, say_loaded
from recursor.commands.options import option
from recursor.commands.progress import Progress


@dataclass(frozen=True)
class Report:
    """Writes a page about a training run, or about several.

    The page shows losses, validations, speed and memory, and the accuracy against the size of the graph. It is one file
    without external resources. Two more files show, row by row, how the run solves a graph (report-solved.html) and how it
    fails at one (report-failed.html). The run may be unfinished: the page then shows the metrics so far. Of several runs,
    the page compares the curves.

    For example:

        recursor report runs/exact-dfs-seed1
        recursor report runs/exact-dfs-seed1 runs/exact-dfs-seed2 --out both.html
    """

    run: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="RUN")]
    """The run directory."""
    out: Annotated[Path | None, option("FILE", "report.html in the run directory")] = None
    """The file of the page. The traces are named after it."""
    sizes: Annotated[tuple[int, ...], option("SIZE ...", "multiples of the training size, until accuracy falls")] = ()
    """Sizes of the test graphs, in nodes."""
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
            with Progress("evaluating", len(sizes) * self.graphs) as bar:
                attempts = attempt(
                    run.reasoner,
                    sizes,
                    self.graphs,
                    self.seed,
                    progress=bar.show,
                )
        files = report_files(out, self.run.absolute().name, history, attempts)
        for path, data in files.items():
            write_atomically(path, data)
        console().print(f"wrote {', '.join(map(str, reversed(files)))}")
