"""`recursor evaluate --data`: scores a run on the graphs of a file."""

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

import recursor.clrs as clrs
from recursor.algorithms import find
from recursor.commands.console import console, say_loaded
from recursor.commands.progress import Progress

TOGETHER = 64
"""Graphs between two steps of the progress bar."""


def score_data(name: str, path: Path, *, as_json: bool) -> None:
    """Scores a run on the graphs of a file, and prints the scores.

    Args:
        name: A run directory, or the name of a shipped run.
        path: An .npz file with the arrays of CLRS-30.
        as_json: Whether to print one JSON object instead of a table.

    Raises:
        ValueError: If there is no such run, the file does not fit its algorithm, or the reasoner cannot halt by itself.
    """
    from recursor.training.directory import config_of
    from recursor.training.loading import directory_of, load

    algorithm = find(config_of(directory_of(name)).algorithm)
    samples = clrs.read(path, algorithm.name)
    graphs = samples.graphs()
    for place, graph in enumerate(graphs):
        try:
            algorithm.check(graph)
        except ValueError as error:
            raise ValueError(f"{path}, sample {place}: {error}") from error
    known = set(samples.task.outputs) <= set(samples.outputs)
    if not known:
        samples = replace(samples, outputs=clrs.record(algorithm.name, graphs, hints=False).outputs)
    run = load(name)
    say_loaded(run)
    executions = []
    with Progress("evaluating", len(graphs)) as bar:
        for start in range(0, len(graphs), TOGETHER):
            executions += run.run_many(graphs[start : start + TOGETHER], keep_rows=False)
            bar.show(len(executions))
    outputs = clrs.outputs(algorithm.name, executions)
    halted = np.array([execution.halted for execution in executions])
    scores: dict[str, Any] = {
        "graphs": len(graphs),
        "nodes": samples.nodes,
        "truth": "file" if known else "classical algorithm",
        **clrs.score(samples, outputs),
        "graph_accuracy": float((clrs.right_graphs(samples, outputs) & halted).mean()),
        "halted": float(halted.mean()),
    }
    if algorithm.valid is not None:
        valid = [algorithm.valid(execution.graph, execution.outputs) for execution in executions]
        scores["valid"] = float(np.mean(valid))
    if all(execution.certified is not None for execution in executions):
        scores["certified"] = float(np.mean([execution.certified for execution in executions]))
    if as_json:
        json.dump(scores, sys.stdout)
        print()
        return
    _show(name, path, scores)


def _show(name: str, path: Path, scores: dict[str, Any]) -> None:
    beside = "the outputs in the file" if scores["truth"] == "file" else "the classical algorithm (the file has no outputs)"
    title = f"{name} on {path.name}: {scores['graphs']} graphs of {scores['nodes']} nodes, beside {beside}"
    table = Table(title=title, box=None)
    shares = {key: value for key, value in scores.items() if isinstance(value, float)}
    for key in shares:
        table.add_column("graph accuracy" if key == "graph_accuracy" else key, justify="right")
    table.add_row(*(f"{value:.2%}" for value in shares.values()))
    console().print(table)
