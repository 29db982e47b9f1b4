"""Small samples that dm-clrs 2.0.3 recorded."""

from pathlib import Path

import numpy as np

import recursor.clrs
from recursor.clrs import Samples, from_arrays

GOLDEN = Path(__file__).parents[1] / "golden"
TASKS = tuple(recursor.clrs.TASKS)
WITH_HINTS = ("topological_sort", "strongly_connected_components", "articulation_points", "bridges")


def arrays(file: str, prefix: str) -> dict[str, np.ndarray]:
    """The arrays of a file whose names have a prefix, without it."""
    with np.load(GOLDEN / f"{file}.npz") as golden:
        return {name.removeprefix(prefix): golden[name] for name in golden if name.startswith(prefix)}


def clrs_samples(task: str, n: int) -> Samples:
    """Inputs and outputs of a task, and for dfs its hints."""
    found = arrays(task, f"n{n}/") if (GOLDEN / f"{task}.npz").exists() else arrays("loops", f"{task}/n{n}/")
    return from_arrays(task, **{name.partition("/")[2]: values for name, values in found.items() if "/" in name})


def clrs_hints(task: str, n: int) -> tuple[Samples, dict[str, np.ndarray], np.ndarray]:
    """Samples of a task, their hints and their lengths."""
    found = arrays("dfs", f"n{n}/") if task == "dfs" else arrays("hints", f"{task}/n{n}/")
    inputs = {name.removeprefix("input/"): values for name, values in found.items() if name.startswith("input/")}
    hints = {name.removeprefix("hint/"): values for name, values in found.items() if name.startswith("hint/")}
    if "first/A_t" in found:  # it is the same in every row of a sample, and zero after the last one
        running = np.arange(len(hints["u"]))[:, None] < found["lengths"]
        hints["A_t"] = found["first/A_t"] * running[:, :, None, None]
    return from_arrays(task, **inputs), hints, found["lengths"]
