"""The scoreboard: the shipped networks on other people's graphs, scored by other people's code.

    python -m benchmarks.scoreboard.run --clrs-python .venv-clrs/bin/python                 everything but GraphBench
    python -m benchmarks.scoreboard.run --clrs-python .venv-clrs/bin/python bridges tarjan  these networks alone
    python -m benchmarks.scoreboard.run --graphbench-python .venv-graphbench/bin/python     GraphBench alone
    python -m benchmarks.scoreboard.run --only-report                                       the tables alone

Predictions and scores are kept in results/scoreboard. What was found with other weights than those shipped now is not shown.
"""

import argparse
import json
from pathlib import Path

from benchmarks.scoreboard import clrs_track, graphbench_track, tables, tracks
from benchmarks.scoreboard.networks import ROOT, weights_hash

from recursor.report.markdown import put_tables
from recursor.system.files import write_atomically

SIZES = (16, 23, 50, 100, 128, 256)
PAGES = (ROOT / "README.md", ROOT / "docs" / "clrs.md")


def keep(entries: list[dict], replaced: set[tuple[str, str]]) -> None:
    """Keeps entries of tracks, in place of those of the same networks and tracks."""
    old = json.loads(tables.TRACKS.read_text()) if tables.TRACKS.exists() else []
    rest = [entry for entry in old if (entry["track"].partition(",")[0], entry["algorithm"]) not in replaced]
    new = [{**entry, "weights_sha256": weights_hash(entry["algorithm"])} for entry in entries]
    tables.TRACKS.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(tables.TRACKS, (json.dumps(rest + new, indent=2, ensure_ascii=False) + "\n").encode())


def main() -> None:
    """Runs the tracks that have an environment, and fills the tables."""
    parser = argparse.ArgumentParser(description="Scores the shipped networks on other people's graphs.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="which networks; left out, all that run a task of CLRS-30")
    parser.add_argument("--clrs-python", help="the Python of an environment that has dm-clrs")
    parser.add_argument("--graphbench-python", help="the Python of an environment that has graphbench-lib")
    parser.add_argument("--sizes", nargs="*", type=int, default=SIZES, help="numbers of nodes, besides the official 64")
    parser.add_argument("--only-report", action="store_true", help="fill the tables from what is kept, and run nothing")
    options = parser.parse_args()
    if unknown := sorted({*options.names} - {*clrs_track.NETWORKS}):
        parser.error(f"{', '.join(unknown)}: those that run a task of CLRS-30 are {', '.join(clrs_track.NETWORKS)}")
    if not (options.only_report or options.clrs_python or options.graphbench_python):
        parser.error("without --only-report, --clrs-python or --graphbench-python is needed; `make scoreboard` has both")
    names = options.names or list(clrs_track.NETWORKS)
    if options.clrs_python and not options.only_report:
        clrs_track.race(names, options.sizes, options.clrs_python)
        for track in tracks.TRACKS:
            for name in names:
                entries = track(name)
                keep(entries, {(entry["track"].partition(",")[0], name) for entry in entries})
    if options.graphbench_python and not options.only_report:
        entries = graphbench_track.race(names, options.graphbench_python)
        keep(entries, {("GraphBench", entry["algorithm"]) for entry in entries})
    fill([page for page in PAGES if any(f"<!-- {mark} -->\n" in page.read_text("utf-8") for mark in tables.TABLES)])


def fill(pages: list[Path]) -> None:
    """Puts the tables into documents."""
    made = {mark: make() for mark, make in tables.TABLES.items()}
    for page in pages:
        put_tables(page, made)


if __name__ == "__main__":
    main()
