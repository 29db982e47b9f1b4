"""The command line."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console
from rich.table import Table

import recursor
from recursor.algorithms import ALGORITHMS
from recursor.rows import Trajectory
from recursor.spec import OPS, Field

Algorithm = Annotated[str, tyro.conf.Positional]
GraphFile = Annotated[Path, tyro.conf.Positional]


@dataclass(frozen=True)
class Algorithms:
    """Lists the algorithms, their inputs, views and outputs."""

    def __call__(self) -> None:
        for algorithm in ALGORITHMS.values():
            table = Table(title=algorithm.name, title_justify="left", title_style="bold", box=None)
            table.add_column("view")
            table.add_column("hints")
            table.add_column("collected outputs")
            for view, spec in algorithm.specs.items():
                collected = ", ".join(f"{rule.output}[{rule.at}] ← {rule.value}" for rule in spec.collect)
                table.add_row(view, " ".join(field.name for field in spec.hints), collected)
            _console().print(table)
            _console().print(f"inputs: {' '.join(algorithm.inputs)}; outputs: {_names(algorithm.outputs)}\n")


@dataclass(frozen=True)
class Record:
    """Executes an algorithm on a graph and shows its rows.

    GRAPH is an edge list (.txt, .csv, .tsv: two names a line), an adjacency matrix (.npy) or a Matrix Market file (.mtx).
    """

    algorithm: Algorithm
    graph: GraphFile
    view: str = "local"
    """Which fields are shown as hints; `recursor algorithms` lists the views."""
    json: bool = False
    """Print one JSON object instead of a table."""

    def __call__(self) -> None:
        trajectory = recursor.record(self.algorithm, self.graph, view=self.view)
        if self.json:
            json.dump(_as_json(trajectory), sys.stdout)
            print()
        else:
            _console().print(_as_table(trajectory))


Command = Annotated[Algorithms, tyro.conf.subcommand("algorithms")] | Annotated[Record, tyro.conf.subcommand("record")]


def _console() -> Console:
    """Prints names as they are, and never cuts what goes into a file or a pipe."""
    width = None if sys.stdout.isatty() else 100_000
    return Console(width=width, markup=False, emoji=False, highlight=False)


def _names(fields: tuple[Field, ...]) -> str:
    return " ".join(field.name for field in fields)


def _as_json(trajectory: Trajectory) -> dict:
    return {
        "algorithm": trajectory.spec.algorithm,
        "view": trajectory.spec.view,
        "names": [str(name) for name in trajectory.graph.names],
        "inputs": {name: values.tolist() for name, values in trajectory.inputs.items()},
        "hints": {name: values.tolist() for name, values in trajectory.hints.items()},
        "outputs": {name: values.tolist() for name, values in trajectory.outputs.items()},
        "ops": [OPS[op] for op in trajectory.ops],
        "lines": trajectory.lines.tolist(),
    }


def _as_table(trajectory: Trajectory) -> Table:
    """The rows, node names for pointers; a node field is shown as its values in the order of the nodes."""
    names = [str(name) for name in trajectory.graph.names]
    table = Table(title=f"{trajectory.spec.algorithm}, {len(names)} nodes, {len(trajectory)} rows", box=None)
    fields = [field for field in trajectory.spec.hints if field.name != "stack_op"]
    for column in ("row", "op", *(field.name for field in fields), "line"):
        table.add_column(column, no_wrap=True)

    def shown(field: Field, value: float) -> str:
        if field.kind == "pointer":
            return names[int(value)]
        return f"{value:.2f}" if field.kind == "scalar" else str(int(value))

    for row, (op, line) in enumerate(zip(trajectory.ops, trajectory.lines, strict=True)):
        cells = []
        for field in fields:
            value = trajectory.hints[field.name][row]
            separator = "" if field.kind in ("category", "mask") else " "
            cells.append(separator.join(shown(field, v) for v in value) if value.ndim else shown(field, value))
        table.add_row(str(row), OPS[op], *cells, str(line))
    return table


def main() -> None:
    """Runs one command; a mistake of the caller's is told in a sentence, without a traceback."""
    command = tyro.cli(Command, prog="recursor", description=recursor.__doc__)
    try:
        command()
    except (ValueError, OSError) as error:
        sys.exit(f"recursor: {error}")
    except BrokenPipeError:
        sys.exit(1)


if __name__ == "__main__":
    main()
