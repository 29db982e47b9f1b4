"""Stopping cleanly: Ctrl-C and SIGTERM end a long computation between two of its steps."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

CTRL_C = 130
"""The status of a process that was stopped with Ctrl-C."""


class Terminated(KeyboardInterrupt):
    """SIGTERM has asked the process to stop. It is handled wherever Ctrl-C is."""


def status(interrupt: KeyboardInterrupt) -> int:
    """The exit status of a process that was stopped: 143 by SIGTERM, 130 by Ctrl-C."""
    return 128 + signal.SIGTERM if isinstance(interrupt, Terminated) else CTRL_C


class Interrupts:
    """Whether the process was asked to stop. It is true once it was."""

    def __init__(self) -> None:
        self._signal: int | None = None

    def __bool__(self) -> bool:
        return self._signal is not None

    def stop(self) -> None:
        """Stops here if the process was asked to.

        Raises:
            KeyboardInterrupt: After Ctrl-C; after SIGTERM it is `Terminated`.
        """
        if self._signal is not None:
            raise Terminated if self._signal == signal.SIGTERM else KeyboardInterrupt

    def handle(self, number: int, frame: FrameType | None) -> None:
        """The handler of both signals. The second one stops at once."""
        self.stop()
        self._signal = number


@contextmanager
def interrupts() -> Iterator[Interrupts]:
    """Takes note of Ctrl-C and SIGTERM while the context is open. Outside the main thread neither can be noticed.

    Example:
        >>> with interrupts() as interrupted:
        ...     for step in range(3):
        ...         interrupted.stop()
    """
    found = Interrupts()
    if threading.current_thread() is not threading.main_thread():
        yield found
        return
    before = {number: signal.signal(number, found.handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield found
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def exit_at_once() -> Iterator[None]:
    """Ctrl-C ends the process without a traceback while the context is open. It is for imports, in which an exception could
    be raised anywhere, and in which nothing can be lost."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, lambda number, frame: os._exit(CTRL_C))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
