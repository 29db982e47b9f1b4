"""Recursor: graph neural networks that execute recursive algorithms with a call stack.

    import networkx, recursor

    run = recursor.load("dfs")                              # a shipped network, or a run directory
    execution = run.run(networkx.path_graph(4))             # run_many: several graphs; steps: logits and features
    execution.answer, execution.outputs["pi"], execution.halted
    run.evaluate([16, 64], graphs=8)                        # score: graphs of your own
    recursor.verify(run)                                    # every small input, and random ones

    recursor.train(recursor.configuration("exact/dfs"), "runs/mine")

    trajectory = recursor.record("dfs", networkx.path_graph(4), view="local")
    trajectory.hints["u"], trajectory.outputs["pi"], trajectory.ops

Names are imported when they are first used, so `import recursor` is quick and recording needs no JAX.
"""

import importlib
from typing import TYPE_CHECKING, Any

from recursor.version import __version__

if TYPE_CHECKING:
    from recursor.algorithms import record, register
    from recursor.configurations.named import configuration
    from recursor.evaluation import Scores, evaluate
    from recursor.execution.execution import Execution
    from recursor.graphs.graph import Graph
    from recursor.graphs.reading import GraphError, as_graph
    from recursor.network.config import NetworkConfig
    from recursor.network.reasoner import Reasoner
    from recursor.recording.algorithm import Algorithm
    from recursor.recording.recorder import Recorder
    from recursor.recording.rows import Trajectory
    from recursor.spec import Collect, Field, Stamp
    from recursor.training.config import TrainConfig
    from recursor.training.loading import load
    from recursor.training.loop import resume, train
    from recursor.training.run import Run
    from recursor.verification.verify import verify

__all__ = [
    "Algorithm",
    "Collect",
    "Execution",
    "Field",
    "Graph",
    "GraphError",
    "NetworkConfig",
    "Reasoner",
    "Recorder",
    "Run",
    "Scores",
    "Stamp",
    "TrainConfig",
    "Trajectory",
    "__version__",
    "as_graph",
    "configuration",
    "evaluate",
    "load",
    "record",
    "register",
    "resume",
    "train",
    "verify",
]

_LATER = {
    "Algorithm": "recursor.recording.algorithm",
    "Collect": "recursor.spec",
    "Execution": "recursor.execution.execution",
    "Field": "recursor.spec",
    "Graph": "recursor.graphs.graph",
    "GraphError": "recursor.graphs.reading",
    "NetworkConfig": "recursor.network.config",
    "Reasoner": "recursor.network.reasoner",
    "Recorder": "recursor.recording.recorder",
    "Run": "recursor.training.run",
    "Scores": "recursor.evaluation",
    "Stamp": "recursor.spec",
    "TrainConfig": "recursor.training.config",
    "Trajectory": "recursor.recording.rows",
    "as_graph": "recursor.graphs.reading",
    "configuration": "recursor.configurations.named",
    "evaluate": "recursor.evaluation",
    "load": "recursor.training.loading",
    "record": "recursor.algorithms",
    "register": "recursor.algorithms",
    "resume": "recursor.training.loop",
    "train": "recursor.training.loop",
    "verify": "recursor.verification.verify",
}
"""The names that are imported when they are first used, and their modules."""


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'recursor' has no attribute {name!r}")
    value = getattr(importlib.import_module(_LATER[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
