"""Trackers: other places that metrics go to, one file each. None is used unless it is asked for.

`training/trackers/NAME.py` has a class `Tracker` that keeps the contract below, and the name of the module that it needs in
`NEEDS`.
"""

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

NAMES = (
    "tensorboard",
    "wandb",
)
"""The trackers; each is the file of this folder with that name."""

TrackerName = str


class Tracker(Protocol):
    """Where metrics go, beside the run's own file."""

    def __init__(self, directory: Path, config: dict[str, Any]) -> None:
        """Starts, or goes on where an earlier process of the same run directory ended."""
        ...

    def log(self, update: int, metrics: dict[str, float]) -> None:
        """Takes the metrics of one update."""
        ...

    def close(self) -> None:
        """Writes what is left."""
        ...


def require(names: Sequence[TrackerName]) -> None:
    """Refuses a tracker that is not known, or whose module is not installed.

    Args:
        names: The trackers that are asked for.

    Raises:
        ValueError: If one cannot be used; the message says what to install.
    """
    for name in names:
        if name not in NAMES:
            raise ValueError(f"no tracker is called {name!r}; there are {', '.join(NAMES)}")
        module = _file(name).NEEDS
        try:
            importlib.import_module(module)
        except ImportError:
            raise ValueError(
                f"the tracker {name} needs the module {module}, which is not installed: pip install {module}"
            ) from None


def open_tracker(name: TrackerName, directory: Path, config: dict[str, Any]) -> Tracker:
    """Starts a tracker.

    Args:
        name: One of `NAMES`.
        directory: The run's directory.
        config: The run's configuration, as JSON has it.

    Returns:
        The tracker.

    Raises:
        ValueError: If it cannot be used.
    """
    require([name])
    return _file(name).Tracker(directory, config)


def _file(name: TrackerName) -> Any:
    return importlib.import_module(f"{__name__}.{name}")
