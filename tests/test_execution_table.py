"""The figures of execution in the documents are those that are kept."""

import json

from benchmarks.execution import PAGES, PARTS, RESULTS, SMALL, outcome, sentence, table


def test_the_documents_show_the_figures_that_are_kept() -> None:
    results = json.loads(RESULTS.read_text())
    wanted = {"large-graphs.md": table(results), "README.md": sentence(results)}
    assert {page.name for page in PAGES} == set(wanted)
    for page in PAGES:
        assert wanted[page.name].strip() in page.read_text()


def test_what_is_wrong_is_not_hidden() -> None:
    fine = {"exact": True, "halted": True, "certified": True}
    assert outcome(fine) == "every node right, halted by itself, certified"
    assert "**not right**" in outcome({**fine, "exact": False})
    assert "**did not halt**" in outcome({**fine, "halted": False})
    assert "not certified" in outcome({**fine, "certified": False})


def test_a_part_finds_what_the_table_shows() -> None:
    found = {"growth": PARTS["growth"](SMALL), "large": PARTS["large"](SMALL)}
    shown = table(json.loads(json.dumps(found)))
    assert "1 000 nodes" in shown
    assert "every node right, halted by itself, certified" in shown
    assert "every node right" in sentence(found)
