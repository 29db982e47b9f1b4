"""Runs all parts, or some, and writes a report.

Each part keeps its counts in a file of its own, so that parts can be run one by one. A part that has used up its share of
the time stops, and its count tells how far it came. The exit status is 1 if anything failed.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.torture.common import Count

from recursor.version import __version__

Part = Callable[[int, float, int, Path], Count]


def _kills(count: int, seconds: float, seed: int, root: Path) -> Count:
    from benchmarks.torture.kills import kills

    return kills(count, seconds, seed, root)


def _two_at_once(count: int, seconds: float, seed: int, root: Path) -> Count:
    from benchmarks.torture.kills import two_at_once

    return two_at_once(count, seconds, root)


def _writes(count: int, seconds: float, seed: int, root: Path) -> Count:
    from benchmarks.torture.writes import failed_writes

    return failed_writes(count, seconds, root)


def _damages(count: int, seconds: float, seed: int, root: Path) -> Count:
    from benchmarks.torture.damage import damaged_runs

    return damaged_runs(count, seconds, seed, root)


def _files(count: int, seconds: float, seed: int, root: Path) -> Count:
    from benchmarks.torture.damage import damaged_files

    return damaged_files(count, seconds, seed, root)


def _swaps(count: int, seconds: float, seed: int, root: Path) -> Count:
    from benchmarks.torture.damage import swapped_weights

    return swapped_weights(count, seconds, seed, root)


def _graphs(count: int, seconds: float, seed: int, root: Path) -> Count:
    from benchmarks.torture.inputs import graphs

    return graphs(count, seconds, seed, root)


def _configurations(count: int, seconds: float, seed: int, root: Path) -> Count:
    from benchmarks.torture.inputs import configurations

    return configurations(count, seconds, seed, root)


PARTS: dict[str, tuple[Part, int, float, str]] = {
    "graphs": (_graphs, 12_000, 0.1, "graph files, damaged; small ones that are read are also solved"),
    "configurations": (_configurations, 4000, 0.05, "configurations with odd values"),
    "files": (_files, 2000, 0.1, "other files of every kind, damaged"),
    "damages": (_damages, 1200, 0.15, "run directories with damaged files"),
    "swaps": (_swaps, 60, 0.1, "weights in the place of others"),
    "writes": (_writes, 1000, 0.1, "steps of writing that fail, each once"),
    "two": (_two_at_once, 10, 0.05, "pairs of processes in one directory"),
    "kills": (_kills, 110, 0.35, "processes killed at random moments"),
}
"""For each part what runs it, how often, its share of the time, and what it counts."""


def report(kept: Path) -> str:
    """Returns the report of the parts whose counts are kept in a directory, as text."""
    lines = [f"{'':<18}{'done':>8}{'failed':>8}{'seconds':>9}  what", ""]
    failures = []
    for name, (_, _, _, what) in PARTS.items():
        if (kept / f"{name}.json").exists():
            found = json.loads((kept / f"{name}.json").read_text())
            lines.append(f"{name:<18}{found['done']:>8}{len(found['failures']):>8}{found['seconds']:>9}  {what}")
            lines += [f"{'':<18}{number:>8}{'':>17}    {where}" for where, number in found.get("where", {}).items()]
            failures += [f"{name}: {failure}" for failure in found["failures"]]
    return "\n".join([*lines, "", *(failures or ["Nothing was lost, and nothing was wrong."])]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.torture", description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"which parts: {', '.join(PARTS)}; by default all")
    parser.add_argument("--minutes", type=float, default=60.0, help="after which no part goes on")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("results/torture"))
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"there is no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    chosen = options.parts or list(PARTS)
    whole = sum(PARTS[name][2] for name in chosen)
    options.out.mkdir(parents=True, exist_ok=True)
    failed = False
    for name in chosen:
        run, count, share, what = PARTS[name]
        print(f"{name}: {count} {what}", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory(prefix="recursor-torture-") as root:
            result = run(count, 60 * options.minutes * share / whole, options.seed, Path(root))
        found = {"version": __version__, "seed": options.seed, "done": result.done, "seconds": round(result.seconds)}
        found |= {"where": dict(result.where)} if result.where else {}
        (options.out / f"{name}.json").write_text(json.dumps({**found, "failures": result.failures}, indent=2) + "\n")
        print(result, *result.failures, sep="\n", flush=True)
        failed |= bool(result.failures)
    (options.out / "report.txt").write_text(report(options.out))
    print(report(options.out), end="")
    sys.exit(failed)


if __name__ == "__main__":
    main()
