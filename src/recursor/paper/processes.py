"""Many jobs at once on this machine, each in a process of its own with its share of the cores.

Jobs are paused by a file, `paused`, in the directory of their runs. While it is there the jobs are stopped, as with Ctrl-C,
and none is started; when it is gone they go on from their checkpoints. So a pause frees the memory, is not counted as time
of training, and outlives whoever asked for it and whoever has to keep it.
"""

import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from typing import IO

from recursor.paper.jobs import STOPPED, TERMINATED, Job
from recursor.system.compiling import cores
from recursor.system.memory import physical_memory
from recursor.training import checkpoint

STARTS = 4  # of a job whose process is killed by something, such as the want of memory
TELL_SECONDS = 300.0  # between two lines about what is going on
PAUSED = "paused"
IDLE = 19  # the lowest priority
Say = Callable[[str], None]


def pause(work: Path) -> None:
    """Pauses the jobs whose runs are in that directory, those that are started later too."""
    work.mkdir(parents=True, exist_ok=True)
    (work / PAUSED).touch()


def resume(work: Path) -> None:
    """Lets them go on."""
    (work / PAUSED).unlink(missing_ok=True)


def is_paused(work: Path) -> bool:
    """Whether the jobs whose runs are in that directory are paused."""
    return (work / PAUSED).exists()


def at_once(jobs: Sequence[Job]) -> int:
    """How many jobs the machine holds: one a core if the memory is enough for them, and one where there is an accelerator,
    which a process has for itself."""
    held = int(0.9 * available_memory() / max(job.memory for job in jobs))
    return 1 if accelerated() else max(1, min(len(jobs), len(cores()), held))


def accelerated() -> bool:
    """Whether JAX finds more than the processor. Another process asks, since who asks has it for itself."""
    code = "import jax; print(jax.default_backend())"
    asked = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    return asked.stdout.strip() != "cpu"


def available_memory() -> int:
    """Bytes that new processes may take."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        return next(1024 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration):
        return physical_memory()


@dataclass(frozen=True)
class _Running:
    job: Job
    process: subprocess.Popen
    log: Path
    starts: int


def _start(job: Job, slot: int, slots: int, starts: int, *, idle: bool) -> _Running:
    """Starts a job on every so many'th core. Its session is its own: Ctrl-C reaches it through the closing of its standard
    input alone, and once."""
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
    _input(process).write(f"{job.to_json()}\n".encode())
    _input(process).flush()
    return _Running(job, process, log, starts)


def _input(process: subprocess.Popen) -> IO[bytes]:
    assert process.stdin is not None
    return process.stdin


def run(jobs: Sequence[Job], slots: int, say: Say, *, idle: bool = False) -> list[str]:
    """Does jobs in processes of their own.

    Args:
        jobs: The jobs, in the order in which they are started.
        slots: How many of them run at once.
        say: Gets a line of text when something happens.
        idle: Whether they run at the lowest priority.

    Returns:
        A line for each job that failed.

    Raises:
        KeyboardInterrupt: After Ctrl-C, when all jobs have stopped where they were.
    """
    waiting = [(job, 1) for job in jobs]
    places = {job.directory.parent for job in jobs}
    running: dict[int, _Running] = {}
    failed: list[str] = []
    asked: set[int] = set()  # slots of jobs that were asked to stop for a pause
    done, told, paused = 0, time.monotonic(), False
    try:
        while waiting or running:
            if time.monotonic() - told > TELL_SECONDS:
                told = time.monotonic()
                for one in running.values():
                    say(f"{one.job}: {updates(one.job)} of {one.job.config.updates} updates")
            if paused != any(map(is_paused, places)):
                paused = not paused
                say("paused: jobs stop after the update they are in" if paused else "the pause is over")
            if paused:
                for slot in running.keys() - asked:
                    asked.add(slot)
                    _input(running[slot].process).close()
            for slot in set(range(slots)) - set(running):
                if waiting and not paused:
                    job, starts = waiting.pop(0)
                    say(f"{job}: {'goes on' if job.directory.exists() else 'starts'}")
                    running[slot] = _start(job, slot, slots, starts, idle=idle)
            time.sleep(0.05)
            for slot, one in list(running.items()):
                status = one.process.poll()
                if status is None:
                    continue
                _input(one.process).close()
                del running[slot]
                for_pause = slot in asked
                asked.discard(slot)
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
    """Lets the jobs write what they have. Another Ctrl-C meanwhile kills them, which costs at most a minute's updates."""
    if not running:
        return
    say(f"stopping {len(running)} jobs after the update they are in; nothing is lost")
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
    """How many updates are kept."""
    return checkpoint.updates(job.directory)


def last_line(log: Path) -> str:
    """What a job said at last."""
    lines = log.read_text(errors="replace").strip().splitlines()
    return lines[-1].removeprefix("recursor: ") if lines else "it said nothing"
