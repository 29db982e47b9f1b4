"""The table of `make verify`: benchmarks/verify.py."""

from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks import verify

from recursor.verification.all_sizes import AllSizes
from recursor.verification.report import Growth, Report

GROWTH = [Growth(4, True, 66_066, 700_000, 0, 900)]
SITUATIONS = {"graph": 6, "types": 100, "after round 1": 400, "after round 2": 1900, "pooled": 30}
FOUND = Report("dfs", True, 4, 1000, 67_000, 66_066, 500, "", 800_000, 0, 0, 90.0, None, GROWTH, SITUATIONS, 0.0123)


def report(**changes: object) -> dict:
    return {**FOUND.to_dict(), **changes}


def test_a_network_has_one_line_with_what_was_verified() -> None:
    lines = verify.table(["dfs", "tarjan"], {"dfs": report()}, {}).splitlines()
    assert {line.count("|") for line in lines} == {len(verify.COLUMNS) + 1}
    inputs = "all 66 066 of up to 4 nodes, 434 random ones of up to 1 000, 500 searched"
    assert lines[2] == f"| dfs | {inputs} | 800 000 | 1 900 | – | – | 0.012 | – | 1.5 |"
    assert "not verified yet" in lines[3]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"wrong": 3}, "**3 wrong**"),
        ({"uncollected": 2}, "**2 wrong**"),
        ({"situations": {}, "margin": None}, "| not finite | – |"),
    ],
)
def test_what_is_wrong_or_not_known_is_said(changes: dict, words: str) -> None:
    assert words in verify.table(["dfs"], {"dfs": report(**changes)}, {})


LISTED = AllSizes([(4, 3, 51, 9, 2)], 4, 16, {verify.LAST: 2000}, {verify.LAST: 1900}, {verify.LAST: 100, "decisions": 7})


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (LISTED, "| 2 000 | 100; decisions: 7 |"),
        (replace(LISTED, undecided="too many"), "| 2 000 | 100; decisions: not listed |"),
        (replace(LISTED, open={verify.LAST: 0}), "| 2 000 | **0: certificate** |"),
        (replace(LISTED, open={verify.LAST: 0}, saturated=16), "| 2 000 | 0; decisions: 0 |"),
        (AllSizes([(4, 3, 51, 9, 2)], 4, 16, stopped="one node can hear more"), "| given up | – |"),
    ],
)
def test_it_says_what_is_allowed_at_any_size_and_what_is_open(found: AllSizes, words: str) -> None:
    listed = replace(FOUND, all_sizes=found).to_dict()
    assert words in verify.table(["dfs"], {"dfs": report()}, {"dfs": listed})


@pytest.mark.parametrize(("name", "size"), [("dfs", 3), ("bridges", 4), ("quicksort", 5), ("circuit", 4)])
def test_all_sizes_are_listed_after_at_most_so_many_small_inputs(name: str, size: int) -> None:
    assert verify._listed_size(name) == size


def test_a_report_of_other_weights_does_not_count(tmp_path: Path) -> None:
    for name, digest in {"dfs": verify._weights("dfs"), "tarjan": "0" * 64}.items():
        (tmp_path / f"{name}.json").write_text(f'{{"weights_sha256": "{digest}"}}')
    assert list(verify.read_reports(["bridges", "dfs", "tarjan"], tmp_path)) == ["dfs"]


def test_every_page_of_the_table_has_a_place_for_it() -> None:
    for page in verify.PAGES:
        _, mark, rest = page.read_text().partition(f"<!-- {verify.MARK} -->\n")
        assert mark, page
        assert "<!-- end -->\n" in rest, page


def test_the_page_of_loops_names_each_algorithm_once_and_has_a_place_for_its_table() -> None:
    page = verify.LOOPS.read_text()
    names = verify.named_on(page)
    assert len(names) == len(set(names)) >= 11
    assert {"bfs", "expression"} <= set(names)
    assert f"<!-- {verify.LOOPS_MARK} -->\n" in page


def test_a_network_that_passed_is_firm_if_every_decision_is_clear() -> None:
    firm = replace(FOUND, margin=0.5, separation=0.1)
    assert firm.firm
    assert replace(firm, margin=None, separation=None).firm, "a network without situations has neither"
    changes = ({"passed": False}, {"margin": 0.1}, {"separation": 0.0}, {"contradictions": {"u": 1}})
    assert not any(replace(firm, **change).firm for change in changes)
