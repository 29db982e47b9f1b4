"""Evaluation: a reasoner on its own predictions, scored.

The number of rows is that of the recorded execution; in it the network gets nothing but the inputs and row 0, which follows
from them.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from recursor.algorithms import find
from recursor.batches import Batch, Distribution, pad, sample
from recursor.forests import is_depth_first_forest
from recursor.graphs import TEST
from recursor.network.reasoner import Reasoner
from recursor.network.values import prediction
from recursor.rows import Recording
from recursor.spec import POP, PUSH
from recursor.training.losses import weights
from recursor.training.rollout import run


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
    valid_forests: float | None
    """Of depth-first search: share of graphs whose output is some depth-first forest, canonical or not."""
    empty_pops: float
    """Pops that found the stack empty, the mean over graphs,"""
    true_empty_pops: float
    """and how many there are in the recorded execution."""

    def hint_means(self) -> dict[str, float]:
        """For each hint the mean over rows."""
        return {name: float(np.mean(rows)) for name, rows in self.hints.items()}

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


@eqx.filter_jit
def _predict(reasoner: Reasoner, batch: Batch) -> tuple[dict[str, Array], dict[str, tuple[Array, Array]], Array]:
    """Predicted outputs; for each hint how much is right in each row, and of how many; pops that found the stack empty."""
    rollout = run(reasoner, batch, jnp.zeros(batch.row_mask.shape, bool))
    rows = jnp.asarray(batch.row_mask[:, 1:], jnp.float32)
    hints = {}
    for field in reasoner.spec.hints:
        predicted, truth = prediction(field, rollout.hints[field.name]), batch.hints[field.name][:, 1:]
        right = jnp.abs(predicted - truth) if field.kind == "scalar" else (predicted == truth).astype(jnp.float32)
        weight = weights(field, batch, rows)
        axes = tuple(axis for axis in range(right.ndim) if axis != 1)
        hints[field.name] = (jnp.where(weight > 0, right, 0.0).sum(axes), weight.sum(axes))
    outputs = {field.name: prediction(field, rollout.outputs[field.name]) for field in reasoner.spec.outputs}
    return outputs, hints, rollout.underflows


def evaluate(
    reasoner: Reasoner,
    nodes: int,
    graphs: int,
    *,
    seed: int = 0,
    distribution: Distribution = TEST,
    progress: Callable[[int], None] = lambda done: None,
) -> Scores:
    """Scores a reasoner on `graphs` graphs of `nodes` nodes; `progress` is told how many are done."""
    rng = np.random.default_rng((seed, nodes))
    algorithm = find(reasoner.spec.algorithm)
    recordings = sample(algorithm, distribution, nodes, graphs, rng)
    return score(reasoner, recordings, progress=progress)


def score(
    reasoner: Reasoner, recordings: Sequence[Recording], *, progress: Callable[[int], None] = lambda done: None
) -> Scores:
    """Scores a reasoner on recorded executions of one size."""
    nodes = len(recordings[0].graph)
    together = max(1, min(64, int(1e9 / (nodes**2 * reasoner.config.width * 4))))  # all pairs within 1 GB
    length = max(map(len, recordings)) - 1
    hints = {field.name: np.zeros((2, length)) for field in reasoner.spec.hints}  # the sum and the weight of every row
    right, whole, forests, underflows = [], [], [], []
    for start in range(0, len(recordings), together):
        part = recordings[start : start + together]
        batch = pad(part, reasoner.spec, every_pair=True)
        outputs, rows, pops = jax.device_get(_predict(reasoner, batch))
        underflows.extend(pops)
        for name, sums in rows.items():
            width = min(length, len(sums[0]))
            hints[name][:, :width] += np.stack(sums)[:, :width]
        for place, recording in enumerate(part):
            fields = [outputs[f.name][place][:nodes] == batch.outputs[f.name][place][:nodes] for f in reasoner.spec.outputs]
            right.append(np.mean([field.mean() for field in fields]))
            whole.append(all(field.all() for field in fields))
            if reasoner.spec.algorithm == "dfs":
                forests.append(is_depth_first_forest(recording.graph, outputs["pi"][place][:nodes]))
        progress(start + len(part))
    ops = [recording.ops for recording in recordings]
    return Scores(
        nodes=nodes,
        graphs=len(recordings),
        node_accuracy=float(np.mean(right)),
        graph_accuracy=float(np.mean(whole)),
        hints={name: (total / np.maximum(weight, 1)).tolist() for name, (total, weight) in hints.items()},
        valid_forests=float(np.mean(forests)) if forests else None,
        empty_pops=float(np.mean(underflows)),
        true_empty_pops=float(np.mean([(op == POP).sum() - (op == PUSH).sum() for op in ops])),
    )
