"""Draws docs/pictures/sizes.svg: the share of graphs that are wholly right, against their size, from results that are there.

    python docs/pictures/sizes.py

The exact network is the shipped one (results/sizes/dfs.json, by benchmarks/sizes.py). The paper's experiments are those of
results/table-small-long. The graphs are the same where both were measured, but fewer for the paper's networks.
"""

import json
from pathlib import Path

from recursor.paper.plot import SMALL, Curve, curve, draw
from recursor.system.files import write_atomically

ROOT = Path(__file__).parents[2]
LARGEST = 16


def exact() -> Curve:
    """Returns the line of the exact network."""
    result = json.loads((ROOT / "results" / "sizes" / "dfs.json").read_text())
    return curve("c0", "this network, halts by itself", [result], "graph_accuracy")


def experiment(number: str, key: str, label: str) -> Curve:
    """Returns the line of an experiment of the paper, from three seeds."""
    paths = sorted((ROOT / "results" / "table-small-long").glob(f"paper-{number}-*/result.json"))
    found = curve(key, label, [json.loads(path.read_text()) for path in paths], "graph_accuracy")
    first = found.nodes.index(LARGEST)
    return found._replace(nodes=found.nodes[first:], seeds=[seed[first:] for seed in found.seeds])


def picture() -> bytes:
    """Returns the picture."""
    lines = [exact(), experiment("10", "c10", "paper: node stack"), experiment("01", "c1", "paper: baseline")]
    return draw("Graphs that are wholly right, in percent", lines, LARGEST, (16, 32, 64, 128, 256, 512, 1600), SMALL)


if __name__ == "__main__":
    write_atomically(Path(__file__).with_name("sizes.svg"), picture())
