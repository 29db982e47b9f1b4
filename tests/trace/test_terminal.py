"""The trace in a terminal."""

import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
from io import StringIO

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from recursor.graphs.distributions import grid
from recursor.graphs.graph import Graph
from recursor.trace.terminal import plain, screen
from recursor.trace.watching import watch
from tests.strategies import graphs
from tests.trace.executions import traced

PROGRAM = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # where the tests run in the background it is ignored
from rich.console import Console
from recursor.graphs.distributions import grid
from recursor.trace.trace import recorded
from recursor.trace.watching import watch
from recursor.algorithms import find
watch(recorded(find("dfs").spec("discrete"), grid(9)), "a grid", Console(), rate=0.5)
print("after")
"""


@given(graphs(), st.integers(0, 2**32 - 1))
def test_every_row_is_a_line_with_its_stack(graph: Graph, seed: int) -> None:
    trace = traced(graph, spoil=np.random.default_rng(seed), mistakes=2)
    lines = list(plain(trace))
    assert len(lines) == len(trace)
    for row, line in enumerate(lines):
        frames = line.partition("stack: ")[2].split("  ")[0]
        assert ([] if frames == "empty" else frames.split(" > ")) == [trace.call(frame) for frame in trace.stack[row]]
        assert ("✗" in line) == (not trace.same[row])


def test_without_a_terminal_all_rows_are_printed() -> None:
    out = StringIO()
    trace = traced(grid(9))
    watch(trace, "a grid", Console(file=out, width=40, markup=False))
    lines = out.getvalue().splitlines()
    rows = list(plain(trace))
    assert lines[-len(rows) - 1 : -1] == rows
    assert "  0 – 1, 3" in lines, "the edges"
    assert "legend: ○ not seen   ◎ being visited   ■ finished   – edges" in lines[10]
    assert lines[-1].startswith("✓ answer: 1 tree with 8 edges")


@settings(max_examples=20)
@given(graphs(), st.integers(60, 200))
def test_the_last_screen_shows_the_answer_and_every_screen_a_legend(graph: Graph, width: int) -> None:
    trace = traced(graph)
    for row in {0, len(trace) - 1}:
        out = StringIO()
        console = Console(file=out, width=width, height=40, force_terminal=True, color_system=None)
        console.print(screen(trace, row, "a graph", width, 40), height=40)
        assert ("✓ answer: " in out.getvalue()) == (row == len(trace) - 1)
        assert "○ not seen   ◎ being visited   ■ finished" in out.getvalue()
        if trace.running(row):
            assert f"► {trace.running(row)}" in out.getvalue(), "the running call is the top of the stack"


@settings(max_examples=20)
@given(graphs(), st.integers(20, 200), st.integers(5, 60), st.integers(0, 30))
def test_a_screen_is_never_larger_than_the_terminal(graph: Graph, width: int, height: int, row: int) -> None:
    trace = traced(graph)
    out = StringIO()
    console = Console(file=out, width=width, height=height, force_terminal=True, color_system=None)
    console.print(screen(trace, min(row, len(trace) - 1), "a graph", width, height), height=height)
    lines = out.getvalue().splitlines()
    assert len(lines) <= height
    assert max(map(len, lines)) <= width


@pytest.mark.parametrize("leave", ["q", "ctrl-c"])
def test_the_terminal_is_as_it_was_afterwards(leave: str) -> None:
    mine, theirs = pty.openpty()
    before = termios.tcgetattr(theirs)
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM], stdin=theirs, stdout=theirs, stderr=theirs, env=os.environ | {"TERM": "xterm"}
    )
    try:
        shown = read_until(mine, b"\x1b[?1049h", b"row 0 of")
        os.write(mine, b"\x1b[C\x1b[C\x1b[D\x1b[C")  # fast keys come together
        shown += read_until(mine, b"row 2 of")
        if leave == "q":
            os.write(mine, b"q")
        else:
            process.send_signal(signal.SIGINT)
        shown += read_until(mine, b"\x1b[?1049l")
        process.wait(20)
    finally:
        process.kill()
        process.wait()
    assert (process.returncode == 0) == (leave == "q")
    assert termios.tcgetattr(theirs) == before
    os.close(mine)
    os.close(theirs)


def read_until(terminal: int, *wanted: bytes) -> bytes:
    read, end = b"", time.monotonic() + 60
    while not all(text in read for text in wanted):
        assert time.monotonic() < end, read
        if select.select([terminal], [], [], 0.5)[0]:
            read += os.read(terminal, 65536)
    return read
