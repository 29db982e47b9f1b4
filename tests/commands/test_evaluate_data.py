"""`recursor evaluate NAME --data FILE.npz`."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from recursor.algorithms import find
from recursor.commands.evaluate import Evaluate
from recursor.graphs.dataset import save_graphs
from tests.clrs.golden import clrs_samples


def evaluate(path: Path, capsys: pytest.CaptureFixture, name: str = "dfs") -> Any:
    Evaluate(run=name, data=path, json=True)()
    return json.loads(capsys.readouterr().out)


def test_a_file_of_clrs_30_is_scored_against_its_own_outputs(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    samples = clrs_samples("dfs", 8)
    samples.save(tmp_path / "right.npz")
    scores = evaluate(tmp_path / "right.npz", capsys)
    assert scores["truth"] == "file"
    assert scores["score"] == scores["graph_accuracy"] == scores["halted"] == scores["valid"] == 1
    samples.outputs["pi"][3, 5] = (samples.outputs["pi"][3, 5] + 1) % 8
    samples.save(tmp_path / "changed.npz")
    scores = evaluate(tmp_path / "changed.npz", capsys)
    assert scores["score"] == pytest.approx(1 - 1 / (8 * len(samples)))
    assert scores["graph_accuracy"] == pytest.approx(1 - 1 / len(samples))


def test_a_batch_of_matrices_alone_is_scored_against_the_classical_algorithm(
    tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    np.savez(tmp_path / "batch.npz", A=clrs_samples("dfs", 8).inputs["A"])
    scores = evaluate(tmp_path / "batch.npz", capsys)
    assert scores["truth"] == "classical algorithm"
    assert scores["score"] == 1
    Evaluate(run="dfs", data=tmp_path / "batch.npz")()
    assert "the file has no outputs" in " ".join(capsys.readouterr().out.split())


def test_a_graph_that_is_not_fit_is_named_before_any_work(tmp_path: Path) -> None:
    matrices = np.zeros((3, 4, 4))
    matrices[2, 0, 1] = 1
    np.savez(tmp_path / "batch.npz", A=matrices)
    with pytest.raises(ValueError, match=r"batch\.npz, sample 2: bridges needs an undirected graph"):
        Evaluate(run="bridges", data=tmp_path / "batch.npz")()
    with pytest.raises(ValueError, match="there is no file"):
        Evaluate(run="dfs", data=tmp_path / "other.npz")()
    with pytest.raises(ValueError, match="cannot be combined with --sizes"):
        Evaluate(run="dfs", data=tmp_path / "batch.npz", sizes=(4,))()


def test_a_file_of_save_graphs_is_scored_size_by_size(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    rng = np.random.default_rng(0)
    save_graphs(tmp_path / "graphs.npz", [find("dfs").test(rng, nodes) for nodes in (5, 4, 5)])
    scores = evaluate(tmp_path / "graphs.npz", capsys)
    assert [(score["nodes"], score["graphs"], score["graph_accuracy"]) for score in scores] == [(4, 1, 1.0), (5, 2, 1.0)]
    Evaluate(run="dfs", data=tmp_path / "graphs.npz", by_row=True)()
    assert "dfs on graphs.npz" in capsys.readouterr().out
    with pytest.raises(ValueError, match="quicksort needs"):
        evaluate(tmp_path / "graphs.npz", capsys, "quicksort")
