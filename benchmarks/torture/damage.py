"""Damaged files of every kind that Recursor reads, and weights in the place of others."""

import json
import random
import shutil
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.torture.common import TINY, Count, damaged, is_sentence
from benchmarks.torture.writes import made_once

from recursor.graphs.distributions import path as path_graph
from recursor.paper import results
from recursor.report.history import read_history
from recursor.situations.certify import FILE as SITUATIONS
from recursor.situations.certify import read_verified
from recursor.system.files import DamagedFileError
from recursor.training import checkpoint, lessons, loading, loop
from recursor.training.config import TrainConfig, read_config
from recursor.training.directory import config_of
from recursor.training.loading import SHIPPED, shipped_names

LASTS = ("last-A.safetensors", "last-B.safetensors")
FILES = (*LASTS, "weights.safetensors", "config.json", "metrics.jsonl", "run.json")


def damaged_runs(count: int, seconds: float, seed: int, root: Path) -> Count:
    """Damages files of a run and loads it as `--resume`, `evaluate` and `report` do. What is damaged is not loaded, and what
    is whole is found and stays."""
    with made_once():
        return _damaged_runs(count, seconds, seed, root)


def _damaged_runs(count: int, seconds: float, seed: int, root: Path) -> Count:
    result, rng = Count("damaged runs"), random.Random(seed)
    whole = loop.train(TINY, root / "whole", progress=False).directory
    original = {name: (whole / name).read_bytes() for name in FILES}
    like = loop.Loop(whole, TINY, loop.Progress(1, shown=False), ())
    directory = root / "damaged"
    while result.done < count and result.seconds < seconds:
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir()
        hit = set(rng.sample(FILES, rng.choice((1, 1, 1, 2, 3))))
        for name, data in original.items():
            (directory / name).write_bytes(damaged(data, rng) if name in hit else data)
        hit = {name for name in hit if (directory / name).read_bytes() != original[name]}
        result.done += 1
        try:
            if error := _survives(directory, hit, original, like):
                result.fail(f"damage {result.done} of {', '.join(sorted(hit))}: {error}")
        except Exception as error:  # whatever it is, it is counted
            result.fail(f"damage {result.done} of {', '.join(sorted(hit))}: {error!r}")
    return result


def _survives(directory: Path, hit: set[str], original: dict[str, bytes], like: Any) -> str | None:
    """Returns what went wrong; None if nothing did."""
    for read in (config_of, loading.load, read_history):
        try:
            read(directory)
            if read is loading.load and "weights.safetensors" in hit:
                return "damaged weights were loaded"
        except Exception as error:
            if not is_sentence(error):
                return f"not a sentence: {error!r}"
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            _, header = checkpoint.load(directory, "last", like.kept(), TINY, clean=True)
        except DamagedFileError:
            return None if hit.issuperset(LASTS) else "a whole checkpoint was not found"
        if header.path.name in hit:
            return "a damaged checkpoint was loaded"
        checkpoint.save(directory, "last", header.updates + 1, like.kept(), TINY, header.notes)
    if len(warned) != len(hit.intersection(LASTS)):  # one is found by loading, an older one by writing
        return "a damaged checkpoint was not named"
    if header.path.read_bytes() != original[header.path.name]:
        return "the checkpoint that was loaded was replaced"
    return None


def damaged_files(count: int, seconds: float, seed: int, root: Path) -> Count:
    """Damages the other files: each is read as it was, or refused in a sentence."""
    result, rng = Count("damaged files"), random.Random(seed)
    kinds = _kinds(root)
    while result.done < count and result.seconds < seconds:
        file, read = rng.choice(kinds)
        original = file.read_bytes()
        file.write_bytes(damaged(original, rng))
        result.done += 1
        try:
            read()
        except Exception as error:  # whatever it is, it is counted
            if not is_sentence(error):
                result.fail(f"file {result.done}, {file.name}: {error!r}")
        finally:
            file.write_bytes(original)
    return result


def _kinds(root: Path) -> list[tuple[Path, Callable[[], object]]]:
    """Returns files of each kind, and how each is read."""
    shipped = Path(shutil.copytree(SHIPPED / "dfs", root / "dfs"))
    weights, reasoner = (shipped / "weights.safetensors").read_bytes(), loading.load(shipped).reasoner
    config = (shipped / "config.json").read_bytes()
    lessons.write_lessons(root, [[lessons.Lesson(path_graph(4), 2)]])
    kept = root / "result"
    curve = b'{"update": 1, "seconds": 0.1, "loss": 3.0}\n'
    found = {"name": "x", "budget": "small", "config": json.loads(config), "scores": []}
    results.write(kept, results.pack(found, {"config.json": config, results.CURVE: curve}))
    history = root / "history"
    history.mkdir()
    (history / "config.json").write_bytes(config)
    (history / "metrics.jsonl").write_bytes(curve * 20)
    (history / "run.json").write_text('{"seconds": 3.5, "updates": 6, "peak_memory_bytes": 1000}\n')
    return [
        (shipped / SITUATIONS, lambda: read_verified(shipped, weights, reasoner)),
        (root / lessons.FILE, lambda: lessons.read_lessons(root)),
        (kept / results.RESULT, lambda: results.read(kept, None)),
        (kept / results.CURVE, lambda: results.read(kept, None)),
        (history / "config.json", lambda: read_config(history / "config.json").check()),
        (history / "metrics.jsonl", lambda: read_history(history)),
        (history / "run.json", lambda: read_history(history)),
    ]


def swapped_weights(count: int, seconds: float, seed: int, root: Path) -> Count:
    """Puts weights where others belong: those of another algorithm, of a network of the same shapes, or of another kind.
    None may be loaded, since they would answer wrongly."""
    result, rng = Count("swapped weights"), random.Random(seed)
    shipped = [(name, other) for name in shipped_names() for other in shipped_names() if name != other]
    rng.shuffle(shipped)
    own = loop.train(TINY, root / "own", progress=False).directory
    changes = ({"seed": 2}, {"algorithm": "tarjan"}, {"network": replace(TINY.network, pooling="max")}, {"forcing": 1.0})
    altered = [replace(TINY, **change) for change in changes]
    places = [
        *((SHIPPED / name / "config.json", SHIPPED / other / "weights.safetensors") for name, other in shipped),
        *((_written(root / f"{place}.json", config), own / "weights.safetensors") for place, config in enumerate(altered)),
        *((own / "config.json", own / name) for name in LASTS),
    ]
    for config, weights in places[::-1][:count]:
        if result.seconds > seconds:
            break
        directory = root / f"swapped-{result.done}"
        directory.mkdir()
        shutil.copy(config, directory / "config.json")
        shutil.copy(weights, directory / "weights.safetensors")
        result.done += 1
        try:
            loading.load(directory)
            result.fail(f"{weights} was loaded with {config}")
        except Exception as error:  # whatever it is, it is counted
            if not is_sentence(error):
                result.fail(f"{weights} with {config}: {error!r}")
    return result


def _written(path: Path, config: TrainConfig) -> Path:
    path.write_text(config.to_json())
    return path
