"""CLRS-30 both ways, without TensorFlow: its samples to our graphs, our outputs and recordings to its own.

    import clrs, recursor, recursor.clrs

    feedback = clrs.build_sampler("dfs", num_samples=32, length=64, seed=3)[0].next()
    samples = recursor.clrs.from_feedback("dfs", feedback)
    executions = recursor.load("dfs").run_many(samples.graphs())
    outputs = recursor.clrs.outputs("dfs", executions)
    clrs.evaluate(feedback.outputs, recursor.clrs.predictions(feedback, outputs))

dm-clrs is only needed for what it makes and takes itself.
"""

from recursor.clrs.fields import ClrsField
from recursor.clrs.pyg import to_pyg
from recursor.clrs.samples import Samples, from_arrays, from_feedback, read, record
from recursor.clrs.scores import outputs, permutation, predictions, right_graphs, score
from recursor.clrs.tasks import TASKS, Task, find_task

__all__ = [
    "TASKS",
    "ClrsField",
    "Samples",
    "Task",
    "find_task",
    "from_arrays",
    "from_feedback",
    "outputs",
    "permutation",
    "predictions",
    "read",
    "record",
    "right_graphs",
    "score",
    "to_pyg",
]
