"""Inserts generated tables into Markdown documents."""

from collections.abc import Mapping
from pathlib import Path

from recursor.system.files import write_atomically


def put_tables(document: Path, tables: Mapping[str, str]) -> None:
    """Writes each table between `<!-- NAME -->` and `<!-- end -->`. Tables without such a place are skipped. Refuses a
    document that has a place for none of them."""
    text = document.read_text("utf-8")
    marks = {f"<!-- {name} -->\n": table for name, table in tables.items() if f"<!-- {name} -->\n" in text}
    if not marks:
        first = next(iter(tables))
        raise ValueError(f"{document} has no place for a table: put <!-- {first} --> and <!-- end --> where it should be")
    for mark, table in marks.items():
        before, _, rest = text.partition(mark)
        _, end, after = rest.partition("<!-- end -->\n")
        if not end:
            raise ValueError(f"{document}: there is no <!-- end --> after {mark.strip()}")
        text = f"{before}{mark}\n{table.rstrip()}\n\n{end}{after}"
    write_atomically(document, text.encode())
