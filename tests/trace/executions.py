"""Executions as a reasoner would have made them, without a reasoner: recorded rows, some of them spoilt."""

import numpy as np

from recursor.algorithms import find
from recursor.execution.execution import Execution
from recursor.graphs.graph import Graph
from recursor.spec import Spec
from recursor.trace.trace import Trace, recorded, trace


def spec() -> Spec:
    return find("dfs").spec("discrete").halting()


def execution(graph: Graph, *, spoil: np.random.Generator | None = None, mistakes: int = 0) -> Execution:
    """The classical execution, with so many values changed at random in any rows but the first."""
    truth = recorded(spec(), graph)
    rows = {name: values.copy() for name, values in truth.rows.items()}
    for _ in range(mistakes if len(truth) > 1 else 0):
        assert spoil is not None
        field = spec().hints[spoil.integers(len(spec().hints))]
        kinds = len(graph) if field.kind == "pointer" else max(2, field.categories)
        row = int(spoil.integers(1, len(truth)))
        at = (row, int(spoil.integers(len(graph)))) if field.place == "node" else (row,)
        rows[field.name][at] = spoil.integers(kinds)
    pi = np.zeros(len(graph), np.int32)
    for node, value in zip(rows["u"], rows["u_pi"], strict=True):
        pi[node] = value
    return Execution(graph, {"pi": pi}, rows, rows["stack_op"], True, len(truth), 0)


def traced(graph: Graph, label: str = "tested", **spoiling) -> Trace:
    return trace(execution(graph, **spoiling), spec(), label)
