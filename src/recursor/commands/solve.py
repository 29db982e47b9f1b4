"""`recursor solve`."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import tyro
from rich.console import Console

from recursor.algorithms import find, known
from recursor.commands.console import console, say_loaded
from recursor.commands.options import Flag, option
from recursor.commands.progress import RowProgress
from recursor.commands.result import as_json, show
from recursor.commands.words import read_words
from recursor.graphs.graph import Graph
from recursor.recording.algorithm import Algorithm
from recursor.system.files import require_writable
from recursor.system.memory import require_memory

if TYPE_CHECKING:
    from recursor.execution.execution import Execution
    from recursor.training.run import Run


@dataclass(frozen=True)
class Solve:
    """Solves your graph, or sorts your numbers, and prints the answer.

    The graph is a file: an edge list (two names per line, such as graph.txt), a matrix (such as graph.npy), or another
    format that docs/graphs.md lists. The suffix decides how it is read. An edge list can also hold values of the nodes. For
    sorting, give the numbers themselves or a file of numbers; for parsing, the text; for a spanning tree, edges with weights
    in a third column. `recursor algorithms NAME` says what an algorithm takes. The network gets only this input, and decides
    itself when to halt. The exit status is 1 if it does not halt, or if --check finds a mistake.

    For example:

        recursor solve 3 1 2 --algorithm quicksort
        recursor solve examples/maze.txt --check
        recursor solve examples/maze.txt --algorithm bridges
        recursor solve "not ( true and false )" --algorithm expression
        recursor solve examples/maze.txt --html trace.html
    """

    graph: Annotated[
        tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="GRAPH", help_behavior_hint="(required)")
    ] = ()
    """The file of the graph, or numbers to sort, or a text to parse."""
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
            require_writable(path)
        if self.gif:
            from recursor.trace.gif import require_pillow

            require_pillow()
        algorithm = find(self.algorithm or _algorithm_of(self.model))
        graph = read_words(algorithm, self.graph, pattern=self.pattern)
        from recursor.training.loading import load  # JAX is slow to import, so the graph is checked first

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
            json.dump(as_json(algorithm.outputs, execution, wrong if self.check else None), sys.stdout)
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
        from recursor.trace.terminal import title_of
        from recursor.trace.trace import trace
        from recursor.trace.watching import watch

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


def _require_memory(algorithm: Algorithm, graph: Graph, models: int) -> None:
    """Refuses to show an execution that does not fit into memory: its rows, the classical ones, and their text."""
    rows, fields = algorithm.count_rows(graph), len(algorithm.spec(algorithm.exact_view).hints)
    what = f"showing {rows} rows on {len(graph)} nodes"
    require_memory(models * rows * len(graph) * 16 * fields, what, "choose a smaller graph, or leave out --html and --watch")


def _algorithm_of(model: str) -> str:
    """Returns the algorithm of a model. A shipped model has the name of its algorithm."""
    if not model or model in known():
        return model or "dfs"
    from recursor.training.directory import config_of
    from recursor.training.loading import directory_of

    return config_of(directory_of(model)).algorithm


def run_with_progress(run: "Run", graph: Graph, limit: int | None = None, *, keep_rows: bool = False) -> "Execution":
    """Runs a model on a graph and shows how many rows are done, of as many as the classical algorithm takes."""
    with RowProgress(find(run.config.algorithm).count_rows(graph)) as progress:
        return run.run(graph, limit=limit, keep_rows=keep_rows, progress=progress.show)
