"""The experiments of the table: the paper's eleven by rollout, those that call frames can train too, and variations."""

from collections.abc import Sequence
from typing import NamedTuple

from recursor.configurations.paper import CALL_FRAMES, PAPER, VARIATIONS, Block
from recursor.network.stacks import STACKS
from recursor.network.stacks.graph import GraphStack
from recursor.network.stacks.node import NodeStack
from recursor.paper.published import PUBLISHED
from recursor.training.config import TrainConfig

SEEDS = (1, 2, 3)
TEST_SEED = 0
"""Of the test graphs, the same for all runs."""


class Experiment(NamedTuple):
    """A line of the paper's table of results, or one that goes with it."""

    name: str
    """Of its configuration, such as `call-frames/10-node-stack`."""
    number: int
    """The paper's, of the experiment itself or of the one that it varies."""
    words: str
    config: TrainConfig
    """In no budget yet."""
    accuracy: tuple[str, str]
    """The paper's node accuracy of that experiment in percent, at its largest training size and three times it."""
    memory: str
    """The paper's peak memory in GB"""
    minutes: str
    """and its time."""


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
"""The experiments: the paper's by rollout, those of them that call frames can train, and variations, by rollout."""


def select(numbers: Sequence[int] = (), blocks: Sequence[Block] = (), order: Sequence[int] = ()) -> list[Experiment]:
    """Selects experiments of the table.

    Args:
        numbers: Their numbers, in the order in which they are wanted; none for all.
        blocks: The blocks to look in; none for all.
        order: The order of the numbers if all are wanted; none for ascending.

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
    chosen = [experiments for block, experiments in BLOCKS.items() if not blocks or block in blocks]
    wanted = dict.fromkeys(numbers or order or known)
    return [each for experiments in chosen for number in wanted for each in experiments if each.number == number]


def ticks(config: TrainConfig) -> dict[str, bool | None]:
    """The paper's ticks and crosses; None where a question does not arise."""
    network, stack = config.network, STACKS.find(config.network.stack)
    per_node_hints = config.view == "clrs"  # the hints of the baseline hold the whole state: it has no use for a stack
    return {
        "graph stack": None if per_node_hints else stack is GraphStack,
        "node stack": None if per_node_hints else stack is NodeStack,
        "hidden state": network.hidden_state,
        "output collection": network.collect,
        "teacher forcing": config.forcing > 0,
        "learned φ": network.value == "learned" if "value" in stack.settings else None,
        "attention": network.pooling.startswith("attention") if "pooling" in stack.settings else None,
    }
