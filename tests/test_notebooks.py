"""The notebooks of the documentation: they run, and print what they are said to print."""

import importlib.util
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "docs" / "notebooks"


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_prints_what_it_says(path: Path) -> None:
    nbformat = pytest.importorskip("nbformat", reason="make docs installs what notebooks need")
    found = importlib.util.spec_from_file_location("make", FOLDER / "make.py")
    assert found
    assert found.loader
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    executed, kept = module.execute(path), nbformat.read(path, as_version=4)
    for cell, expected in zip(executed.cells, kept.cells, strict=True):
        assert cell.get("outputs") == expected.get("outputs"), cell.source
