"""What needs more memory than there is gets refused, before it takes any."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import recursor
from recursor.algorithms import find
from recursor.configurations.named import configuration
from recursor.data.batches import pad, sample
from recursor.evaluation import evaluate
from recursor.execution import executor
from recursor.graphs.distributions import TEST, keys, path
from recursor.graphs.reading import read_graph
from recursor.recording import rows
from recursor.system import memory
from recursor.system.memory import control_group_limits, usable_memory


@pytest.fixture
def little(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine on which a gigabyte is too much."""
    monkeypatch.setattr(memory, "physical_memory", lambda: 2**28)


def group(root: Path, place: str, name: str, limit: str) -> None:
    (root / place).mkdir(parents=True, exist_ok=True)
    (root / place / name).write_text(limit)


def test_the_limit_of_a_control_group_counts_also_that_of_a_group_above(tmp_path: Path) -> None:
    (tmp_path / "self").write_text("0::/jobs/7\n")
    group(tmp_path, "jobs", "memory.max", "1000\n")
    group(tmp_path, "jobs/7", "memory.max", "max\n")
    assert list(control_group_limits(tmp_path / "self", tmp_path)) == [1000]


def test_the_limit_of_a_control_group_of_version_1_counts(tmp_path: Path) -> None:
    (tmp_path / "self").write_text("4:cpu,cpuacct:/\n3:memory:/docker/abc\n")
    group(tmp_path, "memory", "memory.limit_in_bytes", "2000\n")  # a container sees its own group at the root
    assert list(control_group_limits(tmp_path / "self", tmp_path)) == [2000]


@pytest.mark.parametrize("text", ["", "nonsense", "1:memory\n0::", "0::/../..\n"])
def test_a_list_of_groups_that_says_nothing_sets_no_limit(text: str, tmp_path: Path) -> None:
    (tmp_path / "self").write_text(text)
    assert list(control_group_limits(tmp_path / "self", tmp_path / "none")) == []
    assert list(control_group_limits(tmp_path / "missing", tmp_path)) == []


def test_the_smallest_limit_is_what_can_be_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "physical_memory", lambda: 500)
    monkeypatch.setattr(memory, "control_group_limits", lambda: iter([700, 300]))
    assert usable_memory() == 300


def test_a_system_that_reports_no_memory_refuses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sysconf")
    assert memory.physical_memory() == memory.UNKNOWN


def test_a_tiny_file_with_many_nodes_is_not_recorded(tmp_path: Path) -> None:
    file = tmp_path / "many.mtx"
    file.write_text("%%MatrixMarket matrix coordinate pattern general\n100000 100000 0\n")
    command = [sys.executable, "-m", "recursor.cli", "record", "dfs", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "recursor: recording 300000 rows of dfs on 100000 nodes would take about" in done.stderr
    assert "choose a smaller graph" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.usefixtures("little")
@pytest.mark.parametrize(
    ("work", "message"),
    [
        (lambda: find("dfs").record(path(8000)), "recording 24000 rows of dfs on 8000 nodes"),
        (lambda: TEST(np.random.default_rng(0), 10_000), "drawing a graph of 10000 nodes"),
        (lambda: sample(find("quicksort"), keys, 2000, 10_000, np.random.default_rng(0)), "10000 executions of quicksort"),
        (lambda: configuration_of(validate_nodes=20_000).check(), "validation on 64 graphs of 20000 nodes"),
        (lambda: configuration_of(sizes=(20_000,)).check(), "an update of .* 20000 nodes"),
        (lambda: evaluate(recursor.load("dfs").reasoner, 10_000, 1), "drawing a graph of 10000 nodes"),
        (lambda: recursor.load("dfs").run(path(2_000_000)), r"keeping \d+ rows of 2000000 nodes"),
    ],
)
def test_work_that_does_not_fit_is_refused_in_a_sentence(work, message: str) -> None:
    with pytest.raises(ValueError, match=rf"{message}.* would take about .* GB, and there are 0\.268 GB; choose"):
        work()


def configuration_of(**changes) -> recursor.TrainConfig:
    return replace(configuration("exact/dfs"), **changes)


def test_a_batch_that_does_not_fit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    recording = find("dfs").record(path(1500))
    monkeypatch.setattr(memory, "physical_memory", lambda: 2**28)
    with pytest.raises(ValueError, match="a batch of 20 executions of 4608 rows on 1536 nodes would take"):
        pad([recording] * 20, find("dfs").spec("discrete"))


def test_rows_that_do_not_fit_are_not_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    recording = find("dfs").record(path(100))
    monkeypatch.setattr(rows, "SMALL", 0)
    monkeypatch.setattr(memory, "physical_memory", lambda: 2**17)
    with pytest.raises(ValueError, match="showing 300 rows of dfs on 100 nodes would take"):
        recording.view("local")


def test_rows_of_an_execution_that_do_not_fit_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    run = recursor.load("merge_sort")
    monkeypatch.setattr(executor, "SMALL", 0)
    monkeypatch.setattr(executor, "lookup_executor", lambda reasoner: None)
    factor = {"keeping": 1e6}  # so that the rows alone are too much
    monkeypatch.setattr(
        executor,
        "require_memory",
        lambda need, what, advice: memory.require_memory(factor.get(what.split()[0], 1) * need, what, advice),
    )
    monkeypatch.setattr(memory, "physical_memory", lambda: 2**28)
    with pytest.raises(
        ValueError, match=r"keeping the rows of 1 graphs of up to 16 nodes would take .* do not keep the rows"
    ):
        executor.execute(run.reasoner, [find("merge_sort").graph(list(range(16)))])


@pytest.mark.usefixtures("little")
def test_a_file_that_would_not_fit_is_not_read(tmp_path: Path) -> None:
    file = tmp_path / "large.txt"
    with file.open("wb") as stream:
        stream.truncate(2**25)
    with pytest.raises(ValueError, match=r"reading .*large\.txt would take about 1\.01 GB"):
        read_graph(file)


@pytest.mark.usefixtures("little")
def test_a_page_that_does_not_fit_is_not_begun(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    from recursor.commands import line

    file = tmp_path / "path.txt"
    file.write_text("".join(f"{node} {node + 1}\n" for node in range(4000)))
    with pytest.raises(SystemExit, match=r"showing 12003 rows on 4001 nodes would take .* leave out --html and --watch"):
        line.run(["solve", str(file), "--html", str(tmp_path / "page.html")])
    assert not (tmp_path / "page.html").exists()


def test_counted_rows_are_those_that_are_recorded() -> None:
    rng = np.random.default_rng(0)
    for algorithm in recursor.algorithms.ALGORITHMS.values():
        for nodes in (1, 2, 5):
            graph = algorithm.train(rng, nodes)
            assert algorithm.count_rows(graph) == len(algorithm.record(graph))
