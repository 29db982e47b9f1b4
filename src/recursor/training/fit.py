"""Whether a file fits what it is read for: configuration, fields and arrays. If not, the error says what differs."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from recursor.spec import Field, Spec
from recursor.training.config import TrainConfig


def require_configuration(path: Path, there: TrainConfig, here: TrainConfig) -> None:
    """Refuses a file of another configuration.

    Raises:
        ValueError: If a value differs; it names each.
    """
    if different := _differences(asdict(there), asdict(here)):
        raise ValueError(f"{path} is of another configuration: {'; '.join(different)}")


def _differences(there: dict[str, Any], here: dict[str, Any], prefix: str = "") -> list[str]:
    found = []
    for name, value in here.items():
        other = there[name]
        if isinstance(value, dict) and isinstance(other, dict):
            found += _differences(other, value, f"{prefix}{name}.")
        elif value != other:
            found.append(f"{prefix}{name} is {other!r} there and {value!r} here")
    return found


def fields_of(spec: Spec) -> dict[str, list[str]]:
    """The fields that a network knows, in the order in which its arrays know them."""

    def words(field: Field) -> str:
        more = (f" of {field.categories}" if field.categories else "") + (" or null" if field.null else "")
        return f"{field.name}: {field.place} {field.kind}{more}"

    return {kind: [words(field) for field in getattr(spec, kind)] for kind in ("inputs", "hints", "outputs")}


def require_fields(path: Path, there: Mapping[str, Any], spec: Spec) -> None:
    """Refuses a file of a network with other fields, or with the same fields in another order.

    Raises:
        ValueError: If the fields differ; it names the first that does.
    """
    for kind, here in fields_of(spec).items():
        others = there.get(kind)
        others = others if isinstance(others, list) else []
        for place in range(max(len(here), len(others))):
            one, other = (fields[place] if place < len(fields) else "nothing" for fields in (others, here))
            if one != other:
                what = f"{path} was trained when the {kind} of {spec.algorithm} were others"
                raise ValueError(f"{what}: number {place + 1} is {one} there and {other} here")


def require_arrays(path: Path, there: Mapping[str, np.ndarray], here: Mapping[str, Any]) -> None:
    """Refuses a file with other arrays.

    Raises:
        ValueError: If a name, shape or type differs; it names the first array.
    """
    mismatch = f"{path} is of another network than the one it is read for:"
    for names, what in ((here.keys() - there.keys(), "it lacks"), (there.keys() - here.keys(), "it also has")):
        if names:
            more = f" and {len(names) - 1} more" if len(names) > 1 else ""
            raise ValueError(f"{mismatch} {what} {min(names)}{more}")
    for name, array in here.items():
        one, other = (f"{array.dtype} of shape {tuple(array.shape)}" for array in (there[name], array))
        if one != other:
            raise ValueError(f"{mismatch} {name} is {one} there and {other} here")
