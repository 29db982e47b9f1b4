"""`recursor report`."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from recursor.commands.console import console, say_loaded
from recursor.commands.options import option
from recursor.commands.progress import Progress
from recursor.system.files import require_writable

if TYPE_CHECKING:
    from recursor.report.attempts import Attempts


@dataclass(frozen=True)
class Report:
    """Writes a page about a training run, or about several.

    The page shows losses, validations, speed and memory, and the accuracy against the size of the graph. It is one file
    without external resources. Two more files show, row by row, how the run solves a graph (report-solved.html) and how it
    fails at one (report-failed.html). The run may be unfinished: the page then shows the metrics so far. For several runs,
    the page compares their curves.

    For example:

        recursor report runs/exact-dfs-seed1
        recursor report runs/exact-dfs-seed1 runs/exact-dfs-seed2 --out both.html
    """

    runs: Annotated[tuple[Path, ...], tyro.conf.Positional, option("RUN ...", "at least one is required")] = ()
    """The run directories: one to report on, or two or three to compare."""
    out: Annotated[Path | None, option("FILE", "report.html in the run directory")] = None
    """The file of the page. The traces are named after it."""
    sizes: Annotated[tuple[int, ...], option("SIZE ...", "½, 1, 2, 3, 6, 12 times the largest training size")] = ()
    """Sizes of the test graphs, in nodes."""
    graphs: int = 16
    """Graphs of each size."""
    seed: int = 0
    """Seed of the test graphs. The same seed gives the same graphs as in `recursor evaluate`."""

    def __call__(self) -> None:
        if self.graphs < 1 or min(self.sizes, default=1) < 1:
            raise ValueError("sizes and graphs must be at least 1")
        if not self.runs:
            raise ValueError("report needs a run directory, such as runs/exact-dfs-seed1")
        if len(self.runs) > 1 and self.out is None:
            raise ValueError("a page about several runs needs a name: --out both.html")
        out = self.out or next(iter(self.runs)) / "report.html"
        if out.suffix != ".html":
            raise ValueError(f"{out} is an HTML page, so its name must end in .html")
        from recursor.report.history import read_history

        names = _names(self.runs)
        histories = {name: read_history(path) for name, path in names.items()}
        require_writable(out)
        from recursor.report.comparison import comparison_page  # JAX is slow to import, so the runs are checked first
        from recursor.report.training import report_files
        from recursor.system.files import write_atomically
        from recursor.training import checkpoint

        ready = {name: path for name, path in names.items() if checkpoint.checkpoints(path, "weights")}
        largest = max(max(history.config.sizes) for history in histories.values())
        attempts = {name: self._attempt(path, largest) for name, path in ready.items()}
        if len(names) > 1:
            files = {out: comparison_page(histories, attempts)}
        else:
            ((name, history),) = histories.items()
            files = report_files(out, name, history, attempts.get(name))
        for path, data in files.items():
            write_atomically(path, data)
        console().print(f"wrote {', '.join(map(str, reversed(files)))}")

    def _attempt(self, path: Path, largest: int) -> "Attempts":
        from recursor.report.attempts import attempt
        from recursor.system.compiling import keep_compiled_programs
        from recursor.training.loading import load

        keep_compiled_programs()
        run = load(path)
        say_loaded(run)
        sizes = sorted(set(self.sizes or (max(1, largest // 2), *(times * largest for times in (1, 2, 3, 6, 12)))))
        with Progress("evaluating", len(sizes) * self.graphs) as bar:
            return attempt(run.reasoner, sizes, self.graphs, self.seed, progress=bar.show)


def _names(runs: tuple[Path, ...]) -> dict[str, Path]:
    """Returns the runs by the names of their directories, or by their paths if two have the same name."""
    names = [path.absolute().name for path in runs]
    names = names if len(set(names)) == len(names) else [str(path) for path in runs]
    if len(set(names)) < len(names):
        raise ValueError("the same run is named twice")
    return dict(zip(names, runs, strict=True))
