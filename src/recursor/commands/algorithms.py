"""`recursor algorithms`."""

from dataclasses import dataclass
from typing import Annotated

import tyro
from rich.table import Table

from recursor.algorithms import find, known
from recursor.commands.console import console
from recursor.commands.options import option
from recursor.graphs.inputs import MEANINGS
from recursor.recording.algorithm import Algorithm


@dataclass(frozen=True)
class Algorithms:
    """Lists the algorithms, and what each computes.

    With names it shows these algorithms with their inputs, outputs, and the hints of each view.

    For example:

        recursor algorithms
        recursor algorithms quicksort bridges
    """

    names: Annotated[tuple[str, ...], tyro.conf.Positional, option("NAME ...", "a list of all")] = ()
    """Algorithms to show in detail."""

    def __call__(self) -> None:
        if not self.names:
            table = Table(box=None, show_header=False, pad_edge=False)
            table.add_column(no_wrap=True)
            table.add_column()
            for algorithm in known().values():
                table.add_row(algorithm.name, f"{algorithm.title}. {algorithm.summary}")
            console().print(table)
            console().print("\nrecursor algorithms NAME shows inputs, outputs and hints.")
        for algorithm in [find(name) for name in self.names]:
            _show(algorithm)


def _show(algorithm: Algorithm) -> None:
    """Prints the fields of an algorithm."""
    out = console()
    out.print(f"{algorithm.name}: {algorithm.title}. {algorithm.summary}")
    spec = algorithm.spec(algorithm.exact_view)
    for word, fields in (("input", spec.inputs), ("output", spec.outputs)):
        for field in fields:
            meaning = algorithm.words.meanings.get(field.name, MEANINGS.get(field.name, ""))
            out.print(f"  {word:<6} {field.name:<10} {field.describe()}{': ' * bool(meaning)}{meaning}")
    if algorithm.words.source:
        out.print(f"  takes  {algorithm.words.source}")
    if algorithm.words.answer:
        out.print(f"  answer {algorithm.words.answer}")
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for column in ("view", "hints", "collected outputs"):
        table.add_column(column)
    for view, one in algorithm.specs.items():
        collected = ", ".join(rule.describe() for rule in one.collect)
        table.add_row(view, " ".join(field.name for field in one.hints), collected)
    out.print(table)
    out.print()
