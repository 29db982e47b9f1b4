"""`recursor train`."""

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import tyro

from recursor.commands.console import console
from recursor.configurations.named import configuration
from recursor.system.interrupts import status
from recursor.training.config import TrainConfig, read_config
from recursor.training.trackers import TrackerName

if TYPE_CHECKING:
    from recursor.training.run import Run


@dataclass(frozen=True)
class Train:
    """Trains a reasoner and writes a run directory.

    CONFIG is the name of a configuration, such as exact/dfs or paper/10-node-stack, or a JSON file that holds one
    (a run's config.json).
    Any value can be changed: `recursor train paper/10-node-stack --updates 200 --network.width 64`;
    `recursor train CONFIG --show` prints them all.
    Ctrl-C stops cleanly; `recursor train --resume RUN` continues, with the same result as an uninterrupted run.
    """

    config: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="CONFIG")] = ""
    """The name of a configuration, or a JSON file."""
    budget: Literal["small", "small-long", "paper-sizes", "paper"] | None = None
    """Number of updates and sizes of graphs, for a configuration of the paper. small (default): minutes on a laptop;
    small-long: four times as many updates; paper-sizes: the paper's sizes of graphs, about
    an hour; paper: as in the paper, for a GPU."""
    seed: int | None = None
    """The seed. Default: the seed of the configuration."""
    out: Path | None = None
    """The run directory. Default: runs/NAME-BUDGET-seedSEED."""
    resume: Path | None = None
    """The directory of a stopped run, which is to be continued."""
    track: tuple[TrackerName, ...] = ()
    """Also send metrics to these trackers: `tensorboard` or `wandb`; each needs its extra."""
    kernels: tyro.conf.FlagCreatePairsOff[bool] = False
    """Build C++ kernels, with this machine's compiler, for networks that compute on all pairs of nodes: faster on a CPU,
    with different rounding. The same as RECURSOR_KERNELS=1 in the environment."""
    show: tyro.conf.FlagCreatePairsOff[bool] = False
    """Print the configuration and exit."""

    def __call__(self, changes: Sequence[str]) -> None:
        from recursor.training import loop, update  # JAX is slow to import, and not every command needs it

        if self.kernels:
            os.environ["RECURSOR_KERNELS"] = "1"
        if self.resume is not None:
            if changes or any((self.config, self.budget, self.seed is not None, self.out, self.show)):
                raise ValueError(
                    "--resume continues a run with its own configuration: do not give a configuration or changes with it"
                )
            update.use_cores(loop.config_of(self.resume))
            run = _report_interruption(partial(loop.resume, self.resume, track=self.track), self.resume)
        else:
            config = self._configuration(changes)
            if self.show:
                console().print(config.to_json(), end="")
                return
            config.check()
            update.use_cores(config)
            name = self.config.replace("/", "-").removesuffix(".json")
            budget = (
                f"-{self.budget or 'small'}" if self.config.startswith(("paper/", "call-frames/", "variations/")) else ""
            )
            out = self.out or Path("runs") / f"{name}{budget}-seed{config.seed}"
            run = _report_interruption(partial(loop.train, config, out, track=self.track), out)
        summary = (run.directory / "run.json").read_text()
        console().print(f"{run.directory} is done: {summary}", end="")

    def _configuration(self, changes: Sequence[str]) -> TrainConfig:
        if self.config in ("", "[]"):
            raise ValueError(
                "the first argument must be a configuration, such as paper/10-node-stack, or a file; changes come after it"
            )
        if self.config.endswith(".json"):
            if self.budget:
                raise ValueError(
                    f"{self.config} has its own sizes and updates; --budget works with the paper's configurations only"
                )
            base = read_config(Path(self.config))
        else:
            base = configuration(self.config, budget=self.budget)
        if self.seed is not None:
            base = replace(base, seed=self.seed)
        return tyro.cli(TrainConfig, prog=f"recursor train {self.config}", default=base, args=list(changes))


def _report_interruption(work: Callable[[], "Run"], directory: Path) -> "Run":
    """Calls `work`. After Ctrl-C or SIGTERM, prints how to resume and exits."""
    try:
        return work()
    except KeyboardInterrupt as interrupt:
        exists = (directory / "config.json").exists()
        message = f"stopped; nothing is lost: recursor train --resume {directory}" if exists else "stopped before it began"
        print(message, file=sys.stderr, flush=True)
        sys.exit(status(interrupt))
