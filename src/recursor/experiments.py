"""Named configurations: the paper's eleven experiments, by rollout and by call frames, variations of them that tell
what a difference comes from, and the networks that are exact.

Each of the paper's is named after its row in the results table; a *budget* says how long and on which sizes it is trained.
"""

from dataclasses import asdict, dataclass, replace

from recursor.algorithms import find, known
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

FRAMES: dict[str, TrainConfig] = {
    row: replace(PAPER[row], trainer="frames", forcing=1.0, links=3)
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

PUBLISHED: dict[str, tuple[str, str]] = {
    "01-per-node-hints": ("99.79 ± 0.20", "53.92 ± 14.06"),
    "02-graph-stack": ("98.00 ± 0.60", "73.00 ± 6.31"),
    "03-no-stack": ("65.33 ± 4.69", "72.88 ± 7.47"),
    "04-graph-stack-hidden": ("100.00", "82.19 ± 1.07"),
    "05-hidden-no-stack": ("100.00", "78.65 ± 5.44"),
    "06-no-collection": ("50.54 ± 3.90", "25.08 ± 0.97"),
    "07-no-forcing": ("71.73 ± 2.14", "43.88 ± 15.73"),
    "08-plain-value": ("97.54 ± 0.83", "67.42 ± 3.67"),
    "09-attention": ("92.27 ± 5.04", "49.40 ± 2.28"),
    "10-node-stack": ("100.00", "100.00"),
    "11-node-stack-hidden": ("100.00", "99.79 ± 0.29"),
}
"""The paper's own figures: node accuracy in percent at 32 and at 96 nodes, mean and deviation over three seeds."""

_ORDER = NetworkConfig(width=64, processor="order", rounds=2, decoding="in order", stack="fields", feedback="hard", frame=4)


def _exact(network: NetworkConfig, **changes) -> TrainConfig:
    return TrainConfig(
        network=network,
        view="discrete",
        sizes=(4, 8, 12, 16),
        trainer="frames",
        chains=6,
        links=1,
        halting=True,
        forcing=1.0,
        learning_rate=2e-3,
        schedule="cosine",
        updates=200,
        validate_every=200,
        validate_nodes=96,
        **changes,
    )


EXACT: dict[str, TrainConfig] = {
    "dfs": _exact(_ORDER),
    "dfs-choice": _exact(replace(_ORDER, stack="choice")),
    "dfs-node": replace(_exact(replace(_ORDER, stack="node", frame=8)), links=3),
}
"""Networks that execute an algorithm exactly and halt by themselves, trained by call frames; each has its own budget. Every
other algorithm has one of its own name, with a fields stack: see `exact`."""


def exact(algorithm: str) -> TrainConfig:
    """The configuration `exact/ALGORITHM` of an algorithm that is none of those above: with its exact view."""
    view = find(algorithm).exact_view
    return replace(_exact(_ORDER), algorithm=algorithm, view=view, updates=600, validate_every=600, validate_nodes=64)


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


def configuration(name: str, *, budget: str | None = None, seed: int = 1) -> TrainConfig:
    """The configuration of that name, such as `paper/10-node-stack`, `frames/10-node-stack` or `exact/dfs`. The paper's
    networks take a budget, `cpu` if it is left out."""
    group, _, row = name.partition("/")
    exacts = EXACT | {algorithm: exact(algorithm) for algorithm in known() if algorithm not in EXACT}
    groups = {"paper": PAPER, "frames": FRAMES, "variations": VARIATIONS, "exact": exacts}
    if group not in groups or row not in groups[group]:
        names = ", ".join(f"{group}/{row}" for group, rows in groups.items() for row in rows)
        raise ValueError(f"no configuration is called {name!r}; there are {names}")
    if group == "exact":
        if budget is not None:
            raise ValueError(f"{name} has its own sizes and updates; a budget is for the paper's configurations")
        return replace(exacts[row], seed=seed)
    budget = budget or "cpu"
    if budget not in BUDGETS:
        raise ValueError(f"no budget is called {budget!r}; there are {', '.join(BUDGETS)}")
    return replace(BUDGETS[budget].apply(groups[group][row]), seed=seed)
