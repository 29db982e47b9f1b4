"""TensorBoard: event files below the run's directory."""

import importlib
from pathlib import Path
from typing import Any

NEEDS = "tensorboardX"


class Tracker:
    """Event files in `tensorboard` below the run's directory."""

    def __init__(self, directory: Path, config: dict[str, Any]) -> None:
        self._writer = importlib.import_module(NEEDS).SummaryWriter(str(directory / "tensorboard"))

    def log(self, update: int, metrics: dict[str, float]) -> None:
        for name, value in metrics.items():
            self._writer.add_scalar(name, value, update)

    def close(self) -> None:
        self._writer.close()
