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
SOURCES = PUBLISHED["sources"]
TRACKS = RESULTS / "tracks.json"
RUNS = ROOT / "results" / "weights"
"""Where the run of shipped weights is kept, if it is: NAME/run.json."""
SHORT = ("algorithm", "CLRS-30 official test", "best published", "verified up to", "training seconds")
SUMMARY = ("networks by kind", "CLRS-30 test", "best published", "seconds of training")
KINDS = {
    "graphs": (
        *("dfs", "bfs", "topological_sort", "strongly_connected_components", "tarjan", "articulation_points", "bridges"),
        *("mst_prim", "mst_kruskal"),
    ),
    "sorting": ("quicksort", "merge_sort", "insertion_sort"),
    "searching": ("minimum", "quickselect", "binary_search"),
    "greedy, strings": ("activity_selector", "naive_string_matcher"),
}
"""The networks by the kinds of CLRS-30's tasks."""
WIDE = ("track", "algorithm", "nodes", "scored by", "ours (samples right)", "best published")


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
    """Returns one line for each network that runs a task of CLRS-30."""
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


def summary_table() -> str:
    """Returns the table for README: one line for each kind of task, with the lowest score of its networks."""
    results, lines = clrs_results(), []
    for kind, names in KINDS.items():
        found = [each["score"] for name in names if (each := _official(results.get(name)))]
        figures = [figure["figure"] for name in names if (figure := best(find_task(name).name))]
        times = [float(seconds) for name in names if (seconds := training_seconds(name)) != "–"]
        score = f"**{percent(min(found))}**" if found else "–"
        if len(found) < len(names):
            score += f" ({len(found)} of {len(names)} scored)"
        lines.append((f"{kind} ({len(names)})", score, _range(figures), _range(times)))
    return table(SUMMARY, lines, words=1)


def _range(figures: Sequence[float]) -> str:
    """Returns the lowest and the highest of some figures, or a dash if there are none."""
    ends = dict.fromkeys(_number(end) for end in (min(figures), max(figures))) if figures else {"–": None}
    return " to ".join(ends)


def _official(result: Mapping[str, Any] | None) -> dict[str, Any] | None:
    return next((each for each in result["sets"] if each["set"] == TEST), None) if result else None


def wide_table() -> str:
    """Returns the table of all tracks. What differs in the size or the algorithm alone is one line."""
    lines, later = [], []
    for name, result in clrs_results().items():
        official = [each for each in result["sets"] if each["set"] == TEST]
        others = sorted((each for each in result["sets"] if each["set"] != TEST), key=lambda each: each["nodes"])
        if official:
            lines.append(_line("CLRS-30 official test", name, result["scorer"], official, best(result["task"])))
        if others:
            later.append(_line("CLRS-30, other seeds", name, result["scorer"], others, None))
    lines += later
    groups: dict[tuple, list[dict[str, Any]]] = {}
    for entry in track_entries():
        figure = best_salsa(entry["algorithm"], entry["nodes"][1]) if entry["track"] == "SALSA-CLRS" else None
        groups.setdefault((entry["track"], entry["algorithm"], str(figure)), []).append({**entry, "figure": figure})
    for (track, name, _), entries in groups.items():
        distributions = ", ".join(dict.fromkeys(entry["distribution"] for entry in entries if "distribution" in entry))
        where = f"{track}: {distributions}" if distributions else track
        lines.append(_line(where, name, entries[0]["scored_by"], entries, entries[0]["figure"]))
    together: dict[tuple, list[str]] = {}
    for track, name, *rest in lines:
        together.setdefault((track, *rest), []).append(name)
    return table(WIDE, [(track, ", ".join(names), *rest) for (track, *rest), names in together.items()], words=len(WIDE))


def _line(track: str, name: str, scorer: str, sets: Sequence[Mapping[str, Any]], figure: Mapping[str, Any] | None) -> tuple:
    """Returns a line of the table: the lowest score of several sets, and how many graphs are right in all."""
    sizes = dict.fromkeys(_size(each["nodes"]) for each in sets)
    score = min(each.get("score", each.get("f1", each["right"] / each["graphs"])) for each in sets)
    return track, name, ", ".join(sizes), scorer, _counted(score, sets), _published(figure)


def _size(nodes: int | Sequence[int]) -> str:
    least, most = (nodes, nodes) if isinstance(nodes, int) else nodes
    return str(most) if least == most else f"{least}–{most}"


def _published(figure: Mapping[str, Any] | None) -> str:
    return f"{_number(figure['figure'])} ({figure['method']}, {SOURCES[figure['source']]['short']})" if figure else "–"


def best_salsa(task: str, nodes: int) -> dict[str, Any] | None:
    """Returns the best published share of graphs of SALSA-CLRS at a size that could be read."""
    figures = [entry for entry in PUBLISHED["salsa"] if (entry["task"], entry["nodes"]) == (task, nodes)]
    found = max(figures, key=lambda entry: entry["graph"], default=None)
    return {**found, "figure": found["graph"]} if found else None


def _counted(score: float, sets: Sequence[Mapping[str, Any]]) -> str:
    """Returns the lowest score of several sets, and how many graphs are right in all."""
    right, graphs = (sum(each[key] for each in sets) for key in ("right", "graphs"))
    empty = [str(each["nodes"]) for each in sets if each.get("positives") == 0]
    nothing = f"; nothing to find at {', '.join(empty)}" if empty else ""
    return f"{percent(score)} ({right} of {graphs}{nothing})"


def published_table() -> str:
    """Returns the published figures: by task, means of kinds of tasks, those of SALSA-CLRS, and where each was read."""
    figures: dict[tuple[str, str], list[str]] = {}
    for entry in PUBLISHED["clrs"]:
        figures.setdefault((entry["method"], entry["source"]), []).append(f"{entry['task']} {_number(entry['figure'])}")
    tasks = [(method, ", ".join(found), _mark(source)) for (method, source), found in figures.items()]
    kinds = tuple(PUBLISHED["means"][0]["kinds"])
    means = [(entry["method"], *entry["kinds"].values(), _mark(entry["source"])) for entry in PUBLISHED["means"]]
    shares: dict[tuple[str, str], dict[str, str]] = {}
    for entry in PUBLISHED["salsa"]:
        share = f"{_number(entry['node'])} / {_number(entry['graph'])}"
        shares.setdefault((entry["method"], entry["source"]), {})[entry["task"]] = share
    raced = tuple(dict.fromkeys(entry["task"] for entry in PUBLISHED["salsa"]))
    salsa = [
        (method, *(found.get(task, "–") for task in raced), _mark(source)) for (method, source), found in shares.items()
    ]
    tables = (
        (("method", "task and figure", "source"), tasks),
        (("mean of", *kinds, "source"), means),
        (("SALSA-CLRS, 1600 nodes: of nodes / of graphs", *raced, "source"), salsa),
    )
    return (
        "\n".join(table(columns, rows, words=len(columns)) for columns, rows in tables)
        + "\nSources:\n\n"
        + "".join(f"{k}. {each['paper']}. Read in: {each['read_in']}.\n" for k, each in enumerate(SOURCES.values(), 1))
        + "\nNot shown, because it could not be read:\n\n"
        + "".join(f"- {text}\n" for text in PUBLISHED["unread"])
    )


def _mark(source: str) -> str:
    """Returns the number of a source in the list below the tables."""
    return str(1 + list(SOURCES).index(source))


TABLES = {
    "scoreboard/summary": summary_table,
    "scoreboard/table": short_table,
    "scoreboard/tracks": wide_table,
    "scoreboard/published": published_table,
}
"""The tables by the names of their places in documents."""
