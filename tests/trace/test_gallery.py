"""The gallery: a page for each trace, and one that leads to all."""

import re
from pathlib import Path

import pytest

from recursor.algorithms import ALGORITHMS
from recursor.graphs.distributions import path
from recursor.trace.gallery import Exhibit, exhibit_of, write_gallery
from recursor.trace.page import PAPER
from tests.trace.executions import traced
from tests.trace.test_moving import example


def test_every_algorithm_has_a_page_and_a_picture(tmp_path: Path) -> None:
    files = write_gallery(tmp_path / "new", [exhibit_of(example(name)) for name in ALGORITHMS])
    index = (tmp_path / "new" / "index.html").read_text("utf-8")
    linked = set(re.findall(r'(?:href|src)="([\w.]+)"', index))
    assert linked == {file.name for file in files} - {"index.html"}
    assert len(linked) == 2 * len(ALGORITHMS)
    assert set(re.findall(r"https?://[^\s\"'`)]+", index)) <= {"http://www.w3.org/2000/svg", PAPER}
    assert sum(file.stat().st_size for file in files) < 145_000 * len(ALGORITHMS)


def test_words_cannot_leave_the_page(tmp_path: Path) -> None:
    write_gallery(tmp_path, [Exhibit("a", "<script>", '"><img onerror=x>', [traced(path(2))])])
    text = (tmp_path / "index.html").read_text("utf-8")
    assert "<script" not in text
    assert text.count("<img") == 1


def test_what_cannot_be_shown_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="same name"):
        write_gallery(tmp_path / "x", [exhibit_of(example("dfs")), exhibit_of(example("dfs"))])
    with pytest.raises(ValueError, match="too large"):
        write_gallery(tmp_path / "x", [Exhibit("long", "long", "", [traced(path(400))])])
    assert not (tmp_path / "x").exists()
