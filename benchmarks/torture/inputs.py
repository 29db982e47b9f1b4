"""Graph files and configurations that are nearly right: each is read, or refused in a sentence."""

import json
import random
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.torture.common import Count, damaged, is_sentence

from recursor.algorithms import find
from recursor.configurations.named import configuration
from recursor.graphs.graph import Graph
from recursor.graphs.reading import read_graph
from recursor.training.config import from_json

SECONDS_EACH = 10
SOLVED_NODES, SOLVED_AT_ONCE = 16, 64
LISTS = (
    b"a b\nb c\nc a\n",
    b"# undirected\n1 2\n2 3\n\n3 1\n",
    "ä ö\nö ü\n".encode(),
    b"# nodes: a b c\n# values: key 1 2 3\na b\n",
    b"0 1\n" * 50,
    b"1 0\n0 1\n2 2\n7 1\n",
)
MARKETS = (
    b"%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 3\n",
    b"%%MatrixMarket matrix array integer symmetric\n2 2\n0\n1\n1\n",
)
SEPARATED = (b"a,b\nb,c\n", b'source,target\n"x y",z\n', b"a\tb\nb\tc\n")
NUMBERS = (b"3 1 2\n", b"1.5,-2\n7e3\n")


@contextmanager
def _time_limit() -> Iterator[None]:
    def late(number: int, frame: Any) -> None:
        raise TimeoutError(f"it took more than {SECONDS_EACH} seconds\n")  # two lines: never a sentence

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(SECONDS_EACH)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def graphs(count: int, seconds: float, seed: int, root: Path) -> Count:
    """Reads files that are nearly graphs. Small ones that are read are solved, too: an answer that the network gives for
    certain has to be the classical one."""
    result, rng = Count("graph files"), random.Random(seed)
    matrix = root / "matrix.npy"
    np.save(matrix, np.eye(3, k=1, dtype=np.int8))
    seeds = {".txt": LISTS, ".edges": LISTS, ".csv": SEPARATED, ".tsv": SEPARATED, ".mtx": MARKETS}
    seeds |= {".npy": (matrix.read_bytes(),), ".numbers": NUMBERS}
    small: list[Graph] = []
    while result.done < count and result.seconds < seconds:
        suffix = rng.choice([*seeds])
        data = rng.choice(seeds[suffix])
        for _ in range(rng.randrange(4)):
            data = damaged(data, rng)
        path = root / f"graph{suffix}"
        path.write_bytes(data)
        result.done += 1
        try:
            with _time_limit():
                found = read_graph(path, numbers="key" if rng.random() < 0.2 else "")
            if len(found) <= SOLVED_NODES and len(small) < SOLVED_AT_ONCE:
                small.append(found)
        except Exception as error:  # whatever it is, it is counted
            if not is_sentence(error):
                result.fail(f"file {result.done}, {suffix}, {data[:80]!r}: {error!r}")
    _solve(small, result)
    return result


def _solve(found: list[Graph], result: Count) -> None:
    from recursor.training.loading import load

    algorithm = find("dfs")
    for graph, execution in zip(found, load("dfs").run_many(found, keep_rows=False), strict=True):
        truth = algorithm.run(graph)
        wrong = any((execution.outputs[name] != values).any() for name, values in truth.items())
        if execution.halted and wrong:
            result.fail(f"a wrong answer on {graph}")


VALUES: tuple[Any, ...] = (None, True, 0, -1, 7, 1.5, -0.0, 1e308, 10**30, float("nan"), "", "dfs", "x" * 999, [], [0], {})


def configurations(count: int, seconds: float, seed: int, root: Path) -> Count:
    """Changes values of configurations, or their text. Each is refused in a sentence, or good."""
    result, rng = Count("configurations"), random.Random(seed)
    originals = [json.loads(configuration(name).to_json()) for name in ("exact/dfs", "paper/10-node-stack", "exact/circuit")]
    while result.done < count and result.seconds < seconds:
        values = json.loads(json.dumps(rng.choice(originals)))
        for _ in range(rng.randrange(1, 4)):
            place = values if rng.random() < 0.6 or not isinstance(values["network"], dict) else values["network"]
            name = (
                rng.choice([*place, "nonsense"]) if place is not values else rng.choice([*(set(values) - {"network"}), "x"])
            )
            place[name] = rng.choice(VALUES)
        text = json.dumps(values)
        if rng.random() < 0.3:
            text = damaged(text.encode(), rng).decode("utf-8", "replace")
        result.done += 1
        try:
            with _time_limit():
                from_json(text, "config.json").check()
        except Exception as error:  # whatever it is, it is counted
            if not is_sentence(error):
                result.fail(f"configuration {result.done}, {text[:150]!r}: {error!r}")
    return result
