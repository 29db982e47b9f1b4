"""Training of several networks that share one processor, and the run directory it writes.

    config.json            what the run is: `together` names the algorithms
    last-A, -B.safetensors the newest two checkpoints of the time together: the states of all networks
    run.json               when done: what came of each network
    lock                   held by the process that trains
    ALGORITHM/             a run directory of its own for each: it can be loaded, verified and executed like any other

In the first part the networks take turns, one update each, and the processor is changed by all of them. In the second part
each learns its lessons alone, and the processor stays as it is: its arrays are the same in all of them, byte by byte.
"""

import json
import time
from collections.abc import Mapping
from contextlib import ExitStack, closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

import equinox as eqx
import jax

from recursor.network.reasoner import Reasoner
from recursor.system.compiling import keep_compiled_programs
from recursor.system.files import parse_json, read_whole, write_atomically
from recursor.system.interrupts import Interrupts, interrupts
from recursor.training import checkpoint, loop
from recursor.training.config import TrainConfig
from recursor.training.directory import config_of, locked, new_run
from recursor.training.loading import load
from recursor.training.notes import read_notes
from recursor.training.progress import Progress
from recursor.training.run import Run
from recursor.training.sharing import adopt_optimiser, adopt_processors
from recursor.training.update import State
from recursor.version import __version__


def train(config: TrainConfig, directory: Path | str, *, progress: bool = True) -> dict[str, Run]:
    """Trains the networks of several algorithms, with one processor for all, in a new directory.

    Args:
        config: What is trained; `together` names the algorithms.
        directory: A directory that is empty or not there.
        progress: Whether to show the progress on standard error.

    Returns:
        The run of each algorithm.

    Raises:
        ValueError: If the configuration cannot work, or the directory holds something.
        NotANumberError: If a loss or a weight is no number.
        KeyboardInterrupt: After Ctrl-C, and after SIGTERM, once the state is saved.
    """
    directory = Path(directory)
    if not config.together:
        raise ValueError("the configuration names no algorithms that are trained together")
    for part in config.parts().values():
        part.check()
    with new_run(directory, config):
        return _go_on(directory, config, progress=progress)


def resume(directory: Path | str, *, progress: bool = True) -> dict[str, Run]:
    """Continues such a run to its end; otherwise like `train`."""
    directory = Path(directory)
    config = config_of(directory)
    parent = directory.parent
    if (parent / "config.json").exists() and config_of(parent).together == config.together:
        raise ValueError(f"{directory} is a part of {parent}, where networks are trained together; resume that")
    with locked(directory):
        return _go_on(directory, config, progress=progress)


def _go_on(directory: Path, config: TrainConfig, *, progress: bool) -> dict[str, Run]:
    parts = config.parts()
    with ExitStack() as locks, interrupts() as interrupted:
        keep_compiled_programs()
        for name, part in parts.items():
            (directory / name).mkdir(exist_ok=True)
            locks.enter_context(locked(directory / name))
            write_atomically(directory / name / "config.json", part.to_json().encode())
        _Together(directory, config, shown=progress).run(interrupted)
    return {name: load(directory / name) for name in parts}


class _Together:
    """One process's part of a run."""

    def __init__(self, directory: Path, config: TrainConfig, *, shown: bool) -> None:
        self.directory, self.config, self.shown = directory, config, shown
        bar = Progress(config.updates, shown=False)
        self.loops = {name: loop.Loop(directory / name, part, bar, ()) for name, part in config.parts().items()}
        self.last: State = next(iter(self.loops.values())).state
        """That of the network whose turn was the last one."""
        self.adopt()
        self.load()

    def adopt(self) -> None:
        """Gives every network the processor of the last one."""
        for each in self.loops.values():
            each.state = adopt(each.state, self.last)

    def load(self) -> None:
        """Takes up the newest checkpoint, if there is one; not in networks that went on alone since then."""
        try:
            kept, header = checkpoint.load(self.directory, "last", self.kept(), self.config, clean=True)
        except FileNotFoundError:
            return
        for name, each in self.loops.items():
            if each.done < self.config.updates:
                each.take_up(kept[name], header.updates, read_notes(header.path, header.notes[name]))
                self.last = each.state

    def kept(self) -> dict[str, Any]:
        """All that a checkpoint keeps."""
        return {name: each.kept() for name, each in self.loops.items()}

    def run(self, interrupted: Interrupts) -> None:
        together = [each for each in self.loops.values() if each.done < self.config.updates]
        if together:
            self.take_turns(interrupted)
        for name, each in self.loops.items():
            if (self.directory / name / "run.json").exists():
                continue
            with Progress(self.config.updates, shown=self.shown, label=name) as bar:
                each.bar = bar
                if not checkpoint.checkpoints(self.directory / name, "last"):
                    each.begin()
                    with closing(each.file):
                        each.validate()
                        each.save()
                each.run(interrupted)
        self.finish()

    def take_turns(self, interrupted: Interrupts) -> None:
        """Makes all updates of the time together, one of each network after the other."""
        config, loops = self.config, self.loops.values()
        saved = time.monotonic()
        with ExitStack() as opened, Progress(config.updates, shown=self.shown) as bar:
            batches = []
            for each in loops:
                each.bar = bar
                each.begin()
                opened.enter_context(closing(each.file))
                batches.append(opened.enter_context(closing(each.trainer.batches(each.config, each.done))))
            interrupted.stop()
            done = next(iter(loops)).done
            while done < config.updates:
                for each, source in zip(loops, batches, strict=True):
                    each.state = adopt(each.state, self.last)
                    each.one_update(next(source))
                    self.last = each.state
                done += 1
                if done == config.updates or interrupted or time.monotonic() - saved > loop.SAVE_SECONDS:
                    self.save(done)
                    saved = time.monotonic()
                interrupted.stop()

    def save(self, done: int) -> None:
        self.adopt()
        for each in self.loops.values():
            each.note()
        notes = {name: asdict(each.notes) for name, each in self.loops.items()}
        checkpoint.save(self.directory, "last", done, self.kept(), self.config, notes)

    def finish(self) -> None:
        networks: dict[str, Any] = {}
        for name, each in self.loops.items():
            path = self.directory / name / "run.json"
            networks[name] = weights_of(each.state.reasoner) | parse_json(read_whole(path))
        summary = {"version": __version__, "networks": networks}
        write_atomically(self.directory / "run.json", json.dumps(summary, indent=2).encode() + b"\n")


def adopt(state: State, other: State) -> State:
    """Returns a state of training with the processor of another one, and with the state of the processor's optimiser."""
    reasoner = adopt_processors(state.reasoner, other.reasoner)
    return State(reasoner, adopt_optimiser(state.optimiser, other.optimiser))


def weights_of(reasoner: Reasoner) -> Mapping[str, int]:
    """Returns how many weights a reasoner has that networks can share, those of the processor, and how many of its own."""

    def count(tree: Any) -> int:
        return sum(leaf.size for leaf in jax.tree.leaves(eqx.filter(tree, eqx.is_inexact_array)))

    shared = count(reasoner.processors)
    return {"shared_weights": shared, "own_weights": count(reasoner) - shared}
