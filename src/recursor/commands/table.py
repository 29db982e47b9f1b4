"""`recursor table`."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from recursor.commands.console import console
from recursor.commands.options import Flag, option

if TYPE_CHECKING:
    from recursor.paper.jobs import Job

    Plan = tuple[Sequence[Job], Sequence[Job], Callable[[Sequence[Job]], dict[str, bytes]]]
    """The jobs to train, the jobs that the report covers, and the function that makes the report."""


Block = Literal["rollout", "call-frames", "variations"]


@dataclass(frozen=True)
class Table:
    """Reproduces the paper's tables.

    It trains every experiment from every seed, scores it, and writes tables, a plot and a page. With --algorithms it does
    the same for the exact network of each algorithm, which is not in the paper. Ctrl-C loses nothing. To continue, run the
    same command again: finished runs are skipped, and the others resume. On a machine that is also used for other work, add
    --idle, and pause and resume it from another terminal.

    For example:

        recursor table --budget small
        recursor table --budget paper-sizes --idle
        recursor table --budget paper-sizes --pause
    """

    budget: Literal["small", "small-long", "paper-sizes", "paper"] = "small"
    """Number of updates and sizes of graphs of each experiment."""
    seeds: tuple[int, ...] = (1, 2, 3)
    """Each experiment is trained once from each seed."""
    experiments: Annotated[tuple[int, ...], option("NUMBER ...", "all eleven, in the order of the budget")] = ()
    """Numbers of the paper's experiments to train, in that order."""
    blocks: Annotated[tuple[Block, ...], option("{rollout,call-frames,variations} ...", "those of the budget")] = ()
    """Blocks of the table to train: the paper's (rollout), those that call frames can train, variations."""
    algorithms: Annotated[tuple[str, ...], option("NAME ...", "the paper's table")] = ()
    """Make the table of these algorithms instead, or of all: the exact network of each, in its own budget."""
    results: Annotated[Path | None, option("DIRECTORY", "results/table-BUDGET, or results/table-exact")] = None
    """Directory of results, tables, plot and report.html."""
    work: Annotated[Path | None, option("DIRECTORY", "runs/table-BUDGET, or runs/table-exact")] = None
    """Directory of the runs."""
    jobs: Annotated[int | None, option("COUNT", "as many as cores and memory allow")] = None
    """Runs at the same time."""
    on: Literal["local", "ray"] = "local"
    """This machine, or the Ray cluster that RAY_ADDRESS names (extra: ray)."""
    idle: Flag = False
    """Train at the lowest priority."""
    pause: Flag = False
    """Train nothing; pause the runs in the directory of runs, also runs that are started later, until --resume."""
    resume: Flag = False
    """Train nothing; end a pause. A paused command that is still running continues by itself."""
    take: Annotated[Path | None, option("DIRECTORY", "none")] = None
    """Copy missing results from this directory, which another copy of Recursor made."""
    only_report: Flag = False
    """Train nothing; write tables, plot and page from the results so far."""
    fill: Annotated[tuple[Path, ...], option("FILE ...", "none")] = ()
    """Also write the tables into these Markdown files, between <!-- table-BUDGET/NAME --> and <!-- end -->."""

    def __call__(self) -> None:
        if not self.seeds or len(set(self.seeds)) < len(self.seeds) or min(self.seeds) < 0:
            raise ValueError("seeds must be one or more different numbers, each at least 0")
        if self.jobs is not None and self.jobs < 1:
            raise ValueError(f"jobs must be at least 1, not {self.jobs}")
        if self.algorithms and (self.experiments or self.blocks):
            raise ValueError(
                "--experiments and --blocks select experiments of the paper; they cannot be combined with --algorithms"
            )
        if self.on == "ray" and (self.idle or self.pause or self.resume):
            raise ValueError("--idle, --pause and --resume work on this machine only; a Ray cluster has its own priorities")
        if self.pause and self.resume:
            raise ValueError("--pause and --resume are opposites; give one of them")
        kind = "exact" if self.algorithms else self.budget
        results = self.results or Path("results") / f"table-{kind}"
        work = self.work or Path("runs") / f"table-{kind}"
        to_train, covered, report = (self._family if self.algorithms else self._paper)(work, results)
        if self.pause or self.resume:
            self._pause(work)
            return
        if self.take is not None:
            self._take(covered, self.take)
        failed = [] if self.only_report else self._train(to_train)
        if not sum(job.done() for job in covered):  # no short-circuit: every damaged result must be refused
            raise ValueError(f"{results} holds no result yet")
        self._write(results, report(covered))
        if failed:
            raise ValueError(f"{len(failed)} of {len(to_train)} runs failed: {'; '.join(failed)}")

    def _paper(self, work: Path, results: Path) -> "Plan":
        from recursor.configurations.paper import BUDGETS
        from recursor.paper.experiments import select
        from recursor.paper.jobs import seeds_first
        from recursor.paper.report import report

        budget = BUDGETS[self.budget]
        selected = select(self.experiments, self.blocks or budget.blocks, budget.order)
        to_train = seeds_first(selected, self.budget, self.seeds, work, results)
        covered = seeds_first(select(), self.budget, self.seeds, work, results)
        exact = [results.with_name("table-exact") / f"dfs-seed{seed}" for seed in self.seeds]
        return to_train, covered, partial(report, self.budget, exact=exact)

    def _family(self, work: Path, results: Path) -> "Plan":
        from recursor.paper.family import jobs_of, report

        to_train = jobs_of(self.algorithms, self.seeds, work, results)
        return to_train, jobs_of((*self.algorithms, "all"), self.seeds, work, results), report

    def _pause(self, work: Path) -> None:
        from recursor.paper import processes

        if self.pause:
            processes.pause(work)
            _say(f"{work} is paused: its runs stop after their current update; --resume continues them")
        else:
            processes.resume(work)
            _say(f"{work} is no longer paused: a command that is still running continues")

    def _take(self, jobs: "Sequence[Job]", other: Path) -> None:
        from recursor.paper.results import take

        for job in jobs:
            if take(other / job.results.name, job.results, job.config):
                _say(f"{job}: taken from {other}")

    def _train(self, jobs: "Sequence[Job]") -> list[str]:
        from recursor.paper import cluster, processes

        for job in jobs:
            job.config.check()
        missing = [job for job in jobs if not job.done()]
        _say(f"{len(jobs) - len(missing)} of {len(jobs)} runs are done")
        if not missing:
            return []
        try:
            if self.on == "ray":
                return cluster.run(missing, self.jobs, _say)
            at_once = self.jobs or processes.at_once(missing)
            _say(f"{len(missing)} to do, {at_once} at once")
            return processes.run(missing, at_once, _say, idle=self.idle)
        except KeyboardInterrupt:
            sys.exit("stopped; nothing is lost: run the same command again to continue")

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
