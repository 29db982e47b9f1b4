"""Progress of a command: a bar in a terminal, else a line from time to time."""

import math
import sys
import time
from collections.abc import Callable
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

QUIET = 3.0
"""Seconds between two lines where the output is no terminal. A command that takes less time prints none."""
LONG = 60.0
"""An execution that takes longer than so many seconds is announced."""
SURE = 4.0
"""So many seconds of rows are measured before that, since a part of them may be compiling."""


class Progress:
    """Shows how much of a computation is done, on standard error."""

    def __init__(self, what: str, total: int | None = None) -> None:
        """Args:
        what: What is being done, such as "evaluating".
        total: How much there is to do; None if it is not known.
        """
        self._what, self._total, self._done = what, total, 0
        console = Console(stderr=True)
        self._terminal = console.is_terminal
        columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[count]}"))
        self._bar = Bar(
            *columns, TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn(), console=console, transient=True
        )
        self._task = self._bar.add_task(what, total=total, count="")
        self._printed = time.monotonic()

    def __enter__(self) -> "Progress":
        if self._terminal:
            self._bar.start()
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._terminal:
            self._bar.stop()

    def show(self, done: int, what: str | None = None) -> None:
        """Shows how much is done.

        Args:
            done: The amount.
            what: What is being done now; by default the same as before.
        """
        self._what, self._done = what or self._what, done
        count = f"{done}" if self._total is None else f"{done} of {max(done, self._total)}"
        self._bar.update(self._task, completed=done, description=self._what, count=count)
        if not self._terminal and time.monotonic() - self._printed > QUIET:
            self.say(f"{self._what}: {count}")

    def say(self, line: str) -> None:
        """Prints a line on standard error, above the bar if there is one."""
        self._printed = time.monotonic()
        if self._terminal:
            self._bar.console.print(line, markup=False, highlight=False)
        else:
            print(line, file=sys.stderr, flush=True)


class RowProgress:
    """Shows how many rows of an execution are done, and announces an execution that takes minutes."""

    def __init__(self, rows: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        """Args:
        rows: How many rows the classical algorithm takes on this graph.
        clock: Returns the time in seconds.
        """
        self._clock = clock
        self._rows, self._announced = rows, False
        self._first, self._last, self._each, self._measured = 0.0, (0, 0.0), math.inf, 0
        self._progress = Progress("compiling", rows)

    def __enter__(self) -> "RowProgress":
        self._progress.__enter__()
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._progress.__exit__(kind, error, trace)

    def show(self, done: int) -> None:
        """Shows the number of rows so far. The time before the first call is that of compiling, and is not counted."""
        now = self._clock()
        self._progress.show(done, "executing, in rows")
        before, self._last = self._last, (done, now)
        if not before[0]:
            self._first = now
            return
        self._each = min(self._each, (now - before[1]) / max(1, done - before[0]))  # some of them are compiling
        self._measured += 1
        left = self._each * (self._rows - done)
        if left > LONG and now - self._first > SURE and self._measured > 1 and not self._announced:
            self._announced = True
            minutes = f"{left / 60:.0f} minute{'s' if round(left / 60) > 1 else ''}"
            self._progress.say(f"This takes about {minutes}: {self._rows} rows, {1000 * self._each:.0f} ms each.")
