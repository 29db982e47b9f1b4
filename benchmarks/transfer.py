"""Is a new algorithm learnt faster with a processor that others have trained? Trains held-out algorithms in three ways.

    python benchmarks/transfer.py                the joint network, and then the others
    python benchmarks/transfer.py --only-report  the table alone

The joint network is small, so that it takes minutes: four algorithms share a processor, in 300 updates each.

*New*: all weights are new. *Adopted*: training starts with the given processor. *Kept*: the processor also stays as it is.
All else is equal: the shape of the network, the seed, the batches, the constant learning rate. Every 20 updates the network
runs by itself on the same validation inputs. What is measured is the share of them that is right. Each run is kept in
results/joint/transfer as soon as it is done, and is not trained again.
"""

import json
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import tyro

import recursor
from recursor.report.markdown import put_tables
from recursor.system.files import write_atomically
from recursor.training import joint
from recursor.training.config import TrainConfig

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "results" / "joint" / "transfer"
PAGE, MARK = ROOT / "docs" / "joint.md", "transfer/table"
SHOWN = (60, 100, 140, 200)
"""After so many updates the table has figures."""
JOINT = ("dfs", "circuit", "quicksort", "tarjan")
WAYS: Mapping[str, Mapping[str, bool]] = {
    "new": {"adopts": False, "keeps": False},
    "adopted": {"adopts": True, "keeps": False},
    "kept": {"adopts": True, "keeps": True},
}


def smaller(config: TrainConfig) -> TrainConfig:
    """Returns a configuration with smaller batches of smaller graphs, and without lessons."""
    network = replace(config.network, encode_frame=True, orders=1)
    sizes = (1, 2, 3, 4, 5, 6, 7, 8, 9, 11)
    return replace(config, network=network, sizes=sizes, batch=20, validate_nodes=17, lessons=0)


def joint_processor(directory: Path) -> Path:
    """Trains the joint network if it is not there. Returns the run of one of its parts."""
    if not (directory / "run.json").exists():
        config = smaller(recursor.configuration("joint/nine"))
        joint.train(replace(config, together=JOINT, updates=300, validate_every=300), directory, progress=False)
        kept = {name: json.loads((directory / f"{name}.json").read_text()) for name in ("config", "run")}
        write_atomically(RESULTS.parent / "transfer-joint.json", json.dumps(kept, indent=1).encode() + b"\n")
    return directory / JOINT[0]


def configuration(algorithm: str, processor: Path, seed: int, updates: int, *, adopts: bool, keeps: bool) -> TrainConfig:
    """Returns the configuration of one run."""
    return replace(
        smaller(recursor.configuration(f"exact/{algorithm}", seed=seed)),
        schedule="constant",
        updates=updates,
        validate_every=20,
        processor_from=str(processor.relative_to(ROOT)) if adopts else "",
        keep_processor=keeps,
    )


def measure(config: TrainConfig, directory: Path) -> dict[str, Any]:
    """Trains, and returns the configuration with the share of right validation inputs after so many updates."""
    recursor.train(config, directory, progress=False)
    lines = [json.loads(line) for line in (directory / "metrics.jsonl").read_text().splitlines()]
    right = {line["update"]: line["validation/graphs"] for line in lines if "validation/graphs" in line}
    loss = {line["update"]: line["loss"] for line in lines if "loss" in line and line["update"] in right}
    return {"config": asdict(config), "right": right, "loss": loss}


def table(results: Mapping[tuple[str, str], Sequence[Mapping[str, Any]]]) -> str:
    """Returns the table in Markdown: shares of right inputs and the loss as means over the seeds, and for each
    seed after how many updates all inputs were right.

    Args:
        results: Of each algorithm and way what `measure` found, by seed.
    """
    right = "".join(f" right after {update} |" for update in SHOWN)
    lines = [
        f"| algorithm | processor | seeds |{right} all right after | loss after {SHOWN[-1]} |",
        f"| --- | --- | ---: |{' ---: |' * (len(SHOWN) + 2)}",
    ]
    for (algorithm, way), runs in sorted(results.items(), key=lambda item: (item[0][0], list(WAYS).index(item[0][1]))):
        right = [f"{statistics.mean(found['right'][str(update)] for found in runs):.0%}" for update in SHOWN]
        first = ", ".join(_all_right(found) for found in runs)
        loss = f"{statistics.mean(found['loss'][str(SHOWN[-1])] for found in runs):.2f}"
        lines.append(f"| {' | '.join((algorithm, way, str(len(runs)), *right, first, loss))} |")
    return "\n".join(lines) + "\n"


def _all_right(found: Mapping[str, Any]) -> str:
    """After how many updates all inputs were right for the first time."""
    return next((update for update, share in found["right"].items() if share == 1.0), "–")


def read_results() -> dict[tuple[str, str], list[dict[str, Any]]]:
    """Returns what is kept, by algorithm and way, in the order of the seeds."""
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for path in sorted(RESULTS.glob("*.json")):
        algorithm, way, _ = path.stem.rsplit("-", 2)
        found.setdefault((algorithm, way), []).append(json.loads(path.read_text()))
    return found


def main(
    algorithms: tuple[str, ...] = ("bfs", "insertion_sort", "topological_sort"),
    seeds: tuple[int, ...] = (1, 2),
    updates: int = 200,
    only_report: bool = False,
) -> None:
    """Trains what is missing, and puts the table into docs/joint.md.

    Args:
        algorithms: Algorithms that the joint network was not trained with.
        seeds: The seeds.
        updates: Updates of each run.
        only_report: Train nothing.
    """
    RESULTS.mkdir(parents=True, exist_ok=True)
    runs = [] if only_report else [(seed, name, way) for seed in seeds for name in algorithms for way in WAYS]
    processor = joint_processor(ROOT / "runs" / "transfer" / "joint") if runs else ROOT
    for seed, name, way in runs:
        path = RESULTS / f"{name}-{way}-seed{seed}.json"
        if path.exists():
            continue
        config = configuration(name, processor, seed, updates, **WAYS[way])
        found = measure(config, ROOT / "runs" / "transfer" / path.stem)
        write_atomically(path, json.dumps(found, indent=1).encode() + b"\n")
        print(path.stem, found["right"], flush=True)
    put_tables(PAGE, {MARK: table(read_results())})


if __name__ == "__main__":
    tyro.cli(main)
