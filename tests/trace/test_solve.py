"""`recursor solve` with something to look at."""

import sys
from pathlib import Path

import pytest

from recursor import cli
from recursor.training.run import SHIPPED

EXAMPLE = str(Path(__file__).parents[2] / "examples" / "maze.txt")
shipped = pytest.mark.skipif(not (SHIPPED / "dfs").exists(), reason="no weights are shipped")


def solve(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr(sys, "argv", ["recursor", "solve", EXAMPLE, *arguments])
    cli.main()


@shipped
def test_solve_writes_a_page_and_prints_rows(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture, tmp_path: Path
) -> None:
    solve(monkeypatch, "--html", str(tmp_path / "trace.html"), "--beside", "dfs", "--watch")
    text = (tmp_path / "trace.html").read_text("utf-8")
    assert text.count('"label":"dfs"') == 2
    assert '"difference":null' in text
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 27, "a row a line"
    assert "visit(entrance) > visit(hall)" in lines[4]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--beside", "dfs"), "needs --html too"),
        (("--watch", "--json"), "cannot both write"),
        (("--html", "/nowhere/at/all.html"), "is not a directory"),
    ],
)
def test_what_cannot_be_shown_is_refused_before_any_work(
    arguments: tuple[str, ...], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SystemExit, match=message):
        solve(monkeypatch, *arguments)
