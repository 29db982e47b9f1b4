"""The rows of the table: the paper's eleven by rollout, those that can be trained by call frames too, and variations."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from recursor.configurations.paper import BUDGETS, CALL_FRAMES, PAPER, VARIATIONS
from recursor.network.stacks import STACKS
from recursor.network.stacks.graph import GraphStack
from recursor.network.stacks.node import NodeStack
from recursor.paper.published import PUBLISHED
from recursor.training.config import TrainConfig

SEEDS = (1, 2, 3)
TEST_SEED = 0
"""Of the test graphs, the same for all runs."""

# Times the largest training size, and graphs of it: one of twice as many nodes takes eight times as long
_TIMES = ((0.5, 64), (1, 64), (2, 32), (3, 32), (4, 8), (6, 4), (8, 4))


class Row(NamedTuple):
    """A row of the table."""

    name: str
    """Of its configuration, such as `call-frames/10-node-stack`."""
    number: int
    """The paper's, of the row itself or of the one that it varies."""
    words: str
    config: TrainConfig
    """In no budget yet."""
    accuracy: tuple[str, str]
    """The paper's node accuracy of that row in percent, at its largest training size and three times it."""
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


def _rows(group: str, configurations: dict[str, TrainConfig]) -> tuple[Row, ...]:
    rows = []
    published = {int(name.partition("-")[0]): figures for name, figures in PUBLISHED.items()}
    for name, config in configurations.items():
        label, _, words = name.partition("-")
        number = int(label)
        row = Row(f"{group}/{name}", number, words.replace("-", " "), config, published[number], *_COSTS[number])
        rows.append(row)
    return tuple(rows)


Block = Literal["rollout", "call-frames", "variations"]
BLOCKS: dict[Block, tuple[Row, ...]] = {
    "rollout": _rows("paper", PAPER),
    "call-frames": _rows("call-frames", CALL_FRAMES),
    "variations": _rows("variations", VARIATIONS),
}
"""The rows: the paper's by rollout, those of them that call frames can train, and variations, by rollout."""


def select(numbers: Sequence[int], blocks: Sequence[Block]) -> list[Row]:
    """The rows of those numbers, or all, of those blocks, or all."""
    known = {row.number for rows in BLOCKS.values() for row in rows}
    unknown = sorted(set(numbers) - known)
    if unknown:
        raise ValueError(f"the table has the rows {min(known)} to {max(known)}, and no row {unknown[0]}")
    chosen = [rows for block, rows in BLOCKS.items() if not blocks or block in blocks]
    return [row for rows in chosen for row in rows if not numbers or row.number in numbers]


def test_sizes(largest: int) -> tuple[tuple[int, int], ...]:
    """Sizes that a run is tested on, from half its largest training size to eight times it, and how many graphs of each."""
    return tuple((max(1, int(times * largest)), graphs) for times, graphs in _TIMES)


def reported_sizes(budget: str) -> tuple[int, int]:
    """The two sizes of the table: the largest of training, and three times it."""
    largest = max(BUDGETS[budget].sizes)
    return largest, 3 * largest


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
