"""The configurations of the paper's eleven experiments, variations of them, and budgets."""

from dataclasses import asdict, dataclass, replace

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

CALL_FRAMES: dict[str, TrainConfig] = {
    row: replace(PAPER[row], trainer="call-frames", forcing=1.0, links=3)
    for row in ("02-graph-stack", "03-no-stack", "08-plain-value", "09-attention", "10-node-stack")
}
"""The paper's networks without a hidden state that collect their outputs, trained by call frames instead of by rollout; as
many updates as by rollout."""

VARIATIONS: dict[str, TrainConfig] = {
    "02-max-pooling": _train(replace(_GRAPH, pooling="max")),
    "03-op-hint-without-stack": _train(replace(_GRAPH, stack="none")),
    "09-softmax-attention": _train(replace(_GRAPH, pooling="attention")),
}
"""Rows of the paper's with one thing changed: the pooling that the published commands have, where the text says sum; the
hint that the row without a stack loses together with the stack; attention whose weights sum to one."""


@dataclass(frozen=True)
class Budget:
    """How much is spent on each row, the same for all of them."""

    sizes: tuple[int, ...]
    batch: int
    updates: int
    validate_every: int
    validate_nodes: int

    def apply(self, config: TrainConfig) -> TrainConfig:
        """The configuration in this budget."""
        return replace(config, **asdict(self))


_CPU = Budget(sizes=(4, 8, 12, 16), batch=8, updates=800, validate_every=100, validate_nodes=16)

BUDGETS = {
    "paper": Budget(sizes=(4, 8, 16, 24, 32), batch=32, updates=20_000, validate_every=50, validate_nodes=32),
    "cpu": _CPU,
    "long": replace(_CPU, updates=4 * _CPU.updates),  # tells what of a difference to the paper is due to short training
}
