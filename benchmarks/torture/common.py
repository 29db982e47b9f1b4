"""What the parts share: a small run, what has to be the same in two runs, counts, and damage to bytes."""

import json
import random
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

import safetensors.numpy

from recursor.configurations.named import configuration
from recursor.network.config import NetworkConfig
from recursor.training import checkpoint
from recursor.training.config import TrainConfig
from recursor.training.lessons import FILE

TINY = TrainConfig(
    network=NetworkConfig(width=16, frame_width=4),
    sizes=(4,),
    batch=4,
    updates=6,
    validate_every=2,
    validate_nodes=4,
    validate_graphs=4,
)

_EXACT = configuration("exact/minimum")
VERIFIED = replace(
    _EXACT,
    network=replace(_EXACT.network, width=8),
    sizes=(4,),
    batch=4,
    updates=4,
    validate_every=2,
    validate_nodes=4,
    validate_graphs=4,
    lessons=1,
    lesson_updates=4,
)
"""A run that is verified after its updates, and goes on with what verification found wrong."""


@dataclass
class Count:
    """What a part did, and what went wrong."""

    name: str
    done: int = 0
    where: Counter[str] = field(default_factory=Counter)
    """How many of them hit which part of a run, if that is known."""
    failures: list[str] = field(default_factory=list)
    began: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began

    def __str__(self) -> str:
        return f"{self.name:<24}{self.done:>8}{len(self.failures):>10}{self.seconds:>10.0f}"

    def fail(self, what: str) -> None:
        """Notes a failure, at most 300 characters of it."""
        self.failures.append(what[:300])


def content(directory: Path) -> dict[str, bytes]:
    """Returns what has to be the same in a run that was interrupted: the weights, the arrays of the last checkpoint, the
    lessons, and the metrics but for the seconds."""
    arrays = safetensors.numpy.load_file(checkpoint.checkpoints(directory, "last")[0].path)
    lines = [json.loads(line) for line in (directory / "metrics.jsonl").read_text().splitlines()]
    metrics = json.dumps([{name: value for name, value in line.items() if name != "seconds"} for line in lines])
    found = {name: array.tobytes() for name, array in arrays.items()}
    files = {name: (directory / name).read_bytes() for name in ("weights.safetensors", FILE) if (directory / name).exists()}
    return found | files | {"metrics": metrics.encode()}


def is_sentence(error: BaseException) -> bool:
    """Returns whether an error is one that the commands print as a sentence."""
    return isinstance(error, ValueError | OSError | ArithmeticError) and "\n" not in str(error)


def damaged(data: bytes, rng: random.Random) -> bytes:
    """Returns the same bytes with a damage."""
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
