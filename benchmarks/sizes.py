"""Networks for depth-first search on the test graphs of the paper's experiments, and on larger ones.

    python benchmarks/sizes.py                       the shipped network
    python benchmarks/sizes.py runs/exact-dfs-seed2  that of a run

The graphs are those of `recursor table`: the same distribution and seed. The result is results/sizes/dfs-seedN.json;
docs/pictures/sizes.py draws those of all seeds. The logs of the runs are in results/weights/dfs and results/seeds.
"""

import argparse
import hashlib
import json
import time
from pathlib import Path

import recursor
from recursor.evaluation import evaluate
from recursor.system.files import write_atomically

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "results" / "sizes"
GRAPHS = {16: 64, 32: 64, 48: 64, 64: 64, 96: 64, 128: 64, 256: 32, 512: 16, 800: 16, 1600: 16}
"""How many graphs of each size."""
SEED = 0
"""The seed of the test graphs of the paper's experiments."""


def main() -> None:
    """Scores a network, and keeps what is right after every size."""
    parser = argparse.ArgumentParser(description="Scores a network for depth-first search at sizes up to 1600 nodes.")
    parser.add_argument("run", nargs="?", default="dfs", help="a shipped network or a run directory (default: dfs)")
    run = recursor.load(parser.parse_args().run)
    weights = (run.directory / "weights.safetensors").read_bytes()
    scores = []
    for nodes, graphs in GRAPHS.items():
        start = time.monotonic()
        found = evaluate(run.reasoner, nodes, graphs, seed=SEED, lookup=run.lookup)
        scores.append(
            {
                "nodes": nodes,
                "graphs": graphs,
                "node_accuracy": found.node_accuracy,
                "graph_accuracy": found.graph_accuracy,
                "halted": found.halted,
                "seconds": round(time.monotonic() - start, 1),
            }
        )
        print(scores[-1], flush=True)
        result = {
            "version": recursor.__version__,
            "seed": run.config.seed,
            "weights_sha256": hashlib.sha256(weights).hexdigest(),
            "test_seed": SEED,
            "scores": scores,
        }
        RESULTS.mkdir(parents=True, exist_ok=True)
        write_atomically(RESULTS / f"dfs-seed{run.config.seed}.json", (json.dumps(result, indent=2) + "\n").encode())


if __name__ == "__main__":
    main()
