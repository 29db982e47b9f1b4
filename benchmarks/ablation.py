"""What carries the result? Changes one thing at a time, and writes a table and a plot.

The network with the learnt node-wise stack, trained by frames, is the one that is changed; every variant gets the same
updates, but for rollout training, which gets the same time (of the updates alone: what a rollout takes to compile comes on
top). All run by themselves, so a graph is right if the network halted
and every node is right. One JSON a run in results/ablation; what is there is not run again. `--table` only writes the table
(docs/ablation.md) and the plot.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import jax
import matplotlib.pyplot as plt
import numpy as np

from recursor.configurations.named import configuration
from recursor.evaluation import evaluate
from recursor.report.markdown import put_tables
from recursor.system.compiling import keep_compiled_programs
from recursor.system.files import write_atomically
from recursor.training import loop, rollout, update
from recursor.training.config import TrainConfig

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "results" / "ablation"
SIZES = {32: 64, 96: 32, 256: 4}  # graphs of each size
BASE = replace(configuration("exact/dfs-node"), validate_nodes=16, validate_graphs=8)


def _network(**changes) -> TrainConfig:
    return replace(BASE, network=replace(BASE.network, **changes))


VARIANTS: dict[str, TrainConfig] = {
    "node stack, frames, in order, order processor": BASE,
    "rollout training, equal time": replace(BASE, trainer="rollout", forcing=0.5),
    "decoding at once": _network(decoding="joint"),
    "MPNN processor": _network(processor="mpnn", rounds=1),
    "fields stack": replace(_network(stack="fields"), links=1),
    "choice stack": replace(_network(stack="choice", frame_width=4), links=1),
    "graph stack": _network(stack="graph", frame_width=64),
    "no stack": _network(stack="none"),
    "chains of 1": replace(BASE, links=1),
    "chains of 2": replace(BASE, links=2),
    "chains of 4": replace(BASE, links=4),
}


def rollout_updates(config: TrainConfig, seconds: float) -> int:
    """How many rollout updates take that long, by the second pass over all sizes."""
    transformation = update.optimiser(config)
    step = rollout.make_update(config, transformation, update.device_mesh(config.batch))
    state = update.start(loop.new_reasoner(config), transformation)
    batches = rollout.batches(config)
    began = 0.0
    for index in range(2 * len(config.sizes)):
        if index == len(config.sizes):
            began = time.perf_counter()
        state, means = step(state, next(batches), jax.random.key(index))
        float(means["loss"])
    batches.close()
    return max(1, round(seconds * len(config.sizes) / (time.perf_counter() - began)))


def measure(name: str, seed: int) -> dict:
    """Trains one variant from one seed and scores it."""
    config = replace(VARIANTS[name], seed=seed)
    if config.trainer == "rollout":
        seconds = json.loads(file(next(iter(VARIANTS)), seed).read_text())["update_seconds"]
        updates = rollout_updates(config, seconds)
        config = replace(config, updates=updates, validate_every=updates)
    with tempfile.TemporaryDirectory() as temporary:
        run = loop.train(config, Path(temporary) / "run", progress=False)
        trained = json.loads((run.directory / "run.json").read_text())
        lines = [json.loads(line) for line in (run.directory / "metrics.jsonl").read_text().splitlines()]
        updates = [line for line in lines if "loss" in line]
        last, compiled = (
            updates[-1],
            len(config.sizes) if config.trainer == "rollout" else 1,
        )  # the first of every shape compiles
        spent = (last["seconds"] - updates[compiled - 1]["seconds"]) * len(updates) / (len(updates) - compiled)
    scores = {}
    for nodes, graphs in SIZES.items():
        score = evaluate(run.reasoner, nodes, graphs)
        scores[nodes] = {"node": score.node_accuracy, "graph": score.graph_accuracy, "halted": score.halted}
        scores[nodes]["rows"] = score.hint_means()
    return {
        "name": name,
        "config": asdict(config),
        "training": trained,
        "update_seconds": round(spent, 3),
        "last_losses": last,
        "scores": scores,
    }


def file(name: str, seed: int) -> Path:
    """Where a result is kept."""
    return RESULTS / f"{name.replace(' ', '-').replace(',', '')}-seed{seed}.json"


def write_table(seeds: Sequence[int]) -> None:
    """The table and the plot, of what is there."""
    found = {
        name: [json.loads(file(name, seed).read_text()) for seed in seeds if file(name, seed).exists()] for name in VARIANTS
    }
    found = {name: results for name, results in found.items() if results}
    header = "".join(f" node, {n} | graph, {n} |" for n in SIZES)
    lines = [f"| variant | seeds | seconds of updates |{header}", f"|---|---|---|{'---|---|' * len(SIZES)}"]
    for name, results in found.items():
        seconds = np.mean([result["update_seconds"] for result in results])
        cells = ""
        for n in SIZES:
            for kind in ("node", "graph"):
                values = 100 * np.array([result["scores"][str(n)][kind] for result in results])
                cells += f" {values.mean():.1f} ± {values.std():.1f} |"
        lines.append(f"| {name} | {len(results)} | {seconds:.0f} |{cells}")
    put_tables(ROOT / "docs" / "ablation.md", {"ablation": "\n".join(lines)})
    figure, axes = plt.subplots(figsize=(8, 0.38 * len(found) + 1.2), layout="constrained")
    for offset, n in zip((-0.26, 0.0, 0.26), SIZES, strict=True):
        shade = {32: "#9ecae1", 96: "#4292c6", 256: "#084594"}[n]
        scores = [[100 * result["scores"][str(n)]["graph"] for result in results] for results in found.values()]
        places = np.arange(len(found)) + offset
        axes.barh(places, [np.mean(seeds) for seeds in scores], 0.24, color=shade, label=f"{n} nodes")
        for place, one in zip(places, scores, strict=True):
            axes.plot(one, [place] * len(one), "o", color="white", markeredgecolor="black", markersize=3.5, clip_on=False)
    axes.set_yticks(np.arange(len(found)), list(found))
    axes.invert_yaxis()
    axes.set_xlim(0, 101)
    axes.set_xlabel("graphs with every node right, in percent (dots: seeds)")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=len(SIZES), frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    matplotlib.rcParams["svg.hashsalt"] = "recursor"
    figure.savefig(ROOT / "docs" / "pictures" / "ablation.svg", metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", nargs="+", type=int, default=[1, 2, 3])
    parser.add_argument("--table", action="store_true", help="only write the table and the plot")
    arguments = parser.parse_args()
    keep_compiled_programs()
    RESULTS.mkdir(parents=True, exist_ok=True)
    for seed in () if arguments.table else arguments.seeds:
        for name in VARIANTS:
            if not file(name, seed).exists():
                result = measure(name, seed)
                write_atomically(file(name, seed), json.dumps(result, indent=2).encode() + b"\n")
                accuracy = {n: round(score["graph"], 3) for n, score in result["scores"].items()}
                print(f"{name}, seed {seed}: {result['training']['seconds']} s, {accuracy}", flush=True)
    write_table(arguments.seeds)


if __name__ == "__main__":
    main()
