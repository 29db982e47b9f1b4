"""What runs in dm-clrs's environment: its sampler, its scorer, and nothing of Recursor.

    python clrs_side.py sample OUT.npz dfs/test dfs/100x32-seed100    draws samples
    python clrs_side.py score FOLDER [NAME ...]                       scores the predictions in FOLDER/NAME.npz

A set is `TASK/SPLIT`, an official split of CLRS-30, or `TASK/NODESxGRAPHS-seedSEED`. An official split is drawn as dm-clrs's
own dataset builder draws it (`clrs/_src/dataset.py`): `build_sampler` with the seed, the length and the number of samples of
`clrs.CLRS30`, times the task's multiplier, and the whole of `next()`. The other sets are drawn by the same sampler. But for
the validation split, only the first row of hints is kept: hints are not scored, and some would take more than 10 GB.
"""

import hashlib
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from clrs._src import probing  # pyright: ignore[reportMissingImports]

import clrs  # pyright: ignore[reportMissingImports]

VALIDATION = "val"
COMPACT = np.int8
"""The type of arrays that hold small whole numbers only."""


def settings(task: str, name: str) -> dict[str, int]:
    """Returns seed, length and number of samples of a set."""
    if name in clrs.CLRS30:
        found = dict(clrs.CLRS30[name])
        found["num_samples"] *= clrs.CLRS_30_ALGS_SETTINGS[task]["num_samples_multiplier"] if name != "train" else 1
        return found
    nodes, graphs, seed = map(int, re.fullmatch(r"(\d+)x(\d+)-seed(\d+)", name).groups())  # pyright: ignore
    return {"num_samples": graphs, "length": nodes, "seed": seed}


def draw(task: str, name: str) -> tuple[Any, dict]:
    """Returns the samples of a set, and the task's spec."""
    push = probing.push
    if name != VALIDATION:
        probing.push = push_without_hints
    try:
        sampler, spec = clrs.build_sampler(task, **settings(task, name))
        return sampler.next(), spec
    finally:
        probing.push = push


def push_without_hints(probes: dict, stage: str, next_probe: dict, push: Callable = probing.push) -> None:
    """Records a row as dm-clrs does, unless it is a hint after the first row."""
    kept = [field["data"] for place in probes[stage].values() for field in place.values()]
    if stage != clrs.Stage.HINT or not kept[0]:
        push(probes, stage, next_probe)


def compact(values: np.ndarray) -> np.ndarray:
    """Returns small whole numbers as bytes, and other numbers as they are."""
    small = values.astype(COMPACT)
    return small if (small == values).all() else values


def digest(values: np.ndarray) -> str:
    """Returns the SHA-256 of an array, as inputs that are too large to be kept have it."""
    return hashlib.sha256(np.ascontiguousarray(compact(values)).tobytes()).hexdigest()


def sample(out: str, *sets: str) -> None:
    """Draws sets and writes inputs, hints, lengths and outputs."""
    arrays = {}
    for each in sets:
        feedback, _ = draw(*each.split("/"))
        arrays[f"{each}/lengths"] = feedback.features.lengths
        for stage, points in (("input", feedback.features.inputs), ("output", feedback.outputs)):
            arrays.update({f"{each}/{stage}/{point.name}": compact(point.data) for point in points})
        if each.endswith(f"/{VALIDATION}"):
            arrays.update({f"{each}/hint/{point.name}": compact(point.data) for point in feedback.features.hints})
    np.savez_compressed(out, **arrays)


def evaluate(feedback: Any, spec: dict, predicted: dict[str, np.ndarray]) -> dict[str, float]:
    """Scores predictions with dm-clrs's `evaluate`, after the treatment of permutations that its example `run.py` has."""
    _, processed = clrs.process_permutations(spec, iter([feedback]), enforce_permutations=True)
    truth = next(processed).outputs
    points = {}
    for point in truth:
        data = predicted.get(point.name)
        if point.type_ == clrs.Type.PERMUTATION_POINTER:
            data = np.asarray(clrs.predecessor_to_cyclic_predecessor_and_first(data)[0])
        elif data is None:  # the mask of a permutation's first element
            data = np.asarray(clrs.predecessor_to_cyclic_predecessor_and_first(predicted[point.name[: -len("_mask")]])[1])
        points[point.name] = clrs.DataPoint(name=point.name, location=point.location, type_=point.type_, data=data)
    return {name: float(value) for name, value in clrs.evaluate(truth, points).items()}


def right(feedback: Any, predicted: dict[str, np.ndarray]) -> int:
    """Returns on how many samples all outputs are those of dm-clrs."""
    good = np.ones(len(feedback.features.lengths), bool)
    for point in feedback.outputs:
        same = predicted[point.name] == point.data
        good &= same.reshape(len(good), -1).all(1)
    return int(good.sum())


def controls(feedback: Any, spec: dict, predicted: dict[str, np.ndarray]) -> dict[str, float]:
    """Returns the scores of two wrong predictions, which must be below 1: one entry changed, and the predictions of each
    graph given to the next."""
    first = next(iter(predicted))
    changed = predicted[first].copy()
    place = tuple(np.argwhere(changed != clrs.OutputClass.MASKED)[0])
    (kind,) = [point.type_ for point in feedback.outputs if point.name == first]
    if kind == clrs.Type.MASK_ONE:
        changed[0] = np.roll(changed[0], 1)
    else:
        changed[place] = 1 - changed[place] if kind == clrs.Type.MASK else (changed[place] + 1) % changed.shape[-1]
    wrong = {"one entry changed": evaluate(feedback, spec, {**predicted, first: changed})["score"]}
    if positives(feedback) != 0:  # else the predictions of all graphs are alike
        swapped = {name: np.roll(values, 1, axis=0) for name, values in predicted.items()}
        wrong["graphs swapped"] = evaluate(feedback, spec, swapped)["score"]
    return wrong


def positives(feedback: Any) -> int | None:
    """Returns how many elements of the masks are 1 in truth; None if no output is a mask."""
    masks = [point.data for point in feedback.outputs if point.type_ == clrs.Type.MASK]
    return int(sum((mask == 1).sum() for mask in masks)) if masks else None


def score(folder: str, *names: str) -> None:
    """Scores the predictions in a folder, prints the scores and keeps them in NAME.json beside NAME.npz."""
    failed = []
    for path in sorted(Path(folder).glob("*.npz")):
        if names and path.stem not in names:
            continue
        with np.load(path) as file:
            kept = {name: file[name] for name in file.files}
        task, sets = str(kept["task"]), []
        for name in dict.fromkeys(key.split("/")[0] for key in kept if "/" in key):
            feedback, spec = draw(task, name)
            for point in feedback.features.inputs:
                own, hashed = (kept.get(f"{name}/{kind}/{point.name}") for kind in ("input", "sha256"))
                same = own is None or (own == point.data).all()
                same &= hashed is None or str(hashed) == digest(point.data)
                assert same, f"{path}: the inputs {point.name} are not those of dm-clrs"
            predicted = {
                point.name: kept[f"{name}/output/{point.name}"].astype(point.data.dtype) for point in feedback.outputs
            }
            scores = evaluate(feedback, spec, predicted)
            wrong = controls(feedback, spec, predicted)
            found = settings(task, name)
            sets.append(
                {
                    "set": name,
                    "nodes": found["length"],
                    "graphs": found["num_samples"],
                    "seed": found["seed"],
                    "score": scores.pop("score"),
                    "outputs": scores,
                    "right": right(feedback, predicted),
                    "positives": positives(feedback),
                    "halted": int(kept[f"{name}/halted"].sum()),
                    "controls": wrong,
                }
            )
            last = sets[-1]
            print(
                f"{path.stem:<30} {name:<16} {last['score']:.4f}  {last['right']}/{last['graphs']} right"
                f"  controls {', '.join(f'{value:.4f}' for value in wrong.values())}",
                flush=True,
            )
            failed += [f"{path.stem} {name}: {which}" for which, value in wrong.items() if value >= 1]
        result = {"network": path.stem, "task": task, "weights_sha256": str(kept["weights_sha256"])}
        result |= {"scorer": f"dm-clrs {clrs.__version__}", "sets": sets}
        path.with_suffix(".json").write_text(json.dumps(result, indent=2) + "\n")
    if failed:
        sys.exit(f"controls that should have failed did not: {'; '.join(failed)}")


if __name__ == "__main__":
    {"sample": sample, "score": score}[sys.argv[1]](*sys.argv[2:])
