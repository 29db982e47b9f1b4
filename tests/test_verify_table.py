"""The table of `make verify`: benchmarks/verify.py."""

from pathlib import Path

import pytest
from benchmarks import verify

from recursor.verification.verify import Growth, Report


def report(**changes: object) -> dict:
    growth = [Growth(4, True, 66_066, 700_000, 0, 900)]
    situations = {"graph": 6, "types": 100, "after round 1": 400, "after round 2": 1900, "pooled": 30}
    found = Report("dfs", True, 4, 1000, 67_000, 66_066, "", 800_000, 0, 0, 90.0, None, growth, situations, 0.0123)
    return {**found.to_dict(), **changes}


def test_a_network_has_one_line_with_what_was_verified() -> None:
    lines = verify.table(["dfs", "tarjan"], {"dfs": report()}).splitlines()
    assert {line.count("|") for line in lines} == {len(verify.COLUMNS) + 1}
    inputs = "all 66 066 of up to 4 nodes, 934 random ones of up to 1 000"
    assert lines[2] == f"| dfs | {inputs} | 800 000 | 1 900 | – | – | 0.012 | – | 1.5 |"
    assert "not verified yet" in lines[3]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"wrong": 3}, "**3 wrong**"),
        ({"uncollected": 2}, "**2 wrong**"),
        ({"situations": {}, "margin": None}, "| not finite | – |"),
        (
            {"all_sizes": {"stopped": "", "allowed": {"after round 2": 2000}, "open": {"after round 2": 100}}},
            "| 2 000 | 100 |",
        ),
        ({"all_sizes": {"stopped": "one node can hear more"}}, "| too many | – |"),
    ],
)
def test_what_is_wrong_or_not_known_is_said(changes: dict, words: str) -> None:
    assert words in verify.table(["dfs"], {"dfs": report(**changes)})


def test_a_report_of_other_weights_does_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verify, "RESULTS", tmp_path)
    for name, digest in {"dfs": verify._weights("dfs"), "tarjan": "0" * 64}.items():
        (tmp_path / f"{name}.json").write_text(f'{{"weights_sha256": "{digest}"}}')
    assert list(verify.read_reports(["bridges", "dfs", "tarjan"])) == ["dfs"]


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
