r"""The values of all nodes that a learnt frame is made of.

learned    $\phi(p_i)$, a network of two layers on the processed features $p_i$
plain      the first entries of $p_i$
"""

import equinox as eqx
from jaxtyping import Array, Float, PRNGKeyArray

from recursor.network.config import NetworkConfig
from recursor.network.linear import TwoLayers
from recursor.network.stacks.call_stack import check_frame_width


class NodeValues(eqx.Module):
    """A map [n, width] → [n, frame_width]."""

    layers: TwoLayers | None  # None: plain
    frame_width: int = eqx.field(static=True)

    def __init__(self, config: NetworkConfig, *, key: PRNGKeyArray) -> None:
        width, self.frame_width = config.width, config.frame_width
        self.layers = TwoLayers(width, width, config.frame_width, key=key) if config.value == "learned" else None

    def __call__(self, processed: Float[Array, "n width"]) -> Float[Array, "n frame_width"]:
        return processed[:, : self.frame_width] if self.layers is None else self.layers(processed)

    @classmethod
    def check(cls, config: NetworkConfig) -> None:
        """Raises ValueError for a frame_width that is no width, or too large for plain values."""
        check_frame_width(config)
        if config.value == "plain" and config.frame_width > config.width:
            raise ValueError(
                f"a plain frame takes the first {config.frame_width} entries of {config.width}; choose a smaller frame_width"
            )
