"""`recursor table`."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import tyro

from recursor.commands.console import console

if TYPE_CHECKING:
    from recursor.paper.jobs import Job

    Plan = tuple[Sequence[Job], Sequence[Job], Callable[[Sequence[Job]], dict[str, bytes]]]
    """The runs that are asked for, those that the report is made of, and how."""


@dataclass(frozen=True)
class Table:
    """Reproduces the paper's two tables: trains every row from every seed, scores it, and writes tables, plot and a page.
    With --algorithms it does the same for the exact network of each algorithm, which is not the paper's.

    What is done is skipped, and what was stopped goes on: start it again with the same options. Ctrl-C loses nothing.
    """

    budget: Literal["cpu", "long", "paper"] = "cpu"
    """How long and on which sizes each row is trained."""
    seeds: tuple[int, ...] = (1, 2, 3)
    """Each row is trained from each of them."""
    rows: tuple[int, ...] = ()
    """Numbers of the paper's rows to train; left out, all eleven."""
    blocks: tuple[Literal["rollout", "call-frames", "variations"], ...] = ()
    """Blocks of the table to train; left out, all: rollout, call-frames for the rows that can, and variations."""
    algorithms: tuple[str, ...] = ()
    """The table of these algorithms instead, or of `all`: the exact network of each, in a budget of its own."""
    results: Path | None = None
    """Where results, tables, plot and the page report.html are kept; left out, results/table-BUDGET, or table-exact."""
    work: Path | None = None
    """Where runs are kept until they are done; left out, runs/table-BUDGET, or table-exact."""
    jobs: int | None = None
    """Runs at once; left out, as many as there are cores and memory for."""
    on: Literal["local", "ray"] = "local"
    """This machine, or the Ray cluster that RAY_ADDRESS names (extra: ray)."""
    only_report: tyro.conf.FlagCreatePairsOff[bool] = False
    """Train nothing; write tables, plot and page of the results that are there."""
    fill: tuple[Path, ...] = ()
    """Put the tables into these pages too, each between the mark of its file (<!-- table-cpu/costs --> for costs.md) and
    <!-- end -->."""

    def __call__(self) -> None:
        if not self.seeds or len(set(self.seeds)) < len(self.seeds) or min(self.seeds) < 0:
            raise ValueError("seeds are one or more different numbers, none below 0")
        if self.jobs is not None and self.jobs < 1:
            raise ValueError(f"there is at least one job at once, not {self.jobs}")
        if self.algorithms and (self.rows or self.blocks):
            raise ValueError("--rows and --blocks choose among the paper's rows, which --algorithms has none of")
        kind = "exact" if self.algorithms else self.budget
        results = self.results or Path("results") / f"table-{kind}"
        work = self.work or Path("runs") / f"table-{kind}"
        wanted, there, report = (self._family if self.algorithms else self._paper)(work, results)
        failed = [] if self.only_report else self._train(wanted)
        if not sum(job.done() for job in there):  # all are looked at: a damaged one is refused
            raise ValueError(f"{results} holds no result yet")
        self._write(results, report(there))
        if failed:
            raise ValueError(f"{len(failed)} of {len(wanted)} runs failed: {'; '.join(failed)}")

    def _paper(self, work: Path, results: Path) -> "Plan":
        from recursor.paper.experiments import select
        from recursor.paper.jobs import seeds_first
        from recursor.paper.report import report

        wanted = seeds_first(select(self.rows, self.blocks), self.budget, self.seeds, work, results)
        there = seeds_first(select((), ()), self.budget, self.seeds, work, results)
        return wanted, there, partial(report, self.budget)

    def _family(self, work: Path, results: Path) -> "Plan":
        from recursor.paper.family import jobs_of, report

        wanted = jobs_of(self.algorithms, self.seeds, work, results)
        return wanted, jobs_of((*self.algorithms, "all"), self.seeds, work, results), report

    def _train(self, wanted: "Sequence[Job]") -> list[str]:
        from recursor.paper import cluster, processes

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

    def _write(self, results: Path, files: Mapping[str, bytes]) -> None:
        from recursor.report.markdown import put_tables
        from recursor.system.files import write_atomically

        for name, data in files.items():
            write_atomically(results / name, data)
        written = {Path(name): data.decode() for name, data in files.items() if name.endswith(".md")}
        tables = {f"{results.name}/{path.stem}": text for path, text in written.items()}
        for page in self.fill:
            put_tables(page, tables)
        console().print(next(iter(tables.values())), end="")
        _say(f"{results} holds {', '.join(files)}")


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
