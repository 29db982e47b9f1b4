"""A run: a trained network that can be executed, scored and looked into."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral, Real
from pathlib import Path
from typing import Any

import networkx as nx

from recursor.algorithms import find
from recursor.data.batches import Distribution
from recursor.evaluation import Scores, evaluate, score
from recursor.execution.execution import Execution
from recursor.execution.executor import Progress as ShowRows
from recursor.execution.executor import execute, lookup_executor
from recursor.execution.lookup.executor import LookupExecutor
from recursor.execution.steps import Step, steps
from recursor.graphs.adjacency import GraphError
from recursor.graphs.graph import Graph
from recursor.network.reasoner import Reasoner
from recursor.recording.algorithm import Algorithm
from recursor.recording.rows import Recording
from recursor.situations.certify import Verified
from recursor.system.compiling import keep_compiled_programs
from recursor.training.config import TrainConfig

TOGETHER = 64
"""Graphs that are executed at once, at most."""
MOST_ROWS = 2**31 - 1
"""Rows are counted with 32 bits."""


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """A trained network, with the directory and the configuration of its training.

    `run(graph)` executes the algorithm on a graph, `run_many(graphs)` on several, `evaluate(sizes, graphs)` scores the
    network on test graphs.

    Example:
        >>> import recursor
        >>> run = recursor.load("bridges")
        >>> run
        <Run bridges: a network that executes bridges (Bridges), ...>
        >>> run.run([[0, 1], [1, 0]]).answer
        [(0, 1)]
    """

    directory: Path
    config: TrainConfig
    reasoner: Reasoner
    updates: int = 0
    """After how many updates the reasoner was the best."""
    verified: Verified | None = None
    """The situations of the reasoner that were verified, if they are kept with its weights. Those of another reasoner count
    for nothing."""

    @cached_property
    def lookup(self) -> LookupExecutor | None:
        """The executor that looks situations up, and remembers them; None if the reasoner does not have finitely many. It
        certifies if verified situations are kept with the weights."""
        own = self.verified is not None and self.verified.tables.reasoner is self.reasoner
        return lookup_executor(self.reasoner, self.verified if own else None)

    def __repr__(self) -> str:
        algorithm = find(self.config.algorithm)
        sizes = f"{min(self.config.sizes)} to {max(self.config.sizes)}"
        known = self.lookup is not None and self.lookup.memory.verified
        verified = "its verified situations are known" if known else "without verified situations"
        return (
            f"<Run {self.directory.name}: a network that executes {algorithm.name} ({algorithm.title}), trained for "
            f"{self.updates} updates on graphs of {sizes} nodes, {verified}; .run(graph).answer solves a graph>"
        )

    def evaluate(
        self, sizes: Sequence[int] | int, graphs: int, *, seed: int = 0, distribution: Distribution | None = None
    ) -> list[Scores]:
        """Scores the run's reasoner on test graphs of each size.

        Args:
            sizes: Numbers of nodes, or one number.
            graphs: How many graphs of each size.
            seed: Seed of the graphs.
            distribution: A function from a NumPy generator and a number of nodes to a graph; by default the algorithm's
                test distribution.

        Returns:
            The scores, one for each size.

        Raises:
            ValueError: If a size or the number of graphs is no whole number, or less than 1.
        """
        return [
            evaluate(self.reasoner, nodes, graphs, seed=seed, distribution=distribution, lookup=self.lookup)
            for nodes in ([sizes] if isinstance(sizes, int) else sizes)
        ]

    def score(self, graphs: Sequence[Any], *, pattern: bool = False) -> list[Scores]:
        """Scores the run's reasoner on graphs of your own.

        Args:
            graphs: The graphs, each as anything that `run` takes, such as those of `recursor.graphs.dataset.load_graphs`.
            pattern: Whether to ignore the weights of the graphs or matrices.

        Returns:
            The scores, one for each size, in ascending order.

        Raises:
            ValueError: If there is no graph, or one is not fit for the algorithm.

        Example:
            >>> import recursor
            >>> [(one.nodes, one.graph_accuracy) for one in recursor.load("quicksort").score([[2, 1], [1, 3, 2], [1, 2]])]
            [(2, 1.0), (3, 1.0)]
        """
        if not graphs:
            raise ValueError("scores need at least one graph")
        keep_compiled_programs()
        algorithm = find(self.config.algorithm)
        by_size: dict[int, list[Recording]] = {}
        for graph in _graphs(algorithm, graphs, pattern=pattern):
            by_size.setdefault(len(graph), []).append(algorithm.record(graph))
        return [score(self.reasoner, by_size[nodes], lookup=self.lookup) for nodes in sorted(by_size)]

    def steps(self, graph: Any, *, pattern: bool = False, limit: int | None = None) -> Iterator[Step]:
        """Executes the algorithm one step at a time: each step has the row, the logits of the next row, and the features.

        A network that does not halt by itself, such as the paper's, is given the number of rows of the classical algorithm.

        Args:
            graph: The graph, as anything that `run` takes.
            pattern: Whether to ignore the weights of the graph or matrix.
            limit: The reasoner is stopped after so many rows; by default as the algorithm says.

        Returns:
            The steps, one after the other.

        Raises:
            ValueError: If the graph is not fit for the algorithm, or too large for this machine.

        Example:
            >>> import recursor
            >>> for step in recursor.load("dfs").steps([[0, 1], [0, 0]]):
            ...     print(step.number, step.next_row["u"], step.logits["u"].shape, sorted(step.features))
            0 0 (2,) ['bits', 'graph', 'node']
            1 0 (2,) ['bits', 'graph', 'node']
            2 1 (2,) ['bits', 'graph', 'node']
            3 1 (2,) ['bits', 'graph', 'node']
            4 0 (2,) ['bits', 'graph', 'node']
        """
        _check_limit(limit)
        keep_compiled_programs()
        return steps(self.reasoner, find(self.config.algorithm).graph(graph, pattern=pattern), limit=limit)

    def run(
        self,
        graph: Any,
        *,
        pattern: bool = False,
        limit: int | None = None,
        keep_rows: bool = True,
        progress: ShowRows = lambda rows: None,
    ) -> Execution:
        """Executes the algorithm on a graph until the reasoner says that it is done.

        Args:
            graph: The graph, as anything that `Algorithm.graph` takes: for a sorting algorithm also a list of numbers.
            pattern: Whether to ignore the weights of a graph or matrix: each entry that is not 0 is an edge.
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
        return self.run_many([graph], pattern=pattern, limit=limit, keep_rows=keep_rows, progress=progress)[0]

    def run_many(
        self,
        graphs: Iterable[Any],
        *,
        pattern: bool = False,
        limit: int | None = None,
        keep_rows: bool = True,
        progress: ShowRows = lambda rows: None,
    ) -> list[Execution]:
        """Executes the algorithm on several graphs; those of like size are executed together.

        Args:
            graphs: The graphs, each as anything that `run` takes.
            pattern: Whether to ignore the weights of the graphs or matrices.
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
        _check_limit(limit)
        if not isinstance(graphs, Iterable) or isinstance(graphs, Graph | nx.Graph | str | Path | Mapping):
            raise ValueError(f"run_many takes a list of graphs, not one of type {type(graphs).__name__}; `run` takes one")
        graphs = list(graphs)
        if len(graphs) > 1 and all(isinstance(graph, Real) for graph in graphs):
            raise ValueError("run_many takes a list of inputs, not the numbers of one; `run` takes one")
        keep_compiled_programs()
        algorithm = find(self.config.algorithm)
        wanted = _graphs(algorithm, graphs, pattern=pattern)
        order = sorted(range(len(wanted)), key=lambda place: len(wanted[place]))
        found: dict[int, Execution] = {}
        for start in range(0, len(order), TOGETHER):
            places = order[start : start + TOGETHER]
            part = [wanted[place] for place in places]
            executions = execute(
                self.reasoner, part, limit=limit, keep_rows=keep_rows, progress=progress, lookup=self.lookup
            )
            for place, execution in zip(places, executions, strict=True):
                found[place] = _with_answer(algorithm, execution)
        return [found[place] for place in range(len(wanted))]


def _check_limit(limit: int | None) -> None:
    """Refuses a number of rows after which nothing can be stopped."""
    if limit is not None and not (isinstance(limit, Integral) and 1 <= limit <= MOST_ROWS):
        raise ValueError(f"the limit must be from 1 to {MOST_ROWS} rows, not {limit!r}")


def _graphs(algorithm: Algorithm, sources: Sequence[Any], *, pattern: bool) -> list[Graph]:
    """Converts inputs to graphs. The error of a bad one among several says which it is."""
    found: list[Graph] = []
    for source in sources:
        try:
            found.append(algorithm.graph(source, pattern=pattern))
        except ValueError as error:
            if len(sources) == 1:
                raise
            raise GraphError(f"input {len(found)} (counted from 0): {error}") from error
    return found


def _with_answer(algorithm: Algorithm, execution: Execution) -> Execution:
    """Adds the answer to an execution, or why there is none."""
    if not execution.halted:
        return replace(execution, no_answer=f"the network did not halt within {execution.steps} rows")
    try:
        return replace(execution, answer=algorithm.answer(execution.graph, execution.outputs))
    except ValueError as error:
        return replace(execution, no_answer=str(error))
