"""Recursor: graph neural networks that execute recursive algorithms with a call stack.

import recursor
trajectory = recursor.record("dfs", networkx.path_graph(4), view="local")
trajectory.hints["u"], trajectory.outputs["pi"], trajectory.ops
"""

from typing import Any

from recursor.algorithms import find
from recursor.reading import GraphError, as_graph
from recursor.rows import Trajectory

__version__ = "0.1.0"
__all__ = ["GraphError", "Trajectory", "as_graph", "record"]


def record(algorithm: str, graph: Any, view: str | None = None) -> Trajectory:
    """Executes an algorithm on a graph (whatever `as_graph` takes) and returns its rows.

    The view says which fields are shown as hints; left out, it is the algorithm's first.
    """
    recorded = find(algorithm)
    spec = recorded.spec(view or next(iter(recorded.views)))
    return recorded.record(as_graph(graph)).view(spec.view)
