"""Clean interruption: Ctrl-C and SIGTERM stop a long computation between two steps."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

CTRL_C = 130
"""The exit status after Ctrl-C."""


class Terminated(KeyboardInterrupt):
    """Raised after SIGTERM. It is a KeyboardInterrupt, so code that handles Ctrl-C handles it too."""


def status(interrupt: KeyboardInterrupt) -> int:
    """Returns the exit status after an interruption: 143 for SIGTERM, 130 for Ctrl-C."""
    return 128 + signal.SIGTERM if isinstance(interrupt, Terminated) else CTRL_C


class Interrupts:
    """True once a signal has asked the process to stop."""

    def __init__(self) -> None:
        self._signal: int | None = None

    def __bool__(self) -> bool:
        return self._signal is not None

    def stop(self) -> None:
        """Raises if a signal has asked the process to stop.

        Raises:
            KeyboardInterrupt: After Ctrl-C; after SIGTERM it is `Terminated`.
        """
        if self._signal is not None:
            raise Terminated if self._signal == signal.SIGTERM else KeyboardInterrupt

    def handle(self, number: int, frame: FrameType | None) -> None:
        """Handles both signals. The first is remembered; the second raises immediately."""
        self.stop()
        self._signal = number


@contextmanager
def interrupts() -> Iterator[Interrupts]:
    """Remembers Ctrl-C and SIGTERM while the context is open. It has no effect outside the main thread.

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
    """Makes Ctrl-C end the process immediately, without a traceback, while the context is open. It is meant for imports,
    during which there is nothing to save."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, lambda number, frame: os._exit(CTRL_C))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
