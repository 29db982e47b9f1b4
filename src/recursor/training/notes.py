"""What a checkpoint notes beside its arrays, so that a run continues as if it had not been stopped."""

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Notes:
    """The values of a run that has not begun are the defaults."""

    metrics: int = 0
    """Bytes of metrics.jsonl that were written."""
    seconds: float = 0.0
    """Time spent in training, without the interruptions."""
    best: float = -1.0
    """The best validation score; -1 before the first validation."""
    best_update: int = 0
    """After which update it was found."""
    since_best: int = 0
    """Validations since then."""
    verified: int = 0
    """Verifications so far,"""
    wrong: int = 2**53
    """the fewest wrong inputs of one of them,"""
    firm: bool = False
    """and whether that one passed firmly."""
    restarts: int = 0
    """How often training started again,"""
    began: int = 0
    """and after which update it did so last."""
    peak: int = 0
    """Peak memory in bytes."""
    kernels: bool = False
    """Whether kernels were asked for."""


def read_notes(path: Path, values: Mapping[str, Any]) -> Notes:
    """The notes of a checkpoint, checked.

    Args:
        path: The file that they are from, for the error message.
        values: The notes as they were read.

    Raises:
        ValueError: If a note is missing, unknown, of another type, or a number that cannot be.

    Example:
        >>> read_notes(Path("last-A.safetensors"), dataclasses.asdict(Notes(peak=5))).peak
        5
    """
    fields = {field.name: field.default for field in dataclasses.fields(Notes)}
    for names, what in ((fields.keys() - values.keys(), "lack"), (values.keys() - fields.keys(), "also have")):
        if names:
            raise ValueError(f"{path}: its notes {what} {', '.join(sorted(names))}; there are {', '.join(fields)}")
    for name, default in fields.items():
        value = values[name]
        allowed = (int, float) if type(default) is float else (type(default),)
        least = -1 if name == "best" else 0
        if type(value) not in allowed or not (math.isfinite(value) and value >= least):
            raise ValueError(
                f"{path}: the note {name} must be {'true or false' if default is False else f'a number of at least {least}'}"
                f", not {value!r}"
            )
    return Notes(**values)
