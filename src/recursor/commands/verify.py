"""`recursor verify`."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from recursor.commands.console import console
from recursor.system.files import write_atomically

if TYPE_CHECKING:
    from recursor.verification.verify import Counterexample, Report


@dataclass(frozen=True)
class Verify:
    """Verifies that a network is right: on every small input, then on random ones of every size and of many kinds.

    Prints the verdict, and the smallest counterexample if there is one. The status is 0 if nothing is wrong, else 1.
    """

    run: Annotated[str, tyro.conf.Positional]
    """A shipped network such as `dfs`, or a run directory such as `runs/exact-dfs-seed1`."""
    small_size: int | None = None
    """Try every input up to this size; left out, as many as the algorithm says."""
    sizes: tuple[int, ...] | None = None
    """Sizes of random inputs; left out, 1 to 64 and some up to 1000."""
    draws: int = 4
    """Random inputs of each size and distribution."""
    seed: int = 0
    """Of the random inputs."""
    html: Path | None = None
    """Write a trace page of the smallest counterexample there."""
    json: tyro.conf.FlagCreatePairsOff[bool] = False
    """Print the whole report as JSON."""
    out: Path | None = None
    """Write the whole report as JSON there, too."""
    keep: tyro.conf.FlagCreatePairsOff[bool] = False
    """Keep the verified situations beside the weights if nothing is wrong, so that executions can be certified."""

    def __call__(self) -> None:
        if (self.small_size is not None and self.small_size < 0) or self.draws < 0 or min(self.sizes or (1,)) < 1:
            raise ValueError("small-size and draws are 0 or more, and sizes are at least 1")
        from recursor.training.run import load  # JAX is slow to import
        from recursor.verification.verify import keep_verified, verify_reasoner

        run = load(self.run)
        with _Bar() as bar:
            report, verifier = verify_reasoner(
                run.reasoner,
                small_size=self.small_size,
                sizes=self.sizes,
                draws=self.draws,
                seed=self.seed,
                progress=bar.show,
            )
        if self.keep and report.passed:
            keep_verified(run.directory, verifier)
        text = json.dumps(report.to_dict(), indent=2) + "\n"
        if self.out is not None:
            write_atomically(self.out, text.encode())
        if self.json:
            print(text, end="")
        else:
            _show(report)
        if report.counterexample is not None and self.html is not None:
            from recursor.trace.page import write_page
            from recursor.trace.trace import trace

            graph = report.counterexample.graph()
            write_page(
                self.html,
                [trace(run.run(graph), run.reasoner.spec, run.directory.name)],
                f"A counterexample to {report.algorithm}",
            )
        if not report.passed:
            sys.exit(1)


class _Bar:
    """Says how far it is: a line that moves in a terminal, else a line for each size."""

    def __init__(self) -> None:
        self._bar = Progress(
            SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn(), console=Console(stderr=True)
        )
        self._task = self._bar.add_task("starting")
        self._last = ""

    def __enter__(self) -> "_Bar":
        if sys.stderr.isatty():
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def show(self, part: str, inputs: int, wrong: int) -> None:
        line = f"{part} nodes: {inputs} inputs so far, {wrong} wrong"
        self._bar.update(self._task, description=line)
        if not sys.stderr.isatty() and part != self._last:
            print(line, file=sys.stderr, flush=True)
        self._last = part


def _show(report: "Report") -> None:
    out = console()
    out.print(report.verdict(), highlight=False)
    if report.situations:
        counts = ", ".join(f"{count} {name}" for name, count in report.situations.items())
        out.print(f"situations: {counts}; smallest margin {report.margin:.3f}; {report.rare} met only once", highlight=False)
    if report.counterexample is not None:
        out.print(_described(report.counterexample), highlight=False)
    out.print(f"{report.seconds:.0f} s", highlight=False)


def _described(found: "Counterexample") -> str:
    edges = ", ".join(f"{a}→{b}" for a, b in found.edges) or "none"
    values = "".join(f"; {name} {numbers}" for name, numbers in found.values.items())
    return f"counterexample: {found.nodes} nodes, edges {edges}{values}: row {found.row} has a wrong {found.field}"
