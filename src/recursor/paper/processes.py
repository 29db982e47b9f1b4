"""Runs several jobs at the same time on this machine, each in its own process with its share of the cores.

A file named `paused` in the directory of runs pauses the jobs. While it exists, running jobs are stopped as with Ctrl-C, and
none is started; when it is removed, the jobs resume from their checkpoints. So a pause frees the memory, does not count as
training time, and continues after the command that asked for it, or the one that runs the jobs, has ended.
"""

import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from typing import IO

from recursor.paper.jobs import STOPPED, TERMINATED, Job
from recursor.system.compiling import cores
from recursor.system.memory import usable_memory
from recursor.training import checkpoint

STARTS = 4  # how often a job is started if its process is killed, for instance because memory ran out
REPORT_SECONDS = 300.0  # between two reports of progress
PAUSED = "paused"
IDLE = 19  # the lowest priority
Say = Callable[[str], None]


def pause(work: Path) -> None:
    """Pauses the jobs whose runs are in a directory, also those that are started later."""
    work.mkdir(parents=True, exist_ok=True)
    (work / PAUSED).touch()


def resume(work: Path) -> None:
    """Ends a pause."""
    (work / PAUSED).unlink(missing_ok=True)


def is_paused(work: Path) -> bool:
    """Returns whether the jobs whose runs are in a directory are paused."""
    return (work / PAUSED).exists()


def at_once(jobs: Sequence[Job]) -> int:
    """Returns how many jobs can run at the same time: one per core, as far as the memory allows; with an accelerator only
    one, since it is used by one process at a time."""
    fitting = int(0.9 * available_memory() / max(job.memory for job in jobs))
    return 1 if accelerated() else max(1, min(len(jobs), len(cores()), fitting))


def accelerated() -> bool:
    """Returns whether JAX finds an accelerator. A subprocess asks JAX, since asking reserves the accelerator."""
    code = "import jax; print(jax.default_backend())"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    return answer.stdout.strip() != "cpu"


def available_memory() -> int:
    """Returns the bytes of memory that are available to new processes: what is free, or less if a limit is set."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        free = next(1024 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration):
        return usable_memory()
    return min(free, usable_memory())


@dataclass(frozen=True)
class _Running:
    job: Job
    process: subprocess.Popen
    log: Path
    starts: int


def _start(job: Job, slot: int, slots: int, starts: int, *, idle: bool) -> _Running:
    """Starts a job on its share of the cores: `slot`, `slot + slots`, … It gets its own session, so that Ctrl-C in the
    terminal does not reach it; it is stopped only by closing its standard input."""
    job.directory.parent.mkdir(parents=True, exist_ok=True)
    log = job.directory.with_name(f"{job.directory.name}.log")
    share = cores()[slot::slots]
    limit = ["taskset", "--cpu-list", ",".join(map(str, share))] if share and slots > 1 and which("taskset") else []
    limit += ["nice", "-n", str(IDLE)] if idle and which("nice") else []
    with log.open("ab") as output:
        process = subprocess.Popen(
            [*limit, sys.executable, "-m", "recursor.paper.jobs"],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    if idle:
        _lower_session(process.pid)
    _input(process).write(f"{job.to_json()}\n".encode())
    _input(process).flush()
    return _Running(job, process, log, starts)


def _lower_session(process: int) -> None:
    """Gives a process's session the lowest priority, where Linux shares the processor among sessions (autogroups): there
    `nice` counts only among the processes of one session."""
    with suppress(OSError):  # no such file, no permission, or the process has ended
        Path(f"/proc/{process}/autogroup").write_text(str(IDLE))


def _input(process: subprocess.Popen) -> IO[bytes]:
    assert process.stdin is not None
    return process.stdin


def run(jobs: Sequence[Job], slots: int, say: Say, *, idle: bool = False) -> list[str]:
    """Runs jobs, each in its own process.

    Args:
        jobs: The jobs, in the order in which they are started.
        slots: How many run at the same time.
        say: Is called with a line of text for each event.
        idle: Whether jobs run at the lowest priority.

    Returns:
        A line for each job that failed.

    Raises:
        KeyboardInterrupt: After Ctrl-C, once all jobs have stopped.
    """
    waiting = [(job, 1) for job in jobs]
    places = {job.directory.parent for job in jobs}
    running: dict[int, _Running] = {}
    failed: list[str] = []
    pausing: set[int] = set()  # slots of jobs that were asked to stop for a pause
    done, reported, paused = 0, time.monotonic(), False
    try:
        while waiting or running:
            if time.monotonic() - reported > REPORT_SECONDS:
                reported = time.monotonic()
                for one in running.values():
                    say(f"{one.job}: {updates(one.job)} of {one.job.config.updates} updates")
            if paused != any(map(is_paused, places)):
                paused = not paused
                say("paused: jobs stop after their current update" if paused else "the pause is over")
            if paused:
                for slot in running.keys() - pausing:
                    pausing.add(slot)
                    _input(running[slot].process).close()
            for slot in set(range(slots)) - set(running):
                if waiting and not paused:
                    job, starts = waiting.pop(0)
                    say(f"{job}: {'resumes' if job.directory.exists() else 'starts'}")
                    running[slot] = _start(job, slot, slots, starts, idle=idle)
            time.sleep(0.05)
            for slot, one in list(running.items()):
                status = one.process.poll()
                if status is None:
                    continue
                _input(one.process).close()
                del running[slot]
                for_pause = slot in pausing
                pausing.discard(slot)
                if status == 0:
                    done += 1
                    say(f"{one.job}: done, {done} of {len(jobs)}")
                elif (status < 0 or status in (STOPPED, TERMINATED)) and for_pause:
                    say(f"{one.job}: is paused after update {updates(one.job)}")
                    waiting.insert(0, (one.job, one.starts))
                elif (status < 0 or status in (STOPPED, TERMINATED)) and one.starts < STARTS:
                    say(f"{one.job}: was killed (status {status}) after update {updates(one.job)}")
                    waiting.insert(0, (one.job, one.starts + 1))
                else:
                    failed.append(f"{one.job}: {last_line(one.log)}")
                    say(f"{one.job}: failed, see {one.log}")
    finally:
        _stop(running, say)
    return failed


def _stop(running: dict[int, _Running], say: Say) -> None:
    """Stops the jobs and waits for their checkpoints. A second Ctrl-C kills them, which loses at most a minute of work."""
    if not running:
        return
    say(f"stopping {len(running)} jobs after their current update; nothing is lost")
    try:
        for one in running.values():
            _input(one.process).close()
        for one in running.values():
            one.process.wait()
    except KeyboardInterrupt:
        for one in running.values():
            one.process.kill()
            one.process.wait()
        raise


def updates(job: Job) -> int:
    """Returns the number of updates in the last checkpoint of a job."""
    return checkpoint.updates(job.directory)


def last_line(log: Path) -> str:
    """Returns the last line of a job's log."""
    lines = log.read_text(errors="replace").strip().splitlines()
    return lines[-1].removeprefix("recursor: ") if lines else "it printed nothing"
