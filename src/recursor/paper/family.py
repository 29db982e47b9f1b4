"""The table of the algorithms: the exact network of each, trained in its own budget, then tested on much larger inputs.

family.md, family.tex  number of inputs with every output right at each size, and the cost of training
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from recursor.algorithms import IMPORTED, find, known
from recursor.configurations.named import configuration
from recursor.paper.jobs import Job
from recursor.paper.tables import read_all, tabular, to_bytes

SIZES = ((15, 256), (33, 256), (64, 256), (250, 32))
"""Sizes to test on, and how many inputs of each."""

BEST = {
    "dfs": "100",
    "topological_sort": "96.59",
    "articulation_points": "98.91",
    "bridges": "99.42",
    "strongly_connected_components": "82.3",
    "quicksort": "93.30",
}
"""The best published scores at 64 nodes, in percent of nodes (docs/family.md has the sources)."""


def jobs_of(names: Sequence[str], seeds: Sequence[int], work: Path, kept: Path) -> list[Job]:
    """Returns the jobs of some algorithms, or of `all`: first those of the first seed, then those of the next."""
    for name in names:
        if name != "all":
            find(name)
    selected = known() if "all" in names else dict.fromkeys(names)
    imports = tuple(str(path) for path in IMPORTED)
    return [
        Job(f"exact/{name}", "exact", configuration(f"exact/{name}", seed=seed), work / place, kept / place, SIZES, imports)
        for seed in seeds
        for name in selected
        for place in (f"{name}-seed{seed}",)
    ]


def _right(runs: Sequence[dict[str, Any]], nodes: int) -> str:
    scores = [score for run in runs for score in run["scores"] if score["nodes"] == nodes]
    right = sum(round(score["graph_accuracy"] * score["graphs"]) for score in scores)
    return f"{right}/{sum(score['graphs'] for score in scores)}"


def _at_64(runs: Sequence[dict[str, Any]]) -> str:
    scores = [score["node_accuracy"] for run in runs for score in run["scores"] if score["nodes"] == 64]
    return f"{100 * sum(scores) / len(scores):.2f}"


def report(jobs: Sequence[Job]) -> dict[str, bytes]:
    """Returns all files of the report, by name, from the results so far."""
    found = read_all(jobs)
    headings = ["algorithm", "seeds", "updates", "seconds", *(f"{nodes} nodes" for nodes, _ in SIZES)]
    headings += ["nodes at 64", "best published"]
    body = []
    for name, runs in found.items():
        algorithm = name.removeprefix("exact/")
        cells = [algorithm, str(len(runs)), str(runs[0]["updates"]), ", ".join(f"{run['seconds']:.0f}" for run in runs)]
        cells += [_right(runs, nodes) for nodes, _ in SIZES]
        body.append([*cells, _at_64(runs), BEST.get(algorithm, "–")])
    lines = [f"| {' | '.join(headings)} |", "| --- |" + " ---: |" * (len(headings) - 1)]
    lines += [f"| {' | '.join(line)} |" for line in body]
    sizes = sorted({size for runs in found.values() for run in runs for size in run["config"]["sizes"]})
    caption = (
        f"Inputs of which every output is right, by networks that were trained on {min(sizes)} to {max(sizes)} nodes, run "
        f"by themselves and halt by themselves, all seeds together; beside them the share of nodes that are right at "
        f"64 nodes, in percent, and the best that was published."
    )
    tex = tabular("family", caption, "l" + "r" * (len(headings) - 1), headings, {"": body})
    return {"family.md": to_bytes([caption, "", *lines]), "family.tex": to_bytes(tex)}
