"""Is it exact? Trains each exact configuration from several seeds and runs it by itself on graphs of all sorts and sizes.

A graph counts as right if the network halted by itself and every output of every node is right. Results are written to
results/exact, one JSON a run with its configuration, beside the log of its training, and as a table to docs/exact.md; what
is there is not run again.
"""

import argparse
import json
import resource
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import Progress

from recursor.algorithms import find
from recursor.configurations.exact import EXACT
from recursor.configurations.named import configuration
from recursor.execution.executor import execute
from recursor.graphs.distributions import TEST, grid, path, sparse, star, tree
from recursor.graphs.graph import Graph, from_edges
from recursor.paper.results import thin
from recursor.report.markdown import put_tables
from recursor.system.compiling import keep_compiled_programs
from recursor.system.files import write_atomically
from recursor.training import loop

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "results" / "exact"
TOGETHER = {96: 64, 256: 16}  # graphs that are run at once
LARGE = 1600


def families(rng: np.random.Generator) -> Iterator[tuple[str, list[Graph]]]:
    """Graphs by kind."""
    yield "96 nodes, paper's test distribution", [TEST(rng, 96) for _ in range(512)]
    yield "256 nodes, paper's test distribution", [TEST(rng, 256) for _ in range(64)]
    none = np.zeros(0, int)
    yield "one node", [from_edges(none, none, 1)]
    yield "one node with a loop", [from_edges(np.zeros(1, int), np.zeros(1, int), 1)]
    yield "no edges", [from_edges(none, none, n) for n in (2, 7, 40)]
    yield "only loops", [from_edges(np.arange(n), np.arange(n), n) for n in (2, 7, 40)]
    apart = [sparse(rng, 64, 1.0) for _ in range(16)]
    yield "disconnected", apart
    yield f"{LARGE} nodes, sparse", [sparse(rng, LARGE, 15) for _ in range(4)]
    thin = [tree(rng, LARGE), tree(rng, LARGE), path(LARGE), star(LARGE), grid(LARGE)]
    yield f"{LARGE} nodes: two trees, path, star, grid", thin


def measure(name: str, seed: int, bar: Progress) -> dict:
    """Trains one configuration and runs it on everything."""
    config = configuration(name, seed=seed)
    algorithm = find(config.algorithm)
    directory = RESULTS / "logs" / f"{name.replace('/', '-')}-seed{seed}"
    with tempfile.TemporaryDirectory() as temporary:
        run = loop.train(config, Path(temporary) / "run", progress=False)
        directory.mkdir(parents=True, exist_ok=True)
        for file in ("config.json", "run.json"):
            write_atomically(directory / file, (run.directory / file).read_bytes())
        write_atomically(directory / "curve.jsonl", thin((run.directory / "metrics.jsonl").read_bytes()))
    scores = {}
    for family, graphs in families(np.random.default_rng(seed)):
        task = bar.add_task(f"{name}, seed {seed}: {family}", total=len(graphs))
        together = 5 if "path" in family else TOGETHER.get(len(graphs[0]), 1)
        right, rows, began = 0, 0, time.perf_counter()
        for start in range(0, len(graphs), together):
            part = graphs[start : start + together]
            for graph, execution in zip(part, execute(run.reasoner, part, keep_rows=False), strict=True):
                truth = algorithm.run(graph)
                right += execution.halted and all(np.array_equal(execution.outputs[key], truth[key]) for key in truth)
                rows += execution.steps
            bar.update(task, completed=start + len(part))
        bar.remove_task(task)
        seconds = round(time.perf_counter() - began, 1)
        scores[family] = {"graphs": len(graphs), "right": int(right), "rows": rows, "seconds": seconds}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    trained = json.loads((directory / "run.json").read_text())
    return {"name": name, "config": asdict(config), "training": trained, "scores": scores, "peak_memory_bytes": peak}


def write_table() -> None:
    """The table, of what is there."""
    found: dict[str, list[dict]] = {}
    for written in sorted(RESULTS.glob("*.json")):
        result = json.loads(written.read_text())
        found.setdefault(result["name"], []).append(result)
    names = [name for name in (f"exact/{row}" for row in EXACT) if name in found]
    lines = [f"| | {' | '.join(f'`{name}`' for name in names)} |", "| --- |" + " --- |" * len(names)]
    stacks = (found[name][0]["config"]["network"]["stack"] for name in names)
    lines.append(f"| stack | {' | '.join(stacks)} |")
    seeds = (str(len(found[name])) for name in names)
    lines.append(f"| seeds | {' | '.join(seeds)} |")
    for family in found[names[0]][0]["scores"]:
        cells = []
        for name in names:
            scores = [result["scores"][family] for result in found[name]]
            cells.append(f"{sum(score['right'] for score in scores)} of {sum(score['graphs'] for score in scores)}")
        lines.append(f"| {family} | {' | '.join(cells)} |")
    seconds = (", ".join(f"{result['training']['seconds']:.0f}" for result in found[name]) for name in names)
    lines.append(f"| training, seconds | {' | '.join(seconds)} |")
    put_tables(ROOT / "docs" / "exact.md", {"exactness": "\n".join(lines)})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--configs", nargs="+", default=[f"exact/{name}" for name in EXACT])
    parser.add_argument("--seeds", nargs="+", type=int, default=[1, 2, 3])
    arguments = parser.parse_args()
    keep_compiled_programs()
    for seed in arguments.seeds:
        for name in arguments.configs:
            out = RESULTS / f"{name.replace('/', '-')}-seed{seed}.json"
            if not out.exists():
                with Progress(console=Console(stderr=True), transient=True) as bar:
                    result = measure(name, seed, bar)
                write_atomically(out, json.dumps(result, indent=2).encode() + b"\n")
            result = json.loads(out.read_text())
            print(f"{name}, seed {seed}: trained in {result['training']['seconds']} s", flush=True)
            for family, score in result["scores"].items():
                print(f"    {family:<40}{score['right']:>5} of {score['graphs']}", flush=True)
            write_table()


if __name__ == "__main__":
    main()
