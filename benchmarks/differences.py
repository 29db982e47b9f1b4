"""Where the paper's figures are not ours: tests checkpoints of one run under one change at a time.

    python benchmarks/differences.py RUN [CHECKPOINT ...] --out results/differences/NAME.jsonl

The checkpoints are copies of the run's `last-?.safetensors`, made while it trained; without any, the run's best weights are
tested. Each is scored on the paper's test graphs. The best weights are also scored with one thing changed at a time: random
positions instead of even ones, hints that are fed back as the argmax, and the edge probabilities of training. Every score is
a line of the file; those that are there are not computed again.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from recursor.configurations.paper import BUDGETS
from recursor.evaluation import evaluate
from recursor.graphs.distributions import TEST, TRAIN_PROBABILITIES, Mixture
from recursor.network.config import Feedback
from recursor.network.reasoner import Reasoner
from recursor.paper.experiments import TEST_SEED
from recursor.system.compiling import keep_compiled_programs
from recursor.system.files import write_atomically
from recursor.training import update, weights
from recursor.training.directory import config_of
from recursor.training.loading import load, new_reasoner

CHANGES: dict[str, tuple[Mixture, Feedback | None]] = {
    "none": (TEST, None),
    "random positions": (replace(TEST, random_positions=True), None),
    "hard hints": (TEST, "hard"),
    "edge probabilities of training": (replace(TEST, probabilities=TRAIN_PROBABILITIES), None),
}
"""For each change the test graphs, and how hints are fed back if not as in training."""


class Test(NamedTuple):
    """A reasoner to score, and how."""

    checkpoint: str
    updates: int
    change: str
    reasoner: Reasoner


def tests(run: Path, checkpoints: list[Path]) -> Iterator[Test]:
    """Yields the tests of the checkpoints, or of the best weights with every change."""
    if not checkpoints:
        for change, (_, feedback) in CHANGES.items():
            best = load(run, feedback=feedback)
            yield Test("best", best.updates, change, best.reasoner)
        return
    config = config_of(run)
    start = update.start(new_reasoner(config), update.optimiser(config))
    like = {"reasoner": start.reasoner, "optimiser": start.optimiser, "best": start.reasoner}
    for path in checkpoints:
        kept, header = weights.read(path, like, "last", config)
        yield Test("last", header.updates, "none", kept["reasoner"])


def main() -> None:
    """Scores the checkpoints and writes a line for each score."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path)
    parser.add_argument("checkpoints", type=Path, nargs="*")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--sizes", type=int, nargs="+", default=list(BUDGETS["paper-sizes"].reported))
    parser.add_argument("--graphs", type=int, default=16)
    options = parser.parse_args()
    keep_compiled_programs()
    lines = options.out.read_text().splitlines() if options.out.exists() else []
    keys = ("run", "checkpoint", "updates", "change", "nodes", "graphs")
    done = {tuple(json.loads(line)[key] for key in keys) for line in lines}
    for test in tests(options.run, options.checkpoints):
        for nodes in options.sizes:
            key = (options.run.name, test.checkpoint, test.updates, test.change, nodes, options.graphs)
            if key in done:
                continue
            scores = evaluate(test.reasoner, nodes, options.graphs, seed=TEST_SEED, distribution=CHANGES[test.change][0])
            found = {"node_accuracy": scores.node_accuracy, "graph_accuracy": scores.graph_accuracy}
            lines.append(json.dumps(dict(zip(keys, key, strict=True)) | found))
            options.out.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(options.out, "".join(f"{line}\n" for line in lines).encode())
            print(lines[-1], file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
