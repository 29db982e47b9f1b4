"""Networks that execute an algorithm exactly and halt by themselves, trained by call frames."""

from dataclasses import replace

from recursor.algorithms import find
from recursor.network.config import NetworkConfig
from recursor.training.config import TrainConfig

_ORDER = NetworkConfig(
    width=64, processor="order", rounds=2, decoding="staged", stack="fields", feedback="hard", frame_width=4
)


def _exact(network: NetworkConfig, **changes) -> TrainConfig:
    return TrainConfig(
        network=network,
        view="discrete",
        sizes=(4, 8, 12, 16),
        trainer="call-frames",
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
    "dfs-node": replace(_exact(replace(_ORDER, stack="node", frame_width=8)), links=3),
}
"""Networks that execute an algorithm exactly and halt by themselves, trained by call frames; each has its own budget. Every
other algorithm has one of its own name, with a fields stack: see `exact`."""


def exact(algorithm: str) -> TrainConfig:
    """The configuration `exact/ALGORITHM` of an algorithm that is none of those above: with its exact view."""
    view = find(algorithm).exact_view
    return replace(_exact(_ORDER), algorithm=algorithm, view=view, updates=600, validate_every=600, validate_nodes=64)
