"""A short slice of `make torture`: benchmarks/torture.py says what each part does."""

from pathlib import Path

from benchmarks import torture


def test_files_that_are_nearly_graphs_are_read_or_refused_in_a_sentence(tmp_path: Path) -> None:
    result = torture.graphs(1000, 60, 0, tmp_path)
    assert (result.failures, result.done) == ([], 1000)


def test_no_damage_is_taken_for_a_run_or_costs_a_whole_checkpoint(tmp_path: Path) -> None:
    result = torture.damages(60, 60, 0, tmp_path)
    assert not result.failures
    assert result.done


def test_a_write_that_fails_loses_nothing(tmp_path: Path) -> None:
    result = torture.failed_writes(4, 60, tmp_path)
    assert not result.failures
    assert result.done


def test_a_run_that_is_killed_ends_like_one_left_alone(tmp_path: Path) -> None:
    result = torture.kills(2, 120, 0, tmp_path)
    assert not result.failures
    assert result.done
