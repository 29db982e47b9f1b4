"""Runs as they might have gone, without training."""

import numpy as np

from recursor.evaluation import Scores
from recursor.graphs.distributions import TEST
from recursor.network.config import NetworkConfig
from recursor.report.attempts import Attempts
from recursor.report.history import History
from recursor.training.config import TrainConfig
from tests.trace.executions import execution

HALTING = TrainConfig(
    view="discrete",
    network=NetworkConfig(width=8, frame_width=4, stack="fields", feedback="hard"),
    trainer="call-frames",
    forcing=1.0,
    halting=True,
    sizes=(4, 8),
    updates=300,
)


def history(*, updates: int = 300, done: bool = True) -> History:
    rng = np.random.default_rng(0)
    names = [*(field.name for field in HALTING.spec.hints), "output/pi"]
    losses, validations = [], []
    for k in range(1, updates + 1):
        fields = {name: float(rng.uniform(0.5, 1) / k) for name in names}
        losses.append({"update": k, "seconds": 0.1 * k, "loss": sum(fields.values()), **fields})
        if k % 50 == 0:
            hints = {f"validation/{name}": 1 - 1 / k for name in names[:-1]}
            validations.append(
                {"update": k, "seconds": 0.1 * k, "validation": k / updates, "validation/graphs": k / updates / 2, **hints}
            )
    summary = {"version": "0.1.0", "jax": "0.8.0", "devices": ["cpu"], "seconds": 30.0, "peak_memory_bytes": 10**9}
    return History(HALTING, losses, validations, summary if done else None)


def scores(nodes: int, accuracy: float) -> Scores:
    hints = {field.name: [accuracy] * 3 * nodes for field in HALTING.spec.hints}
    return Scores(nodes, 4, accuracy, accuracy / 2, hints, accuracy, 1.0, 1.0, accuracy)


def attempts(*, solved: bool = True, failed: bool = True) -> Attempts:
    graph = TEST(np.random.default_rng(3), 8)
    return Attempts(
        [scores(8, 1.0), scores(16, 0.9), scores(24, 0.5)],
        seed=0,
        solved=execution(graph) if solved else None,
        failed=execution(graph, spoil=np.random.default_rng(0), mistakes=9) if failed else None,
    )
