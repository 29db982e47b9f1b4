"""`recursor train`."""

import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import tyro

from recursor.algorithms import IMPORTED
from recursor.commands.console import console
from recursor.commands.mistakes import mistakes_in_a_sentence
from recursor.commands.options import Flag, option
from recursor.configurations.named import configuration
from recursor.system.forced_exit import answer_ctrl_c
from recursor.system.interrupts import status
from recursor.training.config import TrainConfig, read_config
from recursor.training.trackers import TrackerName

Budget = Literal["small", "small-long", "paper-sizes", "paper"]


@dataclass(frozen=True)
class Train:
    """Trains a network and writes a run directory.

    CONFIG is the name of a configuration, such as exact/dfs or paper/10-node-stack, or a JSON file that holds one, such as
    the config.json of a run. Every value of it can be changed. Ctrl-C stops cleanly, and --resume continues with the same
    result as an uninterrupted run.

    For example:

        recursor train exact/dfs
        recursor train exact/dfs --show
        recursor train paper/10-node-stack --updates 200 --network.width 64
        recursor train --resume runs/exact-dfs-seed1
    """

    config: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="CONFIG", help_behavior_hint="")] = ""
    """The name of a configuration, or a JSON file."""
    budget: Annotated[Budget | None, option("{small,small-long,paper-sizes,paper}", "small: minutes on a laptop")] = None
    """For a configuration of the paper, how long to train and on which sizes; docs/training.md has a table."""
    seed: Annotated[int | None, option("SEED", "that of the configuration")] = None
    """The seed."""
    out: Annotated[Path | None, option("DIRECTORY", "runs/NAME-seedSEED")] = None
    """The run directory."""
    resume: Annotated[Path | None, option("RUN", "a new run")] = None
    """The directory of a stopped run, which is to be continued."""
    track: Annotated[tuple[TrackerName, ...], option("{tensorboard,wandb} ...", "none")] = ()
    """Also send the metrics to these trackers. If the module of one is missing, the message says what to install."""
    kernels: Flag = False
    """Build C++ kernels for networks that compute on all pairs of nodes: faster on a CPU, with other rounding."""
    show: Flag = False
    """Print the configuration and exit."""

    def __call__(self, changes: Sequence[str]) -> None:
        from recursor.training import joint, loop, update  # JAX is slow to import, and not every command needs it
        from recursor.training.directory import config_of

        if self.kernels:
            os.environ["RECURSOR_KERNELS"] = "1"
        if self.resume is not None:
            if changes or any((self.config, self.budget, self.seed is not None, self.out, self.show)):
                raise ValueError(
                    "--resume continues a run with its own configuration: do not give a configuration or changes with it"
                )
            out, config = self.resume, config_of(self.resume)
            update.use_cores(config)
            work = partial(joint.resume, out) if config.together else partial(loop.resume, out, track=self.track)
        else:
            config = self.configured(changes)
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
            work = partial(joint.train if config.together else partial(loop.train, track=self.track), config, out)
        if config.together and self.track:
            raise ValueError("networks that are trained together have no tracker: leave --track out")
        _report_interruption(work, out)
        console().print(summary(out, config), markup=False, highlight=False)

    def configured(self, changes: Sequence[str]) -> TrainConfig:
        """Returns the configuration that the arguments name, with the changes that come after it."""
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
        with mistakes_in_a_sentence():
            return tyro.cli(TrainConfig, prog=f"recursor train {self.config}", default=base, args=list(changes))


def summary(directory: Path, config: TrainConfig) -> str:
    """Returns what a finished run came to, in a few words, and how it is used if it halts by itself.

    Args:
        directory: The run directory, or that of networks that were trained together.
        config: Its configuration.
    """
    path = directory / "run.json"
    found = json.loads(path.read_text())
    if "updates" not in found:
        return f"{directory} is done; {path} says what came of each network."
    words = f"{directory} is done: {found['updates']} updates in {found['seconds']:.0f} s"
    if verified := found.get("verified"):
        words += f", verified {verified['inputs']} inputs, {verified['wrong']} wrong"
    else:
        words += f", best validation {found['best_validation']:.1%}"
    command = f"recursor{_imports()} solve GRAPH --model {directory}"
    return f"{words} ({path})." + (f"\nOn a graph of your own: {command}" if config.halting else "")


def _imports() -> str:
    """Returns the options that import the same files again; none if there are none."""
    return "".join(f" --import {os.path.relpath(path)}" for path in IMPORTED)


def _report_interruption(work: Callable[[], object], directory: Path) -> None:
    """Calls `work`. After Ctrl-C or SIGTERM, prints how to resume and exits."""
    try:
        with answer_ctrl_c("stopping after this update; Ctrl-C again stops at once, and loses no more than a minute"):
            work()
    except KeyboardInterrupt as interrupt:
        message = "stopped before it began"
        if (directory / "config.json").exists():
            message = f"stopped; nothing is lost: recursor{_imports()} train --resume {directory}"
        print(message, file=sys.stderr, flush=True)
        sys.exit(status(interrupt))
