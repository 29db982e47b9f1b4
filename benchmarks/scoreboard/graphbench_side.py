"""What runs in graphbench-lib's environment: its generator, its evaluator, and nothing of Recursor.

    python graphbench_side.py sample OUT.npz    draws test graphs
    python graphbench_side.py score FILE.npz    scores the predictions in the file, and prints one JSON object

The graphs and labels are made by the functions that made GraphBench's own test sets
(`_algoreas_helpers/_algoreas_utils.py`), from a seed of ours, since the sets themselves are a download. The test sets have
128 nodes; those for larger sizes are drawn in the same way. A label is 1 for one of the two directions of an edge that is
a bridge or in the tree, that from the smaller node to the larger.
"""

import json
import random
import sys
from importlib.metadata import version

import graphbench  # pyright: ignore[reportMissingImports]
import numpy as np
import torch  # pyright: ignore[reportMissingImports]
from graphbench._algoreas_helpers import _algoreas_utils as generator  # pyright: ignore[reportMissingImports]

DIFFICULTY = "medium"  # difficulties differ in training; the test graphs of this one come from all six generators
SETS = (
    ("bridges", 128, 32),
    ("bridges", 256, 8),
    ("mst", 128, 8),
    ("topologicalorder", 128, 32),
    ("topologicalorder", 256, 8),
)
"""Task, nodes and graphs of each set. Few graphs have trees, since their labels take seconds."""


def sample(out: str) -> None:
    """Draws test graphs and writes of each its edges, weights and labels."""
    arrays = {}
    for task, n, count in SETS:
        random.seed(n)
        np.random.seed(n)  # noqa: NPY002 (networkx takes it)
        for index in range(count):
            data = generator._ALGORITHMS[task](n, task, generator._SAMPLING_LIST_TEST[DIFFICULTY], False)
            name = f"{task}/{n}/{index}"
            arrays[f"{name}/edge_index"] = data.edge_index.numpy().astype(np.int16)
            if task == "mst":
                arrays[f"{name}/edge_attr"] = data.edge_attr[:, 0].numpy()
            if task != "topologicalorder":
                arrays[f"{name}/y"] = data.y.numpy().astype(np.int8)
    np.savez_compressed(out, **arrays)


def score(path: str) -> None:
    """Scores predicted labels with GraphBench's evaluator, and once more with one label changed."""
    evaluator = graphbench.Evaluator("algoreas_classification")
    with np.load(path) as file:
        kept = {name: file[name] for name in file.files}
    found = []
    for task, n, count in SETS:
        names = [f"{task}/{n}/{index}" for index in range(count)]
        if f"{names[0]}/prediction" not in kept:
            continue
        truth, guess = (
            torch.from_numpy(np.concatenate([kept[f"{name}/{field}"] for name in names]).astype(int))[:, None]
            for field in ("y", "prediction")
        )
        accuracy, f1 = evaluator.evaluate(guess, truth)
        guess[0] = 1 - guess[0]
        entry = {"task": task, "nodes": n, "graphs": count, "accuracy": accuracy, "f1": f1}
        found.append({**entry, "control": evaluator.evaluate(guess, truth)[1]})
    print(json.dumps({"scorer": f"graphbench-lib {version('graphbench-lib')}", "sets": found}))


if __name__ == "__main__":
    {"sample": sample, "score": score}[sys.argv[1]](*sys.argv[2:])
