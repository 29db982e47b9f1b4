"""Pages that compare runs."""

import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from recursor import cli
from recursor.report.comparison import comparison_page
from tests.report.reports import attempts, history


def test_runs_are_compared_and_only_what_differs_is_listed() -> None:
    first = history()
    other = replace(first, config=replace(first.config, seed=7))
    page = re.sub(r"<[^>]*>", " ", comparison_page({"one": first, "two": other}, {"one": attempts()}).decode())
    assert "Comparison of 2 runs" in page
    assert "no weights yet" in page
    assert re.search(r"What differs .* seed +\d+ +7", page, flags=re.S)
    assert "learning_rate" not in page


def test_equal_configurations_are_called_equal() -> None:
    assert b"The configurations are equal." in comparison_page({"one": history(), "two": history()}, {})


def test_more_runs_than_can_be_told_apart_are_refused() -> None:
    with pytest.raises(ValueError, match="at most 3 runs"):
        comparison_page({str(k): history() for k in range(4)}, {})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "report needs a run directory"),
        (("a", "b"), "needs a name: --out"),
        (("a", "./a", "--out", "x.html"), "named twice|same run"),
    ],
)
def test_a_comparison_needs_runs_and_a_name(
    arguments: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["recursor", "report", *arguments])
    with pytest.raises(SystemExit, match=f"recursor: .*({message})"):
        cli.main()


def test_what_would_be_a_flat_line_is_a_sentence() -> None:
    runs = {"one": history(), "two": history()}
    found = attempts()
    perfect = found._replace(scores=[replace(one, node_accuracy=1.0, graph_accuracy=1.0) for one in found.scores])
    page = comparison_page(runs, {"one": perfect, "two": perfect}).decode()
    assert "one and two solve every graph of every size." in page
    assert "Nodes right" not in page
    page = comparison_page(runs, {"one": perfect, "two": found}).decode()
    assert "solve every graph" not in page
    assert "Nodes right" in page
