"""Runs on disk: loading, evaluating and running a trained reasoner."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp

from recursor.algorithms import find
from recursor.evaluation import Scores, evaluate
from recursor.execution.execution import Execution
from recursor.execution.executor import Progress as ShowRows
from recursor.execution.executor import execute
from recursor.network.config import Feedback
from recursor.network.reasoner import Reasoner
from recursor.situations.certify import FILE as SITUATIONS
from recursor.situations.certify import Verified, read_verified
from recursor.system.compiling import keep_compiled_programs, require_device
from recursor.system.files import read_whole
from recursor.training import checkpoint
from recursor.training.config import TrainConfig, read_config

TOGETHER = 64
"""Graphs that are executed at once, at most."""
MOST_ROWS = 2**31 - 1
"""Rows are counted with 32 bits."""
MOST_CERTIFIED = 200_000_000
"""Values of one node field in all rows; of more, the rows are not kept and the execution is not certified."""


class Run(NamedTuple):
    """A run on disk."""

    directory: Path
    config: TrainConfig
    reasoner: Reasoner
    updates: int = 0
    """After how many updates the reasoner was the best."""
    verified: Verified | None = None
    """The situations that were verified, if they are kept with the weights."""

    def evaluate(self, sizes: Sequence[int], graphs: int, *, seed: int = 0) -> list[Scores]:
        """Scores the run's reasoner on test graphs of each size."""
        return [evaluate(self.reasoner, nodes, graphs, seed=seed) for nodes in sizes]

    def run(
        self, graph: Any, *, limit: int | None = None, keep_rows: bool = True, progress: ShowRows = lambda rows: None
    ) -> Execution:
        """Executes the algorithm on a graph until the reasoner says that it is done.

        Args:
            graph: The graph, as anything that `Algorithm.graph` takes: for a sorting algorithm also a list of numbers.
            limit: The reasoner is stopped after so many rows; by default as the algorithm says.
            keep_rows: Whether the execution keeps all rows.
            progress: Is called with the number of rows so far.

        Returns:
            The execution: its `answer`, its `outputs`, whether it `halted`, and whether it is `certified`.

        Raises:
            ValueError: If the graph is not fit for the algorithm, or too large for this machine.

        Example:
            >>> import recursor
            >>> recursor.load("quicksort").run([3, 1, 2]).answer
            [1, 2, 3]
        """
        return self.run_many([graph], limit=limit, keep_rows=keep_rows, progress=progress)[0]

    def run_many(
        self,
        graphs: Sequence[Any],
        *,
        limit: int | None = None,
        keep_rows: bool = True,
        progress: ShowRows = lambda rows: None,
    ) -> list[Execution]:
        """Executes the algorithm on several graphs; those of like size are executed together.

        Args:
            graphs: The graphs, each as anything that `run` takes.
            limit: The reasoner is stopped after so many rows; by default as the algorithm says.
            keep_rows: Whether the executions keep all rows.
            progress: Is called with the number of rows so far of the graphs that are executed together.

        Returns:
            The executions, in the order of the graphs.

        Raises:
            ValueError: If a graph is not fit for the algorithm, or too large for this machine.

        Example:
            >>> import recursor
            >>> [execution.answer for execution in recursor.load("quicksort").run_many([[2, 1], [3, 5, 4]])]
            [[1, 2], [3, 4, 5]]
        """
        if limit is not None and not 1 <= limit <= MOST_ROWS:
            raise ValueError(f"a step limit is from 1 to {MOST_ROWS} rows, not {limit}")
        keep_compiled_programs()
        algorithm = find(self.config.algorithm)
        wanted = [algorithm.graph(graph) for graph in graphs]
        order = sorted(range(len(wanted)), key=lambda place: len(wanted[place]))
        found: dict[int, Execution] = {}
        for start in range(0, len(order), TOGETHER):
            places = order[start : start + TOGETHER]
            part = [wanted[place] for place in places]
            rows = max(algorithm.most_rows(len(graph)) for graph in part) if limit is None else limit
            certify = self.verified is not None and len(part) * rows * len(part[-1]) <= MOST_CERTIFIED
            executions = execute(self.reasoner, part, limit=limit, keep_rows=keep_rows or certify, progress=progress)
            for place, execution in zip(places, executions, strict=True):
                answer = algorithm.answer(execution.graph, execution.outputs) if execution.halted else None
                kept = replace(execution, answer=answer)
                if certify and self.verified is not None:
                    row = self.verified.uncertified(execution)
                    certified = row is None and execution.halted
                    kept = replace(kept, certified=certified, uncertified_row=row)
                found[place] = kept if keep_rows else replace(kept, rows={})
        return [found[place] for place in range(len(wanted))]


SHIPPED = Path(__file__).parents[1] / "weights"


def shipped_names() -> list[str]:
    """The names of the runs that come with the package."""
    return sorted(path.name for path in SHIPPED.iterdir() if (path / "config.json").exists())


def directory_of(name: Path | str) -> Path:
    """Where a run is.

    Args:
        name: The name of a shipped run, such as `dfs`, or a run directory: a `Path`, or a string with a slash in it, such as
            `./dfs` or `runs/dfs`. So a directory never hides a shipped run.

    Raises:
        ValueError: If there is no such run.

    Example:
        >>> directory_of("dfs").name
        'dfs'
    """
    shipped = shipped_names()
    if isinstance(name, str) and name in shipped:
        return SHIPPED / name
    directory = Path(name)
    bare = isinstance(name, str) and not any(separator in name for separator in ("/", os.sep))
    if bare and directory.is_dir():
        raise ValueError(f"{name} is no shipped run ({', '.join(shipped)}); for the directory of that name, write ./{name}")
    if bare or not (directory / "config.json").exists():
        raise ValueError(
            f"{name} is neither a run directory, which has a config.json, nor a shipped run ({', '.join(shipped)})"
        )
    return directory


def load(name: Path | str, *, feedback: Feedback | None = None) -> Run:
    """Loads a run with its best reasoner. It can be loaded while it is being trained.

    Args:
        name: The name of a shipped run, such as `dfs`, or a run directory: a `Path`, or a string with a slash in it, such as
            `./dfs` or `runs/dfs`.
        feedback: How predicted hints are fed back; left out, as the run was trained with.

    Returns:
        The run.

    Raises:
        ValueError: If there is no such run, it has no weights yet, or they are damaged or of another configuration than its
            config.json.
    """
    directory = directory_of(name)
    trained = config_of(directory)
    config = trained
    if feedback is not None:
        config = replace(config, network=replace(config.network, feedback=feedback))
    try:
        kept, header = checkpoint.load(directory, "weights", {"reasoner": new_reasoner(config)}, trained)
    except FileNotFoundError:
        raise ValueError(f"{directory} holds no weights yet: they are kept from the first validation on") from None
    verified = None
    if feedback is None and (directory / SITUATIONS).exists():
        verified = read_verified(directory, read_whole(header.path), kept["reasoner"])
    return Run(directory, config, kept["reasoner"], header.updates, verified)


def config_of(directory: Path) -> TrainConfig:
    """The configuration of a run."""
    if not (directory / "config.json").exists():
        raise ValueError(f"{directory} is no run: it has no config.json")
    return read_config(directory / "config.json")


def new_reasoner(config: TrainConfig) -> Reasoner:
    """With the weights that training starts from: 32 bits each, also where JAX_ENABLE_X64 makes 64 the default."""
    require_device()
    reasoner = Reasoner(config.spec, config.network, key=jax.random.key(config.seed))
    return jax.tree.map(lambda leaf: leaf.astype(jnp.float32) if eqx.is_inexact_array(leaf) else leaf, reasoner)
