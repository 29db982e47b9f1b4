"""Networks that find their own stack operations: the views show none, and no recording tells them."""

from dataclasses import replace

from recursor.configurations.exact import exact
from recursor.training.config import TrainConfig


def latent(algorithm: str) -> TrainConfig:
    """Returns the configuration `latent/ALGORITHM`: the exact network of the algorithm, whose ops are not told."""
    told = exact(algorithm)
    return replace(
        told,
        view=f"{told.view}-no-op",
        trainer="latent",
        batch=24,
        chains=12,
        silence=0.0,
        updates=400,
        validate_every=400,
    )
