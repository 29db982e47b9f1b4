"""`recursor algorithms`."""

from dataclasses import dataclass

from rich.table import Table

from recursor.algorithms import ALGORITHMS
from recursor.commands.console import console


@dataclass(frozen=True)
class Algorithms:
    """Lists the algorithms, their inputs, views and outputs."""

    def __call__(self) -> None:
        for algorithm in ALGORITHMS.values():
            table = Table(title=algorithm.name, title_justify="left", title_style="bold", box=None)
            for column in ("view", "hints", "collected outputs"):
                table.add_column(column)
            for view, spec in algorithm.specs.items():
                collected = ", ".join(f"{rule.output}[{rule.at}] ← {rule.value}" for rule in spec.collect)
                table.add_row(view, " ".join(field.name for field in spec.hints), collected)
            outputs = " ".join(field.name for field in algorithm.outputs)
            console().print(table)
            console().print(f"inputs: {' '.join(algorithm.inputs)}; outputs: {outputs}\n")
