"""The history of a training run, read from its run directory and checked. The run may be unfinished."""

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recursor.system.files import DamagedFileError
from recursor.training.config import TrainConfig, read_config

Metrics = dict[str, float]


@dataclass(frozen=True)
class History:
    """A run's configuration, its metrics and, if it is finished, its summary."""

    config: TrainConfig
    losses: list[Metrics]
    """One entry per update: the loss, and the loss of each field."""
    validations: list[Metrics]
    """One entry per validation: the score, and the accuracy of each hint."""
    summary: dict[str, Any] | None
    """The contents of run.json; None while the run is unfinished."""

    @property
    def updates(self) -> int:
        return int(self.losses[-1]["update"]) if self.losses else 0

    @property
    def seconds(self) -> float:
        lines = [*self.losses[-1:], *self.validations[-1:]]
        return self.summary["seconds"] if self.summary else max((line["seconds"] for line in lines), default=0.0)

    @property
    def best(self) -> Metrics | None:
        """The first validation with the best score. Its checkpoint is the best checkpoint."""
        return max(self.validations, key=lambda line: line["validation"], default=None)


def read_history(directory: Path) -> History:
    """Reads a run directory. Refuses one that is damaged, or that is no run directory."""
    place = directory / "config.json"
    if not place.exists():
        raise ValueError(f"{directory} is no run directory: it has no config.json; `recursor train` makes one")
    lines = _lines(directory / "metrics.jsonl")
    return History(
        read_config(place),
        [line for line in lines if "loss" in line],
        [line for line in lines if "validation" in line],
        _summary(directory / "run.json"),
    )


def _lines(path: Path) -> list[Metrics]:
    if not path.exists():
        return []
    lines = []
    whole, _, _ = path.read_bytes().rpartition(b"\n")  # the last line may not be complete yet
    for place, text in enumerate(whole.splitlines(), 1):
        try:
            line = json.loads(text)
        except ValueError as error:
            raise DamagedFileError(path, f"line {place} is no JSON ({error})") from None
        numbers = isinstance(line, dict) and all(isinstance(value, int | float | None) for value in line.values())
        if not numbers or not all(isinstance(line.get(name), int | float) for name in ("update", "seconds")):
            raise DamagedFileError(path, f"line {place} is no object of numbers with update and seconds")
        lines.append({name: math.nan if value is None else value for name, value in line.items()})
    return lines


def _summary(path: Path) -> dict[str, Any] | None:
    if not path.exists():
        return None
    try:
        summary = json.loads(path.read_bytes())
    except ValueError as error:
        raise DamagedFileError(path, f"it is no JSON ({error})") from None
    if not isinstance(summary, dict) or not isinstance(summary.get("seconds"), int | float):
        raise DamagedFileError(path, "it is no object with the seconds of the run")
    return summary
