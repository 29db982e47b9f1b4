"""What runs in graphbench-lib's environment: its generator, its evaluator, and nothing of Recursor.

    python graphbench_side.py sample OUT.npz    draws test graphs
    python graphbench_side.py score FILE.npz    scores the predictions in the file, and prints one JSON object

The graphs are drawn by the functions that made GraphBench's own test sets (`_algoreas_helpers/_algoreas_utils.py`), from a
seed of ours, since the sets themselves are a download. A label of bridges is 1 for one of the two directions of a bridge,
that from the smaller node to the larger.
"""

import json
import random
import sys

import graphbench  # pyright: ignore[reportMissingImports]
import numpy as np
import torch  # pyright: ignore[reportMissingImports]
from graphbench._algoreas_helpers import _algoreas_utils as generator  # pyright: ignore[reportMissingImports]

GRAPHS, SIZES, DIFFICULTIES = 32, (16, 128), ("easy", "medium", "hard")
TASKS = ("bridges", "topologicalorder")


def sample(out: str) -> None:
    """Draws test graphs and writes of each its edges and labels."""
    arrays = {}
    for task in TASKS:
        for difficulty in DIFFICULTIES:
            for n in SIZES:
                random.seed(n)
                np.random.seed(n)  # noqa: NPY002 (networkx takes it)
                for index in range(GRAPHS):
                    weights = generator._SAMPLING_LIST_TEST[difficulty]
                    data = generator._ALGORITHMS[task](n, task, weights, False)
                    name = f"{task}/{difficulty}/{n}/{index}"
                    arrays[f"{name}/edge_index"] = data.edge_index.numpy().astype(np.int16)
                    if task == "bridges":
                        arrays[f"{name}/y"] = data.y.numpy().astype(np.int8)
    np.savez_compressed(out, **arrays)


def score(path: str) -> None:
    """Scores the predicted labels of bridges with GraphBench's evaluator, and once more with one label changed."""
    evaluator = graphbench.Evaluator("algoreas_classification")
    with np.load(path) as file:
        kept = {name: file[name] for name in file.files}
    found = []
    for difficulty in DIFFICULTIES:
        for n in SIZES:
            names = [f"bridges/{difficulty}/{n}/{index}" for index in range(GRAPHS)]
            truth, guess = (
                torch.from_numpy(np.concatenate([kept[f"{name}/{field}"] for name in names]).astype(int))[:, None]
                for field in ("y", "prediction")
            )
            accuracy, f1 = evaluator.evaluate(guess, truth)
            guess[0] = 1 - guess[0]
            entry = {"difficulty": difficulty, "nodes": n, "graphs": GRAPHS, "accuracy": accuracy, "f1": f1}
            found.append({**entry, "control": evaluator.evaluate(guess, truth)[1]})
    from importlib.metadata import version

    print(json.dumps({"scorer": f"graphbench-lib {version('graphbench-lib')}", "sets": found}))


if __name__ == "__main__":
    {"sample": sample, "score": score}[sys.argv[1]](*sys.argv[2:])
