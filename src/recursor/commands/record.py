"""`recursor record`."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro
from rich.table import Table

from recursor.algorithms import record
from recursor.commands.console import console
from recursor.commands.options import Flag, option
from recursor.recording.rows import Trajectory
from recursor.spec import OPS, Field
from recursor.system.memory import require_memory


@dataclass(frozen=True)
class Record:
    """Executes an algorithm and prints the rows that networks learn.

    The graph is a file: an edge list (two names per line, such as graph.txt), a matrix (such as graph.npy), or another
    format that docs/graphs.md lists. The suffix decides how it is read.

    For example:

        recursor record dfs examples/maze.txt --view local
    """

    algorithm: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="ALGORITHM")]
    """The algorithm; `recursor algorithms` lists them."""
    graph: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="GRAPH")]
    """The file of the graph."""
    view: Annotated[str | None, option("VIEW", "the first")] = None
    """The view, which selects the hints; `recursor algorithms NAME` lists them."""
    pattern: Flag = False
    """Ignore the weights of a weighted graph: each entry that is not 0 is an edge."""
    json: Flag = False
    """Print one JSON object instead of a table."""

    def __call__(self) -> None:
        trajectory = record(self.algorithm, self.graph, view=self.view, pattern=self.pattern)
        values = sum(values.size for values in (*trajectory.inputs.values(), *trajectory.hints.values()))
        what = f"printing {len(trajectory)} rows on {len(trajectory.graph)} nodes"
        require_memory(40 * values, what, "choose a smaller graph, or use recursor.record in Python")
        if self.json:
            json.dump(_as_json(trajectory), sys.stdout)
            print()
        else:
            console().print(_as_table(trajectory))


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
    """Returns the rows as a table. Pointers are node names; a node field is the list of its values in the order of nodes."""
    names = [str(name) for name in trajectory.graph.names]
    table = Table(title=f"{trajectory.spec.algorithm}, {len(names)} nodes, {len(trajectory)} rows", box=None)
    fields = [field for field in trajectory.spec.hints if field.name != "stack_op"]
    for column in ("row", "op", *(field.name for field in fields), "line"):
        table.add_column(column, no_wrap=True)

    def as_text(field: Field, value: float) -> str:
        if field.kind == "pointer":
            return names[int(value)] if value >= 0 else "–"
        return f"{value:.2f}" if field.kind == "scalar" else str(int(value))

    for row, (op, line) in enumerate(zip(trajectory.ops, trajectory.lines, strict=True)):
        cells = []
        for field in fields:
            value = trajectory.hints[field.name][row]
            separator = "" if field.kind in ("category", "mask") else " "
            cells.append(separator.join(as_text(field, v) for v in value) if value.ndim else as_text(field, value))
        table.add_row(str(row), OPS[op], *cells, str(line))
    return table
