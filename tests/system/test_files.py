"""Files that never end, are too large, or nested without end are refused at once."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from recursor.report.history import read_history
from recursor.system import files
from recursor.system.files import DamagedFileError, parse_json, read_whole, set_aside, write_atomically
from recursor.training import checkpoint, weights
from recursor.training.config import read_config


@pytest.fixture(params=["fifo", "zero", "directory"])
def endless(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "endless"
    match request.param:
        case "fifo":
            os.mkfifo(path)
        case "zero":
            path.symlink_to("/dev/zero")
        case _:
            path.mkdir()
    return path


@pytest.mark.parametrize("read", [read_whole, read_config, weights.verify, weights.read_header])
def test_what_is_no_regular_file_is_refused_without_waiting_for_it(read, endless: Path) -> None:
    with pytest.raises(DamagedFileError, match=r"it is not a regular file|it cannot be read"):
        read(endless)


@pytest.mark.parametrize("name", ["config.json", "metrics.jsonl", "run.json"])
def test_a_run_with_an_endless_file_is_refused(name: str, tmp_path: Path) -> None:
    from recursor.configurations.named import configuration

    (tmp_path / "config.json").write_text(configuration("exact/dfs").to_json())
    (tmp_path / name).unlink(missing_ok=True)
    (tmp_path / name).symlink_to("/dev/zero")
    with pytest.raises(DamagedFileError, match=f"{name} is damaged: it is not a regular file"):
        read_history(tmp_path)


def test_endless_checkpoints_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "last-A.safetensors").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "last-B.safetensors")
    assert checkpoint.updates(tmp_path) == 0


def test_a_file_that_is_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MOST_BYTES", 4)
    (tmp_path / "small").write_bytes(b"1234")
    (tmp_path / "large").write_bytes(b"12345")
    assert read_whole(tmp_path / "small") == b"1234"
    with pytest.raises(DamagedFileError, match="larger than"):
        read_whole(tmp_path / "large")


def test_a_file_that_is_not_there_stays_an_error_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_whole(tmp_path / "none")


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "1" * 10_000, "", "{", "nul"])
def test_json_that_is_none_or_too_deep_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError):
        parse_json(text)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        "[]",
        "{}",
        '{"seconds": "x"}',
        '{"seconds": true}',
        '{"seconds": NaN}',
        '{"seconds": -1}',
        '{"seconds": 1, "peak_memory_bytes": "x"}',
        '{"seconds": 1, "peak_memory_bytes": 1e999}',
        '{"seconds": 1, "updates": [1]}',
        '{"seconds": 1' + "0" * 400 + "}",
    ],
)
def test_odd_figures_of_a_run_are_refused_in_a_sentence(text: str, tmp_path: Path) -> None:
    from recursor.configurations.named import configuration

    (tmp_path / "config.json").write_text(configuration("exact/dfs").to_json())
    (tmp_path / "run.json").write_text(text)
    with pytest.raises(DamagedFileError, match=r"run\.json is damaged: [^\n]*$"):
        read_history(tmp_path)


@pytest.mark.parametrize("rename", [lambda path: write_atomically(path, b"new"), set_aside])
def test_the_directory_is_synced_after_a_file_is_renamed(
    rename: Callable[[Path], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    found: list[list[str]] = []
    sync = os.fsync

    def fsync(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            found.append(sorted(file.name for file in tmp_path.iterdir()))
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    rename(path)
    assert found == [sorted(file.name for file in tmp_path.iterdir())], "it was synced once, with the new name in it"
