"""Ctrl-C that is heard while the process compiles.

Python hears a signal only between two of its own instructions, and XLA may compile for many seconds without any. So a thread
waits for the signal too. If the main thread has not stopped soon after it, the thread ends the process.
"""

import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
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
    heard, wake = socket.socketpair()
    wake.setblocking(False)
    done = threading.Event()

    def leave(*_: object) -> None:
        if sys.stderr.isatty():
            print(SHOW_CURSOR, file=sys.stderr, flush=True)
        os._exit(CTRL_C)

    def wait() -> None:
        for number in iter(lambda: heard.recv(1), b""):
            if number[0] == signal.SIGINT and not done.wait(PATIENCE):
                leave()

    handler = signal.signal(signal.SIGINT, leave)
    before = signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False)
    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        signal.set_wakeup_fd(before)
        signal.signal(signal.SIGINT, handler)
        wake.close()
        thread.join()
        heard.close()
