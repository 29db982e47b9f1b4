from pathlib import Path

import pytest

from recursor.report.markdown import put_tables

TABLES = {"table": "| a |\n| --- |\n", "costs": "| b |\n| --- |\n"}


def test_tables_are_put_where_their_marks_are_and_nowhere_else(tmp_path: Path) -> None:
    document = tmp_path / "page.md"
    document.write_text("before\n<!-- table -->\nold\n<!-- end -->\nbetween\n<!-- costs -->\n<!-- end -->\nafter\n")
    marks = "before\n<!-- table -->\n\n{table}\n<!-- end -->\nbetween\n<!-- costs -->\n\n{costs}\n<!-- end -->\nafter\n"
    for _ in range(2):
        put_tables(document, TABLES)
        assert document.read_text() == marks.format(**TABLES)


def test_a_document_with_one_of_the_marks_gets_one_table(tmp_path: Path) -> None:
    document = tmp_path / "page.md"
    document.write_text("<!-- costs -->\n<!-- end -->\n")
    put_tables(document, TABLES)
    assert document.read_text() == f"<!-- costs -->\n\n{TABLES['costs']}\n<!-- end -->\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [("nothing\n", r"page\.md has no place for a table"), ("<!-- table -->\n", "there is no <!-- end --> after")],
)
def test_a_document_without_a_place_is_refused_and_left_alone(text: str, message: str, tmp_path: Path) -> None:
    document = tmp_path / "page.md"
    document.write_text(text)
    with pytest.raises(ValueError, match=message):
        put_tables(document, TABLES)
    assert document.read_text() == text
