"""Watching a trace in a terminal: one row at a time, controlled by keys or a timer; without a terminal, one line per row."""

import os
import re
import select
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.live import Live

from recursor.trace.terminal import heading, plain, result, screen
from recursor.trace.trace import Trace

ROWS_ON = {  # how many rows a key moves, by character or escape sequence
    **dict.fromkeys(("\x1b[C", "\x1b[B", "l", "j"), 1),
    **dict.fromkeys(("\x1b[D", "\x1b[A", "h", "k"), -1),
    "\x1b[6~": 10,
    "\x1b[5~": -10,
}
KEY = re.compile(r"\x1b\[[0-9;]*[A-Za-z~]|\x1bO.|.", re.DOTALL)
FIRST, LAST = ("\x1b[H", "\x1bOH", "\x1b[1~", "g"), ("\x1b[F", "\x1bOF", "\x1b[4~", "G")


def watch(trace: Trace, title: str, console: Console, rate: float = 4.0) -> None:
    """Shows a trace in a terminal until q, Ctrl-C or the end of input, then prints the answer. Without a terminal, prints
    every row."""
    if not console.is_terminal or not sys.stdin.isatty():
        for line in (*heading(trace, title), *plain(trace), result(trace)):
            console.print(line, soft_wrap=True)
        return
    clock = _Clock(len(trace), rate)
    with _keys(), Live(console=console, screen=True, auto_refresh=False) as live:
        while not clock.over:
            live.update(screen(trace, clock.row, title, *console.size), refresh=True)
            clock.wait()
    console.print(result(trace), soft_wrap=True)


class _Clock:
    """The current row, and when the next one is due."""

    def __init__(self, rows: int, rate: float) -> None:
        self.rows, self.rate, self.row, self.playing, self.over = rows, rate, 0, True, False

    def wait(self) -> None:
        """Waits until a key is pressed or the next row is due."""
        due = time.monotonic() + 1 / self.rate
        timeout = 1 / self.rate if self.playing else 1.0  # redraws each second, since the terminal may have changed its size
        if keys := _read_keys(timeout):
            for key in keys:
                self.press(key)
        elif self.playing and time.monotonic() >= due - 0.005:
            self.row += 1
        self.playing &= self.row < self.rows - 1
        self.row = max(0, min(self.rows - 1, self.row))

    def press(self, key: str) -> None:
        if key in ("q", "Q", "\x04"):
            self.over = True
        elif key == " ":
            self.row = 0 if not self.playing and self.row == self.rows - 1 else self.row
            self.playing = not self.playing
        elif key in ("+", "-"):
            self.rate = max(0.5, min(60.0, self.rate * (2.0 if key == "+" else 0.5)))
        elif key in FIRST:
            self.row, self.playing = 0, False
        elif key in LAST:
            self.row, self.playing = self.rows - 1, False
        elif key in ROWS_ON:
            self.row, self.playing = self.row + ROWS_ON[key], False


def _read_keys(timeout: float) -> list[str]:
    """Returns the keys that are pressed within `timeout` seconds. A closed terminal counts as q."""
    if not select.select([sys.stdin], [], [], timeout)[0]:
        return []
    text = os.read(sys.stdin.fileno(), 1024).decode("utf-8", "replace")
    return KEY.findall(text) or ["q"]


@contextmanager
def _keys() -> Iterator[None]:
    """Reads keys one by one without echo while the context is open, then restores the terminal."""
    import termios
    import tty

    before = termios.tcgetattr(sys.stdin)
    try:
        tty.setcbreak(sys.stdin)
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)
