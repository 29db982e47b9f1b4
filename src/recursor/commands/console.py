"""Output of the commands."""

import sys
from typing import TYPE_CHECKING

from rich.console import Console

if TYPE_CHECKING:
    from recursor.training.run import Run


def console() -> Console:
    """Returns a console that prints names without markup, and never truncates output to a file or a pipe."""
    width = None if sys.stdout.isatty() else 100_000
    return Console(width=width, markup=False, emoji=False, highlight=False)


def say_loaded(run: "Run") -> None:
    """Prints on standard error which weights are used."""
    from recursor.training.loading import SHIPPED

    which = f"the shipped {run.directory.name}" if run.directory.parent == SHIPPED else f"{run.directory}"
    print(f"loaded {which}: {run.config.algorithm}, {run.updates} updates", file=sys.stderr, flush=True)
