"""Progress of a training run: a bar in a terminal, else a line from time to time and one per validation."""

import sys
import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

QUIET = 10.0
"""Seconds between two lines where the output is no terminal."""


class Progress:
    """Shows loss, validation score, updates per second and time left."""

    def __init__(self, total: int, *, shown: bool, label: str = "training") -> None:
        self._total, self._shown, self._label = total, shown, label
        self._console = Console(stderr=True)
        self._bar = Bar(
            TextColumn(label),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("loss {task.fields[loss]}  validation {task.fields[score]}  {task.fields[rate]} updates/s"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=self._console,
            disable=not (shown and self._console.is_terminal),
        )
        self._task = self._bar.add_task("", total=total, loss="…", score="…", rate="…")
        self._loss, self._first = float("nan"), 0
        self._started: float | None = None
        self._printed = time.monotonic()

    def __enter__(self) -> "Progress":
        self._bar.start()
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._bar.stop()

    def start(self, done: int, best: float) -> None:
        """Starts the display, when a run starts or resumes."""
        self._started = None
        self._bar.update(self._task, completed=done, score=f"{best:.1%}" if best >= 0 else "…")

    def update(self, done: int, loss: float) -> None:
        """Shows the loss of an update."""
        self._loss = loss
        if self._started is None:  # the first update also compiles, which says nothing about the others
            self._first, self._started = done, time.monotonic()
        self._bar.update(self._task, completed=done, loss=f"{loss:.3f}", rate=f"{self._rate(done):.2f}")
        if time.monotonic() - self._printed > QUIET:
            self._print_line(done)

    def validated(self, done: int, score: float, best: float) -> None:
        """Shows the score of a validation."""
        self._bar.update(self._task, score=f"{score:.1%} (best {best:.1%})")
        self._print_line(done, f"validation {score:.1%} (best {best:.1%})  ")

    def go_on(self, total: int) -> None:
        """Sets the update at which training ends."""
        self._total = total
        self._bar.update(self._task, total=total)

    def verified(self, done: int, inputs: int, wrong: int, *, firm: bool) -> None:
        """Shows the result of a verification."""
        firmly = "" if wrong or firm else ", but not firmly"
        self._print(f"update {done}: verified {inputs} inputs, {wrong} wrong{firmly}")

    def started_again(self, done: int, restarts: int, most: int) -> None:
        """Shows that training starts again."""
        self._print(f"update {done}: no use of the stack has settled; training starts again ({restarts} of at most {most})")

    def _print(self, line: str) -> None:
        if self._shown:
            self._console.print(f"{self._label}: {line}", highlight=False)

    def _print_line(self, done: int, validation: str = "") -> None:
        """Prints a line, unless a bar shows the same."""
        if not self._shown or self._console.is_terminal:
            return
        self._printed = time.monotonic()
        rate = self._rate(done)
        speed = f"{rate:.2f} updates/s  {(self._total - done) / rate:.0f} s left" if rate else "compiled"
        print(
            f"{self._label}: update {done}/{self._total}  loss {self._loss:.3f}  {validation}{speed}",
            file=sys.stderr,
            flush=True,
        )

    def _rate(self, done: int) -> float:
        """Updates a second; 0 if it is not known yet."""
        if self._started is None:
            return 0.0
        return (done - self._first) / max(time.monotonic() - self._started, 1e-9)
