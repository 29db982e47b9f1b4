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
from recursor.system.interrupts import exit_at_once, status
from recursor.training.config import TrainConfig, read_config
from recursor.training.trackers import TrackerName

if TYPE_CHECKING:
    from recursor.training.run import Run


@dataclass(frozen=True)
class Train:
    """Trains a reasoner and writes a run directory.

    CONFIG is the name of a configuration, such as exact/dfs or paper/10-node-stack, or a JSON file that holds one
    (a run's config.json).
    Any of its values can be changed: `recursor train paper/10-node-stack --updates 200 --network.width 64`;
    `recursor train CONFIG --show` prints them all.
    Ctrl-C stops cleanly; `recursor train --resume RUN` goes on to the result that an uninterrupted run would have had.
    """

    config: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="CONFIG")] = ""
    """A name or a file."""
    budget: Literal["small", "small-long", "paper-sizes", "paper"] | None = None
    """How long and on which sizes a configuration of the paper is trained. small (if left out): minutes on a laptop;
    small-long: four times as many updates; paper-sizes: the paper's sizes of graphs, about
    an hour; paper: as in the paper, for a GPU."""
    seed: int | None = None
    """The one source of randomness; left out, it is the configuration's."""
    out: Path | None = None
    """The run directory; left out, it is runs/NAME-BUDGET-seedSEED."""
    resume: Path | None = None
    """A run directory to go on with."""
    track: tuple[TrackerName, ...] = ()
    """Send metrics to these trackers too: `tensorboard` or `wandb`; each needs its extra."""
    kernels: tyro.conf.FlagCreatePairsOff[bool] = False
    """Build kernels with the C++ compiler of this machine for networks that compute on all pairs of nodes: faster on a CPU,
    with other rounding. The same as RECURSOR_KERNELS=1 in the environment."""
    show: tyro.conf.FlagCreatePairsOff[bool] = False
    """Print the configuration and do nothing."""

    def __call__(self, changes: Sequence[str]) -> None:
        with exit_at_once():
            from recursor.training import loop, update  # JAX is slow to import, and not every command needs it

        if self.kernels:
            os.environ["RECURSOR_KERNELS"] = "1"
        if self.resume is not None:
            if changes or any((self.config, self.budget, self.seed is not None, self.out, self.show)):
                raise ValueError("a run is resumed as it is: give --resume and no configuration or change to it")
            update.use_cores(loop.config_of(self.resume))
            run = _or_interrupted(partial(loop.resume, self.resume, track=self.track), self.resume)
        else:
            config = self._configured(changes)
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
            run = _or_interrupted(partial(loop.train, config, out, track=self.track), out)
        summary = (run.directory / "run.json").read_text()
        console().print(f"{run.directory} is done: {summary}", end="")

    def _configured(self, changes: Sequence[str]) -> TrainConfig:
        if self.config in ("", "[]"):
            raise ValueError("name a configuration first, such as paper/10-node-stack, or a file; changes come after it")
        if self.config.endswith(".json"):
            if self.budget:
                raise ValueError(f"{self.config} has its own sizes and updates; a budget is for the paper's configurations")
            base = read_config(Path(self.config))
        else:
            base = configuration(self.config, budget=self.budget)
        if self.seed is not None:
            base = replace(base, seed=self.seed)
        return tyro.cli(TrainConfig, prog=f"recursor train {self.config}", default=base, args=list(changes))


def _or_interrupted(work: Callable[[], "Run"], directory: Path) -> "Run":
    try:
        return work()
    except KeyboardInterrupt as interrupt:
        begun = (directory / "config.json").exists()
        said = f"stopped; nothing is lost: recursor train --resume {directory}" if begun else "stopped before it began"
        print(said, file=sys.stderr, flush=True)
        sys.exit(status(interrupt))
