"""Weights & Biases."""

import importlib
import secrets
from pathlib import Path
from typing import Any

from recursor.system.files import write_atomically

NEEDS = "wandb"


class Tracker:
    """A run of Weights & Biases with the run directory's name. Its id is kept there, so that it is resumed with the
    directory, and another directory of that name is another run."""

    def __init__(self, directory: Path, config: dict[str, Any]) -> None:
        wandb = importlib.import_module(NEEDS)
        kept = directory / "wandb" / "id"
        if not kept.exists():
            kept.parent.mkdir(exist_ok=True)
            write_atomically(kept, secrets.token_hex(4).encode())
        settings = {"project": "recursor", "name": directory.resolve().name, "id": kept.read_text(), "resume": "allow"}
        try:
            self._run = wandb.init(dir=str(directory), config=config, **settings)
        except wandb.Error as error:
            why = str(error).rstrip(".")
            raise ValueError(f"Weights & Biases did not start ({why}); WANDB_MODE=offline needs no account") from None

    def log(self, update: int, metrics: dict[str, float]) -> None:
        self._run.log(metrics, step=update)

    def close(self) -> None:
        self._run.finish()
