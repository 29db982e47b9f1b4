"""Networks that execute an algorithm exactly and halt by themselves, trained by call frames."""

from dataclasses import replace

from recursor.algorithms import find
from recursor.network.config import NetworkConfig
from recursor.training.config import TrainConfig

_ORDER = NetworkConfig(
    width=64,
    processor="order",
    rounds=2,
    decoding="staged",
    stack="fields",
    feedback="hard",
    frame_width=4,
    message_bits=6,
    pooled_bits=16,
)


def _exact(network: NetworkConfig, **changes) -> TrainConfig:
    return TrainConfig(
        network=network,
        view="discrete",
        sizes=(1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 16),
        batch=48,
        trainer="call-frames",
        chains=6,
        links=1,
        halting=True,
        forcing=1.0,
        learning_rate=2e-3,
        schedule="cosine",
        updates=1000,
        validate_every=1000,
        validate_nodes=33,
        silence=0.1,
        lessons=6,
        lesson_updates=300,
        **changes,
    )


_REAL = replace(
    _exact(replace(_ORDER, message_bits=0, pooled_bits=0)), updates=400, validate_every=400, silence=0.0, lessons=0
)
EXACT: dict[str, TrainConfig] = {
    "dfs": replace(_exact(_ORDER), updates=500, validate_every=500),
    "dfs-choice": replace(_REAL, network=replace(_REAL.network, stack="choice")),
    "dfs-node": replace(_REAL, network=replace(_REAL.network, stack="node", frame_width=8), links=3),
}
"""Networks that execute an algorithm exactly and halt by themselves, trained by call frames. Every other algorithm has one
of its own name: see `exact`. Their messages are bits, and training ends with verification. The two with other stacks are for
the ablation, and their messages are real numbers."""


NARROW = ("brackets", "mst_kruskal", "naive_string_matcher", "quickselect")
"""The algorithms whose networks have a width of 48 instead of 64, so that all shipped weights together stay below 8 MB."""

LONGER = {"articulation_points": 2500}
"""The updates of networks that the usual number leaves with wrong rows more often than not."""


def exact(algorithm: str) -> TrainConfig:
    """Returns the configuration `exact/ALGORITHM` of an algorithm that is none of those above, with its exact view."""
    config = _exact(replace(_ORDER, width=48) if algorithm in NARROW else _ORDER)
    updates = LONGER.get(algorithm, config.updates)
    return replace(config, algorithm=algorithm, view=find(algorithm).exact_view, updates=updates, validate_every=updates)
