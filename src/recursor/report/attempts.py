"""Graphs that a reasoner solves and fails at: it is scored on test graphs of several sizes, and one of each is kept to be
looked at."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from recursor.algorithms import find
from recursor.data.batch import Batch
from recursor.data.batches import pad, sample
from recursor.evaluation import Scores, score
from recursor.execution.execution import Execution
from recursor.execution.executor import execute
from recursor.network.reasoner import Reasoner, rollout_batch
from recursor.network.values import prediction
from recursor.recording.rows import Recording


class Attempts(NamedTuple):
    """How a reasoner did."""

    scores: list[Scores]
    """One for each size."""
    seed: int
    """Of the test graphs."""
    solved: Execution | None
    """On the first graph of the smallest size that has one in which every output is right,"""
    failed: Execution | None
    """and on the first in which one is wrong."""


def attempt(
    reasoner: Reasoner, sizes: Sequence[int], graphs: int, seed: int, progress: Callable[[int], None] = lambda done: None
) -> Attempts:
    """Scores a reasoner on the graphs that `recursor evaluate` has; `progress` is told how many are done."""
    scores: list[Scores] = []
    kept: dict[bool, Execution | None] = {True: None, False: None}
    for place, nodes in enumerate(sorted(sizes)):
        algorithm = find(reasoner.spec.algorithm)
        recordings = sample(algorithm, algorithm.test, nodes, graphs, np.random.default_rng((seed, nodes)))
        found = score(reasoner, recordings, progress=lambda done, before=place * graphs: progress(before + done))
        scores.append(found)
        for right, some in ((True, found.graph_accuracy > 0), (False, found.graph_accuracy < 1)):
            if some and kept[right] is None:
                kept[right] = _first(reasoner, recordings, right)
    return Attempts(scores, seed, kept[True], kept[False])


def _first(reasoner: Reasoner, recordings: Sequence[Recording], right: bool) -> Execution | None:
    for recording in recordings:
        execution = execute(reasoner, [recording.graph])[0] if reasoner.spec.halts else told(reasoner, recording)
        same = all((execution.outputs[field.name] == recording.outputs[field.name]).all() for field in reasoner.spec.outputs)
        if (same and execution.halted) == right:
            return execution
    return None


def told(reasoner: Reasoner, recording: Recording) -> Execution:
    """What a reasoner does that cannot say when it is done: it is told the number of rows."""
    spec, n, length = reasoner.spec, len(recording.graph), len(recording)
    batch = pad([recording], spec, every_pair=True)
    hints, outputs, pops = _predict(reasoner, batch)
    rows = {
        field.name: np.concatenate([np.asarray(batch.hints[field.name])[0, :1], np.asarray(hints[field.name])[0]])[
            (slice(length), *[slice(n)] * (field.place == "node"))
        ]
        for field in spec.hints
    }
    return Execution(
        graph=recording.graph,
        outputs={f.name: np.asarray(outputs[f.name])[(0, *[slice(n)] * (f.place == "node"))] for f in spec.outputs},
        rows=rows,
        ops=rows.get("stack_op", np.zeros(0, np.int32)),
        halted=True,
        steps=length,
        empty_pops=int(pops[0]),
    )


@eqx.filter_jit
def _predict(reasoner: Reasoner, batch: Batch) -> tuple[dict[str, Array], dict[str, Array], Array]:
    rollout = rollout_batch(reasoner, batch, jnp.zeros(batch.row_mask.shape, bool))
    hints = {field.name: prediction(field, rollout.hints[field.name]) for field in reasoner.spec.hints}
    outputs = {field.name: prediction(field, rollout.outputs[field.name]) for field in reasoner.spec.outputs}
    return hints, outputs, rollout.underflows
