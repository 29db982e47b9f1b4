"""One step of a reasoner at a time, with everything that it computes, for looking inside."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from recursor.algorithms import find
from recursor.data.batches import bucket, pad_inputs
from recursor.execution.executor import check_memory, next_row, step_limit
from recursor.graphs.graph import Graph
from recursor.network.encode import Values
from recursor.network.reasoner import Carry, Prepared, Reasoner, RowFeatures
from recursor.network.values import from_logits, from_truth, prediction
from recursor.recording.rows import first_rows
from recursor.spec import NOOP


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

    A reasoner that cannot say so, such as the paper's, is given the number of rows of the classical algorithm. Its predicted
    hints are fed back as in training: as probabilities, unless its `feedback` is `hard`.

    Args:
        reasoner: The reasoner.
        graph: The graph.
        limit: The number of rows after which it is stopped; by default as the algorithm says.

    Yields:
        The steps, beginning with that from row 0 to row 1.

    Raises:
        ValueError: If there is not enough memory.

    Example:
        >>> import recursor
        >>> first = next(iter(steps(recursor.load("dfs").reasoner, recursor.as_graph([[0, 1], [0, 0]]))))
        >>> sorted(first.logits), first.logits["u"].shape
        (['color', 'done', 'stack_op', 'u', 'u_pi', 'u_v'], (2,))
    """
    check_memory(reasoner, [graph])
    spec, algorithm, n, nodes = reasoner.spec, find(reasoner.spec.algorithm), len(graph), bucket(len(graph))
    if limit is None:
        limit = step_limit(algorithm, graph) if spec.halts else algorithm.count_rows(graph)
    inputs = jax.tree.map(lambda array: np.asarray(array)[0], pad_inputs([graph], spec.inputs))
    first = first_rows(spec, [algorithm.first_row(graph)], nodes)
    row = {name: np.asarray(values[0]) for name, values in first.items()}
    fed_back = {field.name: from_truth(field, jnp.asarray(row[field.name]), nodes) for field in spec.hints}
    prepared = eqx.filter_jit(reasoner.prepare)(inputs)
    carry = reasoner.start(nodes, limit)
    one_step, one_soft_step = eqx.filter_jit(next_row), eqx.filter_jit(_next_soft_row)
    for number in range(limit - 1):
        if spec.halts:
            then, carry, logits, found = one_step(reasoner, prepared, row, carry, np.array(True), np.array(number + 1))
        else:
            then, fed_back, carry, logits, found = one_soft_step(reasoner, prepared, fed_back, carry)
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
        if spec.halts and int(row["done"]) == 1:
            return


def _next_soft_row(
    reasoner: Reasoner, prepared: Prepared, values: Values, carry: Carry
) -> tuple[dict[str, Array], Values, Carry, Values, RowFeatures]:
    """Runs one row as a rollout does. Returns the next row, the values that are fed back, the carry, logits and features."""
    logits, features = reasoner.step(prepared, values, carry)
    fields, hard = reasoner.spec.hints, reasoner.config.feedback == "hard"
    then = {field.name: prediction(field, logits[field.name]) for field in fields}
    fed_back = {field.name: from_logits(field, logits[field.name], hard=hard) for field in fields}
    op = then["stack_op"] if reasoner.spec.has_ops else jnp.array(NOOP)
    return then, fed_back, reasoner.remember(carry, op, features, values, fed_back, prepared.mask), logits, features


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
