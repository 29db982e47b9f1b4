"""CLRS-30's own track: its samples, its scorer. Both run in dm-clrs's environment (`clrs_side.py`)."""

import hashlib
import subprocess
import tempfile
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import numpy as np
from benchmarks.scoreboard.networks import RESULTS, SHIPPED, execute, weights_hash

import recursor.clrs
from recursor.clrs import TASKS
from recursor.system.files import write_atomically

FOLDER = RESULTS / "clrs"
SIDE = Path(__file__).with_name("clrs_side.py")
NETWORKS = tuple(name for task in TASKS.values() for name in task.algorithms if name in SHIPPED)
"""The shipped networks that run a task of CLRS-30."""
TEST, VALIDATION = "test", "val"
MOST_BYTES = 200_000
"""Inputs of the official split that are larger are kept as their SHA-256: dm-clrs draws them again."""


def sets(sizes: Sequence[int]) -> list[str]:
    """Returns the names of the sets: the official test split, and for each size one with a seed of its own, of 32 graphs up
    to 128 nodes, else of 8."""
    return [TEST, *(f"{n}x{32 if n <= 128 else 8}-seed{100 + n}" for n in sizes)]


def race(names: Sequence[str], sizes: Sequence[int], python: str) -> None:
    """Runs networks on CLRS-30's samples, keeps their predictions and has dm-clrs score them.

    Args:
        names: The networks.
        sizes: The numbers of nodes, besides the official 64.
        python: The Python of dm-clrs's environment.
    """
    FOLDER.mkdir(parents=True, exist_ok=True)
    tasks = list(dict.fromkeys(recursor.clrs.find_task(name).name for name in names))
    with tempfile.TemporaryDirectory() as folder:
        drawn = Path(folder) / "samples.npz"
        wanted = [f"{task}/{each}" for task in tasks for each in sets(sizes)]
        wanted += [f"{task}/{VALIDATION}" for task in tasks if TASKS[task].hints]
        print(f"dm-clrs draws {len(wanted)} sets", flush=True)
        _run(python, "sample", str(drawn), *wanted)
        with np.load(drawn) as file:
            for task in tasks:
                if TASKS[task].hints:
                    _check_hints(task, file)
            for name in names:
                _predict(name, sizes, file)
    _run(python, "score", str(FOLDER), *names)


def _run(python: str, *arguments: str) -> None:
    done = subprocess.run([python, str(SIDE), *arguments], check=False, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit(f"dm-clrs stopped: {done.stderr[-2000:]}")


def _arrays(file: np.lib.npyio.NpzFile, prefix: str) -> dict[str, np.ndarray]:
    return {name.removeprefix(prefix): file[name] for name in file.files if name.startswith(prefix)}


def _check_hints(task: str, file: np.lib.npyio.NpzFile) -> None:
    """Stops if our hints are not those of the official validation split, 32 graphs of 16 nodes."""
    samples = recursor.clrs.from_arrays(task, **_arrays(file, f"{task}/{VALIDATION}/input/"))
    own, theirs = recursor.clrs.record(task, samples.graphs()), _arrays(file, f"{task}/{VALIDATION}/hint/")
    for name, values in own.hints.items():
        if not np.array_equal(values, theirs[name].astype(np.float32)):
            raise SystemExit(f"{task}: the hint {name} is not that of dm-clrs")
    print(f"{task}, validation split: all {len(theirs)} hints are equal to dm-clrs's", flush=True)


def _predict(name: str, sizes: Sequence[int], file: np.lib.npyio.NpzFile) -> None:
    """Runs a network on all sets of its task, and keeps the predictions."""
    task = recursor.clrs.find_task(name)
    kept = {"task": np.array(task.name), "weights_sha256": np.array(weights_hash(name))}
    for each in sets(sizes):
        inputs = _arrays(file, f"{task.name}/{each}/input/")
        executions = execute(name, recursor.clrs.from_arrays(task.name, **inputs).graphs())
        if each == TEST:
            for field in set(inputs) - {"pos", "adj"}:
                values = inputs[field]
                hashed = np.array(hashlib.sha256(np.ascontiguousarray(values).tobytes()).hexdigest())
                large = values.nbytes > MOST_BYTES
                kept |= {f"{each}/sha256/{field}": hashed} if large else {f"{each}/input/{field}": values}
        for field, values in recursor.clrs.outputs(name, executions).items():
            small = np.int8 if values.max() < 128 else np.int16
            kept[f"{each}/output/{field}"] = values.astype(small)
        kept[f"{each}/halted"] = np.array([execution.halted for execution in executions])
        print(f"{name}: {each}, {sum(execution.halted for execution in executions)} of {len(executions)} halted", flush=True)
    data = BytesIO()
    np.savez_compressed(data, **kept)  # pyright: ignore[reportArgumentType]
    write_atomically(FOLDER / f"{name}.npz", data.getvalue())
