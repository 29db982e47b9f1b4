"""Clean interruption: Ctrl-C and SIGTERM stop a long computation between two steps."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
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

    def __init__(self, number: int | None = None) -> None:
        self._signal = number

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

    A Ctrl-C from before that was handled by `listen` counts too, in case its exception got lost.

    Example:
        >>> with interrupts() as interrupted:
        ...     for step in range(3):
        ...         interrupted.stop()
    """
    found = Interrupts(_ctrl_c.number)
    if threading.current_thread() is not threading.main_thread():
        yield found
        return
    before = {number: signal.signal(number, found.handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield found
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@dataclass
class _CtrlC:
    """Ctrl-C as the command line handles it."""

    number: int | None = None
    """The signal, once it came."""

    def handle(self, number: int, frame: FrameType | None) -> None:
        self.number = number
        while frame is not None:
            if frame.f_code.co_filename.startswith(IMPORTING):
                if sys.stderr.isatty():
                    print(SHOW_CURSOR, end="", file=sys.stderr, flush=True)  # a progress bar may have hidden it
                os._exit(CTRL_C)
            frame = frame.f_back
        raise KeyboardInterrupt


_ctrl_c = _CtrlC()
SHOW_CURSOR = "\x1b[?25h"
IMPORTING = "<frozen importlib."
"""How the file names of Python's own import code begin."""


def listen() -> None:
    """Handles Ctrl-C for the command line, from before the first slow import on.

    Python raises a KeyboardInterrupt wherever the program is. Inside an import, that exception can get lost: much code tries
    to import something and goes on after any error, and Python drops exceptions in the callbacks that clean up after an
    import. So a Ctrl-C during an import ends the process immediately; nothing is open then that has to be saved or cleaned
    up. Any other raises a KeyboardInterrupt, and is remembered for `interrupts`. Where Ctrl-C is ignored, as in the
    background of a shell, it stays ignored.
    """
    if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
        signal.signal(signal.SIGINT, _ctrl_c.handle)
