"""`recursor table`."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import tyro

from recursor.commands.console import console
from recursor.training.config import Trainer

if TYPE_CHECKING:
    from recursor.table.jobs import Job


@dataclass(frozen=True)
class Table:
    """Reproduces the paper's two tables: trains every row from every seed, scores it, and writes tables, plot and a page.

    What is done is skipped, and what was stopped goes on: start it again with the same options. Ctrl-C loses nothing.
    """

    budget: Literal["cpu", "paper"] = "cpu"
    """How long and on which sizes each row is trained."""
    seeds: tuple[int, ...] = (1, 2, 3)
    """Each row is trained from each of them."""
    rows: tuple[int, ...] = ()
    """Numbers of the paper's rows to train; left out, all eleven."""
    trainers: tuple[Trainer, ...] = ()
    """Blocks of the table to train; left out, both: the paper's rollout, and frames for the rows that can."""
    results: Path | None = None
    """Where results, tables, plot and the page report.html are kept; left out, results/table-BUDGET."""
    work: Path | None = None
    """Where runs are kept until they are done; left out, runs/table-BUDGET."""
    jobs: int | None = None
    """Runs at once; left out, as many as there are cores and memory for."""
    on: Literal["local", "ray"] = "local"
    """This machine, or the Ray cluster that RAY_ADDRESS names (extra: ray)."""
    only_report: tyro.conf.FlagCreatePairsOff[bool] = False
    """Train nothing; write tables, plot and page of the results that are there."""
    fill: tuple[Path, ...] = ()
    """Put the tables into these pages too, between <!-- table --> or <!-- costs --> and <!-- end -->."""

    def __call__(self) -> None:
        if not self.seeds or len(set(self.seeds)) < len(self.seeds) or min(self.seeds) < 0:
            raise ValueError("seeds are one or more different numbers, none below 0")
        if self.jobs is not None and self.jobs < 1:
            raise ValueError(f"there is at least one job at once, not {self.jobs}")
        from recursor.table.jobs import seeds_first
        from recursor.table.rows import select

        results = self.results or Path("results") / f"table-{self.budget}"
        work = self.work or Path("runs") / f"table-{self.budget}"
        wanted = seeds_first(select(self.rows, self.trainers), self.budget, self.seeds, work, results)
        failed = [] if self.only_report else self._train(wanted)
        self._report(results, seeds_first(select((), ()), self.budget, self.seeds, work, results))
        if failed:
            raise ValueError(f"{len(failed)} of {len(wanted)} runs failed: {'; '.join(failed)}")

    def _train(self, wanted: "Sequence[Job]") -> list[str]:
        from recursor.table import cluster, processes

        for job in wanted:
            job.config.check()
        missing = [job for job in wanted if not job.done()]
        _say(f"{len(wanted) - len(missing)} of {len(wanted)} runs are done")
        if not missing:
            return []
        try:
            if self.on == "ray":
                return cluster.run(missing, self.jobs, _say)
            at_once = self.jobs or processes.at_once(missing)
            _say(f"{len(missing)} to do, {at_once} at once")
            return processes.run(missing, at_once, _say)
        except KeyboardInterrupt:
            sys.exit("stopped; nothing is lost: the same command goes on")

    def _report(self, results: Path, all_jobs: "Sequence[Job]") -> None:
        from recursor.documents import put_tables
        from recursor.files import write_atomically
        from recursor.table.report import report

        if not any(job.done() for job in all_jobs):
            raise ValueError(f"{results} holds no result yet")
        files = report(self.budget, all_jobs)
        for name, data in files.items():
            write_atomically(results / name, data)
        for page in self.fill:
            put_tables(page, {kind: files[f"{kind}.md"].decode() for kind in ("table", "costs")})
        console().print(files["table.md"].decode(), end="")
        _say(f"{results} holds {', '.join(files)}")


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
