import errno
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import networkx
import numpy as np
import pytest

import recursor
from recursor.algorithms import find
from recursor.commands.answer import as_text
from recursor.commands.progress import RowProgress
from recursor.configurations.named import configuration
from recursor.trace import page
from recursor.training.config import read_config
from recursor.training.loading import SHIPPED
from tests.commands.test_cli import run


@pytest.fixture
def graph(tmp_path: Path) -> str:
    file = tmp_path / "graph.txt"
    file.write_text("# undirected\na b\nb c[red]\nd d\n")
    return str(file)


def test_solve_answers_in_the_persons_names(graph: str, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    run(monkeypatch, "solve", graph, "--check")
    shown = capsys.readouterr().out
    assert shown.startswith("Depth-first search:\na\n└── b\n    └── c[red]\nd\n")
    assert "halted by itself after 12 rows" in shown
    assert "checked: pi of all 4 nodes: the same as the classical algorithm's" in shown


@pytest.mark.parametrize(
    ("algorithm", "edges", "answer"),
    [
        ("bridges", "# undirected\na b\nb c\nc a\nc d\n", "Bridges (1):\nc – d\n"),
        ("articulation_points", "# undirected\na b\nb c\n", "Articulation points:\nb\n"),
        ("tarjan", "a b\nb a\nb c\n", "Strongly connected components (Tarjan) (2):\n{a, b}\n{c}\n"),
        ("topological_sort", "b a\na c\n", "Topological sort:\nb, a, c\n"),
        ("bridges", "# undirected\na b\nb c\nc a\n", "Bridges (0):\nnone\n"),
    ],
)
def test_solve_prints_what_a_person_asked_for(
    algorithm: str, edges: str, answer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    file = tmp_path / "graph.txt"
    file.write_text(edges)
    run(monkeypatch, "solve", str(file), "--algorithm", algorithm, "--check")
    assert capsys.readouterr().out.startswith(answer)


def test_numbers_are_sorted_from_the_command_line_and_from_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    run(monkeypatch, "solve", "3", "-1", "2.5", "--algorithm", "quicksort")
    assert capsys.readouterr().out.startswith("Quicksort:\n-1, 2.5, 3\n")
    file = tmp_path / "keys.txt"
    file.write_text("30\n10\n20\n")
    run(monkeypatch, "solve", str(file), "--algorithm", "quicksort", "--json")
    assert json.loads(capsys.readouterr().out)["answer"] == [10, 20, 30]


def test_long_numbers_are_sorted_although_single_precision_does_not_tell_them_apart(
    monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    times = ["1700000003", "1700000001", "1e300", "1700000002"]
    run(monkeypatch, "solve", *times, "--algorithm", "quicksort", "--check")
    said = capsys.readouterr().out
    assert said.startswith("Quicksort:\n1700000001, 1700000002, 1700000003, 1e+300\n")
    assert "certified" in said
    assert "the same as the classical algorithm's" in said


def test_a_file_of_numbers_with_one_that_is_not_finite_is_refused_as_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "keys.csv"
    file.write_text("5,4\n3,nan\n")
    with pytest.raises(SystemExit, match=r"keys\.csv, line 2: the file must contain finite numbers only, not 'nan'"):
        run(monkeypatch, "solve", str(file), "--algorithm", "quicksort")


def test_the_answer_is_printed_even_if_the_page_cannot_be_written(
    graph: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    def fail(path: Path, data: bytes) -> None:
        raise OSError(errno.ENOSPC, f"{path} cannot be written: no space")

    monkeypatch.setattr(page, "write_atomically", fail)
    with pytest.raises(SystemExit, match=r"^recursor: .*page\.html cannot be written: no space$"):
        run(monkeypatch, "solve", graph, "--html", str(tmp_path / "page.html"))
    assert capsys.readouterr().out.startswith("Depth-first search:\na\n")


@pytest.mark.parametrize(
    "command", [("solve", "maze.txt", "--html"), ("verify", "dfs", "--out"), ("verify", "dfs", "--html")]
)
@pytest.mark.parametrize(("name", "why"), [("there", "it is a directory"), ("no/page", "no is not a directory")])
def test_a_path_that_cannot_be_written_is_refused_before_any_work(
    command: tuple[str, ...], name: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    (tmp_path / "there").mkdir()
    with pytest.raises(SystemExit, match=f"^recursor: .*{name} cannot be written: .*{why}$"):
        run(monkeypatch, *command, str(tmp_path / name))
    assert capsys.readouterr() == ("", "")


def test_an_execution_that_takes_minutes_is_announced(capsys: Any) -> None:
    clock = iter([0.0, 8.0, 16.0])
    with RowProgress(1000, clock=lambda: next(clock)) as progress:
        for done in (8, 16, 24):
            progress.show(done)
    assert "This takes about 16 minutes: 1000 rows, 1000 ms each." in capsys.readouterr().err


@pytest.mark.parametrize("times", [[0.0, 2.0, 2.1], [0.0, 9.0, 9.1]])
def test_one_slow_row_announces_nothing(times: list[float], capsys: Any) -> None:
    clock = iter(times)
    with RowProgress(102, clock=lambda: next(clock)) as progress:
        for done in (8, 9, 102):
            progress.show(done)
    assert "This takes" not in capsys.readouterr().err


def test_solve_as_json(graph: str, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    run(monkeypatch, "solve", graph, "--check", "--json")
    shown = json.loads(capsys.readouterr().out)
    assert shown["outputs"] == {"pi": {"a": "a", "b": "a", "c[red]": "b", "d": "d"}}
    assert (shown["halted"], shown["steps"], shown["wrong"]) == (True, 12, {"pi": []})


def test_a_run_that_does_not_halt_says_so_and_fails(graph: str, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    with pytest.raises(SystemExit, match="1"):
        run(monkeypatch, "solve", graph, "--limit", "5")
    assert "did not halt within 5 rows" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--algorithm", "dijkstra"), "no algorithm is called 'dijkstra'; there are dfs"),
        (
            ("--model", "nothing"),
            r"nothing is neither a run directory, .* nor a shipped run \(.*dfs",
        ),
        (("--algorithm", "SCC"), r"no algorithm is called 'SCC'; did you mean strongly_connected_components\?"),
        (("--algorithm", "brigdes"), r"no algorithm is called 'brigdes'; did you mean bridges\?"),
        (("--limit", "0"), "the limit must be from 1 to"),
        (("another.txt",), "give one graph file, or only numbers; among these 2 words"),
        (("--algorithm", "quicksort"), "quicksort needs a value 'key' of every node .* or a plain list of numbers"),
    ],
)
def test_mistakes_are_told_in_a_sentence(
    arguments: tuple[str, ...], message: str, graph: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SystemExit, match=f"recursor: .*{message}"):
        run(monkeypatch, "solve", graph, *arguments)


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (("not ( true and false )", "--algorithm", "expression"), "true"),
        (("not", "true", "--algorithm", "expression"), "false"),
        (("(()", "--algorithm", "brackets"), "balanced: false"),
        (("((", "--algorithm", "brackets"), "pairs: none"),
        (("abcab", "ca", "--algorithm", "naive_string_matcher"), "2"),
        (("abcab", "x", "--algorithm", "naive_string_matcher"), "the text does not contain it\n\nhalted"),
        (("4", "1", "3", "5", "--algorithm", "binary_search"), "3\nthe first key that is not below 4 is 5"),
        (("9", "1", "3", "5", "--algorithm", "binary_search"), "all keys are below 9\n\nhalted"),
    ],
)
def test_a_text_is_given_as_it_is(
    words: tuple[str, ...], answer: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run(monkeypatch, "solve", *words)
    assert answer in capsys.readouterr().out.lower()


@pytest.mark.parametrize("word", ["3,1,-2.5", "3 1 -2.5", "[3, 1, -2.5]", " 3;1;-2.5 "])
def test_numbers_may_be_one_word(word: str, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    run(monkeypatch, "solve", word, "--algorithm", "quicksort")
    assert capsys.readouterr().out.startswith("Quicksort:\n-2.5, 1, 3\n")


def test_a_word_among_the_numbers_of_a_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "n.txt").write_text("3 1\n2 x\n")
    with pytest.raises(SystemExit, match=r"n.txt, line 2: the file must contain finite numbers only, not 'x'"):
        run(monkeypatch, "solve", str(tmp_path / "n.txt"), "--algorithm", "quicksort")


def test_json_tells_an_answer_that_is_none_from_no_answer(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    words = ("abcab", "x", "--algorithm", "naive_string_matcher", "--json")
    run(monkeypatch, "solve", *words)
    nowhere = json.loads(capsys.readouterr().out)
    assert (nowhere["answer"], "no_answer" in nowhere) == (None, False)
    with pytest.raises(SystemExit):
        run(monkeypatch, "solve", *words, "--limit", "2")
    stopped = json.loads(capsys.readouterr().out)
    assert (stopped["answer"], stopped["no_answer"]) == (None, "the network did not halt within 2 rows")


def test_edges_of_a_graph_without_weights_are_printed_without() -> None:
    source = networkx.Graph()
    source.add_edge("a", "b")
    source.add_node("c")
    assert str(as_text(source)) == "a – b\nc"


def test_a_spanning_tree_is_printed_with_its_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    (tmp_path / "w.txt").write_text("a b 3\nb c 1.5\na c 2\nd\n")
    run(monkeypatch, "solve", str(tmp_path / "w.txt"), "--algorithm", "mst_kruskal")
    assert capsys.readouterr().out.startswith("Kruskal's minimum spanning tree:\na – c: 2\nb – c: 1.5\nd\n\nhalted")
    run(monkeypatch, "solve", str(tmp_path / "w.txt"), "--algorithm", "mst_kruskal", "--json")
    assert json.loads(capsys.readouterr().out)["answer"] == [["a", "c", 2], ["b", "c", 1.5]]


def test_only_algorithms_that_take_numbers_are_named_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SystemExit) as refusal:
        run(monkeypatch, "solve", "3", "1", "--algorithm", "bridges")
    assert "quicksort" in str(refusal.value)
    assert "expression" not in str(refusal.value)


def test_a_model_of_another_algorithm_is_refused(graph: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SystemExit, match="dfs was trained on dfs, not on tarjan"):
        run(monkeypatch, "solve", graph, "--algorithm", "tarjan", "--model", "dfs")


def test_a_shipped_name_is_always_the_shipped_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("dfs", "mine"):
        shutil.copytree(SHIPPED / "tarjan", tmp_path / name)
    assert recursor.load("dfs").directory == SHIPPED / "dfs"
    for name in ("./dfs", Path("dfs"), "./mine", f"{tmp_path}/mine"):
        assert recursor.load(name).config.algorithm == "tarjan"
    with pytest.raises(ValueError, match=r"mine is not a shipped run \(.*\); for the directory of that name, write \./mine"):
        recursor.load("mine")
    with pytest.raises(ValueError, match=r"\./nothing is no run directory: it does not exist"):
        recursor.load("./nothing")
    with pytest.raises(ValueError, match=r"\./empty is no run directory: it has no config\.json"):
        (tmp_path / "empty").mkdir()
        recursor.load("./empty")


def test_commands_say_what_they_load(graph: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(SHIPPED / "dfs", tmp_path / "mine")
    run(monkeypatch, "solve", graph, "--json")
    assert capsys.readouterr().err.splitlines()[0] == f"loaded the shipped dfs: dfs, {recursor.load('dfs').updates} updates"
    run(monkeypatch, "solve", graph, "--model", "./mine", "--json")
    assert "loaded mine: dfs, " in capsys.readouterr().err
    run(monkeypatch, "evaluate", "dfs", "--sizes", "4", "--graphs", "2", "--json")
    assert "loaded the shipped dfs" in capsys.readouterr().err
    with pytest.raises(SystemExit, match=r"write \./mine"):
        run(monkeypatch, "evaluate", "mine")


def test_a_pointer_to_nothing_has_no_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    file = tmp_path / "graph.txt"
    file.write_text("a b\n")
    for options, shown in ((("--json",), '"topo_head": null'), ((), "topo_head: none")):
        with pytest.raises(SystemExit, match="1"):
            run(monkeypatch, "solve", str(file), "--algorithm", "topological_sort", "--limit", "1", *options)
        assert shown in capsys.readouterr().out


def test_a_shipped_model_runs_on_a_graph_of_networkx() -> None:
    graph = networkx.petersen_graph()
    execution = recursor.load("dfs").run(graph)
    assert execution.halted
    assert execution.steps == 30
    np.testing.assert_array_equal(execution.outputs["pi"], recursor.record("dfs", graph).outputs["pi"])


def test_the_shipped_weights_are_small() -> None:
    assert sum(path.stat().st_size for path in SHIPPED.rglob("weights.safetensors")) < 8_000_000
    assert sum(path.stat().st_size for path in SHIPPED.rglob("*") if path.is_file()) < 9_000_000


def test_verified_weights_are_of_their_configuration() -> None:
    verified = [path.parent for path in SHIPPED.glob("*/situations.npz")]
    assert SHIPPED / "dfs" in verified
    for path in verified:
        config = read_config(path / "config.json")
        assert config == configuration(f"exact/{path.name}", seed=config.seed)


@pytest.mark.parametrize("name", ["quicksort", "tarjan", "circuit"])
def test_other_shipped_models_are_right_by_themselves(name: str) -> None:
    graph = find(name).example_graph()
    execution = recursor.load(name).run(graph)
    assert execution.halted
    for output, values in find(name).run(graph).items():
        np.testing.assert_array_equal(execution.outputs[output], values)


SOLVE = """
from recursor import cli

cli.main()
import sys

print('numba' in sys.modules)
"""


@pytest.mark.parametrize(
    ("count", "options", "short"),
    [(120, [], True), (520, [], False), (3, ["--limit", "1000000"], True)],  # quicksort has four rows a number
)
def test_only_short_executions_do_without_numba(count: int, options: list[str], short: bool) -> None:
    numbers = [str(number) for number in range(count)]
    command = [sys.executable, "-c", SOLVE, "solve", *numbers[::-1], "--algorithm", "quicksort", *options]
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_DISABLE_JIT"}
    shown = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout.splitlines()
    assert shown[1] == ", ".join(numbers)
    assert shown[-1] == str(not short and importlib.util.find_spec("numba") is not None)
