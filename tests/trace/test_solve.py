"""`recursor solve` with something to look at."""

import sys
from pathlib import Path

import pytest

from recursor import cli
from recursor.training.loading import SHIPPED

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
    rows = [line for line in lines if line[:4].strip().isdigit()]
    assert len(rows) == 27, "a row a line"
    assert "visit(entrance) > visit(hall)" in rows[4]
    assert lines[0] == "Depth-first search: maze.txt, 9 nodes, 9 edges"
    assert "  entrance – hall" in lines
    assert lines[-1].startswith("✓ answer: 1 tree with 8 edges; from entrance (halted by itself after 27 rows")


@shipped
def test_solve_writes_moving_pictures(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    solve(monkeypatch, "--svg", str(tmp_path / "a.svg"), "--gif", str(tmp_path / "a.gif"))
    assert (tmp_path / "a.svg").read_text("utf-8").startswith("<svg")
    with image.open(tmp_path / "a.gif") as picture:
        assert picture.size == (900, 500)
        assert picture.n_frames > 27, "the rows and the answer, some of them held"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--beside", "dfs"), "needs --html too"),
        (("--watch", "--json"), "cannot both write"),
        (("--html", "/nowhere/at/all.html"), "is not a directory"),
        (("--svg", "/nowhere/at/all.svg"), "is not a directory"),
    ],
)
def test_what_cannot_be_shown_is_refused_before_any_work(
    arguments: tuple[str, ...], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SystemExit, match=message):
        solve(monkeypatch, *arguments)
