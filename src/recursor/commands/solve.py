"""`recursor solve`."""

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import networkx as nx
import numpy as np
import tyro
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from recursor.algorithms import find, known
from recursor.commands.answer import as_text, heading
from recursor.commands.console import console, say_loaded
from recursor.commands.options import Flag, option
from recursor.commands.progress import RowProgress
from recursor.graphs.graph import Graph
from recursor.recording.algorithm import Algorithm
from recursor.spec import Field
from recursor.system.memory import require_memory

if TYPE_CHECKING:
    from recursor.execution.execution import Execution
    from recursor.training.run import Run


MOST_IN_TABLE = 2000
"""Nodes that are printed as a table. More are printed as lines with tabs: a table would take longer than the answer."""


@dataclass(frozen=True)
class Solve:
    """Solves your graph, or sorts your numbers, and prints the answer.

    The graph is an edge list (.txt, .edges, .edgelist, .csv, .tsv: two names per line), an adjacency matrix (.npy) or a
    Matrix Market file (.mtx). An edge list can also hold values of the nodes. For sorting, give the numbers themselves or a
    file of numbers. The network gets only this input, and decides itself when to halt. The exit status is 1 if it does not
    halt, or if --check finds a mistake.

    For example:

        recursor solve examples/maze.txt --check
        recursor solve examples/maze.txt --algorithm bridges
        recursor solve 3 1 2 --algorithm quicksort
        recursor solve examples/maze.txt --html trace.html
    """

    graph: Annotated[
        tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="GRAPH", help_behavior_hint="(required)")
    ] = ()
    """The file of the graph, or numbers to sort."""
    algorithm: Annotated[str, option("NAME", "that of the model, or dfs")] = ""
    """The algorithm; `recursor algorithms` lists them."""
    model: Annotated[str, option("RUN", "the shipped network of the algorithm")] = ""
    """A shipped network, such as dfs, or a run directory, such as runs/mine or ./mine."""
    check: Flag = False
    """Also run the classical algorithm, and compare every output of every node."""
    pattern: Flag = False
    """Ignore the weights of a weighted graph: each entry that is not 0 is an edge."""
    limit: Annotated[int | None, option("ROWS", "for most algorithms 100, and 10 per node")] = None
    """Rows after which a network that has not halted is stopped."""
    json: Flag = False
    """Print one JSON object: the answer, and all outputs."""
    outputs: Flag = False
    """Print the outputs of every node too, from which the answer is made."""
    html: Annotated[Path | None, option("FILE", "no page")] = None
    """Write a page that shows the execution row by row: graph, call stack, source. It is one file."""
    svg: Annotated[Path | None, option("FILE", "no picture")] = None
    """Write a moving picture of the execution, an SVG file that needs no script."""
    gif: Annotated[Path | None, option("FILE", "no picture")] = None
    """The same as a GIF file."""
    beside: Annotated[str, option("RUN", "none")] = ""
    """With --html: a second model, which is run on the same graph and shown beside the first."""
    watch: Flag = False
    """Show the execution row by row in the terminal. Without a terminal, print all rows."""

    def __call__(self) -> None:
        if self.beside and not self.html:
            raise ValueError("--beside shows two models on one page, so it needs --html too")
        if self.watch and self.json:
            raise ValueError("--watch and --json cannot both write to the terminal")
        for path in self.files:
            if not path.absolute().parent.is_dir():
                raise ValueError(f"{path} cannot be written: {path.parent} is not a directory")
        if self.gif:
            from recursor.trace.gif import require_pillow

            require_pillow()
        algorithm = find(self.algorithm or _algorithm_of(self.model))
        graph = read(algorithm, self.graph, pattern=self.pattern)
        from recursor.training.run import load  # JAX is slow to import, so the graph is checked first

        runs = [load(name) for name in (self.model or algorithm.name, self.beside) if name]
        for run in runs:
            if run.config.algorithm != algorithm.name:
                raise ValueError(f"{run.directory} was trained on {run.config.algorithm}, not on {algorithm.name}")
            say_loaded(run)
        keep_rows = bool(self.files or self.watch)
        if keep_rows:
            _require_memory(algorithm, graph, len(runs))
        executions = [run_with_progress(run, graph, self.limit, keep_rows=keep_rows) for run in runs]
        execution = executions[0]
        truth = algorithm.run(graph) if self.check else {}
        wrong = {name: np.flatnonzero(execution.outputs[name] != values).tolist() for name, values in truth.items()}
        if self.json:
            json.dump(_as_json(algorithm.outputs, execution, wrong if self.check else None), sys.stdout)
            print()
        elif not self.watch:
            show(algorithm, execution, wrong if self.check else None, outputs=self.outputs)
        sys.stdout.flush()  # the answer is out, whatever becomes of the page
        if keep_rows:
            self._show_traces(runs, executions)
        for path in self.files:
            Console(stderr=True, markup=False, highlight=False).print(f"wrote {path}", soft_wrap=True)
        if not execution.halted or any(wrong.values()):
            sys.exit(1)

    @property
    def files(self) -> list[Path]:
        """The files that are written."""
        return [path for path in (self.html, self.svg, self.gif) if path]

    def _show_traces(self, runs: "list[Run]", executions: "list[Execution]") -> None:
        from recursor.trace.gif import write_gif
        from recursor.trace.moving import write_svg
        from recursor.trace.page import write_page
        from recursor.trace.terminal import title_of, watch
        from recursor.trace.trace import trace

        traces = [trace(e, run.reasoner.spec, run.directory.name) for e, run in zip(executions, runs, strict=True)]
        title = Path(*self.graph).name if len(self.graph) == 1 else f"{len(self.graph)} numbers"
        if self.watch:
            watch(traces[0], title_of(traces[0], title), console())
        if self.html:
            write_page(self.html, traces, title)
        if self.svg:
            write_svg(self.svg, traces[0], title_of(traces[0], title))
        if self.gif:
            write_gif(self.gif, traces[0], title_of(traces[0], title))


def read(algorithm: Algorithm, words: tuple[str, ...], *, pattern: bool = False) -> Graph:
    """Returns the graph that the command line names.

    Args:
        algorithm: The algorithm that is to run on it.
        words: One file, or numbers.
        pattern: Whether to ignore weights.

    Returns:
        The graph.

    Raises:
        ValueError: If there is no word, or several that are no numbers, or the algorithm does not accept the graph.
    """
    if not words:
        raise ValueError("solve needs the file of a graph, or numbers to sort; recursor solve --help has examples")
    numbers = [_number(word) for word in words]
    if None in numbers:
        if len(words) > 1:
            unfit = next(word for word, number in zip(words, numbers, strict=True) if number is None)
            raise ValueError(f"give one file of a graph, or numbers, not {len(words)} words of which {unfit!r} is no number")
        return read_with_progress(algorithm, Path(*words), pattern=pattern)
    if not algorithm.takes_numbers:
        able = ", ".join(name for name, one in known().items() if one.takes_numbers)
        raise ValueError(f"{algorithm.name} needs a graph, not numbers; numbers are for --algorithm with one of {able}")
    return algorithm.graph(numbers)


def _number(word: str) -> float | None:
    try:
        return int(word)
    except ValueError:
        try:
            return float(word)
        except ValueError:
            return None


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


def read_with_progress(algorithm: Algorithm, path: Path, *, pattern: bool) -> Graph:
    """Reads the graph of a file and shows the number of lines in the terminal."""
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task(f"reading {path.name}", total=None)

        def show_lines(done: int, total: int) -> None:
            bar.update(task, description=f"reading {path.name}: line {done} of {total}")

        return algorithm.graph(path, pattern=pattern, progress=show_lines)


def run_with_progress(run: "Run", graph: Graph, limit: int | None = None, *, keep_rows: bool = False) -> "Execution":
    """Runs a model on a graph and shows how many rows are done, of as many as the classical algorithm takes."""
    with RowProgress(find(run.config.algorithm).count_rows(graph)) as progress:
        return run.run(graph, limit=limit, keep_rows=keep_rows, progress=progress.show)


def with_names(field: Field, graph: Graph, value: Any) -> Any:
    """Returns an output with the names of the graph's nodes; None for a null pointer."""
    if field.kind == "pointer":
        return str(graph.names[int(value)]) if value >= 0 else None
    return float(value) if field.kind == "scalar" else int(value)


def show(algorithm: Algorithm, execution: "Execution", wrong: dict[str, list[int]] | None, *, outputs: bool = False) -> None:
    """Prints the answer, how the execution ended, and what a comparison with the classical algorithm found.

    Args:
        algorithm: The algorithm.
        execution: Its execution by a network.
        wrong: For each output the nodes at which it differs from the classical one; None if they were not compared.
        outputs: Whether to print the outputs of every node too.
    """
    graph = execution.graph
    if execution.answer is not None:
        console().print(f"{heading(algorithm.title, execution.answer)}:")
        console().print(as_text(execution.answer))
    elif execution.halted:
        console().print(f"{algorithm.title}: the outputs are no answer, so do not trust them")
    if outputs or execution.answer is None:
        _show_outputs(algorithm.outputs, execution)
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
        for field in algorithm.outputs:
            if nodes := wrong[field.name]:
                where = f" at {len(nodes)} of {len(graph)} nodes" if field.place == "node" else ""
                mistakes.append(f"{field.name} is wrong{where}")
        compared = " and ".join(
            f"{field.name} of {f'all {len(graph)} nodes' if field.place == 'node' else 'the graph'}"
            for field in algorithm.outputs
        )
        same = f"{compared}: the same as the classical algorithm's"
        console().print("checked: " + (", ".join(mistakes) or same))


def _show_outputs(outputs: tuple[Field, ...], execution: "Execution") -> None:
    """Prints the outputs as a table, one line per node."""
    graph = execution.graph

    def as_word(field: Field, value: Any) -> str:
        return "none" if (word := with_names(field, graph, value)) is None else str(word)

    of_nodes = [field for field in outputs if field.place == "node"]
    names = ("node", *(field.name for field in of_nodes))
    rows = [
        (str(name), *(as_word(field, execution.outputs[field.name][node]) for field in of_nodes))
        for node, name in enumerate(graph.names)
    ]
    console().print()
    if len(rows) <= MOST_IN_TABLE:
        table = Table(box=None)
        for name in names:
            table.add_column(name, no_wrap=True)
        for row in rows:
            table.add_row(*row)
        console().print(table)
    else:
        print("\n".join("\t".join(row) for row in (names, *rows)))
    for field in outputs:
        if field.place == "graph":
            console().print(f"{field.name}: {as_word(field, execution.outputs[field.name])}")


def plain(answer: Any) -> Any:
    """Returns an answer as values that JSON has: a forest as a list of edges, a set as a list, names as strings."""
    match answer:
        case None | bool() | int() | float():
            return answer
        case nx.Graph():
            return [[str(a), str(b)] for a, b in answer.edges]
        case set():
            return sorted(map(str, answer))
        case list() | tuple():
            return [plain(one) for one in answer]
        case Mapping():
            return {str(name): plain(value) for name, value in answer.items()}
    return str(answer)


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
    result: dict[str, Any] = {
        "answer": plain(execution.answer),
        "outputs": answer,
        "halted": execution.halted,
        "steps": execution.steps,
    }
    if execution.certified is not None:
        result["certified"] = execution.certified
    if wrong is not None:
        result["wrong"] = {
            field.name: bool(wrong[field.name]) if field.place == "graph" else [names[node] for node in wrong[field.name]]
            for field in outputs
        }
    return result
