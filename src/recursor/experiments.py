"""The paper's eleven experiments as configurations.

Each is named after its row in the results table; a *budget* says how long and on which sizes it is trained.
"""

from dataclasses import dataclass, replace

from recursor.network.config import NetworkConfig
from recursor.training.config import TrainConfig

_GRAPH = NetworkConfig(stack="graph")  # row 2, of which rows 3 to 9 change one thing each
_NODE = NetworkConfig(stack="node")


def _train(network: NetworkConfig, **changes) -> TrainConfig:
    return TrainConfig(network=network, **changes)


PAPER: dict[str, TrainConfig] = {
    "01-per-node-hints": _train(NetworkConfig(stack="none", hidden_state=True, collect=False), view="clrs"),
    "02-graph-stack": _train(_GRAPH),
    "03-no-stack": _train(replace(_GRAPH, stack="none"), view="local-no-op"),
    "04-graph-stack-hidden": _train(replace(_GRAPH, hidden_state=True)),
    "05-hidden-no-stack": _train(replace(_GRAPH, stack="none", hidden_state=True), view="local-no-op"),
    "06-no-collection": _train(replace(_GRAPH, collect=False)),
    "07-no-forcing": _train(_GRAPH, forcing=0.0),
    "08-plain-value": _train(replace(_GRAPH, value="plain")),
    "09-attention": _train(replace(_GRAPH, pooling="attention-sum")),
    "10-node-stack": _train(_NODE),
    "11-node-stack-hidden": _train(replace(_NODE, hidden_state=True)),
}


@dataclass(frozen=True)
class Budget:
    """How much is spent on each row, the same for all of them."""

    sizes: tuple[int, ...]
    updates: int
    validate_nodes: int

    def apply(self, config: TrainConfig) -> TrainConfig:
        """The configuration in this budget."""
        return replace(config, sizes=self.sizes, updates=self.updates, validate_nodes=self.validate_nodes)


BUDGETS = {
    "paper": Budget(sizes=(4, 8, 16, 24, 32), updates=20_000, validate_nodes=32),
    "cpu": Budget(sizes=(4, 8, 12, 16), updates=1000, validate_nodes=16),
}


def configuration(name: str, *, budget: str = "cpu", seed: int = 1) -> TrainConfig:
    """The configuration of that name, such as `paper/10-node-stack`."""
    group, _, row = name.partition("/")
    if group != "paper" or row not in PAPER:
        names = ", ".join(f"paper/{row}" for row in PAPER)
        raise ValueError(f"no configuration is called {name!r}; there are {names}")
    if budget not in BUDGETS:
        raise ValueError(f"no budget is called {budget!r}; there are {', '.join(BUDGETS)}")
    return replace(BUDGETS[budget].apply(PAPER[row]), seed=seed)
