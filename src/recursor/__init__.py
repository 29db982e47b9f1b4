"""Recursor: graph neural networks that execute recursive algorithms with a call stack.

import recursor
trajectory = recursor.record("dfs", networkx.path_graph(4), view="local")
trajectory.hints["u"], trajectory.outputs["pi"], trajectory.ops
execution = recursor.load("dfs").run(networkx.path_graph(4))
execution.outputs["pi"], execution.halted, execution.steps
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from recursor.algorithms import find, register
from recursor.reading import GraphError, as_graph
from recursor.recording import Algorithm, Recorder
from recursor.rows import Trajectory
from recursor.spec import Collect, Field, Stamp

if TYPE_CHECKING:
    from recursor.training.loop import Run

__version__ = "0.1.0"
__all__ = [
    "Algorithm",
    "Collect",
    "Field",
    "GraphError",
    "Recorder",
    "Stamp",
    "Trajectory",
    "as_graph",
    "load",
    "record",
    "register",
]


def record(algorithm: str, graph: Any, view: str | None = None) -> Trajectory:
    """Executes an algorithm on a graph (whatever `as_graph` takes) and returns its rows.

    The view says which fields are shown as hints; left out, it is the algorithm's first.
    """
    recorded = find(algorithm)
    spec = recorded.spec(view or next(iter(recorded.views)))
    return recorded.record(as_graph(graph)).view(spec.view)


def load(name: Path | str) -> "Run":
    """A trained reasoner: one that is shipped, by its name such as `dfs`, or a run directory. `load(name).run(graph)` runs
    it on a graph."""
    from recursor.training.loop import load  # JAX is slow to import, and recording needs none

    return load(name)
