import json
import sys
from pathlib import Path

import pytest

from recursor import cli
from recursor.algorithms import known


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr(sys, "argv", ["recursor", *arguments])
    cli.main()


@pytest.fixture
def graph(tmp_path: Path) -> str:
    file = tmp_path / "graph.txt"
    file.write_text("a b\nb c[red]\n")
    return str(file)


def test_algorithms_are_listed_with_their_views(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    run(monkeypatch, "algorithms")
    shown = capsys.readouterr().out
    assert "pi[u] ← u_pi" in shown
    for algorithm in known().values():
        assert algorithm.name in shown
        assert " ".join(algorithm.summary.split()[:5]) in shown
        assert all(view in shown for view in algorithm.views)


def test_record_shows_every_row_in_the_persons_names(
    graph: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    run(monkeypatch, "record", "dfs", graph)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[1] for line in lines[2:]] == ["noop", "noop", "push", "noop", "push", "noop", "pop", "pop", "pop"]
    assert "c[red]" in lines[-4], "a name is shown as it is, whatever it looks like"


def test_record_as_json(graph: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    run(monkeypatch, "record", "dfs", graph, "--view", "clrs", "--json")
    shown = json.loads(capsys.readouterr().out)
    assert shown["outputs"] == {"pi": [0, 0, 1]}
    assert shown["names"] == ["a", "b", "c[red]"]
    assert len(shown["hints"]["color"]) == 9


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("record", "bfs", "GRAPH"), "no algorithm is called 'bfs'; there are dfs"),
        (("record", "dfs", "GRAPH", "--view", "x"), "'dfs' has no view 'x'; its views are local, clrs"),
        (("record", "dfs", "missing.txt"), "missing.txt"),
    ],
)
def test_mistakes_are_told_in_a_sentence(
    arguments: tuple[str, ...], message: str, graph: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SystemExit, match=f"recursor: .*{message}"):
        run(monkeypatch, *(graph if argument == "GRAPH" else argument for argument in arguments))
