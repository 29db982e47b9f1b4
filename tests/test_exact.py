"""The whole way: a network is trained from nothing by the command line, and what it learnt is exact."""

import os
import subprocess
import sys

import numpy as np
import pytest

from recursor.algorithms.dfs import DFS
from recursor.execution.executor import execute
from recursor.graphs.distributions import TEST, TRAIN, complete, erdos_renyi, grid, path, sparse, star, tree
from recursor.graphs.graph import Graph, from_edges, from_matrix
from recursor.training.loading import load
from recursor.training.run import Run


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Trained in a process of its own, with the compiler as a user has it."""
    directory = tmp_path_factory.mktemp("exact") / "run"
    command = [sys.executable, "-m", "recursor.cli", "train", "exact/dfs", "--out", str(directory)]
    environment = {name: value for name, value in os.environ.items() if name != "XLA_FLAGS"}
    subprocess.run([*command, "--validate-nodes", "16", "--validate-graphs", "8"], env=environment, check=True)
    return load(directory)


def graphs() -> dict[str, list[Graph]]:
    rng = np.random.default_rng(5)
    none = np.zeros(0, int)
    return {
        "as tested": [TEST(rng, n) for n in (5, 12, 24, 48)],
        "as trained": [TRAIN(rng, n) for n in (3, 17, 33, 48)],
        "paths": [path(n) for n in (2, 40, 48)],
        "stars": [star(33), star(48)],
        "grids": [grid(30), grid(48)],
        "complete": [complete(7), complete(48)],
        "trees": [tree(rng, 31), tree(rng, 48)],
        "disconnected": [sparse(rng, n, degree) for n in (32, 40, 48) for degree in (0.5, 1.0, 2.0)],
        "loops": [from_matrix(erdos_renyi(rng, n, 0.1) | np.eye(n, dtype=bool)) for n in (1, 8, 30)],
        "without edges": [from_edges(none, none, n) for n in (1, 2, 20)],
    }


def test_what_was_learnt_is_exact_in_every_row(trained: Run) -> None:
    kinds = [(kind, graph) for kind, several in graphs().items() for graph in several]
    executions = execute(trained.reasoner, [graph for _, graph in kinds])
    for (kind, graph), execution in zip(kinds, executions, strict=True):
        truth = DFS.record(graph).view("discrete")
        where = f"{kind}, {len(graph)} nodes"
        assert execution.halted, where
        assert execution.steps == len(truth), where
        for name, rows in truth.hints.items():
            np.testing.assert_array_equal(execution.rows[name], rows, err_msg=f"{where}: {name}")
        np.testing.assert_array_equal(execution.outputs["pi"], truth.outputs["pi"], err_msg=where)
