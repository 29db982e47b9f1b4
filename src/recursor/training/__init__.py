"""Training: losses, updates, the loop, checkpoints."""

from recursor.training.config import TrainConfig

__all__ = ["TrainConfig"]
