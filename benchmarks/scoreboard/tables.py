"""The tables of the scoreboard, from what is kept in results/scoreboard."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks import verify
from benchmarks.scoreboard.clrs_track import FOLDER, NETWORKS, TEST
from benchmarks.scoreboard.networks import RESULTS, ROOT, weights_hash

from recursor.algorithms import find
from recursor.clrs import find_task

PUBLISHED = json.loads(Path(__file__).with_name("published.json").read_text("utf-8"))
TRACKS = RESULTS / "tracks.json"
RUNS = ROOT / "results" / "weights"
"""Where the run of shipped weights is kept, if it is: NAME/run.json."""
SHORT = ("algorithm", "CLRS-30 official test", "best published", "verified up to", "training seconds")
WIDE = ("track", "algorithm", "nodes", "graphs", "scored by", "ours", "best published")


def table(columns: Sequence[str], lines: Sequence[Sequence[str]], *, words: int) -> str:
    """Returns a table in Markdown. The first columns hold words, the others numbers."""
    marks = [*["---"] * words, *["---:"] * (len(columns) - words)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (columns, marks, *lines)) + "\n"


def percent(share: float) -> str:
    """Returns a share in percent. 100 is written only where nothing is wrong."""
    return "100" if share == 1 else f"{min(100 * share, 99.99):.2f}"


def clrs_results(names: Sequence[str] = NETWORKS) -> dict[str, dict[str, Any]]:
    """Returns the scores of dm-clrs by network, but none of other weights than those that are shipped now."""
    found = {}
    for name in names:
        path = FOLDER / f"{name}.json"
        if path.exists():
            result = json.loads(path.read_text())
            if result["weights_sha256"] == weights_hash(name):
                found[name] = result
    return found


def track_entries() -> list[dict[str, Any]]:
    """Returns the entries of the other tracks, but none of other weights than those that are shipped now."""
    entries = json.loads(TRACKS.read_text()) if TRACKS.exists() else []
    return [entry for entry in entries if entry["weights_sha256"] == weights_hash(entry["algorithm"])]


def best(task: str) -> dict[str, Any] | None:
    """Returns the best published figure of a task that could be read."""
    figures = [entry for entry in PUBLISHED["clrs"] if entry["task"] == task]
    return max(figures, key=lambda entry: entry["figure"], default=None)


def training_seconds(name: str) -> str:
    """Returns how long the training of the shipped weights took, if the run is kept."""
    path = RUNS / name / "run.json"
    if not path.exists():
        return "–"
    run = json.loads(path.read_text())
    return f"{run['seconds']:.0f}" if run.get("weights_sha256", weights_hash(name)) == weights_hash(name) else "–"


def verified_size(report: Mapping[str, Any] | None) -> str:
    """Returns the size up to which a network was verified."""
    if report is None or not report["passed"]:
        return "–"
    return f"{report['largest']:,}".replace(",", " ")


def _number(figure: float) -> str:
    return f"{figure:g}"


def short_table() -> str:
    """Returns the table for README: one line for each network that runs a task of CLRS-30."""
    results, reports = clrs_results(), verify.read_reports(NETWORKS)
    lines = []
    for name in NETWORKS:
        task = find_task(name).name
        official = _official(results.get(name))
        figure = best(task)
        score = "not scored yet" if official is None else percent(official["score"])
        lines.append(
            (
                find(name).title,
                f"**{score}**" if official is not None else score,
                _number(figure["figure"]) if figure else "–",
                verified_size(reports.get(name)),
                training_seconds(name),
            )
        )
    return table(SHORT, lines, words=1)


def _official(result: Mapping[str, Any] | None) -> dict[str, Any] | None:
    return next((each for each in result["sets"] if each["set"] == TEST), None) if result else None


def wide_table() -> str:
    """Returns the table of all tracks. Sets of CLRS-30 with other seeds are one line for each network, and so are the
    distributions of a track at one size."""
    lines = []
    for name, result in clrs_results().items():
        figure = best(result["task"])
        said = f"{_number(figure['figure'])} ({figure['method']})" if figure else "–"
        for words, official in (("CLRS-30 official test", True), ("CLRS-30, other seeds", False)):
            sets = [each for each in result["sets"] if (each["set"] == TEST) == official]
            if not sets:
                continue
            nodes = ", ".join(str(each["nodes"]) for each in sorted(sets, key=lambda each: each["nodes"]))
            ours = _counted(min(each["score"] for each in sets), sets)
            total = str(sum(each["graphs"] for each in sets))
            lines.append((words, name, nodes, total, result["scorer"], ours, said if official else "–"))
    groups: dict[tuple, list[dict[str, Any]]] = {}
    for entry in track_entries():
        groups.setdefault((entry["track"], entry["algorithm"], *entry["nodes"]), []).append(entry)
    salsa = {entry["nodes"]: entry for entry in PUBLISHED["salsa"] if entry["method"] == "DNAR"}
    for (track, name, least, most), entries in groups.items():
        figure = salsa.get(most) if track == "SALSA-CLRS" else None
        said = f"{_number(figure['graph'])} ({figure['method']})" if figure else "–"
        distributions = ", ".join(entry["distribution"] for entry in entries if "distribution" in entry)
        total = sum(entry["graphs"] for entry in entries)
        score = min(entry.get("f1", entry["right"] / entry["graphs"]) for entry in entries)
        nodes = str(most) if least == most else f"{least}–{most}"
        where = f"{track}: {distributions}" if distributions else track
        lines.append((where, name, nodes, str(total), entries[0]["scored_by"], _counted(score, entries), said))
    return table(WIDE, lines, words=len(WIDE))


def _counted(score: float, sets: Sequence[Mapping[str, Any]]) -> str:
    """Returns the lowest score of several sets, and how many graphs are right in all."""
    right, graphs = (sum(each[key] for each in sets) for key in ("right", "graphs"))
    empty = [str(each["nodes"]) for each in sets if each.get("positives") == 0]
    nothing = f"; nothing to find at {', '.join(empty)}" if empty else ""
    return f"{percent(score)} ({right} of {graphs} right{nothing})"


def published_table() -> str:
    """Returns the published figures with their sources."""
    lines = [
        (entry["task"], entry["method"], _number(entry["figure"]), str(entry["nodes"]), entry["source"], entry["read_in"])
        for entry in PUBLISHED["clrs"]
    ]
    for entry in PUBLISHED["means"]:
        for kind, words in (("graphs", "mean of the 12 graph tasks"), ("sorting", "mean of the 4 sorting tasks")):
            lines.append((words, entry["method"], entry[kind], "64", entry["source"], entry["read_in"]))
    for entry in PUBLISHED["salsa"]:
        words = f"{_number(entry['node'])} of nodes, {_number(entry['graph'])} of graphs"
        lines.append(("dfs, SALSA-CLRS", entry["method"], words, str(entry["nodes"]), entry["source"], entry["read_in"]))
    columns = ("task", "method", "percent", "nodes", "source", "read in")
    return (
        table(columns, lines, words=len(columns))
        + "\nNot shown, because it could not be read:\n\n"
        + "".join(f"- {text}\n" for text in PUBLISHED["unread"])
    )


TABLES = {"scoreboard/table": short_table, "scoreboard/tracks": wide_table, "scoreboard/published": published_table}
"""The tables by the names of their places in documents."""
