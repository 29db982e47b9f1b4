"""The training report: one page about one run, and the traces that it links to."""

import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jax
import numpy as np

import recursor
from recursor.execute import Execution
from recursor.report.attempts import Attempts
from recursor.report.charts import SHARE, Axis, Line, binned, chart, number
from recursor.report.document import charts, document, folded, said, section, table, tiles, values
from recursor.report.history import History, Metrics
from recursor.report.page import page
from recursor.report.trace import trace
from recursor.report.words import words_of
from recursor.spec import Spec
from recursor.training.config import TrainConfig

UPDATES = Axis("updates", shown=lambda value: f"{value:,.0f}".replace(",", " "))
LISTED = 20  # rows of a table of what happened in training
OUTCOMES = {"solved": "right", "failed": "wrong"}


def write_report(path: Path, name: str, history: History, attempts: Attempts | None) -> dict[Path, bytes]:
    """The files of a report: the page, and beside it a trace of one graph that was solved and of one that was not."""
    files: dict[Path, bytes] = {}
    for outcome in OUTCOMES:
        execution: Execution | None = getattr(attempts, outcome) if attempts else None
        if execution:
            title = f"a graph of {len(execution.graph)} nodes that was {'solved' if outcome == 'solved' else 'not solved'}"
            shown = page([trace(execution, history.config.spec, name)], title)
            files[path.with_name(f"{path.stem}-{outcome}.html")] = shown.encode("utf-8", "replace")
    return files | {path: report_page(name, history, attempts, [other.name for other in files])}


def report_page(name: str, history: History, attempts: Attempts | None, links: Sequence[str] = ()) -> bytes:
    """The page itself, with links to those traces."""
    config = history.config
    sections = [
        tiles(_headline(history, attempts)),
        section("Accuracy against size", *_accuracy(config, attempts, links)),
        section("Training", *_training(history)),
        section("Loss of each field", *_fields(history)),
        section("Hints", *_hints(config.spec, history, attempts)),
        section("Configuration", values(_flat(asdict(config)))),
        section("Environment", *_environment(history)),
    ]
    return document(f"Training report: {name}", _subtitle(history), sections)


def _subtitle(history: History) -> str:
    config = history.config
    what = words_of(config.algorithm).title or config.algorithm
    stack = {"none": "no stack", "node": "a node-wise stack", "graph": "a graph-level stack"}
    carried = stack.get(config.network.stack, f"a stack of {config.network.stack}")
    largest = max(config.sizes)
    done = f"{history.updates} updates" if history.summary else f"{history.updates} of {config.updates} updates so far"
    return f"{what} with {carried}, trained by {config.trainer} on at most {largest} nodes: {done}, seed {config.seed}."


def _headline(history: History, attempts: Attempts | None) -> dict[str, str]:
    figures = {f"node accuracy at {score.nodes} nodes": percent(score.node_accuracy) for score in _ends(attempts)}
    if attempts:
        last = attempts.scores[-1]
        figures[f"whole graphs right at {last.nodes} nodes"] = percent(last.graph_accuracy)
    if history.best:
        figures[f"best validation, at update {history.best['update']}"] = percent(history.best["validation"])
    figures["updates" if history.summary else "updates so far"] = UPDATES.shown(history.updates)
    figures["time of training"] = duration(history.seconds)
    if history.updates and history.seconds:
        figures["updates a second"] = number(history.updates / history.seconds)
    if history.summary and "peak_memory_bytes" in history.summary:
        figures["peak memory"] = gigabytes(history.summary["peak_memory_bytes"])
    return figures


def _ends(attempts: Attempts | None) -> list[Any]:
    """The scores at the smallest size and at the largest."""
    return [] if attempts is None else attempts.scores[:: max(1, len(attempts.scores) - 1)]


def _accuracy(config: TrainConfig, attempts: Attempts | None, links: Sequence[str]) -> list[str]:
    if attempts is None:
        return [said("Nothing was evaluated: there is no best checkpoint. One is kept from the first validation on.")]
    scores, halts = attempts.scores, config.spec.halts
    sizes = [score.nodes for score in scores]
    lines = [
        Line("nodes right", sizes, [score.node_accuracy for score in scores]),
        Line("whole graphs right", sizes, [score.graph_accuracy for score in scores], style=1),
    ]
    if halts:
        lines.append(Line("halted by itself", sizes, [score.halted or 0.0 for score in scores], style=2))
    largest = max(config.sizes)
    nodes = Axis(f"nodes of the graph; trained on at most {largest} (dotted)", log=True, ticks=sizes)
    how = (
        "The network runs by itself, and a graph is right only if it halted."
        if halts
        else "The network was not trained to say when it is done: it is told the number of rows, here and in the traces."
    )
    headings = ["nodes", "graphs", "nodes right", "graphs right", "halted", "valid forests", "empty pops (true)"]
    rows = [
        [
            *(str(score.nodes), str(score.graphs), percent(score.node_accuracy), percent(score.graph_accuracy)),
            "told" if score.halted is None else percent(score.halted),
            "–" if score.valid_forests is None else percent(score.valid_forests),
            f"{score.empty_pops:.2f} ({score.true_empty_pops:.2f})",
        ]
        for score in scores
    ]
    graphs = f"{scores[0].graphs} fresh test graphs of each size, seed {attempts.seed}"
    return [
        said(f"The best checkpoint on {graphs}. {how}"),
        '<div class="beside">',
        chart("Right answers", lines, nodes, SHARE, mark=largest),
        f"<div>{table('The scores of each size', headings, rows)}{_links(attempts, links)}</div>",
        "</div>",
    ]


def _links(attempts: Attempts, links: Sequence[str]) -> str:
    items = []
    for outcome, kind in OUTCOMES.items():
        execution: Execution | None = getattr(attempts, outcome)
        name = next((link for link in links if link.endswith(f"-{outcome}.html")), None)
        if execution and name:
            words = "✓ Watch it solve" if outcome == "solved" else "✗ Watch it fail at"
            text = f"{words} a graph of {len(execution.graph)} nodes"
            items.append(f'<li><a class="{kind}" href="{escape(quote(name))}">{escape(text)}</a></li>')
    none = [
        f"No graph was {'solved' if outcome == 'solved' else 'failed at'}, so there is no trace of one."
        for outcome in OUTCOMES
        if getattr(attempts, outcome) is None
    ]
    return (f'<ul class="links">{"".join(items)}</ul>' if items else "") + "".join(map(said, none))


def _training(history: History) -> list[str]:
    spec, losses, validations = history.config.spec, history.losses, history.validations
    if not losses:
        return [said("There are no metrics yet.")]
    at, scored = _column(losses, "update"), _column(validations, "update")
    loss = binned("loss", at, _column(losses, "loss"))
    right = [
        Line("nodes right", scored, _column(validations, "validation")),
        Line("whole graphs right", scored, _column(validations, "validation/graphs"), style=1),
    ]
    speed = _speed(losses)
    pieces = np.array_split(np.arange(len(losses)), min(LISTED, len(losses)))
    rows = [
        [
            f"{losses[piece[0]]['update']:.0f} to {losses[piece[-1]]['update']:.0f}",
            *(number(float(np.mean(_column([losses[k] for k in piece], name)))) for name in _names(spec, losses)),
        ]
        for piece in pieces
    ]
    checked = [
        [f"{line['update']:.0f}", *(_value(name, line[name]) for name in _names(spec, validations))] for line in validations
    ]
    whole = Axis("updates", span=(0, max(at)), shown=UPDATES.shown)
    return [
        charts(
            [
                chart("Loss, the sum over all fields", [loss], whole, Axis(log=True)),
                chart("Validation", right, whole, SHARE),
                chart("Seconds an update", [speed], whole, Axis(log=True)),
            ]
        ),
        said(
            "The bands reach from the lowest to the highest of the values that a place stands for. Sizes take turns, so "
            "losses go up and down with them. The time of an update has that of validations and of compilation in it."
        ),
        folded("The losses in numbers", table("Mean losses, by updates", ["updates", *_names(spec, losses)], rows)),
        folded(
            "The validations in numbers",
            table(
                "Validations; hints have the share that is right, scalars the mean absolute error",
                ["update", *(name.removeprefix("validation/") for name in _names(spec, validations))],
                checked,
            ),
        )
        if validations
        else said("There was no validation yet."),
    ]


def _speed(losses: Sequence[Metrics]) -> Line:
    """How long updates took, the mean over pieces of the run."""
    seconds, updates = np.array(_column(losses, "seconds")), np.array(_column(losses, "update"))
    ends = np.unique(np.linspace(0, len(losses) - 1, min(40, len(losses))).round().astype(int))
    took = np.diff(seconds[ends]) / np.maximum(np.diff(updates[ends]), 1)
    return Line("seconds", updates[ends][1:].tolist(), took.tolist())


def _fields(history: History) -> list[str]:
    names = [name for name in _names(history.config.spec, history.losses) if name != "loss"]
    if not names:
        return [said("There are no metrics yet.")]
    at = _column(history.losses, "update")
    updates = Axis(span=(0, max(at)), shown=UPDATES.shown)
    drawn = [
        chart(name, [binned("", at, _column(history.losses, name))], updates, Axis(log=True), shape="small")
        for name in names
    ]
    return [said("Against updates. Each has its own scale, which is logarithmic."), charts(drawn, "small")]


def _hints(spec: Spec, history: History, attempts: Attempts | None) -> list[str]:
    parts = []
    scalars = {field.name for field in spec.hints if field.kind == "scalar"}
    names = [
        name for name in _names(spec, history.validations) if name.startswith("validation/") and name != "validation/graphs"
    ]
    if names:
        at = _column(history.validations, "update")
        updates = Axis(span=(0, max(at)), shown=UPDATES.shown)
        drawn = [
            _hint(name.removeprefix("validation/"), at, _column(history.validations, name), updates, scalars)
            for name in names
        ]
        parts += [said(f"In the validations, against updates: {_meaning(scalars)}."), charts(drawn, "small")]
    if attempts:
        last = attempts.scores[-1]
        rows = Axis(span=(0, max(map(len, last.hints.values()))), shown=number)
        drawn = [
            _hint(name, range(1, len(line) + 1), line, rows, scalars, most=60) for name, line in last.hints.items() if line
        ]
        parts += [
            said(f"Row by row, on the test graphs of {last.nodes} nodes: {_meaning(scalars)}."),
            charts(drawn, "small"),
            folded(
                "The hints in numbers",
                table(
                    "The mean over rows, for each size",
                    ["nodes", *last.hints],
                    [
                        [str(score.nodes), *(number(mean) for mean in score.hint_means().values())]
                        for score in attempts.scores
                    ],
                ),
            ),
        ]
    return parts or [said("There was no validation yet.")]


def _hint(name: str, x: Sequence[float], y: Sequence[float], along: Axis, scalars: set[str], most: int = 100) -> str:
    scalar = name in scalars
    line = binned("", x, y, style=int(scalar), most=most)
    up = Axis(span=(0, max([*line.high, 1e-9]) * 1.05)) if scalar else SHARE
    return chart(f"{name}, error" if scalar else name, [line], along, up, shape="small")


def _meaning(scalars: set[str]) -> str:
    return "the share that is right" + ("; of a scalar, dashed, the mean absolute error" if scalars else "")


def _environment(history: History) -> list[str]:
    parts = []
    if history.summary:
        known = {"version": "Recursor", "jax": "JAX", "devices": "devices", "updates": "updates"}
        trained = {words: _flatly(history.summary[name]) for name, words in known.items() if name in history.summary}
        trained["time"] = duration(history.seconds)
        if "peak_memory_bytes" in history.summary:
            trained["peak memory"] = gigabytes(history.summary["peak_memory_bytes"])
        parts += ["<h3>Of the training</h3>", values(trained)]
    else:
        parts.append(said("The run is not done: versions, devices and peak memory are written at its end."))
    here = {
        "Recursor": recursor.__version__,
        "Python": platform.python_version(),
        "JAX": jax.__version__,
        "NumPy": np.__version__,
        "system": f"{platform.system()}, {platform.machine()}",
        "cores": str(os.cpu_count()),
        "devices": _flatly([device.device_kind for device in jax.devices()]),
    }
    return [*parts, "<h3>Of this report</h3>", values(here)]


def _names(spec: Spec, lines: Sequence[Metrics]) -> list[str]:
    """What the lines tell: the whole first, then the fields in the order of the spec."""
    names = [name for name in lines[0] if name not in ("update", "seconds")] if lines else []
    first = ["loss", "validation", "validation/graphs"]
    order = first + [f"{kind}{field.name}" for field in spec.hints for kind in ("", "validation/")]
    return sorted(names, key=lambda name: order.index(name) if name in order else len(order))


def _column(lines: Sequence[Metrics], name: str) -> list[float]:
    return [float(line.get(name, np.nan)) for line in lines]


def _value(name: str, value: float) -> str:
    return percent(value) if name in ("validation", "validation/graphs") else number(value)


def _flat(plain: Mapping[str, Any], before: str = "") -> dict[str, str]:
    """Nested values by their names with dots, as the command line has them."""
    flat: dict[str, str] = {}
    for name, value in plain.items():
        flat |= _flat(value, f"{before}{name}.") if isinstance(value, dict) else {f"{before}{name}": _flatly(value)}
    return flat


def _flatly(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "none"
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def percent(share: float) -> str:
    return "100 %" if share == 1 else f"{100 * share:.2f} %"


def duration(seconds: float) -> str:
    """In the unit that reads best."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def gigabytes(size: float) -> str:
    return f"{size / 1e9:.2f} GB"
