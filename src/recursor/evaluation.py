"""Evaluation: scores a reasoner that runs on its own predictions.

The reasoner gets only the inputs and row 0, which follows from them. A reasoner that cannot halt also gets the number of
rows of the recorded execution.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from recursor.algorithms import find
from recursor.data.batch import Batch, element_weights
from recursor.data.batches import Distribution, bucket, pad, sample
from recursor.execution.executor import execute, lookup_executor, memory_needed
from recursor.execution.lookup.compiled import can_compile
from recursor.execution.lookup.executor import LookupExecutor
from recursor.network.reasoner import Reasoner, rollout_batch
from recursor.network.values import prediction
from recursor.recording.rows import Recording, decoded_bytes
from recursor.spec import POP, PUSH
from recursor.system.compiling import bound_programs
from recursor.system.memory import require_memory


@dataclass(frozen=True)
class Scores:
    """The scores of a reasoner on graphs of one size. Shares are between 0 and 1."""

    nodes: int
    """The number of nodes of each graph."""
    graphs: int
    """The number of graphs."""
    node_accuracy: float
    """Share of nodes whose output is right, averaged over all outputs."""
    graph_accuracy: float
    """Share of graphs in which every output is right and the reasoner halted."""
    hints: dict[str, list[float]]
    """For each hint its accuracy in each row, from row 1; for a scalar the mean absolute error."""
    valid: float | None
    """Share of graphs whose outputs are a right answer, even if not the algorithm's own. None if the algorithm declares no
    other right answers."""
    empty_pops: float
    """Number of pops on an empty stack, averaged over graphs."""
    true_empty_pops: float
    """The same number in the recorded executions."""
    halted: float | None = None
    """Share of graphs on which the reasoner halted by itself; None if it was given the number of rows."""

    def __repr__(self) -> str:
        right = f"{self.graph_accuracy:.1%} of the graphs and {self.node_accuracy:.1%} of the nodes are right"
        return f"<Scores of {self.graphs} graphs of {self.nodes} nodes: {right.replace('%', ' %')}>"

    def hint_means(self) -> dict[str, float]:
        """Returns for each hint the mean over rows."""
        return {name: float(np.mean(rows)) for name, rows in self.hints.items()}

    def to_dict(self) -> dict[str, Any]:
        """Returns the scores as a dictionary for JSON."""
        return asdict(self)


class Predicted(NamedTuple):
    """The predictions of a reasoner for several recorded executions."""

    outputs: Mapping[str, Sequence[Any]]
    hints: Mapping[str, tuple[Any, Any]]  # for each hint the sum of right elements in each row, and the number of elements
    empty_pops: Sequence[Any]
    halted: Sequence[Any]


def predict_batch(reasoner: Reasoner, batch: Batch) -> tuple[dict[str, Array], dict[str, Array], Array]:
    """Predicts recorded executions: the reasoner runs on its own predictions, for as many rows as were recorded.

    Returns:
        The predicted hints of all rows after row 0, the outputs, and the number of pops that found the stack empty.
    """
    rollout = rollout_batch(reasoner, batch, jnp.zeros(batch.row_mask.shape, bool))
    hints = {field.name: prediction(field, rollout.hints[field.name]) for field in reasoner.spec.hints}
    outputs = {field.name: prediction(field, rollout.outputs[field.name]) for field in reasoner.spec.outputs}
    return hints, outputs, rollout.underflows


@eqx.filter_jit
def _predict(reasoner: Reasoner, batch: Batch) -> tuple:
    """Returns the fields of `Predicted` for a reasoner that is given the number of rows."""
    predicted, outputs, underflows = predict_batch(reasoner, batch)
    rows = jnp.asarray(batch.row_mask[:, 1:], jnp.float32)
    hints = {}
    for field in reasoner.spec.hints:
        values, truth = predicted[field.name], batch.hints[field.name][:, 1:]
        right = jnp.abs(values - truth) if field.kind == "scalar" else (values == truth).astype(jnp.float32)
        weight = element_weights(field, batch, rows)
        axes = tuple(axis for axis in range(right.ndim) if axis != 1)
        hints[field.name] = (jnp.where(weight > 0, right, 0.0).sum(axes), weight.sum(axes))
    return outputs, hints, underflows, jnp.ones(len(batch.row_mask), bool)


def evaluate(
    reasoner: Reasoner,
    nodes: int,
    graphs: int,
    *,
    seed: int = 0,
    distribution: Distribution | None = None,
    progress: Callable[[int], None] = lambda done: None,
    lookup: LookupExecutor | None = None,
) -> Scores:
    """Scores a reasoner on sampled graphs of one size.

    Args:
        reasoner: The reasoner.
        nodes: The number of nodes of each graph.
        graphs: The number of graphs.
        seed: Seed of the graphs.
        distribution: A function from a NumPy generator and a number of nodes to a graph; by default the algorithm's test
            distribution.
        progress: Is called with the number of graphs done.
        lookup: The executor of this very reasoner that remembers situations, such as `run.lookup`; by default a new one.

    Returns:
        The scores.

    Raises:
        ValueError: If `nodes` or `graphs` is no whole number, or less than 1.

    Example:
        >>> import recursor
        >>> recursor.evaluate(recursor.load("dfs").reasoner, nodes=5, graphs=2).graph_accuracy
        1.0
    """
    for number, what in ((nodes, "nodes"), (graphs, "graphs")):
        if not isinstance(number, int | np.integer):
            raise ValueError(f"the number of {what} must be a whole number, such as 16, not {number!r}")
    if nodes < 1 or graphs < 1:
        raise ValueError(f"scores need at least 1 graph of at least 1 node, not {graphs} graphs of {nodes} nodes")
    rng = np.random.default_rng((seed, nodes))
    algorithm = find(reasoner.spec.algorithm)
    recordings = sample(algorithm, distribution or algorithm.test, nodes, graphs, rng)
    return score(reasoner, recordings, progress=progress, lookup=lookup)


def score(
    reasoner: Reasoner,
    recordings: Sequence[Recording],
    *,
    progress: Callable[[int], None] = lambda done: None,
    lookup: LookupExecutor | None = None,
) -> Scores:
    """Scores a reasoner on recorded executions of one size. A reasoner that can halt runs freely and must halt, at any row;
    one that cannot is given the number of rows. `progress` and `lookup` are those of `evaluate`."""
    nodes, halts = len(recordings[0].graph), reasoner.spec.halts
    batch_size = _batch_size(reasoner, recordings)
    length = max(map(len, recordings)) - 1
    hints = {field.name: np.zeros((2, length)) for field in reasoner.spec.hints}  # sum and weight of every row
    right, whole, valid, underflows, stopped = [], [], [], [], []
    is_valid = find(reasoner.spec.algorithm).valid
    if not halts or not can_compile():  # in plain Python many graphs together are run faster by XLA
        lookup = None
    elif lookup is None:
        lookup = lookup_executor(reasoner)
    for start in range(0, len(recordings), batch_size):
        part = recordings[start : start + batch_size]
        batch = pad(part, reasoner.spec, every_pair=True)
        if halts:
            predicted = _execute(reasoner, part, batch, lookup)
        else:
            bound_programs((reasoner.spec, reasoner.config, batch.row_mask.shape, batch.inputs.node_mask.shape))
            predicted = Predicted(*jax.device_get(_predict(reasoner, batch)))
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
            as_recorded = all(field.all() for field in fields)
            whole.append(predicted.halted[place] and as_recorded)
            if is_valid:  # which takes longer than the execution, and is true of the algorithm's own answer
                valid.append(as_recorded or is_valid(recording.graph, outputs))
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


def _batch_size(reasoner: Reasoner, recordings: Sequence[Recording]) -> int:
    """Returns how many executions are run at the same time: at most 64, and about 1 GB.

    Raises:
        ValueError: If one alone does not fit into memory.
    """
    graphs, rows = [recording.graph for recording in recordings], max(map(len, recordings))
    nodes = max(map(len, graphs))
    compared = 4 * decoded_bytes(reasoner.spec, bucket(rows), bucket(nodes))  # true and predicted rows, and their equality
    need = memory_needed(reasoner, graphs) / len(graphs) + compared
    require_memory(need, f"an execution of {rows} rows on {nodes} nodes", "choose smaller graphs")
    return max(1, min(64, int(1e9 / need)))


def _execute(reasoner: Reasoner, recordings: Sequence[Recording], batch: Batch, lookup: LookupExecutor | None) -> Predicted:
    """Returns the predictions of a reasoner that halts by itself. A row that it did not reach counts as wrong."""
    executions = execute(reasoner, [recording.graph for recording in recordings], lookup=lookup)
    rows = np.asarray(batch.row_mask[:, 1:], np.float32)
    hints = {}
    for field in reasoner.spec.hints:
        truth = np.asarray(batch.hints[field.name])[:, 1:]
        values = np.full(truth.shape, np.inf)  # never equal to a value of a field
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
