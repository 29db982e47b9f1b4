"""`recursor algorithms`."""

from dataclasses import dataclass

from rich.table import Table

from recursor.algorithms import known
from recursor.commands.console import console


@dataclass(frozen=True)
class Algorithms:
    """Lists the algorithms, their inputs, views and outputs."""

    def __call__(self) -> None:
        for algorithm in known().values():
            table = Table(title=algorithm.name, title_justify="left", title_style="bold", box=None)
            about = f"{algorithm.title}. {algorithm.summary}".strip()
            for column in ("view", "hints", "collected outputs"):
                table.add_column(column)
            inputs: list[str] = []
            for view, spec in algorithm.specs.items():
                places = (f"{rule.output}[{rule.at}]" if rule.at else rule.output for rule in spec.collect)
                rules = zip(places, spec.collect, strict=True)
                collected = ", ".join(f"{place} ← {rule.value}" for place, rule in rules)
                table.add_row(view, " ".join(field.name for field in spec.hints), collected)
                inputs = [field.name for field in spec.inputs]
            outputs = " ".join(field.name for field in algorithm.outputs)
            console().print(table)
            console().print(about)
            console().print(f"inputs: {' '.join(inputs)}; outputs: {outputs}\n")
