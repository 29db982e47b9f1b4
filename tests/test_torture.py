"""A short slice of `make torture`: benchmarks/torture/ says what each part does."""

from pathlib import Path

from benchmarks.torture.common import TINY
from benchmarks.torture.damage import damaged_files, damaged_runs, swapped_weights
from benchmarks.torture.inputs import configurations, graphs
from benchmarks.torture.kills import kills, two_at_once
from benchmarks.torture.writes import failed_writes

ENOUGH = 600.0
"""Seconds; the counts end each test, and not the time."""


def test_files_that_are_nearly_graphs_are_read_or_refused_in_a_sentence(tmp_path: Path) -> None:
    result = graphs(500, ENOUGH, 0, tmp_path)
    assert not result.failures
    assert result.done == 500


def test_configurations_that_are_nearly_right_are_read_or_refused_in_a_sentence(tmp_path: Path) -> None:
    result = configurations(300, ENOUGH, 0, tmp_path)
    assert not result.failures
    assert result.done == 300


def test_no_damage_is_taken_for_a_run_or_costs_a_whole_checkpoint(tmp_path: Path) -> None:
    result = damaged_runs(30, ENOUGH, 0, tmp_path)
    assert not result.failures
    assert result.done


def test_other_files_that_are_damaged_are_refused_in_a_sentence(tmp_path: Path) -> None:
    result = damaged_files(60, ENOUGH, 0, tmp_path)
    assert not result.failures
    assert result.done


def test_weights_in_the_place_of_others_are_not_loaded(tmp_path: Path) -> None:
    result = swapped_weights(7, ENOUGH, 0, tmp_path)
    assert not result.failures
    assert result.done


def test_a_write_that_fails_loses_nothing(tmp_path: Path) -> None:
    result = failed_writes(4, ENOUGH, tmp_path)
    assert not result.failures
    assert result.done


def test_a_run_that_is_killed_ends_like_one_left_alone(tmp_path: Path) -> None:
    result = kills(2, ENOUGH, 0, tmp_path, kinds=(TINY,))
    assert not result.failures
    assert result.done


def test_two_processes_in_one_directory_do_not_disturb_each_other(tmp_path: Path) -> None:
    result = two_at_once(1, ENOUGH, tmp_path)
    assert not result.failures
    assert result.done
