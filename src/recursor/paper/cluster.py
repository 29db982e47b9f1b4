"""Jobs on a Ray cluster: the one that RAY_ADDRESS names, else one of this machine alone.

A job whose worker dies is done again by another, from its last checkpoint if both see the directory of runs, else from the
beginning. Results come back to whoever asked and are written there.
"""

import importlib
from collections.abc import Sequence
from typing import Any

from recursor.paper import results
from recursor.paper.jobs import PATIENCE, Job, finish, read_job
from recursor.paper.processes import STARTS, Say


def _ray() -> Any:
    try:
        return importlib.import_module("ray")
    except ImportError:
        raise ValueError("a Ray cluster needs its extra: pip install 'recursor[ray]'") from None


def _do(text: str) -> dict[str, bytes] | None:
    return finish(read_job(text))


def run(jobs: Sequence[Job], slots: int | None, say: Say) -> list[str]:
    """Does the jobs, at most so many at once, each on one core, and tells what failed. Ctrl-C stops all of them where they
    are."""
    ray = _ray()
    if not ray.is_initialized():
        ray.init(log_to_driver=False)
    # max_calls: a process a job, so that its peak of memory is its own; NPROC: XLA's threads
    threads = {"env_vars": {"NPROC": "1", "PJRT_NPROC": "1"}}
    remote = ray.remote(num_cpus=1, max_retries=STARTS - 1, max_calls=1, runtime_env=threads)(_do)
    waiting, running, failed, done = list(jobs), {}, [], 0
    try:
        while waiting or running:
            while waiting and (slots is None or len(running) < slots):
                job = waiting.pop(0)
                running[remote.options(memory=int(job.memory)).remote(job.to_json())] = job
            (ready, *_), _ = ray.wait(list(running), num_returns=1)
            job = running.pop(ready)
            try:
                files = ray.get(ready)
            except ray.exceptions.RayError as error:
                failed.append(f"{job}: {str(error).strip().splitlines()[-1]}")
                say(f"{job}: failed")
                continue
            if files is not None:
                results.write(job.results, files)
            done += 1
            say(f"{job}: done, {done} of {len(jobs)}")
    except KeyboardInterrupt:
        say(f"stopping {len(running)} jobs after the update they are in; nothing is lost")
        for reference in running:
            ray.cancel(reference)
        if running:
            ray.wait(list(running), num_returns=len(running), timeout=PATIENCE)
        raise
    return failed
