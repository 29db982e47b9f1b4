"""Ctrl-C that is heard while the process compiles.

Python hears a signal only between two of its own instructions, and XLA may compile for many seconds without any. So a thread
waits for the signal too. If the main thread has not stopped soon after it, the thread ends the process, or says that it was
heard.
"""

import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from recursor.system.interrupts import CTRL_C

PATIENCE = 1.0
"""Seconds that the main thread has to stop by itself."""
SHOW_CURSOR = "\x1b[?25h"
"""Makes the cursor of a terminal visible again, which a progress bar hides."""


@contextmanager
def exit_after_ctrl_c() -> Iterator[None]:
    """Ends the process at Ctrl-C, within about a second, while the context is open. It is meant for commands that have
    nothing to save, and has no effect outside the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handler = signal.signal(signal.SIGINT, _leave)
    try:
        with _each_ctrl_c(lambda count: _leave()):
            yield
    finally:
        signal.signal(signal.SIGINT, handler)


@contextmanager
def answer_ctrl_c(words: str) -> Iterator[None]:
    """Answers the first Ctrl-C with words, within about a second, and ends the process at the second. It is meant for
    commands that save what they have before they end, and has no effect outside the main thread.

    Args:
        words: What standard error is told if the main thread has not stopped by then.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    with _each_ctrl_c(lambda count: print(words, file=sys.stderr, flush=True) if count == 1 else _leave()):
        yield


def _leave(*_: object) -> None:
    if sys.stderr.isatty():
        print(SHOW_CURSOR, file=sys.stderr, flush=True)
    os._exit(CTRL_C)


@contextmanager
def _each_ctrl_c(act: Callable[[int], None]) -> Iterator[None]:
    """Calls a function in a thread at each Ctrl-C after which the context is still open when the patience is over, with the
    number of those so far."""
    heard, wake = socket.socketpair()
    wake.setblocking(False)
    done = threading.Event()

    def wait() -> None:
        count = 0
        for number in iter(lambda: heard.recv(1), b""):
            if number[0] == signal.SIGINT and not done.wait(PATIENCE):
                count += 1
                act(count)

    before = signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False)
    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        signal.set_wakeup_fd(before)
        wake.close()
        thread.join()
        heard.close()
