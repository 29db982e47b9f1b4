"""The checkpoints of a run directory: which files there are, which one is replaced next, and which one is loaded.

    last-A.safetensors, last-B.safetensors    the whole state of training, twice: they are written in turn
    weights.safetensors                       the reasoner with the best validation score

A new state replaces the older one of two whole files, never the only one. A damaged file is renamed to `*.damaged` by the
process that trains, and passed over by all others. Every file is replaced in one step, so that reading needs no lock.
"""

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from recursor.system.files import DamagedFileError, set_aside, write_atomically
from recursor.training import weights
from recursor.training.config import TrainConfig
from recursor.training.weights import Header

Tree = TypeVar("Tree")
SLOTS = {"last": ("last-A.safetensors", "last-B.safetensors"), "weights": ("weights.safetensors",)}
"""The names of the files of each kind."""


def checkpoints(directory: Path, kind: str) -> list[Header]:
    """The headers of the checkpoints of one kind, `last` or `weights`, newest first; files without a header are left out."""
    found = []
    for path in _paths(directory, kind):
        try:
            found.append(weights.read_header(path))
        except (ValueError, FileNotFoundError):
            continue
    return sorted(found, key=lambda header: header.updates, reverse=True)


def updates(directory: Path) -> int:
    """How many updates the newest state of training has; 0 without one."""
    return next((header.updates for header in checkpoints(directory, "last")), 0)


def save(directory: Path, kind: str, done: int, tree: Any, config: TrainConfig, notes: Mapping[str, Any]) -> Path:
    """Writes a checkpoint. The caller holds the lock of the run.

    Args:
        directory: The run directory.
        kind: `last` or `weights`.
        done: How many updates were done.
        tree: What is kept.
        config: The configuration of the run.
        notes: Further values that JSON knows.

    Returns:
        The file: one that was not there, else one that was damaged (which is renamed first), else the older one.

    Raises:
        OSError: If it cannot be written; then nothing has changed.
        NotFiniteError: If the tree holds a number that is not finite.
    """
    data = weights.encode(tree, kind, done, config, notes)
    path = _next(directory, kind)
    write_atomically(path, data)
    return path


def load(directory: Path, kind: str, like: Tree, config: TrainConfig, *, clean: bool = False) -> tuple[Tree, Header]:
    """Loads the newest checkpoint that is whole; a damaged one is named in a warning and passed over.

    Args:
        directory: The run directory.
        kind: `last` or `weights`.
        like: A tree with the names, shapes and types that are expected.
        config: The configuration that is expected.
        clean: Whether to rename the damaged files if another one is whole. The caller then holds the lock of the run.

    Returns:
        The tree, and what the file says about itself.

    Raises:
        FileNotFoundError: If there is no checkpoint.
        DamagedFileError: If all are damaged. None is renamed.
        ValueError: If the newest is of another configuration or network.
    """
    damage: dict[Path, DamagedFileError] = {}
    order = {header.path: -header.updates for header in checkpoints(directory, kind)}
    for path in sorted(_paths(directory, kind), key=lambda path: order.get(path, -float("inf"))):
        try:
            tree, header = weights.read(path, like, kind, config)
        except FileNotFoundError:
            continue
        except DamagedFileError as error:
            damage[path] = error
        else:
            for damaged, error in damage.items():
                aside = f"it is now called {set_aside(damaged).name}, and " if clean else ""
                warnings.warn(f"{error}; {aside}{path.name} is used, after {header.updates} updates", stacklevel=2)
            return tree, header
    if damage:
        raise next(iter(damage.values()))
    raise FileNotFoundError(f"{directory} holds no checkpoint yet")


def _paths(directory: Path, kind: str) -> list[Path]:
    return [directory / name for name in SLOTS[kind]]


def _next(directory: Path, kind: str) -> Path:
    """The file that is written next."""
    paths = _paths(directory, kind)
    if len(paths) == 1:
        return paths[0]
    ages: dict[Path, int] = {}
    for path in paths:
        try:
            ages[path] = weights.verify(path).updates
        except FileNotFoundError:
            return path
        except DamagedFileError as error:
            warnings.warn(f"{error}; it is now called {set_aside(path).name}", stacklevel=3)
            return path
    return min(paths, key=lambda path: ages[path])
