"""One step of a reasoner at a time, with everything that it computes, for looking inside."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import equinox as eqx
import jax
import numpy as np

from recursor.algorithms import find
from recursor.data.batches import bucket, pad_inputs
from recursor.execution.executor import check_memory, check_runnable, next_row, step_limit
from recursor.graphs.graph import Graph
from recursor.network.reasoner import Reasoner
from recursor.recording.rows import first_rows


@dataclass(frozen=True)
class Step:
    """One step of a reasoner: a row, and what was computed from it."""

    number: int
    """The number of the row, from 0."""
    row: Mapping[str, np.ndarray]
    """The hints of the row, by name."""
    logits: Mapping[str, np.ndarray]
    """The logits of each hint of the next row, by name. Those of a pointer have one entry for each node, and one more, the
    last, for null if it may be null."""
    features: Mapping[str, np.ndarray]
    """What the logits were decoded from: `node` [n, width], `graph` [width], `bits` [n, bits] of the messages, none if they
    are real numbers, and `edge` [n, n, width] if the processor has features of pairs."""
    next_row: Mapping[str, np.ndarray]
    """The row that the logits predict."""


def steps(reasoner: Reasoner, graph: Graph, *, limit: int | None = None) -> Iterator[Step]:
    """Runs a reasoner on a graph, one step at a time, until it says that it is done.

    Args:
        reasoner: A reasoner that halts by itself.
        graph: The graph.
        limit: The number of rows after which it is stopped; by default that of the algorithm.

    Yields:
        The steps, beginning with that from row 0 to row 1.

    Raises:
        ValueError: If the reasoner cannot halt by itself, or there is not enough memory.

    Example:
        >>> import recursor
        >>> first = next(iter(steps(recursor.load("dfs").reasoner, recursor.as_graph([[0, 1], [0, 0]]))))
        >>> sorted(first.logits), first.logits["u"].shape
        (['color', 'done', 'stack_op', 'u', 'u_pi', 'u_v'], (2,))
    """
    check_runnable(reasoner)
    check_memory(reasoner, [graph])
    algorithm, n, nodes = find(reasoner.spec.algorithm), len(graph), bucket(len(graph))
    limit = step_limit(algorithm, graph) if limit is None else limit
    inputs = jax.tree.map(lambda array: np.asarray(array)[0], pad_inputs([graph], reasoner.spec.inputs))
    first = first_rows(reasoner.spec, [algorithm.first_row(graph)], nodes)
    row = {name: np.asarray(values[0]) for name, values in first.items()}
    prepared = eqx.filter_jit(reasoner.prepare)(inputs)
    carry = reasoner.start(nodes, limit)
    one_step = eqx.filter_jit(next_row)
    for number in range(limit - 1):
        then, carry, logits, found = one_step(reasoner, prepared, row, carry, np.array(True), np.array(number + 1))
        dense = {"node": found.node.dense()[:n], "graph": found.graph.dense(), "bits": found.bit_logits[:n] > 0}
        if found.edge is not None:
            dense["edge"] = found.edge.dense()[:n, :n]
        yield Step(
            number,
            _trimmed(reasoner, row, n),
            {name: _without_padding(reasoner, name, np.asarray(values), n, nodes) for name, values in logits.items()},
            {name: np.asarray(values) for name, values in dense.items()},
            _trimmed(reasoner, then, n),
        )
        row = then
        if int(row["done"]) == 1:
            return


def _trimmed(reasoner: Reasoner, row: Mapping, n: int) -> dict[str, np.ndarray]:
    return {f.name: np.asarray(row[f.name])[(slice(n),) * (f.place == "node")] for f in reasoner.spec.hints}


def _without_padding(reasoner: Reasoner, name: str, logits: np.ndarray, n: int, nodes: int) -> np.ndarray:
    """Returns logits without the entries of padded nodes."""
    field = reasoner.spec.hint(name)
    if field.place == "node":
        logits = logits[:n]
    if field.kind == "pointer":
        logits = np.concatenate([logits[..., :n], logits[..., nodes:]], -1)  # what is after the nodes is the logit of null
    return logits
