"""Runs on disk: loading, evaluating and running a trained reasoner."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import jax

from recursor.algorithms import find
from recursor.evaluation import Scores, evaluate
from recursor.execution.execution import Execution
from recursor.execution.executor import Progress as ShowRows
from recursor.execution.executor import execute
from recursor.network.config import Feedback
from recursor.network.reasoner import Reasoner
from recursor.system.compiling import keep_compiled_programs
from recursor.training import checkpoint
from recursor.training.config import TrainConfig, read_config


class Run(NamedTuple):
    """A run on disk."""

    directory: Path
    config: TrainConfig
    reasoner: Reasoner

    def evaluate(self, sizes: Sequence[int], graphs: int, *, seed: int = 0) -> list[Scores]:
        """Scores the run's reasoner on test graphs of each size."""
        return [evaluate(self.reasoner, nodes, graphs, seed=seed) for nodes in sizes]

    def run(
        self, graph: Any, *, limit: int | None = None, keep_rows: bool = True, progress: ShowRows = lambda rows: None
    ) -> Execution:
        """Executes the algorithm on a graph (whatever `Algorithm.graph` takes) until the reasoner says that it is done, or
        for `limit` rows."""
        if limit is not None and limit < 1:
            raise ValueError(f"a step limit is at least 1 row, not {limit}")
        keep_compiled_programs()
        return execute(
            self.reasoner, [find(self.config.algorithm).graph(graph)], limit=limit, keep_rows=keep_rows, progress=progress
        )[0]


SHIPPED = Path(__file__).parents[1] / "weights"


def load(name: Path | str, *, feedback: Feedback | None = None) -> Run:
    """A run with its best reasoner: a run directory, or one that is shipped, by its name such as `dfs`. Predicted hints are
    fed back as it was trained with, or in another way."""
    shipped = sorted(path.name for path in SHIPPED.iterdir() if path.is_dir())
    own = Path(name)
    directory = own if (own / "config.json").exists() else SHIPPED / name
    if not (directory / "config.json").exists():
        raise ValueError(
            f"{name} is neither a run directory, which has a config.json, nor a shipped run ({', '.join(shipped)})"
        )
    config = read_config(directory / "config.json")
    if feedback is not None:
        config = replace(config, network=replace(config.network, feedback=feedback))
    reasoner, _, _ = checkpoint.load(directory, "best", new_reasoner(config))
    return Run(directory, config, reasoner)


def config_of(directory: Path) -> TrainConfig:
    """The configuration of a run."""
    if not (directory / "config.json").exists():
        raise ValueError(f"{directory} is no run: it has no config.json")
    return read_config(directory / "config.json")


def new_reasoner(config: TrainConfig) -> Reasoner:
    """With the weights that training starts from."""
    return Reasoner(config.spec, config.network, key=jax.random.key(config.seed))
