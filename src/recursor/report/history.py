"""The history of a training run, read from its run directory and checked. The run may be unfinished."""

import math
import reprlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recursor.system.files import DamagedFileError, parse_json, read_whole
from recursor.training.config import TrainConfig, read_config

Metrics = dict[str, float]
MOST = 1e300
"""The largest number that a run has. It leaves room for sums, and an integer of more digits is no float."""


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
        """How many updates were made: those with metrics or, if these were not kept, those of the summary."""
        return int(self.losses[-1]["update"]) if self.losses else int((self.summary or {}).get("updates", 0))

    @property
    def seconds(self) -> float:
        lines = [*self.losses[-1:], *self.validations[-1:]]
        return self.summary["seconds"] if self.summary else max((line["seconds"] for line in lines), default=0.0)

    @property
    def best(self) -> Metrics | None:
        """The first validation with the best score. Its checkpoint is the best checkpoint."""
        return max(self.validations, key=lambda line: line["validation"], default=None)


def read_history(directory: Path) -> History:
    """Reads a run directory. Refuses one that is damaged, or that is not a run directory."""
    place = directory / "config.json"
    if not place.exists():
        raise ValueError(f"{directory} is not a run directory: it has no config.json; `recursor train` makes one")
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
    whole, _, _ = read_whole(path).rpartition(b"\n")  # the last line may not be complete yet
    for place, text in enumerate(whole.splitlines(), 1):
        try:
            line = parse_json(text)
        except ValueError as error:
            raise DamagedFileError(path, f"line {place} is not JSON ({error})") from None
        numbers = isinstance(line, dict) and all(
            value is None or (_is_number(value) and abs(value) <= MOST) for value in line.values()
        )
        if not numbers or not all(_is_number(line.get(name)) and line[name] >= 0 for name in ("update", "seconds")):
            raise DamagedFileError(path, f"line {place} is not an object of numbers with update and seconds")
        lines.append({name: math.nan if value is None else value for name, value in line.items()})
    return lines


def _summary(path: Path) -> dict[str, Any] | None:
    if not path.exists():
        return None
    try:
        summary = parse_json(read_whole(path))
    except ValueError as error:
        raise DamagedFileError(path, f"it is not JSON ({error})") from None
    if not isinstance(summary, dict):
        raise DamagedFileError(path, "it is not a JSON object with the figures of the run")
    for name in ("seconds", "peak_memory_bytes", "updates"):
        value = summary.get(name, 0 if name != "seconds" else None)
        if not _is_number(value) or not 0 <= value <= MOST:
            raise DamagedFileError(path, f"{name} must be a number of at least 0, not {reprlib.repr(value)}")
    return summary


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
