"""Is a new algorithm learnt faster with a processor that others have trained? Trains held-out algorithms in three ways.

    recursor train joint/nine --lessons 0                            the processor, in runs/joint-nine-seed1
    python benchmarks/transfer.py runs/joint-nine-seed1/dfs          then this
    python benchmarks/transfer.py --only-report                      the table alone

*New*: all weights are new. *Adopted*: training starts with the given processor. *Kept*: the processor also stays as it is.
All else is equal: the shape of the network, the seed, the batches, the constant learning rate. Every few updates the network
runs by itself on the same validation inputs. What is measured is after how many updates all of them are right for the first
time. Each run is kept in results/joint/transfer as soon as it is done, and is not trained again.
"""

import json
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

import tyro

import recursor
from recursor.report.markdown import put_tables
from recursor.system.files import write_atomically
from recursor.training.config import TrainConfig

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "results" / "joint" / "transfer"
PAGE, MARK = ROOT / "docs" / "joint.md", "transfer/table"
WAYS: Mapping[str, Mapping[str, bool]] = {
    "new": {"adopts": False, "keeps": False},
    "adopted": {"adopts": True, "keeps": False},
    "kept": {"adopts": True, "keeps": True},
}


def configuration(algorithm: str, processor: str, seed: int, updates: int, *, adopts: bool, keeps: bool) -> TrainConfig:
    """Returns the configuration of one run."""
    base = recursor.configuration(f"exact/{algorithm}", seed=seed)
    return replace(
        base,
        network=replace(base.network, encode_frame=True, orders=1),
        schedule="constant",
        updates=updates,
        validate_every=20,
        validate_nodes=17,
        lessons=0,
        processor_from=processor if adopts else "",
        keep_processor=keeps,
    )


def measure(config: TrainConfig, directory: Path) -> dict[str, Any]:
    """Trains, and returns the configuration with the share of right validation inputs after so many updates."""
    recursor.train(config, directory, progress=False)
    lines = [json.loads(line) for line in (directory / "metrics.jsonl").read_text().splitlines()]
    right = {line["update"]: line["validation/graphs"] for line in lines if "validation/graphs" in line}
    loss = {line["update"]: line["loss"] for line in lines if "loss" in line and line["update"] in right}
    return {"config": asdict(config), "right": right, "loss": loss}


def first_right(found: Mapping[str, Any]) -> int | None:
    """Returns after how many updates all validation inputs were right for the first time."""
    return next((int(update) for update, share in found["right"].items() if share == 1.0), None)


def table(results: Mapping[tuple[str, str], Sequence[Mapping[str, Any]]]) -> str:
    """Returns the table in Markdown.

    Args:
        results: Of each algorithm and way what `measure` found, by seed.
    """
    lines = [
        "| algorithm | updates to all right: new | adopted | kept | right after 100 updates: new | adopted | kept |",
        f"| --- |{' ---: |' * 6}",
    ]
    for algorithm in dict.fromkeys(name for name, _ in results):
        by_way = [results[algorithm, way] for way in WAYS if (algorithm, way) in results]
        if len(by_way) < len(WAYS):
            continue
        first = [", ".join(_first(found) for found in runs) for runs in by_way]
        early = [f"{statistics.mean(found['right']['100'] for found in runs):.0%}" for runs in by_way]
        lines.append(f"| {' | '.join((algorithm, *first, *early))} |")
    return "\n".join(lines) + "\n"


def _first(found: Mapping[str, Any]) -> str:
    update = first_right(found)
    return f"more than {max(map(int, found['right']))}" if update is None else str(update)


def read_results() -> dict[tuple[str, str], list[dict[str, Any]]]:
    """Returns what is kept, by algorithm and way, in the order of the seeds."""
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for path in sorted(RESULTS.glob("*.json")):
        algorithm, way, _ = path.stem.rsplit("-", 2)
        found.setdefault((algorithm, way), []).append(json.loads(path.read_text()))
    return found


def main(
    processor: Annotated[str, tyro.conf.Positional] = "",
    /,
    algorithms: tuple[str, ...] = ("bfs", "insertion_sort", "euler_tour"),
    seeds: tuple[int, ...] = (1, 2),
    updates: int = 300,
    only_report: bool = False,
) -> None:
    """Trains what is missing, and puts the table into docs/joint.md.

    Args:
        processor: A run of the joint network, whose processor is adopted.
        algorithms: Algorithms that the joint network was not trained with.
        seeds: The seeds.
        updates: Updates of each run.
        only_report: Train nothing.
    """
    RESULTS.mkdir(parents=True, exist_ok=True)
    runs = [] if only_report else [(seed, name, way) for seed in seeds for name in algorithms for way in WAYS]
    for seed, name, way in runs:
        path = RESULTS / f"{name}-{way}-seed{seed}.json"
        if path.exists():
            continue
        config = configuration(name, processor, seed, updates, **WAYS[way])
        found = measure(config, ROOT / "runs" / "transfer" / path.stem)
        write_atomically(path, json.dumps(found, indent=1).encode() + b"\n")
        print(path.stem, _first(found), flush=True)
    put_tables(PAGE, {MARK: table(read_results())})


if __name__ == "__main__":
    tyro.cli(main)
