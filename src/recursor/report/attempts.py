"""Scores of a reasoner on test graphs of several sizes, with one solved and one failed execution to show."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import equinox as eqx
import numpy as np

from recursor.algorithms import find
from recursor.data.batches import pad, sample
from recursor.evaluation import Scores, predict_batch, score
from recursor.execution.execution import Execution
from recursor.execution.executor import execute
from recursor.network.reasoner import Reasoner
from recursor.recording.rows import Recording

_predict_batch = eqx.filter_jit(predict_batch)


class Attempts(NamedTuple):
    """The scores of a reasoner, with example executions."""

    scores: list[Scores]
    """One for each size, in ascending order of size."""
    seed: int
    """The seed of the test graphs."""
    solved: Execution | None
    """The first execution, at the smallest possible size, in which every output is right; None if there is none."""
    failed: Execution | None
    """The first execution in which an output is wrong or the reasoner did not halt; None if there is none."""


def attempt(
    reasoner: Reasoner, sizes: Sequence[int], graphs: int, seed: int, progress: Callable[[int], None] = lambda done: None
) -> Attempts:
    """Scores a reasoner on the same graphs as `recursor evaluate`, in ascending order of size, up to the first size at which
    no graph is right. Calls `progress` with the number of graphs done."""
    scores: list[Scores] = []
    examples: dict[bool, Execution | None] = {True: None, False: None}
    for place, nodes in enumerate(sorted(sizes)):
        algorithm = find(reasoner.spec.algorithm)
        recordings = sample(algorithm, algorithm.test, nodes, graphs, np.random.default_rng((seed, nodes)))
        scored = score(reasoner, recordings, progress=lambda done, before=place * graphs: progress(before + done))
        scores.append(scored)
        for right, exists in ((True, scored.graph_accuracy > 0), (False, scored.graph_accuracy < 1)):
            if exists and examples[right] is None:
                examples[right] = _first(reasoner, recordings, right)
        if not scored.graph_accuracy:
            break
    return Attempts(scores, seed, examples[True], examples[False])


def _first(reasoner: Reasoner, recordings: Sequence[Recording], right: bool) -> Execution | None:
    """Returns the first execution that is right, or the first that is wrong."""
    for recording in recordings:
        execution = execute(reasoner, [recording.graph])[0] if reasoner.spec.halts else execute_for_rows(reasoner, recording)
        same = all((execution.outputs[field.name] == recording.outputs[field.name]).all() for field in reasoner.spec.outputs)
        if (same and execution.halted) == right:
            return execution
    return None


def execute_for_rows(reasoner: Reasoner, recording: Recording) -> Execution:
    """Executes a reasoner that cannot halt, for as many rows as the recording has."""
    spec, n, length = reasoner.spec, len(recording.graph), len(recording)
    batch = pad([recording], spec, every_pair=True)
    hints, outputs, pops = _predict_batch(reasoner, batch)
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
