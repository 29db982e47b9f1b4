"""How commands print."""

import sys

from rich.console import Console


def console() -> Console:
    """Prints names as they are, and never cuts what goes into a file or a pipe."""
    width = None if sys.stdout.isatty() else 100_000
    return Console(width=width, markup=False, emoji=False, highlight=False)
