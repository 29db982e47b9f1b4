"""Runs jobs on a Ray cluster: the one that RAY_ADDRESS names, else a local one.

If a worker dies, another worker repeats its job: from the last checkpoint if both can read the directory of runs, else from
the beginning. Results are sent back to the process that called `run`, which writes them.
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


def _finish_job(text: str) -> dict[str, bytes] | None:
    return finish(read_job(text))


def run(jobs: Sequence[Job], slots: int | None, say: Say) -> list[str]:
    """Runs the jobs, at most `slots` at the same time, each on one core. Returns a line for each job that failed. Ctrl-C
    stops all of them after their current update."""
    ray = _ray()
    if not ray.is_initialized():
        ray.init(log_to_driver=False)
    # max_calls: one process per job, so that its peak memory is its own; NPROC: the number of XLA's threads
    threads = {"env_vars": {"NPROC": "1", "PJRT_NPROC": "1"}}
    remote = ray.remote(num_cpus=1, max_retries=STARTS - 1, max_calls=1, runtime_env=threads)(_finish_job)
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
        say(f"stopping {len(running)} jobs after their current update; nothing is lost")
        for reference in running:
            ray.cancel(reference)
        if running:
            ray.wait(list(running), num_returns=len(running), timeout=PATIENCE)
        raise
    return failed
