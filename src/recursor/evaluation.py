"""Evaluation: a reasoner on its own predictions, scored.

It gets nothing but the inputs and row 0, which follows from them; and if it cannot halt, the number of rows of the recorded
execution.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from recursor.algorithms import find
from recursor.data.batch import Batch, element_weights
from recursor.data.batches import Distribution, pad, sample
from recursor.execution.executor import execute, memory_needed
from recursor.graphs.graph import Graph
from recursor.network.reasoner import Reasoner, rollout_batch
from recursor.network.values import prediction
from recursor.recording.rows import Recording
from recursor.spec import POP, PUSH


@dataclass(frozen=True)
class Scores:
    """How well a reasoner did on graphs of one size. Shares are between 0 and 1."""

    nodes: int
    graphs: int
    node_accuracy: float
    """Share of nodes whose output is right, the mean over all outputs."""
    graph_accuracy: float
    """Share of graphs with every output right."""
    hints: dict[str, list[float]]
    """For each hint the share that is right, row by row from row 1; for a scalar the mean absolute error."""
    valid: float | None
    """Share of graphs whose outputs are valid: a right answer, if perhaps not the algorithm's own. None if it says
    nothing of other right answers."""
    empty_pops: float
    """Pops that found the stack empty, the mean over graphs,"""
    true_empty_pops: float
    """and how many there are in the recorded execution."""
    halted: float | None = None
    """Share of graphs on which the reasoner said by itself that it was done; None if it was told the number of rows."""

    def hint_means(self) -> dict[str, float]:
        """For each hint the mean over rows."""
        return {name: float(np.mean(rows)) for name, rows in self.hints.items()}

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


class Predicted(NamedTuple):
    """What a reasoner made of some recorded executions."""

    outputs: Mapping[str, Sequence[Any]]
    hints: Mapping[str, tuple[Any, Any]]  # for each hint how much is right in each row, and of how many
    empty_pops: Sequence[Any]
    halted: Sequence[Any]


@eqx.filter_jit
def _predict(reasoner: Reasoner, batch: Batch) -> tuple:
    """What a reasoner predicts that is told the number of rows."""
    rollout = rollout_batch(reasoner, batch, jnp.zeros(batch.row_mask.shape, bool))
    rows = jnp.asarray(batch.row_mask[:, 1:], jnp.float32)
    hints = {}
    for field in reasoner.spec.hints:
        predicted, truth = prediction(field, rollout.hints[field.name]), batch.hints[field.name][:, 1:]
        right = jnp.abs(predicted - truth) if field.kind == "scalar" else (predicted == truth).astype(jnp.float32)
        weight = element_weights(field, batch, rows)
        axes = tuple(axis for axis in range(right.ndim) if axis != 1)
        hints[field.name] = (jnp.where(weight > 0, right, 0.0).sum(axes), weight.sum(axes))
    outputs = {field.name: prediction(field, rollout.outputs[field.name]) for field in reasoner.spec.outputs}
    return outputs, hints, rollout.underflows, jnp.ones(len(batch.row_mask), bool)


def evaluate(
    reasoner: Reasoner,
    nodes: int,
    graphs: int,
    *,
    seed: int = 0,
    distribution: Distribution | None = None,
    progress: Callable[[int], None] = lambda done: None,
) -> Scores:
    """Scores a reasoner on `graphs` graphs of `nodes` nodes, drawn as the algorithm says or from another distribution;
    `progress` is told how many are done."""
    rng = np.random.default_rng((seed, nodes))
    algorithm = find(reasoner.spec.algorithm)
    recordings = sample(algorithm, distribution or algorithm.test, nodes, graphs, rng)
    return score(reasoner, recordings, progress=progress)


def score(
    reasoner: Reasoner, recordings: Sequence[Recording], *, progress: Callable[[int], None] = lambda done: None
) -> Scores:
    """Scores a reasoner on recorded executions of one size. One that can halt runs by itself and has to, at the right row
    or another; one that cannot is told how many rows there are."""
    nodes, halts = len(recordings[0].graph), reasoner.spec.halts
    together = _together(reasoner, [recording.graph for recording in recordings])
    length = max(map(len, recordings)) - 1
    hints = {field.name: np.zeros((2, length)) for field in reasoner.spec.hints}  # the sum and the weight of every row
    right, whole, valid, underflows, stopped = [], [], [], [], []
    is_valid = find(reasoner.spec.algorithm).valid
    for start in range(0, len(recordings), together):
        part = recordings[start : start + together]
        batch = pad(part, reasoner.spec, every_pair=True)
        predicted = _execute(reasoner, part, batch) if halts else Predicted(*jax.device_get(_predict(reasoner, batch)))
        underflows.extend(predicted.empty_pops)
        stopped.extend(predicted.halted)
        for name, sums in predicted.hints.items():
            width = min(length, len(sums[0]))
            hints[name][:, :width] += np.stack(sums)[:, :width]
        for place, recording in enumerate(part):
            outputs = {
                field.name: predicted.outputs[field.name][place][(slice(nodes),) * (field.place == "node")]
                for field in reasoner.spec.outputs
            }
            fields = [
                np.asarray(values == batch.outputs[name][place][tuple(map(slice, np.shape(values)))])
                for name, values in outputs.items()
            ]
            right.append(np.mean([field.mean() for field in fields]))
            whole.append(predicted.halted[place] and all(field.all() for field in fields))
            if is_valid:
                valid.append(is_valid(recording.graph, outputs))
        progress(start + len(part))
    ops = [recording.ops for recording in recordings]
    return Scores(
        nodes=nodes,
        graphs=len(recordings),
        node_accuracy=float(np.mean(right)),
        graph_accuracy=float(np.mean(whole)),
        hints={name: (total / np.maximum(weight, 1)).tolist() for name, (total, weight) in hints.items()},
        valid=float(np.mean(valid)) if valid else None,
        empty_pops=float(np.mean(underflows)),
        true_empty_pops=float(np.mean([(op == POP).sum() - (op == PUSH).sum() for op in ops])),
        halted=float(np.mean(stopped)) if halts else None,
    )


def _together(reasoner: Reasoner, graphs: Sequence[Graph]) -> int:
    """How many graphs are run at once: so many that they are within 1 GB."""
    return max(1, min(64, int(1e9 * len(graphs) / memory_needed(reasoner, graphs))))


def _execute(reasoner: Reasoner, recordings: Sequence[Recording], batch: Batch) -> Predicted:
    """What a reasoner predicts that runs by itself. A row that it did not reach is wrong."""
    executions = execute(reasoner, [recording.graph for recording in recordings])
    rows = np.asarray(batch.row_mask[:, 1:], np.float32)
    hints = {}
    for field in reasoner.spec.hints:
        truth = np.asarray(batch.hints[field.name])[:, 1:]
        values = np.full(truth.shape, np.inf)  # no value of a field
        for place, execution in enumerate(executions):
            own = execution.rows[field.name][1 : 1 + truth.shape[1]]
            values[(place, *map(slice, own.shape))] = own
        right = np.abs(values - truth) if field.kind == "scalar" else values == truth
        weight = np.asarray(element_weights(field, batch, jnp.asarray(rows)))
        axes = tuple(axis for axis in range(right.ndim) if axis != 1)
        hints[field.name] = (np.where(weight > 0, right, 0.0).sum(axes), weight.sum(axes))
    outputs = {field.name: [execution.outputs[field.name] for execution in executions] for field in reasoner.spec.outputs}
    pops, halted = zip(*((execution.empty_pops, execution.halted) for execution in executions), strict=True)
    return Predicted(outputs, hints, pops, halted)
