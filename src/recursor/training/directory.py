"""The run directory, and its lock.

config.json            the configuration of the run
metrics.jsonl          one line per update with the losses of all fields, one line per validation
last-A, -B.safetensors the newest two checkpoints: the whole state of training, with the best reasoner so far
weights.safetensors    the reasoner with the best validation score: what is evaluated
lessons.json           the lessons of each verification, if there were any
run.json               at the end: version, updates, seconds, peak memory, best score
lock                   held by the process that trains
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from recursor.system.files import remove_temporary, write_atomically
from recursor.system.locks import lock
from recursor.training.config import TrainConfig, read_config

OWN_FILES = ("config.json", "lessons.json", "run.json", "last-?.safetensors", "weights.safetensors", "scores-*.json")
"""The files of a run directory that are written under its lock, or before there is one."""


def config_of(directory: Path) -> TrainConfig:
    """Returns the configuration of a run. Refuses a directory that is not a run directory."""
    if not (directory / "config.json").exists():
        raise ValueError(f"{directory} is not a run directory: it has no config.json")
    return read_config(directory / "config.json")


@contextmanager
def new_run(directory: Path, config: TrainConfig) -> Iterator[None]:
    """Holds the lock of a new run directory, in which the configuration is written first.

    Raises:
        ValueError: If the directory holds something, or another process trains in it.
    """
    there = f"{directory} is there already; resume it, or choose another directory"
    if not _is_free(directory):
        raise ValueError(there)
    with locked(directory):
        if not _is_free(directory):  # another process was quicker
            raise ValueError(there)
        write_atomically(directory / "config.json", config.to_json().encode())
        yield


def _is_free(directory: Path) -> bool:
    """Whether it can be trained in: what a process leaves that is killed before its first file is there does not count."""
    if not directory.exists():
        return True
    return all(path.name == "lock" or path.match(".*.tmp") for path in directory.iterdir())


@contextmanager
def locked(directory: Path) -> Iterator[None]:
    """Holds the lock of a run directory, and removes what a killed process left of a write."""
    busy = f"another process is training in {directory}; wait for it, or stop it first"
    with lock(directory / "lock", wait=False, busy=busy):
        remove_temporary(directory, *OWN_FILES)
        yield
