"""Draws docs/pictures/sizes.svg: the share of graphs that are wholly right, against their size, from results that are there.

    python docs/pictures/sizes.py

The exact network is `exact/dfs` from three seeds (results/sizes, by benchmarks/sizes.py). The paper's experiments are those
of results/table-small-long. The graphs are the same where both were measured, but fewer for the paper's networks.
"""

import json
from pathlib import Path

from recursor.paper.plot import SMALL, Curve, curve, draw
from recursor.system.files import write_atomically

ROOT = Path(__file__).parents[2]
LARGEST = 16


def exact() -> Curve:
    """Returns the line of the exact network."""
    return _line("c0", "this network, halts by itself", "sizes/dfs-seed*.json")


def experiment(number: str, key: str, label: str) -> Curve:
    """Returns the line of an experiment of the paper, from three seeds."""
    found = _line(key, label, f"table-small-long/paper-{number}-*/result.json")
    first = found.nodes.index(LARGEST)
    return found._replace(nodes=found.nodes[first:], seeds=[seed[first:] for seed in found.seeds])


def _line(key: str, label: str, pattern: str) -> Curve:
    """Returns the line of the results that are called by a pattern, one of each seed."""
    paths = sorted((ROOT / "results").glob(pattern))
    return curve(key, label, [json.loads(path.read_text()) for path in paths], "graph_accuracy")


def picture() -> bytes:
    """Returns the picture."""
    lines = [exact(), experiment("10", "c10", "paper: node stack"), experiment("01", "c1", "paper: baseline")]
    return draw("Graphs that are wholly right, in percent", lines, LARGEST, (16, 32, 64, 128, 256, 512, 1600), SMALL)


if __name__ == "__main__":
    write_atomically(Path(__file__).with_name("sizes.svg"), picture())
