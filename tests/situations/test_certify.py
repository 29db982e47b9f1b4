"""The file of verified situations is read only if it is what was written."""

import io
import shutil
import zipfile
from pathlib import Path

import numpy as np
import pytest

from recursor.situations import certify
from recursor.system.files import DamagedFileError
from recursor.training.loading import SHIPPED, load


@pytest.fixture
def shipped(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SHIPPED / "dfs", tmp_path / "dfs"))


def archive(**arrays: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_LZMA) as file:
        for name, data in arrays.items():
            file.writestr(f"{name}.npy", data)
    return buffer.getvalue()


def header(shape: tuple[int, ...]) -> bytes:
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(buffer, {"descr": "<i8", "fortran_order": False, "shape": shape})
    return buffer.getvalue()


def test_an_archive_that_unpacks_to_too_much_is_refused(shipped: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certify, "MOST_UNPACKED", 10_000)
    (shipped / certify.FILE).write_bytes(archive(weights=bytes(100_000)))
    with pytest.raises(DamagedFileError, match="it unpacks to more than"):
        load(shipped)


@pytest.mark.parametrize("shape", [(10**15,), (2**62, 2**62), (4,)])
def test_an_array_that_claims_more_than_is_there_is_refused(shape: tuple[int, ...], shipped: Path) -> None:
    (shipped / certify.FILE).write_bytes(archive(weights=header(shape)))
    with pytest.raises(DamagedFileError, match="it holds no verified situations"):
        load(shipped)


def test_an_endless_file_of_situations_is_refused(shipped: Path) -> None:
    (shipped / certify.FILE).unlink()
    (shipped / certify.FILE).symlink_to("/dev/zero")
    with pytest.raises(DamagedFileError, match="it is not a regular file"):
        load(shipped)
