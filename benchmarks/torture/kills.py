"""Real processes that are killed, and two that want the same directory.

Importing JAX takes longer than training the small run. So one process imports everything, but starts no device, and forks a
process for each attempt. It verifies on a handful of inputs only, so that kills hit training as often as verification.
"""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import cycle
from pathlib import Path

from benchmarks.torture.common import TINY, VERIFIED, Count, content

from recursor.training import checkpoint
from recursor.training.config import TrainConfig
from recursor.training.lessons import FILE

KINDS = (replace(TINY, updates=60), VERIFIED)
"""The runs that are killed."""
BUSY = 7
"""The exit status of a process that finds another one training."""
STARTER = f"""
import os, sys
from functools import partial
from recursor.training import consolidation, lessons, loop

lessons.verify_reasoner = partial(lessons.verify_reasoner, small_size=2, draws=1)
lessons.SIZES, lessons.SEARCH, lessons.CONSOLIDATIONS, consolidation.UPDATES = (3, 5), 64, 1, 50

def start(directory):
    child = os.fork()
    if child:
        return child
    try:
        loop.resume(directory, progress=False)
        os._exit(0)
    except BaseException as error:
        if "another process is training" in str(error):
            os._exit({BUSY})
        print(repr(error), file=sys.stderr, flush=True)
        os._exit(1)

for line in sys.stdin:
    children = [start(directory) for directory in line.split()]
    print(*children, flush=True)
    statuses = {{child: os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children}}
    print(*statuses.values(), flush=True)
"""


class Starter:
    """Starts processes that resume runs."""

    def __init__(self, root: Path) -> None:
        cache = {"JAX_COMPILATION_CACHE_DIR": str(root / "cache"), "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0"}
        self._process = subprocess.Popen(
            [sys.executable, "-W", "error", "-c", STARTER],
            env={**os.environ, **cache},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def start(self, *directories: Path) -> list[int]:
        """Starts a process for each directory and returns their ids. They have to end before others are started."""
        assert self._process.stdin is not None
        self._process.stdin.write(" ".join(map(str, directories)) + "\n")
        self._process.stdin.flush()
        return self._numbers()

    def wait(self) -> list[int]:
        """Returns the exit statuses of the processes once all have ended; of a killed one -9."""
        return self._numbers()

    def _numbers(self) -> list[int]:
        assert self._process.stdout is not None
        return [int(word) for word in self._process.stdout.readline().split()]

    def close(self) -> None:
        with self._process:  # closes its pipes and waits for it
            pass


@contextmanager
def starter(root: Path) -> Iterator[Starter]:
    """Opens a starter, and ends it."""
    opened = Starter(root)
    try:
        yield opened
    finally:
        opened.close()


def kills(count: int, seconds: float, seed: int, root: Path, *, kinds: Sequence[TrainConfig] = KINDS) -> Count:
    """Kills runs of each kind in turn, so often, at random moments, and compares each, once it has ended, with one that was
    left alone."""
    result, moments = Count("kills"), random.Random(seed)
    with starter(root) as processes:
        expected = []
        for number, config in enumerate(kinds):
            alone = _new(root / f"alone-{number}", config)
            processes.start(alone)
            if processes.wait() != [0]:
                result.fail(f"the run {number} that is left alone failed")
                return result
            expected.append(content(alone))
        for place, (number, config) in enumerate(cycle(enumerate(kinds))):
            if result.done >= count or result.seconds > seconds:
                return result
            directory = _new(root / f"killed-{place}", config)
            before, status = result.done, -signal.SIGKILL
            while status == -signal.SIGKILL and result.done < count:
                (process,) = processes.start(directory)
                _wait_for_a_moment(process, directory, moments)
                with suppress(ProcessLookupError):  # it has ended by itself
                    os.kill(process, signal.SIGKILL)
                (status,) = processes.wait()
                if status == -signal.SIGKILL:
                    result.done += 1
                    result.where[_phase(directory, config)] += 1
            if status == -signal.SIGKILL:  # enough kills: it goes on to its end
                processes.start(directory)
                (status,) = processes.wait()
            if status != 0:
                result.fail(f"status {status} after {result.done} kills")
            elif content(directory) != expected[number]:
                result.fail(f"other bytes than the run that was left alone, after {result.done} kills")
            else:
                result.where["runs that ended with the bytes of one left alone"] += result.done > before
            if left := [path.name for path in directory.glob(".*.tmp")]:
                result.fail(f"temporary files are left: {left}")
    return result


def _phase(directory: Path, config: TrainConfig) -> str:
    """Returns which part of a run a kill has hit, as far as its files tell."""
    done = checkpoint.updates(directory)
    if not done:
        return "before the first checkpoint"
    last = config.updates + config.lesson_updates * (directory / FILE).exists()
    return "between checkpoints" if done < last else "verifying" if config.lessons else "after the last checkpoint"


def _new(directory: Path, config: TrainConfig) -> Path:
    directory.mkdir()
    (directory / "config.json").write_text(config.to_json())
    return directory


def _wait_for_a_moment(process: int, directory: Path, moments: random.Random) -> None:
    """Waits for any moment while the process starts, or for one shortly after its first new checkpoint. The time is that of
    the process, so that a busy machine changes little."""
    before, began = checkpoint.updates(directory), _worked(process)
    if moments.random() < 0.3:
        until = began + moments.uniform(0, 3)
    else:
        while checkpoint.updates(directory) <= before and _is_running(process):
            time.sleep(0.01)
        until = _worked(process) + moments.uniform(0, 0.1)
    while _worked(process) < until and _is_running(process):
        time.sleep(0.005)


def _worked(process: int) -> float:
    """Returns how many seconds of a core a process has used; 0 once it is gone."""
    try:
        user, system = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
    except OSError:
        return 0.0


def _is_running(process: int) -> bool:
    """Returns whether a process, a child of the starter, has not ended."""
    try:
        return ") Z" not in Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False


def two_at_once(count: int, seconds: float, root: Path) -> Count:
    """Starts two processes in one directory: one trains, the other is refused, or finds the run done."""
    result = Count("two at once")
    with starter(root) as processes:
        expected = None
        while result.done < count and result.seconds < seconds:
            directory = _new(root / f"two-{result.done}", TINY)
            processes.start(directory, directory)
            statuses = processes.wait()
            result.done += 1
            if sorted(statuses) not in ([0, 0], [0, BUSY]):
                result.fail(f"the statuses are {statuses}")
                continue
            expected = expected or content(directory)
            if content(directory) != expected:
                result.fail(f"round {result.done}: other bytes")
    return result
