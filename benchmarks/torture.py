"""Whether anything is lost: kills, full disks, damaged checkpoints and graph files that are none.

    python benchmarks/torture.py --minutes 60

Four parts, each from seeds, in temporary directories, without any network:

- kills: a run is killed at random moments and resumed; in the end its bytes are those of a run that was left alone;
- failed writes: each write of a run fails once, as on a full disk; the error is a sentence, and the resumed run has the same
  bytes;
- damage: files of a run are flipped, cut, emptied, exchanged; what is whole is loaded and stays, and all else is refused in
  a sentence;
- graphs: files that are nearly graphs are read, or refused in a sentence.

A part that has used up its share of the time stops, and tells how far it came. The exit status is 1 if anything failed.
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.numpy

from recursor.graphs.graph import Graph
from recursor.graphs.reading import read_graph
from recursor.network.config import NetworkConfig
from recursor.report.history import read_history
from recursor.system.files import DamagedFileError
from recursor.training import checkpoint, loop, run
from recursor.training.config import TrainConfig

TINY = TrainConfig(
    network=NetworkConfig(width=16, frame_width=4),
    sizes=(4,),
    batch=4,
    updates=12,
    validate_every=4,
    validate_nodes=4,
    validate_graphs=4,
)
FILES = ("last-A.safetensors", "last-B.safetensors", "weights.safetensors", "config.json", "metrics.jsonl", "run.json")
SECONDS_A_GRAPH = 10


@dataclass
class Count:
    """What a part did, and what went wrong."""

    name: str
    done: int = 0
    failures: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def __str__(self) -> str:
        return f"{self.name:<16}{self.done:>8}{len(self.failures):>10}{self.seconds:>10.0f}"


def content(directory: Path) -> dict[str, bytes]:
    """What has to be the same in a run that was interrupted: the weights, the arrays of the last checkpoint, and the metrics
    but for the seconds."""
    arrays = safetensors.numpy.load_file(checkpoint.checkpoints(directory, "last")[0].path)
    lines = [json.loads(line) for line in (directory / "metrics.jsonl").read_text().splitlines()]
    metrics = json.dumps([{name: value for name, value in line.items() if name != "seconds"} for line in lines])
    found = {name: array.tobytes() for name, array in arrays.items()}
    return found | {"weights": (directory / "weights.safetensors").read_bytes(), "metrics": metrics.encode()}


def kills(count: int, seconds: float, seed: int, root: Path) -> Count:
    """Kills a run so often at random moments, then lets it end."""
    result, moments = Count("kills"), random.Random(seed)
    config = replace(TINY, updates=20 * count + 40, validate_every=2)
    alone, killed = root / "alone", root / "killed"
    for directory in (alone, killed):
        directory.mkdir()
        (directory / "config.json").write_text(config.to_json())
    if _resumed(alone).wait() != 0:
        result.failures.append("the run that is left alone failed")
        return result
    began = time.monotonic()
    while result.done < count and time.monotonic() - began < seconds:
        process = _resumed(killed)
        if moments.random() < 0.2:  # while it starts
            time.sleep(moments.uniform(0, 5))
        else:
            before = checkpoint.updates(killed)
            while checkpoint.updates(killed) <= before and process.poll() is None:
                time.sleep(0.002)
            time.sleep(moments.uniform(0, 0.1))
        process.kill()
        if process.wait() != -signal.SIGKILL:
            if process.returncode != 0:
                result.failures.append(f"status {process.returncode} before kill {result.done + 1}")
            break
        result.done += 1
    if _resumed(killed).wait() != 0:
        result.failures.append("the killed run does not end")
    elif content(killed) != content(alone):
        result.failures.append("the killed run has other bytes than the one that was left alone")
    if leftovers := [path.name for path in killed.glob(".*.tmp")]:
        result.failures.append(f"temporary files are left: {leftovers}")
    return result


def _resumed(directory: Path) -> subprocess.Popen:
    code = f"from recursor.training import loop; loop.resume({str(directory)!r}, progress=False)"
    return subprocess.Popen([sys.executable, "-W", "error", "-c", code])


@contextmanager
def failing(at: int):
    """Lets the at'th step of writing fail, as on a full disk: opening, syncing and renaming are steps."""
    steps = [0]

    def guarded(function: Callable) -> Callable:
        def call(*arguments: Any, **named: Any) -> Any:
            steps[0] += 1
            if steps[0] == at:
                raise OSError(28, "No space left on device")
            return function(*arguments, **named)

        return call

    def opened(path: Path, mode: str = "r", *arguments: Any, **named: Any) -> Any:
        return (guarded(before[1]) if set(mode) & set("wa") else before[1])(path, mode, *arguments, **named)

    before = os.fsync, pathlib.Path.open, pathlib.Path.replace
    os.fsync, pathlib.Path.open, pathlib.Path.replace = guarded(before[0]), opened, guarded(before[2])  # pyright: ignore
    try:
        yield steps
    finally:
        os.fsync, pathlib.Path.open, pathlib.Path.replace = before


def failed_writes(count: int, seconds: float, root: Path) -> Count:
    """Lets each step of writing of a run fail once, and resumes it; at most so many."""
    result = Count("failed writes")
    loop.train(TINY, root / "reference", progress=False)
    expected = content(root / "reference")
    began = time.monotonic()
    while result.done < count and time.monotonic() - began < seconds:
        directory = root / f"full-{result.done + 1}"
        with failing(result.done + 1) as steps:
            try:
                loop.train(TINY, directory, progress=False)
            except OSError as error:
                if "No space left" not in str(error):
                    result.failures.append(f"step {result.done + 1}: {error!r}")
        if steps[0] <= result.done:  # all steps have failed once
            break
        result.done += 1
        try:
            if (directory / "config.json").exists():
                loop.resume(directory, progress=False)
            else:
                loop.train(TINY, directory, progress=False)
            if content(directory) != expected:
                result.failures.append(f"step {result.done}: other bytes")
        except Exception as error:  # whatever it is, it is counted
            result.failures.append(f"step {result.done}: {error!r}")
        shutil.rmtree(directory, ignore_errors=True)
    return result


def damaged(data: bytes, rng: random.Random) -> bytes:
    """The same bytes with a damage."""
    place = rng.randrange(len(data)) if data else 0
    match rng.randrange(7):
        case 0:
            return data[:place] + bytes([data[place] ^ 1 << rng.randrange(8)]) + data[place + 1 :] if data else b"\0"
        case 1:
            return data[:place]
        case 2:
            return data[:place] + bytes(min(4096, len(data) - place)) + data[place + 4096 :]
        case 3:
            return data + rng.randbytes(rng.randrange(1, 100))
        case 4:
            return data[:place] + rng.randbytes(rng.randrange(1, 64)) + data[place:]
        case 5:
            return data[:place] + data[place + rng.randrange(1, 64) :]
        case _:
            return rng.randbytes(rng.randrange(200))


def damages(count: int, seconds: float, seed: int, root: Path) -> Count:
    """Damages files of a run and loads it as `--resume`, `evaluate` and `report` do."""
    result, rng = Count("damaged runs"), random.Random(seed)
    whole = root / "whole"
    loop.train(TINY, whole, progress=False)
    original = {name: (whole / name).read_bytes() for name in FILES}
    like = loop._Loop(whole, TINY, loop.Progress(1, shown=False), ())
    like.file.close()
    directory = root / "damaged"
    began = time.monotonic()
    while result.done < count and time.monotonic() - began < seconds:
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir()
        hit = set(rng.sample(FILES, rng.choice((1, 1, 1, 2, 3))))
        for name, data in original.items():
            (directory / name).write_bytes(damaged(data, rng) if name in hit else data)
        hit = {name for name in hit if (directory / name).read_bytes() != original[name]}
        result.done += 1
        try:
            if error := _survives(directory, hit, original, like):
                result.failures.append(f"damage {result.done} of {', '.join(sorted(hit))}: {error}")
        except Exception as error:  # whatever it is, it is counted
            result.failures.append(f"damage {result.done} of {', '.join(sorted(hit))}: {error!r}")
    return result


def _survives(directory: Path, hit: set[str], original: dict[str, bytes], like: Any) -> str | None:
    for read in (run.config_of, run.load, read_history):
        try:
            read(directory)
            if read is run.load and "weights.safetensors" in hit:
                return "damaged weights were loaded"
        except (ValueError, OSError) as error:
            if "\n" in str(error):
                return f"not a sentence: {error}"
    lasts = {"last-A.safetensors", "last-B.safetensors"}
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            _, header = checkpoint.load(directory, "last", like.kept(), TINY, clean=True)
            if header.path.name in hit:
                return "a damaged checkpoint was loaded"
            if len(warned) != len(lasts & hit) and header.updates == TINY.updates - 4:
                return "a damaged checkpoint was not named"
            checkpoint.save(directory, "last", header.updates + 1, like.kept(), TINY, header.notes)
            if header.path.read_bytes() != original[header.path.name]:
                return "the checkpoint that was loaded was replaced"
        except DamagedFileError:
            if not lasts <= hit:
                return "a whole checkpoint was not found"
    return None


LISTS = (
    b"a b\nb c\nc a\n",
    b"# undirected\n1 2\n2 3\n\n3 1\n",
    "ä ö\nö ü\n".encode(),
    b"# nodes a b c\n# key 1 2 3\na b\n",
    b"0 1\n" * 50,
)
MARKETS = (b"%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 3\n",)
SEPARATED = (b"a,b\nb,c\n", b'source,target\n"x y",z\n')


def graphs(count: int, seconds: float, seed: int, root: Path) -> Count:
    """Reads files that are nearly graphs."""
    result, rng = Count("graph files"), random.Random(seed)
    matrix = root / "matrix.npy"
    np.save(matrix, np.eye(3, k=1, dtype=np.int8))
    seeds = {
        ".txt": LISTS,
        ".edges": LISTS,
        ".csv": SEPARATED,
        ".tsv": SEPARATED,
        ".mtx": MARKETS,
        ".npy": (matrix.read_bytes(),),
    }

    def late(number: int, frame: Any) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, late)
    began = time.monotonic()
    try:
        while result.done < count and time.monotonic() - began < seconds:
            suffix = rng.choice([*seeds])
            data = rng.choice(seeds[suffix])
            for _ in range(rng.randrange(4)):
                data = damaged(data, rng)
            path = root / f"graph{suffix}"
            path.write_bytes(data)
            result.done += 1
            signal.alarm(SECONDS_A_GRAPH)
            try:
                found = read_graph(path)
                if not isinstance(found, Graph):
                    result.failures.append(f"file {result.done}: {found!r}")
            except ValueError as error:
                if "\n" in str(error):
                    result.failures.append(f"file {result.done}: not a sentence: {error}")
            except (Exception, RecursionError) as error:  # whatever it is, it is counted
                result.failures.append(f"file {result.done}, {suffix}, {data[:80]!r}: {error!r}")
            finally:
                signal.alarm(0)
    finally:
        signal.signal(signal.SIGALRM, before)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60.0, help="after which no part goes on")
    parser.add_argument("--kills", type=int, default=120)
    parser.add_argument("--writes", type=int, default=1000, help="at most; there are fewer steps of writing in a run")
    parser.add_argument("--damages", type=int, default=2000)
    parser.add_argument("--graphs", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("results/torture.txt"))
    options = parser.parse_args()
    seconds = 60 * options.minutes
    parts: list[tuple[float, Callable[[float, Path], Count]]] = [
        (0.1, lambda limit, root: graphs(options.graphs, limit, options.seed, root)),
        (0.1, lambda limit, root: damages(options.damages, limit, options.seed, root)),
        (0.2, lambda limit, root: failed_writes(options.writes, limit, root)),
        (0.6, lambda limit, root: kills(options.kills, limit, options.seed, root)),
    ]
    lines = [
        f"seed {options.seed}, at most {options.minutes:g} minutes",
        f"{'':<16}{'done':>8}{'failed':>10}{'seconds':>10}",
    ]
    print("\n".join(lines), flush=True)
    failures = []
    for share, part in parts:
        started = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="recursor-torture-") as root:
            result = part(share * seconds, Path(root))
        result.seconds = time.monotonic() - started
        failures += [f"{result.name}: {failure}" for failure in result.failures]
        lines.append(str(result))
        print(lines[-1], flush=True)
    lines += failures or ["nothing was lost"]
    print("\n".join(failures or ["nothing was lost"]))
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text("\n".join(lines) + "\n")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
