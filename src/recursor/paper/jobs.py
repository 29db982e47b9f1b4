"""A job: one run of the table, started or resumed, trained and scored.

    python -m recursor.paper.jobs

reads a job from standard input, as one line of JSON, and runs it. The parent process keeps standard input open. When it
closes, also because the parent died, the job stops as with Ctrl-C, which loses nothing. So no job outlives its parent.
"""

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from recursor.algorithms import IMPORTED, register_file
from recursor.configurations.paper import BUDGETS
from recursor.paper import results
from recursor.paper.experiments import TEST_SEED, Experiment
from recursor.system.files import DamagedFileError, finite, parse_json, read_whole, write_atomically
from recursor.system.interrupts import status
from recursor.system.locks import lock
from recursor.training.config import TrainConfig, from_json, read_config

STOPPED, TERMINATED = 130, 143  # exit status after Ctrl-C, and after SIGTERM
PATIENCE = 300.0  # seconds within which a job must stop when asked; an update takes less


@dataclass(frozen=True)
class Job:
    """A configuration to train, with the directories of its run and its result."""

    name: str
    budget: str
    config: TrainConfig
    directory: Path
    """The run directory."""
    results: Path
    """The directory of the result."""
    sizes: tuple[tuple[int, int], ...]
    """Sizes to test on, and how many graphs of each."""
    imports: tuple[str, ...] = ()
    """Files that define further algorithms."""

    def __str__(self) -> str:
        return f"{self.name}, seed {self.config.seed}"

    @property
    def memory(self) -> float:
        """An estimate of the memory of the process in bytes: an update, and 2 GB for JAX, compilation and evaluation."""
        return self.config.memory() + 2e9

    def to_json(self) -> str:
        """Returns the job as one line of JSON."""
        plain = asdict(self) | {"directory": str(self.directory.absolute()), "results": str(self.results.absolute())}
        return json.dumps(plain)

    def done(self) -> bool:
        """Returns whether the result exists. Refuses a result that is damaged or of another job."""
        result = results.read(self.results, self.config)
        if result is None:
            return False
        if [(score["nodes"], score["graphs"]) for score in result["scores"]] != list(self.sizes):
            raise ValueError(f"{self.results} has other test sizes; choose another --results, or remove it")
        return True


def read_job(text: str) -> Job:
    """Reads a job that `to_json` wrote."""
    plain = json.loads(text)
    for path in plain["imports"]:
        if Path(path) not in IMPORTED:
            register_file(path)
    return Job(
        name=plain["name"],
        budget=plain["budget"],
        config=from_json(json.dumps(plain["config"]), "the job"),
        directory=Path(plain["directory"]),
        results=Path(plain["results"]),
        sizes=tuple((nodes, graphs) for nodes, graphs in plain["sizes"]),
        imports=tuple(plain["imports"]),
    )


def job(experiment: Experiment, budget: str, config: TrainConfig, work: Path, kept: Path) -> Job:
    """Returns the job of an experiment. `work` is the directory of runs, `kept` that of results."""
    place = f"{experiment.name.replace('/', '-')}-seed{config.seed}"
    return Job(experiment.name, budget, config, work / place, kept / place, BUDGETS[budget].tests)


def seeds_first(experiments: Sequence[Experiment], budget: str, seeds: Sequence[int], work: Path, kept: Path) -> list[Job]:
    """Returns the jobs of all experiments: first those of the first seed, then those of the next. So the table is complete
    early, and later seeds refine it."""
    from recursor.configurations.named import configuration

    return [
        job(experiment, budget, configuration(experiment.name, budget=budget, seed=seed), work, kept)
        for seed in seeds
        for experiment in experiments
    ]


def finish(job: Job) -> dict[str, bytes] | None:
    """Does what is left of the training and scoring, and returns the files of the result; None if the result exists
    already."""
    with lock(job.directory.with_name(f"{job.directory.name}.lock"), wait=True):
        return None if job.done() else _finish(job)


def _finish(job: Job) -> dict[str, bytes]:
    from recursor.system.compiling import cores, keep_compiled_programs
    from recursor.training import update
    from recursor.training.loading import load
    from recursor.training.loop import resume

    os.environ.setdefault("RECURSOR_KERNELS", "1")  # halves the time of the rollouts
    keep_compiled_programs()
    update.use_cores(job.config)
    place = job.directory / "config.json"
    if not place.exists():
        job.directory.mkdir(exist_ok=True)
        write_atomically(place, job.config.to_json().encode())
    if read_config(place) != job.config:
        raise ValueError(f"{job.directory} is a run of another configuration; choose another --work, or remove it")
    summary = job.directory / "run.json"
    run = load(job.directory) if summary.exists() else resume(job.directory)
    scores = [_score(run, nodes, graphs) for nodes, graphs in job.sizes]
    try:
        trained = dict(parse_json(read_whole(summary)))
    except (ValueError, TypeError) as error:
        raise DamagedFileError(summary, f"it is not a JSON object ({error}); remove it, and it is written again") from None
    result = {
        "name": job.name,
        "budget": job.budget,
        "seed": job.config.seed,
        **trained,
        "cores": len(cores()),
        "config": json.loads(job.config.to_json()),
        "test_seed": TEST_SEED,
        "scores": scores,
    }
    config, metrics = (read_whole(job.directory / name) for name in ("config.json", results.METRICS))
    return results.pack(result, {"config.json": config, results.CURVE: results.thin(metrics)})


def _score(run: Any, nodes: int, graphs: int) -> dict[str, Any]:
    """Returns the scores at one size. They are saved, so that a resumed job does not compute them again."""
    path = run.directory / f"scores-{nodes}.json"
    try:
        saved = parse_json(read_whole(path))
        if (saved["nodes"], saved["graphs"]) == (nodes, graphs):
            return saved
    except FileNotFoundError:
        pass
    except (ValueError, KeyError, TypeError) as error:
        raise DamagedFileError(path, f"it contains no scores ({error}); remove it") from None
    began = time.monotonic()
    (scores,) = run.evaluate([nodes], graphs, seed=TEST_SEED)
    result = finite(replace(scores, hints={}).to_dict() | {"hints": scores.hint_means()})
    result["seconds"] = round(time.monotonic() - began, 1)
    write_atomically(path, json.dumps(result).encode())
    return result


def _stop_with(pipe: int) -> None:
    """Stops this process, as Ctrl-C does, when the other end of a pipe is closed."""

    def wait() -> None:
        while os.read(pipe, 1):
            pass
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(PATIENCE)
        os._exit(STOPPED)  # as after a kill, the last checkpoint remains

    threading.Thread(target=wait, daemon=True).start()


def _first_line(pipe: int) -> str:
    line = b""
    while not line.endswith(b"\n"):
        byte = os.read(pipe, 1)
        if not byte:
            sys.exit(STOPPED)
        line += byte
    return line.decode()


def main() -> None:
    """Runs the job on standard input."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # the parent may have ignored SIGINT, which a child inherits
    try:
        job = read_job(_first_line(0))
        _stop_with(0)
        files = finish(job)
        if files is not None:
            results.write(job.results, files)
    except KeyboardInterrupt as interrupt:
        sys.exit(status(interrupt))
    except (ValueError, ArithmeticError, OSError) as error:
        sys.exit(f"recursor: {error}")


if __name__ == "__main__":
    main()
