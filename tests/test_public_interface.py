"""The front door: every public name is documented, and the examples in docstrings print what they say."""

import doctest
import importlib
import inspect
from pathlib import Path
from types import ModuleType

import pytest

import recursor
from recursor.algorithms import find

ROOT = Path(recursor.__file__).parent
WITH_EXAMPLES = [
    ".".join(("recursor", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__")
    for path in sorted(ROOT.rglob("*.py"))
    if ">>> " in path.read_text("utf-8")
]


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples_in_docstrings_print_what_they_say(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    module = importlib.import_module(name)
    assert isinstance(module, ModuleType)
    found = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    assert not found.failed


@pytest.mark.parametrize("name", [name for name in recursor.__all__ if not name.startswith("_")])
def test_every_public_name_is_documented(name: str) -> None:
    assert inspect.getdoc(getattr(recursor, name))


def test_what_people_print_fits_into_two_lines() -> None:
    run = recursor.load("dfs")
    shown = [run, run.run([[0, 1], [0, 0]]), *run.evaluate([3], 1), recursor.as_graph([[0, 1], [0, 0]])]
    for value in (*shown, recursor.record("dfs", [[0, 1], [0, 0]]), find("dfs")):
        assert repr(value).startswith(f"<{type(value).__name__}")
        assert len(repr(value)) < 250


def test_no_module_hides_a_public_function() -> None:
    assert not [name for name in recursor.__all__ if (ROOT / f"{name}.py").exists() or (ROOT / name).is_dir()]
