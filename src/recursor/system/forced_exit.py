"""Ctrl-C that is heard while the process compiles.

Python hears a signal only between two of its own instructions, and XLA may compile for many seconds without any. So a thread
waits for the signal too. If the main thread has not stopped soon after it, the thread ends the process.
"""

import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from recursor.system.interrupts import CTRL_C

PATIENCE = 1.0
"""Seconds that the main thread has to stop by itself."""


@contextmanager
def exit_soon_after_ctrl_c() -> Iterator[None]:
    """Ends the process about a second after Ctrl-C while the context is open. It is meant for commands that have nothing to
    save, and has no effect outside the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heard, wake = socket.socketpair()
    wake.setblocking(False)
    done = threading.Event()

    def wait() -> None:
        for number in iter(lambda: heard.recv(1), b""):
            if number[0] == signal.SIGINT and not done.wait(PATIENCE):
                os._exit(CTRL_C)

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
