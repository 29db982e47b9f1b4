"""The training report: a page about one run, and the trace pages that it links to."""

import os
import platform
from collections.abc import Sequence
from dataclasses import asdict
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jax
import numpy as np

from recursor.algorithms import find
from recursor.execution.execution import Execution
from recursor.report import curves
from recursor.report.attempts import Attempts
from recursor.report.charts import SHARE, Axis, Line, chart, number
from recursor.report.document import document, paragraph, section, table, tiles, values
from recursor.report.figures import as_text, duration, flat, gigabytes, percent
from recursor.report.history import History
from recursor.trace.page import page
from recursor.trace.trace import trace
from recursor.training.config import TrainConfig
from recursor.version import __version__

OUTCOMES = {"solved": "right", "failed": "wrong"}


def report_files(path: Path, name: str, history: History, attempts: Attempts | None) -> dict[Path, bytes]:
    """Returns the files of a report: the page, a trace of a solved graph, and a trace of a failed one (if there are any)."""
    files: dict[Path, bytes] = {}
    for outcome in OUTCOMES:
        execution: Execution | None = getattr(attempts, outcome) if attempts else None
        if execution:
            title = f"a graph of {len(execution.graph)} nodes that was {'solved' if outcome == 'solved' else 'not solved'}"
            html = page([trace(execution, history.config.spec, name)], title)
            files[path.with_name(f"{path.stem}-{outcome}.html")] = html.encode("utf-8", "replace")
    return files | {path: report_page(name, history, attempts, [other.name for other in files])}


def report_page(name: str, history: History, attempts: Attempts | None, links: Sequence[str] = ()) -> bytes:
    """Returns the report page. `links` are the names of the trace pages."""
    config = history.config
    sections = [
        tiles(_headline(history, attempts)),
        section("Accuracy against size", *_accuracy(config, attempts, links)),
        section("Training", *curves.training(history)),
        section("Loss of each field", *curves.fields(history)),
        section("Hints", *curves.hints(config.spec, history, attempts)),
        section("Configuration", values(flat(asdict(config)))),
        section("Environment", *_environment(history)),
    ]
    return document(f"Training report: {name}", _subtitle(history), sections)


def _subtitle(history: History) -> str:
    config = history.config
    what = find(config.algorithm).title
    stack = {"none": "no stack", "node": "a node-wise stack", "graph": "a graph-level stack"}
    stack_name = stack.get(config.network.stack, f"a stack of {config.network.stack}")
    largest = max(config.sizes)
    done = f"{history.updates} updates" if history.summary else f"{history.updates} of {config.updates} updates so far"
    return f"{what} with {stack_name}, trained by {config.trainer} on at most {largest} nodes: {done}, seed {config.seed}."


def _headline(history: History, attempts: Attempts | None) -> dict[str, str]:
    figures = {f"node accuracy at {score.nodes} nodes": percent(score.node_accuracy) for score in _ends(attempts)}
    if attempts:
        last = attempts.scores[-1]
        figures[f"whole graphs right at {last.nodes} nodes"] = percent(last.graph_accuracy)
    if history.best:
        figures[f"best validation, at update {history.best['update']}"] = percent(history.best["validation"])
    figures["updates" if history.summary else "updates so far"] = curves.UPDATES.format_value(history.updates)
    figures["time of training"] = duration(history.seconds)
    if history.updates and history.seconds:
        figures["updates a second"] = number(history.updates / history.seconds)
    if history.summary and "peak_memory_bytes" in history.summary:
        figures["peak memory"] = gigabytes(history.summary["peak_memory_bytes"])
    return figures


def _ends(attempts: Attempts | None) -> list[Any]:
    """Returns the scores at the smallest and at the largest size."""
    return [] if attempts is None else attempts.scores[:: max(1, len(attempts.scores) - 1)]


def _accuracy(config: TrainConfig, attempts: Attempts | None, links: Sequence[str]) -> list[str]:
    if attempts is None:
        return [paragraph("Nothing was evaluated: there is no checkpoint yet. The first validation saves one.")]
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
        else "The network was not trained to halt: it is told the number of rows, here and in the traces."
    )
    headings = ["nodes", "graphs", "nodes right", "graphs right", "halted", "valid", "empty pops (true)"]
    body = [
        [
            *(str(score.nodes), str(score.graphs), percent(score.node_accuracy), percent(score.graph_accuracy)),
            "told" if score.halted is None else percent(score.halted),
            "–" if score.valid is None else percent(score.valid),
            f"{score.empty_pops:.2f} ({score.true_empty_pops:.2f})",
        ]
        for score in scores
    ]
    graphs = f"{scores[0].graphs} fresh test graphs of each size, seed {attempts.seed}"
    if all(value == 1 for line in lines for value in line.y):  # a chart would be a flat line
        return [
            paragraph(f"The best checkpoint on {graphs}. {how} Every graph of every size is right."),
            table("The scores of each size", headings, body),
            _links(attempts, links),
        ]
    return [
        paragraph(f"The best checkpoint on {graphs}. {how}"),
        '<div class="beside">',
        chart("Right answers", lines, nodes, SHARE, mark=largest),
        f"<div>{table('The scores of each size', headings, body)}{_links(attempts, links)}</div>",
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
    return (f'<ul class="links">{"".join(items)}</ul>' if items else "") + "".join(map(paragraph, none))


def _environment(history: History) -> list[str]:
    parts = []
    if history.summary:
        known = {"version": "Recursor", "jax": "JAX", "devices": "devices", "updates": "updates"}
        trained = {words: as_text(history.summary[name]) for name, words in known.items() if name in history.summary}
        trained["time"] = duration(history.seconds)
        if "peak_memory_bytes" in history.summary:
            trained["peak memory"] = gigabytes(history.summary["peak_memory_bytes"])
        parts += ["<h3>Training</h3>", values(trained)]
    else:
        parts.append(paragraph("The run is not finished: versions, devices and peak memory are written at its end."))
    here = {
        "Recursor": __version__,
        "Python": platform.python_version(),
        "JAX": jax.__version__,
        "NumPy": np.__version__,
        "system": f"{platform.system()}, {platform.machine()}",
        "cores": str(os.cpu_count()),
        "devices": as_text([device.device_kind for device in jax.devices()]),
    }
    return [*parts, "<h3>This report</h3>", values(here)]
