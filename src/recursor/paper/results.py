"""The result of one run of the table, as files that are whole or not there and are checked when read.

config.json    the configuration
metrics.jsonl  the losses of every update, and the validations
result.json    what the table is made of; it has the hashes of the other two and of itself, and is written last
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from recursor.system.files import DamagedFileError, finite, write_atomically
from recursor.training.config import TrainConfig, from_json

RESULT = "result.json"


def _text(result: Mapping[str, Any]) -> str:
    """With the hash of what it says."""
    sha256 = hashlib.sha256(json.dumps(result, sort_keys=True).encode()).hexdigest()
    return json.dumps({**result, "sha256": sha256}, indent=2, ensure_ascii=False) + "\n"


def pack(result: Mapping[str, Any], beside: Mapping[str, bytes]) -> dict[str, bytes]:
    """All files of a result, in the order in which they are written."""
    whole = {**finite(dict(result)), "files": {name: hashlib.sha256(data).hexdigest() for name, data in beside.items()}}
    return {**beside, RESULT: _text(whole).encode()}


def write(directory: Path, files: Mapping[str, bytes]) -> None:
    """Writes them one by one; the result is there when the last one is."""
    directory.mkdir(parents=True, exist_ok=True)
    for leftover in directory.glob(".*.tmp"):  # of a process that was killed while it wrote
        leftover.unlink(missing_ok=True)
    for name, data in files.items():
        write_atomically(directory / name, data)


def read(directory: Path, config: TrainConfig) -> dict[str, Any] | None:
    """The result of a run of that configuration; None if there is none yet. One that is not what was written, or is of
    another configuration, is refused."""
    path = directory / RESULT
    advice = f"remove {directory}, and the next start makes it again"
    try:
        text = path.read_bytes().decode()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise DamagedFileError(path, f"it cannot be read ({error}); {advice}") from None
    try:
        result = json.loads(text)
    except ValueError as error:
        raise DamagedFileError(path, f"it is no JSON ({error}); {advice}") from None
    if not isinstance(result, dict) or _text({k: v for k, v in result.items() if k != "sha256"}) != text:
        raise DamagedFileError(path, f"its values are not those that were written; {advice}")
    for name, sha256 in result["files"].items():
        beside = directory / name
        if not beside.exists() or hashlib.sha256(beside.read_bytes()).hexdigest() != sha256:
            raise DamagedFileError(beside, f"it is not the one that was written with {path.name}; {advice}")
    if from_json(json.dumps(result["config"]), str(path)) != config:
        raise ValueError(f"{path} is of another configuration; choose another --results, or remove {directory}")
    return result
