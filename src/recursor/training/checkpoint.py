"""Checkpoints: the arrays of a training state and a little JSON, in one `.npz` file that is whole or not there.

The file's name ends in the hash of its bytes, so a truncated or altered one is recognised, and the one before is used.
"""

import json
import re
import warnings
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import equinox as eqx
import jax
import numpy as np

from recursor.system.files import DamagedFileError, npz, read_arrays, write_atomically

Tree = TypeVar("Tree")
NAME = re.compile(r"(?P<kind>last|best)-(?P<update>\d{8})-(?P<sha256>[0-9a-f]{64})\.npz")


class Checkpoint(NamedTuple):
    """A file and what its name says."""

    path: Path
    update: int
    sha256: str


def checkpoints(directory: Path, kind: str) -> list[Checkpoint]:
    """The checkpoints of one kind, `last` or `best`, newest first."""
    found = []
    for path in directory.glob(f"{kind}-*.npz"):
        match = NAME.fullmatch(path.name)
        if match:
            found.append(Checkpoint(path, int(match["update"]), match["sha256"]))
    return sorted(found, key=lambda checkpoint: checkpoint.update, reverse=True)


def save(directory: Path, kind: str, update: int, tree: Any, notes: dict[str, Any], *, keep: int = 2) -> Path:
    """Writes a checkpoint; of its kind the newest `keep` remain."""
    leaves = jax.tree.leaves(eqx.filter(tree, eqx.is_array))
    arrays = {f"{index:04}": np.asarray(leaf) for index, leaf in enumerate(leaves)}
    data, sha256 = npz({"notes": np.frombuffer(json.dumps(notes).encode(), np.uint8), **arrays})
    path = directory / f"{kind}-{update:08}-{sha256}.npz"
    write_atomically(path, data)
    for old in checkpoints(directory, kind)[keep:]:
        old.path.unlink()
    return path


def load(directory: Path, kind: str, like: Tree) -> tuple[Tree, dict[str, Any], Checkpoint]:
    """The newest checkpoint that is whole, in the shape of `like`; a damaged one is named in a warning and passed over."""
    damage: list[DamagedFileError] = []
    for checkpoint in checkpoints(directory, kind):
        try:
            tree, notes = read(checkpoint, like)
        except DamagedFileError as error:
            damage.append(error)
        else:
            for error in damage:
                warnings.warn(f"{error}; the checkpoint before it is used", stacklevel=2)
            return tree, notes, checkpoint
    if damage:
        raise damage[0]
    raise ValueError(f"{directory} holds no checkpoint")


def read(checkpoint: Checkpoint, like: Tree) -> tuple[Tree, dict[str, Any]]:
    """One checkpoint, checked."""
    arrays = read_arrays(checkpoint.path, sha256=checkpoint.sha256)
    notes = json.loads(arrays.pop("notes").tobytes())
    dynamic, static = eqx.partition(like, eqx.is_array)
    expected, structure = jax.tree.flatten(dynamic)
    leaves = [arrays[name] for name in sorted(arrays)]
    if [(x.shape, x.dtype) for x in leaves] != [(x.shape, x.dtype) for x in expected]:
        raise ValueError(f"{checkpoint.path} was written by another network than the one it is read for")
    return eqx.combine(jax.tree.unflatten(structure, [jax.numpy.asarray(leaf) for leaf in leaves]), static), notes
