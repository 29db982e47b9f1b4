import ast
import inspect
import json
import sys
from itertools import pairwise
from pathlib import Path

import pytest

import recursor
from recursor import cli
from recursor.algorithms import known
from recursor.commands.line import COMMANDS
from recursor.commands.train import summary


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr(sys, "argv", ["recursor", *arguments])
    cli.main()


def test_what_comes_after_training_imports_the_same_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "run.json").write_text('{"updates": 3, "seconds": 1.5, "best_validation": 0.5}')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("recursor.commands.train.IMPORTED", [tmp_path / "mine.py"])
    words = summary(tmp_path, recursor.configuration("exact/dfs"))
    assert f"recursor --import mine.py solve GRAPH --model {tmp_path}" in words


@pytest.fixture
def graph(tmp_path: Path) -> str:
    file = tmp_path / "graph.txt"
    file.write_text("a b\nb c[red]\n")
    return str(file)


def test_algorithms_are_listed_with_their_views(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    run(monkeypatch, "algorithms")
    shown = capsys.readouterr().out
    for algorithm in known().values():
        assert algorithm.name in shown
        assert algorithm.summary in shown
    run(monkeypatch, "algorithms", *known())
    shown = capsys.readouterr().out
    assert "pi[u] ← u_pi" in shown
    for algorithm in known().values():
        assert all(view in shown for view in algorithm.views)
        for output in algorithm.outputs:
            assert f"{output.name:<10} {output.describe()}" in shown
            assert algorithm.words.meanings.get(output.name, "") in shown
        assert algorithm.words.answer in shown


def test_the_version_is_printed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    run(monkeypatch, "--version")
    assert capsys.readouterr().out == f"recursor {recursor.__version__}\n"


@pytest.mark.parametrize(("word", "advice"), [("sovle", "did you mean solve?"), ("xyz", "the commands are algorithms,")])
def test_a_word_that_is_no_command_is_answered_with_advice(word: str, advice: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for more in ([], ["--help"]):
        with pytest.raises(SystemExit) as caught:
            run(monkeypatch, word, *more)
        assert f"{word!r} is not a command; {advice}" in str(caught.value)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("solve a b --limit abc", "--limit takes a whole number, not 'abc'"),
        ("solve a b --html", "--html needs a value after it; --help explains it"),
        ("evaluate dfs --sizes x", "--sizes takes whole numbers, not 'x'"),
        ("train exact/dfs --learning-rate x", "--learning-rate takes a number, not 'x'"),
        ("train exact/dfs --bogus 3,4", "unknown arguments: --bogus 3,4; --help lists the options"),
        (
            "train exact/dfs --network.procesor mpnn",
            "unknown arguments: --network.procesor mpnn; did you mean --network.processor? --help lists the options",
        ),
        ("table --budget x", "--budget is one of 'small', 'small-long', 'paper-sizes', 'paper', not 'x'"),
        (
            "record",
            "record needs ALGORITHM (The algorithm; `recursor algorithms` lists them) and GRAPH (The file of the graph)",
        ),
    ],
)
def test_a_wrong_option_is_told_in_a_sentence(
    words: str, sentence: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    with pytest.raises(SystemExit, match="2"):
        run(monkeypatch, *words.split())
    assert capsys.readouterr() == ("", f"recursor: {sentence}\n")


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_fits_into_80_columns_and_has_an_example(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    if command:
        with pytest.raises(SystemExit, match="0"):
            run(monkeypatch, command, "--help")
    else:
        run(monkeypatch, "--help")
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 80
    assert "recursor" in shown.partition("xample")[2] or command == "demo"
    assert "\n\n\n" not in shown
    if command:
        for line, after in pairwise(shown.splitlines()):
            if line[:1].strip() and after[:1].strip():
                assert len(line) + 1 + len(after.split()[0]) > 80, "a paragraph breaks where the terminal ends"


@pytest.mark.parametrize("command", COMMANDS.values())
def test_the_help_of_an_option_is_one_line(command: type) -> None:
    """The parser keeps line breaks in the help of options, which breaks sentences at odd places."""
    body = ast.parse(inspect.getsource(command)).body[0]
    assert isinstance(body, ast.ClassDef)
    texts = [ast.unparse(part) for part in body.body[1:] if isinstance(part, ast.Expr)]
    assert not [text for text in texts if "\n" in text]


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
        (("record", "dijkstra", "GRAPH"), "no algorithm is called 'dijkstra'; there are dfs"),
        (("record", "dfs", "GRAPH", "--view", "x"), "'dfs' has no view 'x'; its views are local, clrs"),
        (("record", "dfs", "missing.txt"), "missing.txt"),
    ],
)
def test_mistakes_are_told_in_a_sentence(
    arguments: tuple[str, ...], message: str, graph: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SystemExit, match=f"recursor: .*{message}"):
        run(monkeypatch, *(graph if argument == "GRAPH" else argument for argument in arguments))
