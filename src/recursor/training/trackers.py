"""Trackers: other places that metrics go to. None is used unless asked for, and each needs its extra."""

import importlib
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

from recursor.system.files import write_atomically

TrackerName = Literal["tensorboard", "wandb"]


class Tracker(Protocol):
    """Where metrics go, beside the run's own file."""

    def log(self, update: int, metrics: dict[str, float]) -> None:
        """Takes the metrics of one update."""
        ...

    def close(self) -> None:
        """Writes what is left."""
        ...


class TensorBoard:
    """Event files below the run's directory."""

    def __init__(self, directory: Path, config: dict[str, Any]) -> None:
        self._writer = _module("tensorboard").SummaryWriter(str(directory / "tensorboard"))

    def log(self, update: int, metrics: dict[str, float]) -> None:
        for name, value in metrics.items():
            self._writer.add_scalar(name, value, update)

    def close(self) -> None:
        self._writer.close()


class WandB:
    """A run of Weights & Biases with the run directory's name. Its id is kept there, so that it is resumed with the
    directory, and another directory of that name is another run."""

    def __init__(self, directory: Path, config: dict[str, Any]) -> None:
        wandb = _module("wandb")
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


TRACKERS: dict[TrackerName, type[TensorBoard] | type[WandB]] = {"tensorboard": TensorBoard, "wandb": WandB}


MODULES: dict[TrackerName, str] = {"tensorboard": "tensorboardX", "wandb": "wandb"}


def require(names: Sequence[TrackerName]) -> None:
    """Refuses a tracker whose extra is not installed."""
    for name in names:
        _module(name)


def _module(name: TrackerName) -> Any:
    try:
        return importlib.import_module(MODULES[name])
    except ImportError:
        raise ValueError(f"the tracker {name} needs its extra: pip install 'recursor[{name}]'") from None
