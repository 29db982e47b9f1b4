"""The shipped networks, as the scoreboard runs them."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import recursor
from recursor.execution.execution import Execution

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "results" / "scoreboard"
WEIGHTS = ROOT / "src" / "recursor" / "weights"
SHIPPED = frozenset(path.parent.name for path in WEIGHTS.glob("*/weights.safetensors"))


def weights_hash(name: str) -> str:
    """Returns the SHA-256 of a network's weights."""
    return hashlib.sha256((WEIGHTS / name / "weights.safetensors").read_bytes()).hexdigest()


def execute(name: str, graphs: Sequence[Any]) -> list[Execution]:
    """Runs a network on graphs, by itself: it gets the graph alone and must halt. Steps are not certified."""
    return recursor.load(name).run_many(graphs, keep_rows=False)
