"""The experiments of the table: the paper's eleven by rollout, those that can also be trained by call frames, variations."""

from collections.abc import Sequence
from typing import NamedTuple

from recursor.configurations.paper import CALL_FRAMES, PAPER, VARIATIONS, Block
from recursor.network.poolings import POOLINGS
from recursor.network.stacks import STACKS
from recursor.network.stacks.graph import GraphStack
from recursor.network.stacks.node import NodeStack
from recursor.paper.published import PUBLISHED
from recursor.training.config import TrainConfig

SEEDS = (1, 2, 3)
TEST_SEED = 0
"""Seed of the test graphs, the same for all runs."""


class Experiment(NamedTuple):
    """An experiment of the paper's table of results, or a further one that belongs to it."""

    name: str
    """The name of its configuration, such as `call-frames/10-node-stack`."""
    number: int
    """The number in the paper of this experiment, or of the experiment that it varies."""
    words: str
    config: TrainConfig
    """The configuration, before a budget is applied."""
    accuracy: tuple[str, str]
    """The paper's node accuracy in percent, at the largest training size and at three times it."""
    memory: str
    """The paper's peak memory in GB."""
    minutes: str
    """The paper's training time in minutes."""


_COSTS = {  # the paper's table of runtime and memory
    1: ("22.61", "87.31 ± 0.12"),
    2: ("7.14", "62.43 ± 0.10"),
    3: ("6.87", "68.41 ± 0.09"),
    4: ("7.56", "67.36 ± 0.59"),
    5: ("8.82", "67.36 ± 0.59"),
    6: ("13.33", "88.47 ± 0.10"),
    7: ("8.57", "71.32 ± 0.16"),
    8: ("8.45", "67.82 ± 0.27"),
    9: ("8.75", "69.68 ± 0.21"),
    10: ("7.14", "79.30 ± 0.75"),
    11: ("8.43", "80.93 ± 0.18"),
}


def _experiments(group: str, configurations: dict[str, TrainConfig]) -> tuple[Experiment, ...]:
    experiments = []
    published = {int(name.partition("-")[0]): figures for name, figures in PUBLISHED.items()}
    for name, config in configurations.items():
        label, _, words = name.partition("-")
        number = int(label)
        experiments.append(
            Experiment(f"{group}/{name}", number, words.replace("-", " "), config, published[number], *_COSTS[number])
        )
    return tuple(experiments)


BLOCKS: dict[Block, tuple[Experiment, ...]] = {
    "rollout": _experiments("paper", PAPER),
    "call-frames": _experiments("call-frames", CALL_FRAMES),
    "variations": _experiments("variations", VARIATIONS),
}
"""The experiments by block: the paper's by rollout, those that can be trained by call frames, and variations by rollout."""


def select(numbers: Sequence[int] = (), blocks: Sequence[Block] = (), order: Sequence[int] = ()) -> list[Experiment]:
    """Selects experiments of the table.

    Args:
        numbers: Their numbers, in the order in which they are returned; none for all.
        blocks: The blocks to look in; none for all.
        order: The order of the numbers if all are selected; none for ascending.

    Returns:
        The experiments, block by block.

    Raises:
        ValueError: If no experiment has one of the numbers.

    Example:
        >>> [experiment.name for experiment in select([10, 2], ["rollout"])]
        ['paper/10-node-stack', 'paper/02-graph-stack']
    """
    known = sorted({experiment.number for experiments in BLOCKS.values() for experiment in experiments})
    unknown = sorted(set(numbers) - set(known))
    if unknown:
        raise ValueError(f"the table has the experiments {known[0]} to {known[-1]}, and no experiment {unknown[0]}")
    selected = [experiments for block, experiments in BLOCKS.items() if not blocks or block in blocks]
    ordered = dict.fromkeys(numbers or order or known)
    return [each for experiments in selected for number in ordered for each in experiments if each.number == number]


def ticks(config: TrainConfig) -> dict[str, bool | None]:
    """Returns the paper's ticks and crosses; None where a property does not apply."""
    network, stack = config.network, STACKS.find(config.network.stack)
    per_node_hints = config.view == "clrs"  # the baseline's hints hold the whole state, so it needs no stack
    return {
        "graph stack": None if per_node_hints else stack is GraphStack,
        "node stack": None if per_node_hints else stack is NodeStack,
        "hidden state": network.hidden_state,
        "output collection": network.collect,
        "teacher forcing": config.forcing > 0,
        "learned φ": network.value == "learned" if "value" in stack.settings else None,
        "attention": POOLINGS.find(network.pooling).attends if "pooling" in stack.settings else None,
    }
