"""The shipped network for depth-first search on the test graphs of the paper's experiments, and on larger ones.

    python benchmarks/sizes.py

The graphs are those of `recursor table`: the same distribution and seed. The result is results/sizes/dfs.json, which
docs/pictures/sizes.py draws.
"""

import hashlib
import json
import time
from pathlib import Path

import recursor
from recursor.evaluation import evaluate
from recursor.system.files import write_atomically

ROOT = Path(__file__).parents[1]
RESULT = ROOT / "results" / "sizes" / "dfs.json"
WEIGHTS = ROOT / "src" / "recursor" / "weights" / "dfs" / "weights.safetensors"
GRAPHS = {16: 64, 32: 64, 48: 64, 64: 64, 96: 64, 128: 64, 256: 32, 512: 16, 800: 16, 1600: 16}
"""How many graphs of each size."""
SEED = 0
"""The seed of the test graphs of the paper's experiments."""


def main() -> None:
    """Scores the network, and keeps what is right after every size."""
    run = recursor.load("dfs")
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
            "weights_sha256": hashlib.sha256(WEIGHTS.read_bytes()).hexdigest(),
            "test_seed": SEED,
            "scores": scores,
        }
        RESULT.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(RESULT, (json.dumps(result, indent=2) + "\n").encode())


if __name__ == "__main__":
    main()
