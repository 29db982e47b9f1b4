"""Draws docs/pictures/sizes.svg: the share of graphs that are wholly right, against their size, from results that are there.

    python docs/pictures/sizes.py

The exact network is the shipped one, on the random inputs of its verification (results/verify/dfs.json); sizes with fewer
than ten inputs are left out. The paper's experiments are those of results/table-small-long.
"""

import json
from pathlib import Path

from recursor.paper.plot import Curve, curve, draw
from recursor.system.files import write_atomically

ROOT = Path(__file__).parents[2]
LARGEST = 16
SIZES = (16, 32, 48, 64, 97, 128, 300, 1000)
"""The sizes of the exact network that are drawn; it was measured at every size up to 64."""


def exact() -> Curve:
    """Returns the line of the exact network."""
    report = json.loads((ROOT / "results" / "verify" / "dfs.json").read_text())
    found = {one["nodes"]: one for one in report["growth"] if not one["every"] and one["inputs"] >= 10}
    sizes = [nodes for nodes in SIZES if nodes in found]
    right = [100 * (1 - found[nodes]["wrong"] / found[nodes]["inputs"]) for nodes in sizes]
    return Curve("c0", "this network, halts by itself", sizes, [right])


def experiment(number: str, key: str, label: str) -> Curve:
    """Returns the line of an experiment of the paper, from three seeds."""
    paths = sorted((ROOT / "results" / "table-small-long").glob(f"paper-{number}-*/result.json"))
    found = curve(key, label, [json.loads(path.read_text()) for path in paths], "graph_accuracy")
    first = found.nodes.index(LARGEST)
    return found._replace(nodes=found.nodes[first:], seeds=[seed[first:] for seed in found.seeds])


def picture() -> bytes:
    """Returns the picture."""
    lines = [exact(), experiment("10", "c10", "paper, node stack (10)"), experiment("01", "c1", "paper, baseline (1)")]
    return draw("Graphs that are wholly right, in percent", lines, LARGEST, (16, 32, 64, 128, 300, 1000))


if __name__ == "__main__":
    write_atomically(Path(__file__).with_name("sizes.svg"), picture())
