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
    """Reproduces the paper's two tables: trains every experiment from every seed, scores it, and writes tables, plot
    and a page. With --algorithms it does the same for the exact network of each algorithm, which is not the paper's.

    What is done is skipped, and what was stopped goes on: start it again with the same options. Ctrl-C loses nothing.
    On a machine that has other work to do: `recursor table --budget paper-sizes --idle`, and `recursor table --budget
    paper-sizes --pause` or `--resume` from another terminal.
    """

    budget: Literal["small", "small-long", "paper-sizes", "paper"] = "small"
    """How long and on which sizes each experiment is trained."""
    seeds: tuple[int, ...] = (1, 2, 3)
    """Each experiment is trained from each of them."""
    experiments: tuple[int, ...] = ()
    """Numbers of the paper's experiments to train, in that order; left out, all eleven in the order of the budget."""
    blocks: tuple[Literal["rollout", "call-frames", "variations"], ...] = ()
    """Blocks of the table to train: the paper's rollout, call-frames for the experiments that can, and variations; left out,
    those of the budget."""
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
    idle: tyro.conf.FlagCreatePairsOff[bool] = False
    """Train at the lowest priority."""
    pause: tyro.conf.FlagCreatePairsOff[bool] = False
    """Train nothing; pause the runs in the directory of runs, also those of a later start, until --resume."""
    resume: tyro.conf.FlagCreatePairsOff[bool] = False
    """Train nothing; end a pause. A command that was started before goes on by itself."""
    take: Path | None = None
    """Take over what is missing here from the results in this directory, which another copy made."""
    only_report: tyro.conf.FlagCreatePairsOff[bool] = False
    """Train nothing; write tables, plot and page of the results that are there."""
    fill: tuple[Path, ...] = ()
    """Put the tables into these pages too, each between the mark of its file (<!-- table-small/costs --> for costs.md) and
    <!-- end -->."""

    def __call__(self) -> None:
        if not self.seeds or len(set(self.seeds)) < len(self.seeds) or min(self.seeds) < 0:
            raise ValueError("seeds are one or more different numbers, none below 0")
        if self.jobs is not None and self.jobs < 1:
            raise ValueError(f"there is at least one job at once, not {self.jobs}")
        if self.algorithms and (self.experiments or self.blocks):
            raise ValueError("--experiments and --blocks choose the paper's experiments, which --algorithms has none of")
        if self.on == "ray" and (self.idle or self.pause or self.resume):
            raise ValueError("--idle, --pause and --resume are for this machine; a Ray cluster has priorities of its own")
        if self.pause and self.resume:
            raise ValueError("--pause and --resume are opposites; give one of them")
        kind = "exact" if self.algorithms else self.budget
        results = self.results or Path("results") / f"table-{kind}"
        work = self.work or Path("runs") / f"table-{kind}"
        wanted, there, report = (self._family if self.algorithms else self._paper)(work, results)
        if self.pause or self.resume:
            self._pause(work)
            return
        if self.take is not None:
            self._take(there, self.take)
        failed = [] if self.only_report else self._train(wanted)
        if not sum(job.done() for job in there):  # all are looked at: a damaged one is refused
            raise ValueError(f"{results} holds no result yet")
        self._write(results, report(there))
        if failed:
            raise ValueError(f"{len(failed)} of {len(wanted)} runs failed: {'; '.join(failed)}")

    def _paper(self, work: Path, results: Path) -> "Plan":
        from recursor.configurations.paper import BUDGETS
        from recursor.paper.experiments import select
        from recursor.paper.jobs import seeds_first
        from recursor.paper.report import report

        budget = BUDGETS[self.budget]
        chosen = select(self.experiments, self.blocks or budget.blocks, budget.order)
        wanted = seeds_first(chosen, self.budget, self.seeds, work, results)
        there = seeds_first(select(), self.budget, self.seeds, work, results)
        exact = [results.with_name("table-exact") / f"dfs-seed{seed}" for seed in self.seeds]
        return wanted, there, partial(report, self.budget, exact=exact)

    def _family(self, work: Path, results: Path) -> "Plan":
        from recursor.paper.family import jobs_of, report

        wanted = jobs_of(self.algorithms, self.seeds, work, results)
        return wanted, jobs_of((*self.algorithms, "all"), self.seeds, work, results), report

    def _pause(self, work: Path) -> None:
        from recursor.paper import processes

        if self.pause:
            processes.pause(work)
            _say(f"{work} is paused: its runs stop after the update they are in, and go on with --resume")
        else:
            processes.resume(work)
            _say(f"{work} goes on, if a command is there that trains it")

    def _take(self, jobs: "Sequence[Job]", other: Path) -> None:
        from recursor.paper.results import take

        for job in jobs:
            if take(other / job.results.name, job.results, job.config):
                _say(f"{job}: taken from {other}")

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
            return processes.run(missing, at_once, _say, idle=self.idle)
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
