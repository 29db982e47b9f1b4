"""Our outputs as CLRS-30's, and its scores in NumPy, so that they need neither TensorFlow nor JAX."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from recursor.clrs.samples import Samples
from recursor.clrs.tasks import convert_outputs, find_task
from recursor.graphs.graph import Graph

MASKED = -1


class HasOutputs(Protocol):
    """What an execution of a network knows: the graph and the outputs."""

    @property
    def graph(self) -> Graph: ...
    @property
    def outputs(self) -> Mapping[str, np.ndarray]: ...


def outputs(task: str, executions: Sequence[HasOutputs]) -> dict[str, np.ndarray]:
    """Returns the outputs of our networks as CLRS-30 has them.

    Args:
        task: The name of the task, or of our algorithm for it.
        executions: What `Run.run_many` returned for graphs of one size.

    Returns:
        For each output [batch, ...]: pointers as indices, `topo_head` one-hot, `is_bridge` as a symmetric edge mask that is
        -1 where there is no edge.
    """
    return convert_outputs(
        find_task(task), [execution.graph for execution in executions], [execution.outputs for execution in executions]
    )


def predictions(feedback: Any, values: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """Returns predictions that dm-clrs's `evaluate` takes.

    Args:
        feedback: The `Feedback` whose outputs are the truth.
        values: The outputs, as `outputs` returns them.

    Returns:
        A data point for each output. A pointer that dm-clrs wants as a permutation becomes one, with its mask.
    """
    points = {}
    for truth in feedback.outputs:
        name = truth.name
        if truth.type_ == "permutation_pointer":
            data = permutation(values[name])[0]
        elif name.endswith("_mask") and name not in values:
            data = permutation(values[name.removesuffix("_mask")])[1]
        else:
            data = values[name]
        points[name] = type(truth)(name=name, location=truth.location, type_=truth.type_, data=data)
    return points


def permutation(pred: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns a linked list as dm-clrs's permutation: one-hot pointers [..., n, n] in which the first element names the last
    instead of itself, and the one-hot mask [..., n] of the first.

    Example:
        >>> pointers, first = permutation(np.array([2, 1, 1]))
        >>> pointers.argmax(-1).tolist(), first.argmax(-1).tolist()
        ([2, 0, 1], 1)
    """
    pred = np.asarray(pred)
    n = pred.shape[-1]
    named = pred[..., None] == np.arange(n)
    last = named.sum(-2).argmin(-1)
    first = np.diagonal(named, axis1=-2, axis2=-1).argmax(-1)
    mask = first[..., None] == np.arange(n)
    cyclic = np.where(mask, last[..., None], pred)
    return (cyclic[..., None] == np.arange(n)).astype(np.float32), mask.astype(np.float32)


def score(samples: Samples, values: Mapping[str, np.ndarray]) -> dict[str, float]:
    """Scores outputs as dm-clrs's `evaluate` does.

    Args:
        samples: The samples, with their outputs.
        values: The outputs to score, as `outputs` returns them.

    Returns:
        For each output the share of elements that are right, or for a mask its F1; and `score`, their mean.

    Raises:
        ValueError: If an output is missing.

    Example:
        >>> from recursor.clrs import record
        >>> samples = record("dfs", [[[0, 1], [0, 0]]])
        >>> score(samples, {"pi": np.array([[0, 1]])})
        {'pi': 0.5, 'score': 0.5}
    """
    scores = {}
    for name, kind in samples.task.outputs.items():
        for group, what in ((samples.outputs, "samples"), (values, "values")):
            if name not in group:
                raise ValueError(f"the {what} have no output {name!r}")
        truth, value = np.asarray(samples.outputs[name]), np.asarray(values[name])
        if kind.type == "mask":
            scores[name] = _f1(value, truth)
        elif kind.type == "mask_one":
            scores[name] = float((value.argmax(-1) == truth.argmax(-1)).mean())
        else:
            scores[name] = float((value == truth).mean())
    return {**scores, "score": sum(scores.values()) / len(scores)}


def _f1(value: np.ndarray, truth: np.ndarray) -> float:
    """F1 of a mask over the elements that count; without a positive in the truth or the value, precision or recall is 1."""
    counts = truth != MASKED
    hits = ((value > 0.5) & (truth > 0.5) & counts).sum()
    positives, found = ((truth > 0.5) & counts).sum(), ((value > 0.5) & counts).sum()
    precision = hits / found if found else 1.0
    recall = hits / positives if positives else 1.0
    return float(2 * precision * recall / (precision + recall)) if precision + recall else 0.0


def right_graphs(samples: Samples, values: Mapping[str, np.ndarray]) -> np.ndarray:
    """Returns for each graph whether every output is right, [batch]."""
    right = np.ones(len(samples), bool)
    for name, kind in samples.task.outputs.items():
        truth, value = np.asarray(samples.outputs[name]), np.asarray(values[name])
        if kind.type == "mask":
            same = (truth == MASKED) | ((value > 0.5) == (truth > 0.5))
        elif kind.type == "mask_one":
            same = value.argmax(-1) == truth.argmax(-1)
        else:
            same = value == truth
        right &= same.reshape(len(samples), -1).all(1)
    return right
