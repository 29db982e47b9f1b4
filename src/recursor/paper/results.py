"""The result of one run of the table. Files are written atomically and checked when they are read.

config.json  the configuration
curve.jsonl  the validations, and the losses at 50 points of the training
result.json  the figures for the table, with the hashes of all three files; it is written last
"""

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from recursor.system.files import DamagedFileError, finite, parse_json, read_whole, write_atomically
from recursor.training.config import TrainConfig, from_json

RESULT, CURVE, METRICS = "result.json", "curve.jsonl", "metrics.jsonl"
POINTS = 50


def thin(metrics: bytes, points: int = POINTS) -> bytes:
    """Shortens the metrics of a run to a curve of a few points.

    Args:
        metrics: The lines of the run's metrics.jsonl.
        points: The largest number of lines with losses in the curve.

    Returns:
        Lines of the same form: all validations, and for each of `points` equal pieces of the training the means of the
        losses, at the last update of the piece. Values have four significant digits.

    Example:
        >>> thin(b'{"update": 1, "seconds": 0.1, "loss": 3.0}\\n{"update": 2, "seconds": 0.2, "loss": 2.0}\\n', points=1)
        b'{"update": 2, "seconds": 0.2, "loss": 2.5}\\n'
    """
    lines = [json.loads(line) for line in metrics.splitlines()]
    losses = [line for line in lines if "loss" in line]
    curve = [line for line in lines if "loss" not in line]
    count = min(points, len(losses))
    for place in range(count):
        piece = losses[place * len(losses) // count : (place + 1) * len(losses) // count]
        curve.append({name: _mean([line[name] for line in piece]) for name in piece[-1]} | _when(piece[-1]))
    curve.sort(key=lambda line: (line["update"], "loss" not in line))  # an update comes before the validation after it
    return b"".join(json.dumps(_rounded(line)).encode() + b"\n" for line in curve)


def _mean(values: Sequence[float | None]) -> float | None:
    return None if None in values else math.fsum(value for value in values if value is not None) / len(values)


def _when(line: Mapping[str, float]) -> dict[str, float]:
    return {name: line[name] for name in ("update", "seconds") if name in line}


def _rounded(line: Mapping[str, float | None]) -> dict[str, float | None]:
    short = {name: value if value is None else float(f"{value:.4g}") for name, value in line.items()}
    exact = {name: value if name == "update" else round(value, 1) for name, value in _when(line).items()}  # type: ignore[arg-type]
    return {**short, **exact}


def _text(result: Mapping[str, Any]) -> str:
    """Returns a result as JSON, with the hash of its values."""
    sha256 = hashlib.sha256(json.dumps(result, sort_keys=True).encode()).hexdigest()
    return json.dumps({**result, "sha256": sha256}, indent=2, ensure_ascii=False) + "\n"


def pack(result: Mapping[str, Any], beside: Mapping[str, bytes]) -> dict[str, bytes]:
    """Returns all files of a result, in the order in which they must be written. `beside` are the other files."""
    whole = {**finite(dict(result)), "files": {name: hashlib.sha256(data).hexdigest() for name, data in beside.items()}}
    return {**beside, RESULT: _text(whole).encode()}


def take(other: Path, directory: Path, config: TrainConfig) -> bool:
    """Copies a result that another copy or an older version of Recursor wrote, and shortens its metrics.

    Args:
        other: The directory of that result.
        directory: The directory to copy it to.
        config: The configuration that it must have.

    Returns:
        Whether a result was copied. An existing result in `directory` is not replaced.

    Raises:
        ValueError: If the other result is damaged or of another configuration.
    """
    found = None if (directory / RESULT).exists() else read(other, None)
    if found is None:
        return False
    own = from_json(json.dumps(_renamed(found["config"])), str(other / RESULT))
    if own != config:
        raise ValueError(f"{other / RESULT} is of another configuration than {directory} needs; take it from elsewhere")
    found["config"] = json.loads(config.to_json())
    beside = {name: read_whole(other / name) for name in found["files"]} | {"config.json": config.to_json().encode()}
    if METRICS in beside:
        beside[CURVE] = thin(beside.pop(METRICS))
    write(directory, pack({k: v for k, v in found.items() if k not in ("files", "sha256")}, beside))
    return True


def _renamed(config: dict[str, Any]) -> dict[str, Any]:
    """A configuration in today's words, of one that may be in those of November 2026."""
    network = {{"frame": "frame_width"}.get(name, name): value for name, value in config["network"].items()}
    decoding = network["decoding"]
    network["decoding"] = {"at once": "joint", "in order": "staged"}.get(decoding, decoding)
    trainer = {"frames": "call-frames"}.get(config["trainer"], config["trainer"])
    return {**config, "network": network, "trainer": trainer}


def write(directory: Path, files: Mapping[str, bytes]) -> None:
    """Writes the files of a result one by one. The result exists once the last file is written."""
    directory.mkdir(parents=True, exist_ok=True)
    for leftover in directory.glob(".*.tmp"):  # left by a process that was killed while writing
        leftover.unlink(missing_ok=True)
    for name, data in files.items():
        write_atomically(directory / name, data)


def read(directory: Path, config: TrainConfig | None) -> dict[str, Any] | None:
    """Reads the result of a run; None if there is none yet. Refuses a result that is damaged or, unless `config` is
    None, of another configuration."""
    path = directory / RESULT
    advice = f"remove {directory}, and the next start makes it again"
    try:
        text = read_whole(path).decode()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise DamagedFileError(path, f"it cannot be read ({error}); {advice}") from None
    try:
        result = parse_json(text)
    except ValueError as error:
        raise DamagedFileError(path, f"it is not JSON ({error}); {advice}") from None
    if not isinstance(result, dict) or _text({k: v for k, v in result.items() if k != "sha256"}) != text:
        raise DamagedFileError(path, f"its values do not match its hash; {advice}")
    for name, sha256 in result["files"].items():
        beside = directory / name
        if not beside.exists() or hashlib.sha256(read_whole(beside)).hexdigest() != sha256:
            raise DamagedFileError(beside, f"it does not match its hash in {path.name}; {advice}")
    if config is not None and from_json(json.dumps(result["config"]), str(path)) != config:
        raise ValueError(f"{path} is of another configuration; choose another --results, or remove {directory}")
    return result
