"""Ctrl-C while the main thread is in a long call that hears no signal."""

import signal
import subprocess
import sys

CODE = """
import hashlib, sys
from recursor.system.forced_exit import answer_ctrl_c, exit_after_ctrl_c
from recursor.system.interrupts import interrupts
with {context}, interrupts():
    print("begun", flush=True)
    hashlib.pbkdf2_hmac("sha256", b"", b"", 100_000_000)
"""


def started(context: str) -> subprocess.Popen[str]:
    """Returns a process that is in a call of a minute or so."""
    process = subprocess.Popen(
        [sys.executable, "-c", CODE.format(context=context)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    return process


def test_the_first_is_answered_and_the_second_ends_the_process() -> None:
    with started("answer_ctrl_c('heard')") as process:
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        assert process.stderr.readline() == "heard\n"
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130


def test_a_command_that_has_nothing_to_save_ends_at_the_first() -> None:
    with started("exit_after_ctrl_c()") as process:
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
