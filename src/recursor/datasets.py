"""Datasets: batches that are made once, kept on disk, checked when read, and reused.

A dataset is a directory: `dataset.json` with what it was made of and the SHA-256 of every file, and one `.npz` file (open
NumPy arrays, no pickle) a batch. It is written under another name first and renamed when whole, so that a killed run leaves
no half of one. Of several processes that want the same one, the first makes it and the others wait.
"""

import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from recursor.algorithms import find
from recursor.batches import Batch, Inputs, pad, sample
from recursor.files import DamagedFileError, npz, read_arrays, write_atomically
from recursor.graphs import Mixture

FORMAT = 1


@dataclass(frozen=True)
class DatasetConfig:
    """What a dataset holds: for each size that many graphs, `batch` of them at a time."""

    algorithm: str
    view: str
    distribution: Mixture
    sizes: tuple[int, ...]
    graphs: int
    batch: int
    seed: int

    @property
    def name(self) -> str:
        """A name that no other dataset has."""
        fields = asdict(find(self.algorithm).spec(self.view))  # if they change, so does the dataset
        digest = hashlib.sha256(json.dumps([FORMAT, asdict(self), fields], sort_keys=True).encode()).hexdigest()
        return f"{self.algorithm}-{self.view}-{digest[:12]}"


def dataset(
    config: DatasetConfig, root: Path, progress: Callable[[int, int], None] = lambda done, total: None
) -> list[Batch]:
    """Reads the dataset below `root`, or makes it there first; `progress` is told how many batches of how many are made."""
    directory = root / config.name
    if not directory.exists():
        unfinished = directory.with_name(directory.name + ".unfinished")
        with _alone(unfinished):
            if directory.exists():  # somebody else made it meanwhile
                shutil.rmtree(unfinished, ignore_errors=True)
            else:
                _make(config, unfinished, progress)
                unfinished.rename(directory)
    return _read(directory)


@contextmanager
def _alone(directory: Path) -> Iterator[None]:
    """Makes a directory and waits until no other process is at work in it."""
    lock = None
    while lock is None:
        directory.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):  # it was renamed in between
            lock = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _make(config: DatasetConfig, directory: Path, progress: Callable[[int, int], None]) -> None:
    algorithm = find(config.algorithm)
    spec = algorithm.spec(config.view)
    parts = [
        (size, start, min(config.batch, config.graphs - start))
        for size in config.sizes
        for start in range(0, config.graphs, config.batch)
    ]
    for left in directory.iterdir():  # by one that was killed
        left.unlink()
    hashes = {}
    for index, (size, start, count) in enumerate(parts):
        rng = np.random.default_rng((config.seed, size, start))
        batch = pad(sample(algorithm, config.distribution, size, count, rng), spec, every_pair=True)
        name = f"n{size}-{start:06}.npz"
        data, hashes[name] = npz(_flatten(batch))
        write_atomically(directory / name, data)
        progress(index + 1, len(parts))
    text = json.dumps({"format": FORMAT, "config": asdict(config), "sha256": hashes}, indent=2)
    write_atomically(directory / "dataset.json", text.encode())


def _read(directory: Path) -> list[Batch]:
    manifest = directory / "dataset.json"
    try:
        hashes = json.loads(manifest.read_bytes())["sha256"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DamagedFileError(manifest, f"it does not list the dataset's files ({error}); remove {directory}") from None
    return [_unflatten(read_arrays(directory / name, sha256=digest)) for name, digest in hashes.items()]


def _flatten(batch: Batch) -> dict[str, np.ndarray]:
    return {
        **{f"input/{name}": values for name, values in batch.inputs.fields.items()},
        **{f"hint/{name}": values for name, values in batch.hints.items()},
        **{f"output/{name}": values for name, values in batch.outputs.items()},
        "senders": batch.inputs.senders,
        "receivers": batch.inputs.receivers,
        "node_mask": batch.inputs.node_mask,
        "row_mask": batch.row_mask,
    }


def _unflatten(arrays: dict[str, np.ndarray]) -> Batch:
    def part(prefix: str) -> dict[str, np.ndarray]:
        return {name.removeprefix(prefix): values for name, values in arrays.items() if name.startswith(prefix)}

    inputs = Inputs(part("input/"), arrays["senders"], arrays["receivers"], arrays["node_mask"])
    return Batch(inputs, part("hint/"), part("output/"), arrays["row_mask"])
