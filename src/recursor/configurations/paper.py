"""The configurations of the paper's eleven experiments, variations of them, and budgets."""

from dataclasses import dataclass, replace
from typing import Literal

from recursor.network.config import NetworkConfig
from recursor.training.config import TrainConfig

_GRAPH = NetworkConfig(stack="graph")  # experiment 2, of which 3 to 9 change one thing each

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
    name: replace(PAPER[name], trainer="call-frames", forcing=1.0, links=3)
    for name in ("02-graph-stack", "03-no-stack", "08-plain-value", "09-attention", "10-node-stack")
}
"""The paper's networks without a hidden state that collect their outputs, trained by call frames instead of by rollout; as
many updates as by rollout."""

VARIATIONS: dict[str, TrainConfig] = {
    "02-max-pooling": _train(replace(_GRAPH, pooling="max")),
    "03-op-hint-without-stack": _train(replace(_GRAPH, stack="none")),
    "09-softmax-attention": _train(replace(_GRAPH, pooling="attention")),
}
"""Experiments of the paper's with one thing changed: the pooling that the published commands have, where the text says sum;
the hint that the experiment without a stack loses together with the stack; attention whose weights sum to one."""


Block = Literal["rollout", "call-frames", "variations"]
"""A part of the table: the paper's experiments, those that call frames can train too, and variations."""


@dataclass(frozen=True)
class Budget:
    """What is spent on each experiment, the same for all of them, and what it is tested on."""

    sizes: tuple[int, ...]
    batch: int
    updates: int
    validate_every: int
    validate_nodes: int
    tests: tuple[tuple[int, int], ...]
    """Sizes to test on, and how many graphs of each. A graph of twice as many nodes takes eight times as long."""
    blocks: tuple[Block, ...] = ("rollout", "call-frames", "variations")
    """Blocks of the table that are trained unless others are asked for."""
    order: tuple[int, ...] = ()
    """Numbers of the experiments in the order in which they are trained; left out, by number."""

    def apply(self, config: TrainConfig) -> TrainConfig:
        """Returns the configuration with the sizes, updates and validations of this budget."""
        return replace(
            config,
            sizes=self.sizes,
            batch=self.batch,
            updates=self.updates,
            validate_every=self.validate_every,
            validate_nodes=self.validate_nodes,
        )

    @property
    def reported(self) -> tuple[int, int]:
        """The two sizes of the table: the largest of training, and three times it."""
        return max(self.sizes), 3 * max(self.sizes)


_SMALL = Budget(
    sizes=(4, 8, 12, 16),
    batch=8,
    updates=800,
    validate_every=100,
    validate_nodes=16,
    tests=((8, 64), (16, 64), (32, 32), (48, 32), (64, 8), (96, 4), (128, 4)),
)

BUDGETS = {
    "paper": Budget(
        sizes=(4, 8, 16, 24, 32),
        batch=32,
        updates=20_000,
        validate_every=50,
        validate_nodes=32,
        tests=((16, 64), (32, 64), (64, 32), (96, 32), (128, 8), (192, 4), (256, 4)),
    ),
    "paper-sizes": Budget(
        sizes=(4, 8, 16, 24, 32),
        batch=8,
        updates=3_200,
        validate_every=100,
        validate_nodes=32,
        tests=((32, 64), (96, 64), (192, 8)),
        blocks=("rollout",),
        order=(10, 1, 2, 4, 5, 3, 11, 9, 6, 8, 7),  # what tells most comes first
    ),
    "small": _SMALL,
    "small-long": replace(_SMALL, updates=4 * _SMALL.updates),  # tells what of a difference is due to short training
}
"""`paper`: the paper's own, for a GPU. `paper-sizes`: the paper's sizes of graphs, for training on idle cores over days.
`small`: graphs of half the size, minutes a run on a laptop. `small-long`: the same with four times as many updates."""
