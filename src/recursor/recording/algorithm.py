"""Algorithms: a recursive function and the declaration of what is recorded of it."""

import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from recursor.graphs.distributions import TEST, TRAIN
from recursor.graphs.graph import Graph
from recursor.graphs.inputs import lacks
from recursor.recording.declaration import Declaration
from recursor.recording.recorder import EnoughRows, Recorder
from recursor.recording.rows import Recording
from recursor.spec import Field


@final
@dataclass(frozen=True, kw_only=True)
class Algorithm(Declaration):
    """A recursive function and the declaration of what is recorded of it.

    Graphs are drawn from `train` and `test`. `unfit` returns in words what the algorithm requires and a graph is not. An
    execution takes at most `most_rows` rows, a generous function of the number of nodes: a network that does not halt is
    stopped there.
    """

    function: Callable[[Graph, Recorder], Mapping[str, Any]]
    train: Callable[[np.random.Generator, int], Graph] = TRAIN
    test: Callable[[np.random.Generator, int], Graph] = TEST
    most_rows: Callable[[int], int] = lambda nodes: 100 + 10 * nodes
    unfit: Callable[[Graph], str] = lambda graph: ""

    def check(self, graph: Graph) -> None:
        """Refuses a graph that the algorithm is not for."""
        fields = (field for field in self.inputs if isinstance(field, Field))
        missing = self.unfit(graph) or next(filter(None, (lacks(graph, field) for field in fields)), "")
        if missing:
            raise ValueError(f"{self.name} needs {missing}; this graph is not fit for it")

    def record(self, graph: Graph) -> Recording:
        """Runs the algorithm on a graph and writes down its rows."""
        self.check(graph)
        recorder = Recorder(self, len(graph))
        outputs = _with_room(len(graph), lambda: self.function(graph, recorder))
        rows = recorder.rows
        if not rows:
            raise ValueError(f"algorithm {self.name!r} recorded no row")
        missing = [field.name for field in self.outputs if field.name not in (outputs or ())]
        if missing:
            raise ValueError(f"algorithm {self.name!r} declares the output {missing[0]!r}, but its function returns none")
        return Recording(self, graph, rows, outputs)

    def first_row(self, graph: Graph) -> Recording:
        """Row 0 alone, which follows from the inputs."""
        self.check(graph)
        recorder = Recorder(self, len(graph), most=1)
        with suppress(EnoughRows):
            self.function(graph, recorder)
        return Recording(self, graph, recorder.rows, {})

    def run(self, graph: Graph) -> dict[str, np.ndarray]:
        """The classical answer alone: no row is kept, so that graphs can be large."""
        self.check(graph)
        recorder = Recorder(self, len(graph), most=0)
        outputs = _with_room(len(graph), lambda: self.function(graph, recorder))
        return {field.name: np.array(outputs[field.name], field.dtype) for field in self.outputs}


def _with_room(depth: int, run: Callable[[], Any]) -> Any:
    """Calls `run`, which may recurse `depth` deep, with stack enough for it."""
    if depth <= 100:
        return run()
    sys.setrecursionlimit(max(sys.getrecursionlimit(), 3 * depth + 1000))
    if depth <= 1000:
        return run()
    result: list[Any] = []
    failure: list[BaseException] = []

    def guarded() -> None:
        try:
            result.append(run())
        except BaseException as error:  # handed over to the thread that waits
            failure.append(error)

    before = threading.stack_size(min(64 * 1024 * 1024 + depth * 4096, 2**31 - 2**20))
    try:
        thread = threading.Thread(target=guarded)
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    if failure:
        raise failure[0]
    return result[0]
