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
    """Returns the table of all tracks."""
    lines = []
    for name, result in clrs_results().items():
        figure = best(result["task"])
        said = f"{_number(figure['figure'])} ({figure['method']})" if figure else "–"
        official = _official(result)
        if official is not None:
            lines.append(_line("CLRS-30 official test", name, official, result["scorer"], said))
        for each in result["sets"]:
            if each is not official:
                lines.append(_line(f"CLRS-30, seed {each['seed']}", name, each, result["scorer"], "–"))
    salsa = {entry["nodes"]: entry for entry in PUBLISHED["salsa"] if entry["method"] == "DNAR"}
    for entry in track_entries():
        track = ", ".join(filter(None, (entry["track"], entry.get("distribution", ""))))
        figure = salsa.get(entry["nodes"][1]) if entry["track"] == "SALSA-CLRS" else None
        said = f"{_number(figure['graph'])} ({figure['method']})" if figure else "–"
        nodes = "–".join(str(n) for n in dict.fromkeys(entry["nodes"]))
        share = percent(entry["right"] / entry["graphs"])
        ours = f"{share} ({entry['right']} of {entry['graphs']} right)"
        if "f1" in entry:
            ours = f"{percent(entry['f1'])} F1 ({entry['right']} of {entry['graphs']} right)"
        lines.append((track, entry["algorithm"], nodes, str(entry["graphs"]), entry["scored_by"], ours, said))
    return table(WIDE, lines, words=len(WIDE))


def _line(track: str, name: str, each: Mapping[str, Any], scorer: str, said: str) -> tuple[str, ...]:
    nothing = "; there is nothing to find in them" if each.get("positives") == 0 else ""
    ours = f"{percent(each['score'])} ({each['right']} of {each['graphs']} right{nothing})"
    return (track, name, str(each["nodes"]), str(each["graphs"]), scorer, ours, said)


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
