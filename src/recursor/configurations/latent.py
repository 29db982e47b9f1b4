"""Networks that find their own stack operations: the views show none, and no recording tells them."""

from dataclasses import replace

from recursor.configurations.exact import exact
from recursor.training.config import TrainConfig

LARGE = (9, 11, 13, 16)
"""Sizes of which there are more than of others: in small graphs a network can guess what a frame would tell it."""


def latent(algorithm: str) -> TrainConfig:
    """Returns the configuration `latent/ALGORITHM`: the exact network of the algorithm, whose ops are not told."""
    told = exact(algorithm)
    return replace(
        told,
        view=f"{told.view}-no-op",
        trainer="latent",
        sizes=(*told.sizes, *LARGE, *LARGE),
        batch=len(told.sizes) + 2 * len(LARGE),
        chains=12,
        updates=1000,
        search=300,
        op_weight=16.0,  # with less, several uses of the stack that explain the rows nearly alike stay side by side
        restarts=4,
        validate_every=1000,
    )
