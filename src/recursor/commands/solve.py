"""`recursor solve`."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import tyro
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from recursor.algorithms import find, known
from recursor.commands.console import console, say_loaded
from recursor.graphs.graph import Graph
from recursor.recording.algorithm import Algorithm
from recursor.spec import Field
from recursor.system.memory import require_memory

if TYPE_CHECKING:
    from recursor.execution.execution import Execution
    from recursor.training.run import Run


@dataclass(frozen=True)
class Solve:
    """Runs a trained reasoner on your graph and prints its answer with the names of your nodes.

    The graph is an edge list (.txt, .edges, .edgelist, .csv, .tsv: two names per line), an adjacency matrix (.npy) or a
    Matrix Market file (.mtx). An edge list can also hold values of the nodes, such as keys to sort. The reasoner gets only
    the graph, and decides itself when to halt. The exit status is 1 if it does not halt, or if --check finds a mistake.
    """

    graph: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="GRAPH")]
    """The file of the graph."""
    algorithm: str = ""
    """The algorithm; `recursor algorithms` lists them. Default: the algorithm of the model, or dfs."""
    model: str = ""
    """A run directory, with a slash in it, such as runs/dfs or ./dfs, or the name of a shipped model. Default: the shipped
    model of the algorithm."""
    check: tyro.conf.FlagCreatePairsOff[bool] = False
    """Compare with the classical algorithm."""
    pattern: tyro.conf.FlagCreatePairsOff[bool] = False
    """Ignore the weights of a weighted graph: each entry that is not 0 is an edge."""
    limit: int | None = None
    """Rows after which a reasoner that has not halted is stopped. Default: for most algorithms 100 + 10 per node."""
    json: tyro.conf.FlagCreatePairsOff[bool] = False
    """Print one JSON object instead of a table."""
    html: Path | None = None
    """Write a page that shows the execution row by row: the graph, the call stack, the source. It is one file
    without external resources."""
    beside: str = ""
    """With --html: a second model, which is run on the same graph and shown beside the first."""
    watch: tyro.conf.FlagCreatePairsOff[bool] = False
    """Show the execution row by row in the terminal. Without a terminal, print all rows."""

    def __call__(self) -> None:
        if self.beside and not self.html:
            raise ValueError("--beside shows two models on one page, so it needs --html too")
        if self.watch and self.json:
            raise ValueError("--watch and --json cannot both write to the terminal")
        if self.html and not self.html.absolute().parent.is_dir():
            raise ValueError(f"{self.html} cannot be written: {self.html.parent} is not a directory")
        algorithm = find(self.algorithm or _algorithm_of(self.model))
        graph = algorithm.graph(self.graph, pattern=self.pattern)
        from recursor.training.run import load  # JAX is slow to import, so the graph is checked first

        runs = [load(name) for name in (self.model or algorithm.name, self.beside) if name]
        for run in runs:
            if run.config.algorithm != algorithm.name:
                raise ValueError(f"{run.directory} was trained on {run.config.algorithm}, not on {algorithm.name}")
            say_loaded(run)
        keep_rows = bool(self.html or self.watch)
        if keep_rows:
            _require_memory(algorithm, graph, len(runs))
        executions = [run_with_progress(run, graph, self.limit, keep_rows=keep_rows) for run in runs]
        execution = executions[0]
        if keep_rows:
            self._show_traces(runs, executions)
        truth = algorithm.run(graph) if self.check else {}
        wrong = {name: np.flatnonzero(execution.outputs[name] != values).tolist() for name, values in truth.items()}
        if self.json:
            json.dump(_as_json(algorithm.outputs, execution, wrong if self.check else None), sys.stdout)
            print()
        elif not self.watch:
            show(algorithm.outputs, execution, wrong if self.check else None)
        if self.html:
            Console(stderr=True, markup=False, highlight=False).print(f"wrote {self.html}", soft_wrap=True)
        if not execution.halted or any(wrong.values()):
            sys.exit(1)

    def _show_traces(self, runs: "list[Run]", executions: "list[Execution]") -> None:
        from recursor.trace.page import write_page
        from recursor.trace.terminal import title_of, watch
        from recursor.trace.trace import trace

        traces = [trace(e, run.reasoner.spec, run.directory.name) for e, run in zip(executions, runs, strict=True)]
        if self.html:
            write_page(self.html, traces, self.graph.name)
        if self.watch:
            watch(traces[0], title_of(traces[0], self.graph.name), console())


def _require_memory(algorithm: Algorithm, graph: Graph, models: int) -> None:
    """Refuses to show an execution that does not fit into memory: its rows, the classical ones, and their text."""
    rows, fields = algorithm.count_rows(graph), len(algorithm.spec(algorithm.exact_view).hints)
    what = f"showing {rows} rows on {len(graph)} nodes"
    require_memory(models * rows * len(graph) * 16 * fields, what, "choose a smaller graph, or leave out --html and --watch")


def _algorithm_of(model: str) -> str:
    """Returns the algorithm of a model. A shipped model has the name of its algorithm."""
    if not model or model in known():
        return model or "dfs"
    from recursor.training.run import config_of, directory_of

    return config_of(directory_of(model)).algorithm


def run_with_progress(run: "Run", graph: Graph, limit: int | None = None, *, keep_rows: bool = False) -> "Execution":
    """Runs a model on a graph and shows the number of rows in the terminal."""
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("compiling", total=None)
        return run.run(
            graph, limit=limit, keep_rows=keep_rows, progress=lambda rows: bar.update(task, description=f"row {rows}")
        )


def with_names(field: Field, graph: Graph, value: Any) -> Any:
    """Returns an output with the names of the graph's nodes; None for a null pointer."""
    if field.kind == "pointer":
        return str(graph.names[int(value)]) if value >= 0 else None
    return float(value) if field.kind == "scalar" else int(value)


def show(outputs: tuple[Field, ...], execution: "Execution", wrong: dict[str, list[int]] | None) -> None:
    """Prints the answer, one line per node."""
    graph = execution.graph

    def as_text(field: Field, value: Any) -> str:
        return "none" if (word := with_names(field, graph, value)) is None else str(word)

    table = Table(box=None)
    of_nodes = [field for field in outputs if field.place == "node"]
    for name in ("node", *(field.name for field in of_nodes)):
        table.add_column(name, no_wrap=True)
    for node, name in enumerate(graph.names):
        table.add_row(str(name), *(as_text(field, execution.outputs[field.name][node]) for field in of_nodes))
    console().print(table)
    for field in outputs:
        if field.place == "graph":
            console().print(f"{field.name}: {as_text(field, execution.outputs[field.name])}")
    if isinstance(execution.answer, list | bool):
        console().print(f"\nanswer: {execution.answer}")
    if execution.halted:
        console().print(f"\nhalted by itself after {execution.steps} rows")
    else:
        console().print(f"\ndid not halt within {execution.steps} rows: do not trust this answer")
    if execution.certified:
        console().print(f"certified: each of its {execution.steps} rows is made of situations that were verified")
    elif execution.uncertified_row is not None:
        console().print(f"not certified: row {execution.uncertified_row} holds a situation that was not verified")
    if wrong is not None:
        mistakes = []
        for field in outputs:
            if nodes := wrong[field.name]:
                where = f" at {len(nodes)} of {len(graph)} nodes" if field.place == "node" else ""
                mistakes.append(f"{field.name} is wrong{where}")
        console().print("checked: " + (", ".join(mistakes) or "the same as the classical algorithm's"))


def _as_json(outputs: tuple[Field, ...], execution: "Execution", wrong: dict[str, list[int]] | None) -> dict[str, Any]:
    graph = execution.graph
    names = [str(name) for name in graph.names]
    answer = {
        field.name: with_names(field, graph, execution.outputs[field.name])
        if field.place == "graph"
        else {
            name: with_names(field, graph, value) for name, value in zip(names, execution.outputs[field.name], strict=True)
        }
        for field in outputs
    }
    result: dict[str, Any] = {"outputs": answer, "halted": execution.halted, "steps": execution.steps}
    if execution.certified is not None:
        result["certified"] = execution.certified
    if wrong is not None:
        result["wrong"] = {
            field.name: bool(wrong[field.name]) if field.place == "graph" else [names[node] for node in wrong[field.name]]
            for field in outputs
        }
    return result
