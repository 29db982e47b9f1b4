"""The training loop: updates, validations, checkpoints and verifications, from the start or from the last checkpoint.

Everything is a function of the configuration: a run that was killed and resumed ends with the same bytes as one left alone.
"""

import json
import os
import time
import warnings
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import jax
import numpy as np

from recursor.algorithms import find
from recursor.data.batches import sample
from recursor.evaluation import score
from recursor.network.kernels import build
from recursor.network.processors import PROCESSORS
from recursor.system.compiling import keep_compiled_programs
from recursor.system.files import DamagedFileError, finite, set_aside, write_atomically
from recursor.system.interrupts import Interrupts, interrupts
from recursor.training import call_frames, checkpoint, latent, rollout, update, weights
from recursor.training.config import TrainConfig, Trainer
from recursor.training.directory import config_of, locked, new_run
from recursor.training.lessons import Lesson, Outcome, examine, read_lessons, write_lessons
from recursor.training.loading import load, new_reasoner
from recursor.training.notes import Notes, read_notes
from recursor.training.progress import Progress
from recursor.training.run import Run
from recursor.training.sharing import adopt_processors
from recursor.training.trackers import Tracker, TrackerName, open_tracker, require
from recursor.verification.report import Report
from recursor.version import __version__

SAVE_SECONDS = 60.0
TRAINERS: Mapping[Trainer, Any] = {"rollout": rollout, "call-frames": call_frames, "latent": latent}


class NotANumberError(ArithmeticError):
    """The loss of an update is no number."""


def train(config: TrainConfig, directory: Path | str, *, progress: bool = True, track: Sequence[TrackerName] = ()) -> Run:
    """Trains in a new directory.

    Args:
        config: What is trained.
        directory: A directory that is empty or not there. What a killed process left of its first write is removed.
        progress: Whether to show the progress on standard error.
        track: Trackers that get the metrics too.

    Returns:
        The run with the reasoner of the best validation.

    Raises:
        ValueError: If the configuration cannot work, or the directory holds something.
        NotANumberError: If a loss or a weight is no number.
        KeyboardInterrupt: After Ctrl-C, and after SIGTERM, once the state is saved.

    Example:
        >>> run = train(recursor.configuration("exact/dfs"), "runs/mine")  # doctest: +SKIP
        >>> run.evaluate([32], graphs=16)  # doctest: +SKIP
        [<Scores of 16 graphs of 32 nodes: 100.0 % of the graphs and 100.0 % of the nodes are right>]
    """
    config.check()
    require(track)
    directory = Path(directory)
    with new_run(directory, config):
        _go_on(directory, config, progress=progress, track=track)
    return load(directory)


def resume(directory: Path | str, *, progress: bool = True, track: Sequence[TrackerName] = ()) -> Run:
    """Continues a run from its last checkpoint to its end.

    Args:
        directory: The run directory.
        progress: Whether to show the progress on standard error.
        track: Trackers that get the metrics too.

    Returns:
        The run with the reasoner of the best validation.

    Raises:
        ValueError: If it is not a run directory, another process trains in it, its configuration was edited, or its files
            are damaged so that nothing can be continued.
        NotANumberError: If a loss or a weight is no number.
        KeyboardInterrupt: After Ctrl-C, and after SIGTERM, once the state is saved.
    """
    directory = Path(directory)
    config_of(directory).check()
    require(track)
    with locked(directory):
        _go_on(directory, config_of(directory), progress=progress, track=track)
    return load(directory)


def _go_on(directory: Path, config: TrainConfig, *, progress: bool, track: Sequence[TrackerName]) -> None:
    with interrupts() as interrupted:
        keep_compiled_programs()
        opened = [open_tracker(name, directory, json.loads(config.to_json())) for name in track]
        try:
            with Progress(config.updates, shown=progress) as bar:
                Loop(directory, config, bar, opened).run(interrupted)
        finally:
            for tracker in opened:
                tracker.close()


class Loop:
    """One process's part of a run."""

    def __init__(self, directory: Path, config: TrainConfig, bar: Progress, trackers: Sequence[Tracker]) -> None:
        self.directory, self.config, self.bar, self.trackers = directory, config, bar, trackers
        self.algorithm = find(config.algorithm)
        self.trainer = TRAINERS[config.trainer]
        transformation = update.optimiser(config)
        self.state = update.start(new_reasoner(config), transformation)
        self.update = self.trainer.make_update(config, transformation, update.device_mesh(config.batch))
        self.key = jax.random.fold_in(jax.random.key(config.seed), 1)
        self.best_reasoner = self.state.reasoner
        self.done, self.notes = 0, Notes()
        self.metrics = directory / "metrics.jsonl"
        self.load()
        rng = np.random.default_rng((config.seed, 0, 0))  # three numbers: not the seed of any training batch
        self.validation = sample(self.algorithm, self.algorithm.train, config.validate_nodes, config.validate_graphs, rng)

    def load(self) -> None:
        """Takes up the newest checkpoint, or begins with the processor of another run if the configuration names one, and
        restores the weights if they are missing or damaged."""
        try:
            kept, header = checkpoint.load(self.directory, "last", self.kept(), self.config, clean=True)
        except FileNotFoundError:
            if self.config.processor_from:
                learnt = adopt_processors(self.state.reasoner, load(self.config.processor_from).reasoner)
                self.state = self.state._replace(reasoner=learnt)
                self.best_reasoner = learnt
        else:
            self.take_up(kept, header.updates, read_notes(header.path, header.notes))
            if self.notes.kernels != build.asked() and PROCESSORS.find(self.config.network.processor).encodes_pairs:
                warnings.warn(
                    f"{self.directory} was trained {'with' if self.notes.kernels else 'without'} kernels until now, so its "
                    f"bytes will not be those of a run left alone; RECURSOR_KERNELS={int(self.notes.kernels)} keeps to that",
                    stacklevel=2,
                )
        path = self.directory / checkpoint.SLOTS["weights"][0]
        try:
            weights.read(path, {"reasoner": self.best_reasoner}, "weights", self.config)
        except FileNotFoundError:
            pass
        except DamagedFileError as error:
            warnings.warn(f"{error}; it is now called {set_aside(path).name}, and is written again", stacklevel=2)
        if self.notes.best_update and not path.exists():
            self.save_weights()

    def take_up(self, kept: dict[str, Any], done: int, notes: Notes) -> None:
        """Continues from what a checkpoint kept."""
        self.done, self.notes, self.best_reasoner = done, notes, kept["best"]
        self.state = update.State(kept["reasoner"], kept["optimiser"])

    def kept(self) -> dict[str, Any]:
        """All that a checkpoint keeps."""
        return {"reasoner": self.state.reasoner, "optimiser": self.state.optimiser, "best": self.best_reasoner}

    def begin(self) -> None:
        """Opens the metrics and starts the clock, where the last checkpoint left them."""
        written = self.notes.metrics
        if written and (not self.metrics.exists() or self.metrics.stat().st_size < written):
            raise DamagedFileError(self.metrics, "it has lost lines that were there at the last checkpoint")
        self.file = self.metrics.open("ab")
        self.file.truncate(written)  # lines after the checkpoint will be written again
        self.saved = time.monotonic()
        self.began = self.saved - self.notes.seconds
        self.bar.start(self.done, self.notes.best)

    def run(self, interrupted: Interrupts) -> None:
        """Does all that is left of the run."""
        config = self.config
        self.begin()
        phases = read_lessons(self.directory) if config.lessons else []
        report = None
        with closing(self.file):
            while True:
                while not self.updates_made(phases, interrupted):
                    self.start_again()
                if not config.lessons:
                    break
                reasoner = update.unsharded(self.state.reasoner)
                kept = bool(config.together) or config.keep_processor
                outcome = examine(reasoner, config.seed + len(phases), keep_processor=kept)
                report = outcome.report
                if self.notes.verified <= len(phases):  # else it was logged before an interruption
                    self.verified(outcome)
                if report.firm or not outcome.lessons or len(phases) == config.lessons:
                    break
                phases.append(outcome.lessons)
                write_lessons(self.directory, phases)
                interrupted.stop()
        self.finish(report)

    def updates_made(self, phases: Sequence[Sequence[Lesson]], interrupted: Interrupts) -> bool:
        """Makes the updates up to the next verification; those of a phase learn from its lessons and from those of earlier
        phases. Returns False if training is to start again."""
        config, began = self.config, self.notes.began
        lessons = [[lesson for phase in phases for lesson in phase]] if phases else []  # not every trainer takes lessons
        batches = self.trainer.batches(config, self.done - began, *lessons)
        end = began + config.updates + len(phases) * config.lesson_updates
        self.bar.go_on(end)
        with closing(batches):
            interrupted.stop()
            while self.done < end and not self.stopped_early:
                if self.notes.restarts < config.restarts and self.trainer.must_settle(config, self.done - began):
                    self.file.flush()
                    if not self.trainer.is_settled(self.metrics.read_text().splitlines()):
                        return False
                self.one_update(next(batches))
                validate = self.done % config.validate_every == 0 or self.done == end
                if validate:
                    self.validate()
                if validate or interrupted or time.monotonic() - self.saved > SAVE_SECONDS:
                    self.save()
                interrupted.stop()
        return True

    def start_again(self) -> None:
        """Goes back to the beginning, with other random weights."""
        restarts = self.notes.restarts + 1
        fresh = new_reasoner(replace(self.config, seed=self.config.seed + 1000 * restarts))
        self.state = update.start(fresh, update.optimiser(self.config))
        self.notes = replace(self.notes, restarts=restarts, began=self.done)
        self.log({"restarts": float(restarts)})
        self.bar.started_again(self.done, restarts, self.config.restarts)
        self.save()

    def verified(self, outcome: Outcome) -> None:
        """Logs what a verification found. The weights with the fewest wrong inputs are kept, firm ones first, and of
        several the last. Training goes on from the weights before consolidation."""
        report = outcome.report
        found = {"verified/inputs": report.inputs, "verified/wrong": report.wrong, "verified/rare": report.rare}
        found |= {"verified/situations": sum(report.situations.values()), "verified/margin": report.margin or 0.0}
        found["verified/contradictions"] = sum(report.contradictions.values())
        self.log({name: float(value) for name, value in found.items()})
        self.bar.verified(self.done, report.inputs, report.wrong, firm=report.firm)
        if (report.wrong, self.notes.firm) <= (self.notes.wrong, report.firm):
            self.notes = replace(self.notes, wrong=report.wrong, firm=report.firm, best_update=self.done)
            self.best_reasoner = outcome.reasoner
            self.save_weights()
        self.notes = replace(self.notes, verified=self.notes.verified + 1)
        self.save()

    @property
    def stopped_early(self) -> bool:
        return 0 < self.config.patience <= self.notes.since_best

    def one_update(self, batch: Any) -> None:
        key = jax.random.fold_in(self.key, self.done)
        state, means = self.update(self.state, batch, key)
        means = {name: float(value) for name, value in means.items()}
        if not np.isfinite(means["loss"]):
            where = self.trainer.first_bad(self.config, self.state.reasoner, batch, key)
            raise NotANumberError(
                f"the loss of update {self.done + 1} is {means['loss']}: it began {where}; {self.directory} keeps the "
                f"state before this update; a smaller learning_rate than {self.config.learning_rate} or clip than "
                f"{self.config.clip} may help"
            )
        self.state = state
        self.done += 1
        self.notes = replace(self.notes, seconds=time.monotonic() - self.began)
        self.log(means)
        self.bar.update(self.done, means["loss"])

    def validate(self) -> None:
        scores = score(update.unsharded(self.state.reasoner), self.validation)
        found = scores.node_accuracy
        better = found > self.notes.best and not self.notes.verified  # verification chooses better than validation does
        self.notes = replace(self.notes, since_best=0 if better else self.notes.since_best + 1)
        hints = {f"validation/{name}": value for name, value in scores.hint_means().items()}
        self.log({"validation": found, "validation/graphs": scores.graph_accuracy, **hints})
        if better:
            self.notes = replace(self.notes, best=found, best_update=self.done)
            self.best_reasoner = self.state.reasoner
            self.save_weights()
        self.bar.validated(self.done, found, self.notes.best)

    def log(self, metrics: dict[str, float]) -> None:
        line = {"update": self.done, "seconds": round(self.notes.seconds, 3)} | metrics
        self.file.write(json.dumps(finite(line)).encode() + b"\n")
        for tracker in self.trackers:
            tracker.log(self.done, metrics)

    def save_weights(self) -> None:
        tree, notes = {"reasoner": self.best_reasoner}, {"validation": self.notes.best}
        self.write("weights", self.notes.best_update, tree, notes)

    def save(self) -> None:
        self.note()
        self.write("last", self.done, self.kept(), asdict(self.notes))
        self.saved = time.monotonic()

    def note(self) -> None:
        """Brings the notes up to date, and the metrics to the disk."""
        self.file.flush()
        os.fsync(self.file.fileno())
        self.notes = replace(
            self.notes,
            metrics=self.file.tell(),
            peak=max(self.notes.peak, update.peak_memory()),
            kernels=build.asked(),
        )

    def write(self, kind: str, done: int, tree: Any, notes: dict[str, Any]) -> None:
        try:
            checkpoint.save(self.directory, kind, done, tree, self.config, notes)
        except weights.NotFiniteError as error:
            raise NotANumberError(
                f"after update {self.done} {error}; {self.directory} keeps the state before this update"
            ) from None

    def finish(self, report: Report | None) -> None:
        verified = {} if report is None else {"verified": replace(report, growth=[]).to_dict()}
        summary = {
            "version": __version__,
            "jax": jax.__version__,
            "devices": [device.device_kind for device in jax.devices()],
            "updates": self.done,
            "restarts": self.notes.restarts,
            "seconds": round(self.notes.seconds, 1),
            "peak_memory_bytes": self.notes.peak,
            "best_validation": self.notes.best,
            **verified,
        }
        write_atomically(self.directory / "run.json", json.dumps(summary, indent=2).encode() + b"\n")
