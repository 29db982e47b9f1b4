"""Progress of training: a long run says something where the output is no terminal."""

import pytest

from recursor.training import progress
from recursor.training.progress import Progress


def test_a_line_is_printed_from_time_to_time_and_for_every_validation(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    monkeypatch.setattr(progress.time, "monotonic", lambda: now)
    with Progress(100, shown=True) as shown:
        shown.start(0, -1)
        for done in range(1, 51):
            now += 1
            shown.update(done, 0.5)
        shown.validated(50, 0.25, 0.75)
    lines = capsys.readouterr().err.splitlines()
    assert [line.split()[2] for line in lines] == ["11/100", "22/100", "33/100", "44/100", "50/100"]
    assert lines[0].endswith("1.00 updates/s  89 s left")
    assert "validation 25.0% (best 75.0%)" in lines[-1]


def test_a_run_without_progress_prints_nothing(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "QUIET", -1.0)
    with Progress(2, shown=False) as shown:
        shown.update(1, 0.5)
        shown.validated(1, 0.25, 0.75)
    assert capsys.readouterr().err == ""


def test_the_time_left_does_not_count_the_first_update_which_compiles(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    monkeypatch.setattr(progress.time, "monotonic", lambda: now)
    with Progress(100, shown=True) as shown:
        shown.start(0, -1)
        now = 60.0
        shown.update(1, 0.5)
        now = 71.0
        shown.update(12, 0.5)
    first, second = capsys.readouterr().err.splitlines()
    assert first.endswith("compiled")
    assert second.endswith("1.00 updates/s  88 s left")


def test_what_happened_between_updates_is_said_in_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress(100, shown=True) as shown:
        shown.verified(10, 500, 0, firm=True)
        shown.verified(20, 500, 0, firm=False)
        shown.verified(30, 500, 7, firm=False)
        shown.started_again(40, 1, 4)
    firm, unsure, wrong, again = " ".join(capsys.readouterr().err.split()).split("training: ")[1:]
    assert firm.strip() == "update 10: verified 500 inputs, 0 wrong"
    assert unsure.strip() == "update 20: verified 500 inputs, 0 wrong, but not firmly"
    assert wrong.strip() == "update 30: verified 500 inputs, 7 wrong"
    assert "training starts again (1 of at most 4)" in again
