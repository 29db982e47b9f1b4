"""The notebooks of the documentation: they run, and print what they are said to print."""

import contextlib
import io
import json
from pathlib import Path

import pytest

from recursor import algorithms

FOLDER = Path(__file__).parents[1] / "docs" / "notebooks"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_prints_what_it_says(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(algorithms, "ALGORITHMS", dict(algorithms.ALGORITHMS))
    names: dict[str, object] = {"__name__": "__main__"}
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        if cell["cell_type"] != "code":
            continue
        code, printed = "".join(cell["source"]), io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, path.name, "exec"), names)
        assert {output["name"] for output in cell["outputs"]} <= {"stdout"}
        assert printed.getvalue() == "".join(text for output in cell["outputs"] for text in output["text"]), code
