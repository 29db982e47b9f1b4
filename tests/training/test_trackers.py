"""Weights & Biases is no dependency: what it is told is told to a stand-in."""

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from recursor.training import trackers
from recursor.training.trackers.wandb import Tracker as WandB


class StandIn(ModuleType):
    """Keeps the arguments of every run that is begun; refuses to begin one if it has been given a reason."""

    class Error(Exception):
        pass

    def __init__(self) -> None:
        super().__init__("wandb")
        self.begun: list[dict[str, Any]] = []
        self.refusal = ""

    def init(self, **settings: Any) -> None:
        if self.refusal:
            raise self.Error(self.refusal)
        self.begun.append(settings)


@pytest.fixture
def wandb(monkeypatch: pytest.MonkeyPatch) -> StandIn:
    stand_in = StandIn()
    monkeypatch.setitem(sys.modules, "wandb", stand_in)
    return stand_in


def test_a_run_has_the_name_of_its_directory(wandb: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    directory = tmp_path / "run"
    directory.mkdir()
    monkeypatch.chdir(directory)
    for path in (directory, Path()):
        WandB(path, {})
    assert [run["name"] for run in wandb.begun] == ["run", "run"]


def test_a_directory_is_one_run_however_often_it_is_resumed(wandb: StandIn, tmp_path: Path) -> None:
    for _ in range(3):
        WandB(tmp_path, {"updates": 4})
    assert len({run["id"] for run in wandb.begun}) == 1
    assert all(run["resume"] == "allow" for run in wandb.begun)


def test_directories_of_the_same_name_are_different_runs(wandb: StandIn, tmp_path: Path) -> None:
    for place in ("here", "there"):
        directory = tmp_path / place / "run"
        directory.mkdir(parents=True)
        WandB(directory, {})
    here, there = (run["id"] for run in wandb.begun)
    assert here != there


def test_a_refusal_is_told_in_a_sentence(wandb: StandIn, tmp_path: Path) -> None:
    wandb.refusal = "No API key configured."
    with pytest.raises(ValueError, match=r"did not start \(No API key configured\); WANDB_MODE=offline needs no account$"):
        WandB(tmp_path, {})


def test_the_recipe_for_a_tracker_is_one_file_and_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "toy.py").write_text(
        "NEEDS = 'json'\n"
        "class Tracker:\n"
        "    def __init__(self, directory, config): self.seen = []\n"
        "    def log(self, update, metrics): self.seen.append((update, metrics))\n"
        "    def close(self): pass\n"
    )
    monkeypatch.setattr(trackers, "__path__", [*trackers.__path__, str(tmp_path)])
    with pytest.raises(ValueError, match="no tracker is called 'toy'; there are "):
        trackers.require(["toy"])
    monkeypatch.setattr(trackers, "NAMES", (*trackers.NAMES, "toy"))
    tracker: Any = trackers.open_tracker("toy", tmp_path, {})
    tracker.log(3, {"loss": 0.5})
    assert tracker.seen == [(3, {"loss": 0.5})]
    folder = Path(trackers.__file__).parent
    assert all((folder / f"{name}.py").is_file() for name in trackers.NAMES if name != "toy")
