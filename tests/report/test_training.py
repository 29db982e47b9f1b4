"""The training report, of runs that went as one likes and of one that was trained."""

import json
import re
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from recursor import cli
from recursor.graphs.distributions import TEST
from recursor.report.attempts import attempt, execute_for_rows
from recursor.report.history import read_history
from recursor.report.training import report_files, report_page
from recursor.training import loop
from tests.report.reports import attempts, history
from tests.training.test_loop import TINY


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("runs") / "tiny"
    loop.train(TINY, directory, progress=False)
    return directory


def report(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> None:
    monkeypatch.setattr(sys, "argv", ["recursor", "report", *map(str, arguments)])
    cli.main()


def text_of(page: bytes) -> str:
    return re.sub(r"<[^>]*>", " ", page.decode())


def test_a_report_has_every_field_value_and_figure() -> None:
    page = report_page("a run", history(), attempts()).decode()
    for name in ("u", "u_pi", "u_v", "color", "stack_op", "done"):
        assert page.count(f"<h3>{name}</h3>") == 3, "its loss, its validations, and row by row"
    for name in ("network.width", "learning_rate", "seed", "halting"):
        assert f"<dt>{name}</dt>" in page
    for figure in ("1.00 GB", "30 s", "best validation, at update 300", "90.00 %"):
        assert figure in page
    assert re.findall(r"<h2>([^<]*)</h2>", page) == [
        *("Accuracy against size", "Training", "Loss of each field", "Hints", "Configuration", "Environment")
    ]
    assert "<script" not in page
    assert not re.search(r"https?:|\bsrc=|@import|url\(", page)
    assert "default-src 'none'" in page


def test_a_report_says_what_is_missing() -> None:
    page = text_of(report_page("a run", history(updates=30, done=False), None))
    assert "30 of 300 updates so far" in page
    assert "there is no checkpoint yet" in page
    assert "There was no validation yet." in page
    assert "The run is not finished" in page
    assert "There are no metrics yet." in text_of(report_page("a run", history(updates=0, done=False), None))


@pytest.mark.parametrize(("solved", "failed"), [(True, True), (True, False), (False, True), (False, False)])
def test_what_was_solved_and_failed_at_is_linked_and_the_rest_is_said(solved: bool, failed: bool, tmp_path: Path) -> None:
    files = report_files(tmp_path / "a #1.html", "a run", history(), attempts(solved=solved, failed=failed))
    page = files[tmp_path / "a #1.html"].decode()
    links = ["a%20%231-solved.html"] * solved + ["a%20%231-failed.html"] * failed
    assert re.findall(r'href="([^"]*\.html)"', page) == links
    assert len(files) == 1 + solved + failed
    assert ("No graph was solved" in page) != solved
    assert ("No graph was failed at" in page) != failed
    if failed:
        assert b'"wrong":[]' not in files[tmp_path / "a #1-failed.html"]


def test_a_chart_that_would_be_flat_is_a_sentence() -> None:
    found = attempts()
    right = [replace(score, node_accuracy=1.0, graph_accuracy=1.0, halted=1.0) for score in found.scores]
    page = report_page("a run", history(), found._replace(scores=right)).decode()
    assert "Every graph of every size is right." in page
    assert "Right answers" not in page
    one = replace(history(), validations=history().validations[:1])
    page = report_page("a run", one, found).decode()
    assert "There was one validation, at update" in page


def test_names_cannot_become_elements() -> None:
    evil = "<script>alert(1)</script>"
    bad = history()
    lines = [line | {evil: 1.0} for line in bad.losses]
    page = report_page(evil, replace(bad, losses=lines), attempts()).decode()
    assert "<script" not in page
    assert "&lt;script&gt;" in page


def test_values_that_are_no_numbers_are_shown_and_not_drawn() -> None:
    bad = history()
    lines = [line | {"validation/u": float("inf")} for line in bad.validations]
    page = report_page("a run", replace(bad, validations=lines), None).decode()
    assert "<td>∞</td>" in page
    assert not re.search(r'd="[^"]*(nan|inf)', page)


def test_a_run_is_reported_with_traces_that_say_it_was_told(
    trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    report(monkeypatch, trained, "--sizes", "4", "--graphs", "4", "--out", tmp_path / "report.html")
    assert str(tmp_path / "report.html") in capsys.readouterr().out
    page = (tmp_path / "report.html").read_text("utf-8")
    links = re.findall(r'href="([^"]*\.html)"', page)
    assert links
    for link in links:
        trace = (tmp_path / link).read_text("utf-8")
        assert "was given the number of rows" in trace
    assert "it is told the number of rows" in page
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    report(monkeypatch, trained, "--sizes", "4", "--graphs", "4", "--out", tmp_path / "report.html")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before, "the same run makes the same page"


def test_the_scores_are_those_of_evaluation(trained: Path) -> None:
    run = loop.load(trained)
    found = attempt(run.reasoner, [4], 4, seed=0)
    assert found.scores == run.evaluate([4], 4)
    solved, failed = (execution is not None for execution in (found.solved, found.failed))
    assert (solved, failed) == (found.scores[0].graph_accuracy > 0, found.scores[0].graph_accuracy < 1)


def test_a_told_execution_has_the_recorded_number_of_rows(trained: Path) -> None:
    from recursor.algorithms import find

    reasoner = loop.load(trained).reasoner
    recording = find("dfs").record(TEST(np.random.default_rng(0), 4))
    done = execute_for_rows(reasoner, recording)
    truth = recording.view(reasoner.spec.view)
    assert done.steps == len(done.ops) == len(truth)
    for name, rows in done.rows.items():
        assert rows.shape == truth.hints[name].shape
        assert (rows[0] == truth.hints[name][0]).all(), "row 0 is given"


def test_a_run_that_goes_on_is_read_up_to_its_last_whole_line(trained: Path, tmp_path: Path) -> None:
    shutil.copytree(trained, tmp_path / "run")
    whole = read_history(tmp_path / "run")
    assert (whole.updates, len(whole.validations)) == (12, 3)
    (tmp_path / "run" / "run.json").unlink()
    metrics = tmp_path / "run" / "metrics.jsonl"
    metrics.write_bytes(metrics.read_bytes()[:-5])
    cut = read_history(tmp_path / "run")
    assert (cut.updates, len(cut.validations), cut.summary) == (12, 2, None)


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("metrics.jsonl", "{\n", "metrics.jsonl is damaged: line 1 is not JSON"),
        ("metrics.jsonl", '{"update": "one", "seconds": 0}\n', "line 1 is not an object of numbers"),
        ("metrics.jsonl", "[]\n", "line 1 is not an object of numbers"),
        ("run.json", "[]", "run.json is damaged"),
        ("config.json", "{}x", "config.json"),
    ],
)
def test_a_damaged_run_is_refused_in_a_sentence(
    name: str, data: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config.json").write_text(TINY.to_json())
    (tmp_path / "run.json").write_text(json.dumps({"seconds": 1.0}))
    (tmp_path / name).write_text(data)
    with pytest.raises(SystemExit, match=f"recursor: .*{message}"):
        report(monkeypatch, tmp_path)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nowhere",), "nowhere is not a run directory"),
        (("RUN", "--graphs", "0"), "sizes and graphs must be at least 1"),
        (("RUN", "--sizes", "0"), "sizes and graphs must be at least 1"),
        (("RUN", "--out", "page.txt"), "must end in .html"),
        (("RUN", "--out", "/nowhere/at/all.html"), "is not a directory"),
    ],
)
def test_what_cannot_be_reported_is_refused(
    arguments: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config.json").write_text(TINY.to_json())
    with pytest.raises(SystemExit, match=f"recursor: .*{message}"):
        report(monkeypatch, *(tmp_path if argument == "RUN" else argument for argument in arguments))


def test_a_run_that_has_hardly_begun_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "config.json").write_text(TINY.to_json())
    report(monkeypatch, tmp_path)
    assert "There are no metrics yet." in (tmp_path / "report.html").read_text("utf-8")
