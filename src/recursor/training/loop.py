"""The training loop and the run directory it writes.

    config.json      what the run is
    metrics.jsonl    one line an update with the losses of all fields, one line a validation
    last-….npz       the newest two checkpoints: the whole state of training
    best-….npz       the one with the best validation score: what is evaluated
    run.json         when done: version, updates, seconds, peak memory, best score

Everything is a function of the configuration: a run that was killed and resumed ends with the same bytes as one left alone.
"""

import json
import os
import signal
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from recursor.algorithms import find
from recursor.data.batches import sample
from recursor.evaluation import score
from recursor.network.reasoner import Reasoner
from recursor.system.compiling import keep_compiled_programs
from recursor.system.files import DamagedFileError, finite, write_atomically
from recursor.system.locks import lock
from recursor.system.memory import peak_resident_memory
from recursor.training import call_frames, checkpoint, rollout, update
from recursor.training.config import TrainConfig, Trainer
from recursor.training.progress import Progress
from recursor.training.run import Run, config_of, load, new_reasoner
from recursor.training.trackers import TRACKERS, Tracker, TrackerName, require
from recursor.version import __version__

SAVE_SECONDS = 60.0

TRAINERS: Mapping[Trainer, Any] = {"rollout": rollout, "call-frames": call_frames}


class NotANumberError(ArithmeticError):
    """The loss of an update is no number."""


def train(config: TrainConfig, directory: Path | str, *, progress: bool = True, track: Sequence[TrackerName] = ()) -> Run:
    """Trains in a new directory."""
    config.check()
    require(track)
    directory = Path(directory)
    if directory.exists() and any(directory.iterdir()):
        raise ValueError(f"{directory} is there already; resume it, or choose another directory")
    directory.mkdir(parents=True, exist_ok=True)
    write_atomically(directory / "config.json", config.to_json().encode())
    return resume(directory, progress=progress, track=track)


def resume(directory: Path | str, *, progress: bool = True, track: Sequence[TrackerName] = ()) -> Run:
    """Goes on with a run where its last checkpoint left it, to the end."""
    directory = Path(directory)
    config = config_of(directory)
    config.check()
    require(track)
    keep_compiled_programs()
    busy = f"another process is training in {directory}; wait for it, or stop it first"
    with lock(directory / "lock", wait=False, busy=busy):
        _go_on(directory, config, progress=progress, track=track)
    return load(directory)


def _go_on(directory: Path, config: TrainConfig, *, progress: bool, track: Sequence[TrackerName]) -> None:
    opened = [TRACKERS[name](directory, json.loads(config.to_json())) for name in track]
    try:
        with Progress(config.updates, shown=progress) as bar:
            _Loop(directory, config, bar, opened).run()
    finally:
        for tracker in opened:
            tracker.close()


def _unsharded(reasoner: Reasoner) -> Reasoner:
    """As a loaded one is, so that what is compiled for one serves the other."""
    return jax.tree.map(lambda leaf: jnp.asarray(np.asarray(leaf)) if eqx.is_array(leaf) else leaf, reasoner)


@contextmanager
def _interrupts() -> Iterator[threading.Event]:
    """An event that Ctrl-C sets, so that a run stops between two updates; a second Ctrl-C stops it at once."""
    interrupted = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield interrupted
        return

    def handle(number: int, frame: FrameType | None) -> None:
        if interrupted.is_set():
            raise KeyboardInterrupt
        interrupted.set()

    before = signal.signal(signal.SIGINT, handle)
    try:
        yield interrupted
    finally:
        signal.signal(signal.SIGINT, before)


class _Loop:
    """One process's part of a run."""

    def __init__(self, directory: Path, config: TrainConfig, bar: Progress, trackers: Sequence[Tracker]) -> None:
        self.directory, self.config, self.bar, self.trackers = directory, config, bar, trackers
        self.algorithm = find(config.algorithm)
        self.trainer = TRAINERS[config.trainer]
        transformation = update.optimiser(config)
        self.update = self.trainer.make_update(config, transformation, update.device_mesh(config.batch))
        self.key = jax.random.fold_in(jax.random.key(config.seed), 1)
        self.state = update.start(new_reasoner(config), transformation)
        self.done, self.seconds, self.best, self.since_best, self.peak = 0, 0.0, -1.0, 0, 0
        self.metrics = directory / "metrics.jsonl"
        written = 0
        if checkpoint.checkpoints(directory, "last"):
            self.state, notes, found = checkpoint.load(directory, "last", self.state)
            self.done, written = found.update, notes["metrics"]
            self.seconds, self.best, self.since_best, self.peak = (
                notes[name] for name in ("seconds", "best", "since_best", "peak")
            )
        if written and (not self.metrics.exists() or self.metrics.stat().st_size < written):
            raise DamagedFileError(self.metrics, "it has lost lines that were there at the last checkpoint")
        self.file = self.metrics.open("ab")
        self.file.truncate(written)  # lines after the checkpoint will be written again
        rng = np.random.default_rng((config.seed, 0, 0))  # three numbers: not the seed of any training batch
        self.validation = sample(self.algorithm, self.algorithm.train, config.validate_nodes, config.validate_graphs, rng)

    def run(self) -> None:
        config = self.config
        self.saved = time.monotonic()
        self.began = self.saved - self.seconds
        self.bar.start(self.done, self.best)
        batches = self.trainer.batches(config, self.done)
        with closing(batches), closing(self.file), _interrupts() as interrupted:
            while self.done < config.updates and not self.stopped_early:
                self.one_update(next(batches))
                validate = self.done % config.validate_every == 0 or self.done == config.updates
                if validate:
                    self.validate()
                if validate or interrupted.is_set() or time.monotonic() - self.saved > SAVE_SECONDS:
                    self.save()
                if interrupted.is_set():
                    raise KeyboardInterrupt
        self.finish()

    @property
    def stopped_early(self) -> bool:
        return 0 < self.config.patience <= self.since_best

    def one_update(self, batch: Any) -> None:
        key = jax.random.fold_in(self.key, self.done)
        state, means = self.update(self.state, batch, key)
        means = {name: float(value) for name, value in means.items()}
        if not np.isfinite(means["loss"]):
            where = self.trainer.first_bad(self.config, self.state.reasoner, batch, key)
            raise NotANumberError(
                f"the loss of update {self.done + 1} is {means['loss']}: it began {where}; what {self.directory} keeps is "
                f"from before it; a smaller learning_rate than {self.config.learning_rate} or clip than {self.config.clip} "
                f"may help"
            )
        self.state = state
        self.done += 1
        self.seconds = time.monotonic() - self.began
        self.log(means)
        self.bar.update(self.done, means["loss"])

    def validate(self) -> None:
        scores = score(_unsharded(self.state.reasoner), self.validation)
        better = scores.node_accuracy > self.best
        self.since_best = 0 if better else self.since_best + 1
        hints = {f"validation/{name}": value for name, value in scores.hint_means().items()}
        self.log({"validation": scores.node_accuracy, "validation/graphs": scores.graph_accuracy, **hints})
        if better:
            self.best = scores.node_accuracy
            checkpoint.save(self.directory, "best", self.done, self.state.reasoner, {"validation": self.best}, keep=1)
        self.bar.validated(self.done, scores.node_accuracy, self.best)

    def log(self, metrics: dict[str, float]) -> None:
        line = {"update": self.done, "seconds": round(self.seconds, 3)} | metrics
        self.file.write(json.dumps(finite(line)).encode() + b"\n")
        for tracker in self.trackers:
            tracker.log(self.done, metrics)

    def save(self) -> None:
        self.file.flush()
        os.fsync(self.file.fileno())
        self.peak = max(self.peak, peak_memory())
        notes = {
            "metrics": self.file.tell(),
            "seconds": self.seconds,
            "best": self.best,
            "since_best": self.since_best,
            "peak": self.peak,
        }
        checkpoint.save(self.directory, "last", self.done, self.state, notes)
        self.saved = time.monotonic()

    def finish(self) -> None:
        summary = {
            "version": __version__,
            "jax": jax.__version__,
            "devices": [device.device_kind for device in jax.devices()],
            "updates": self.done,
            "seconds": round(self.seconds, 1),
            "peak_memory_bytes": self.peak,
            "best_validation": self.best,
        }
        write_atomically(self.directory / "run.json", json.dumps(summary, indent=2).encode() + b"\n")


def peak_memory() -> int:
    """Peak bytes: of the device where it keeps account, else the resident size of this process."""
    statistics = jax.devices()[0].memory_stats()
    if statistics and "peak_bytes_in_use" in statistics:
        return int(statistics["peak_bytes_in_use"])
    return peak_resident_memory()
