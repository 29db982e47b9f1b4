"""`recursor train`."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import tyro

from recursor.commands.console import console
from recursor.configurations.named import configuration
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
    budget: Literal["cpu", "long", "paper"] | None = None
    """How long and on which sizes a configuration of the paper is trained: cpu (if left out): minutes on a laptop; long:
    four times as many updates; paper: as in the paper, for a GPU."""
    seed: int | None = None
    """The one source of randomness; left out, it is the configuration's."""
    out: Path | None = None
    """The run directory; left out, it is runs/NAME-BUDGET-seedSEED."""
    resume: Path | None = None
    """A run directory to go on with."""
    track: tuple[TrackerName, ...] = ()
    """Send metrics to these trackers too; each needs its extra."""
    show: tyro.conf.FlagCreatePairsOff[bool] = False
    """Print the configuration and do nothing."""

    def __call__(self, changes: Sequence[str]) -> None:
        from recursor.training import loop, update  # JAX is slow to import, and not every command needs it

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
            budget = f"-{self.budget or 'cpu'}" if self.config.startswith(("paper/", "call-frames/", "variations/")) else ""
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
    except KeyboardInterrupt:
        sys.exit(f"stopped; nothing is lost: recursor train --resume {directory}")
