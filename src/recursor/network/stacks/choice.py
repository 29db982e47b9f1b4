r"""The choice stack: a frame is a few slots, and each slot learns which pointer it keeps.

Slot k of a frame is $\sum_c \mathrm{onehot}(\arg\max_c w_{kc})\, x_c$ over the pointers $x_c$ of rows t and t + 1 and
nothing, with the gradient of $\sum_c \mathrm{softmax}(20 w_k)_c\, x_c$ (a straight-through estimator). It joins the
node features.
"""

from typing import ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, PRNGKeyArray

from recursor.network.config import NetworkConfig
from recursor.network.encode import Values
from recursor.network.linear import Features, truncated_normal
from recursor.network.stacks.call_stack import CopyingStack, check_call_variables, check_frame_width
from recursor.network.stacks.storage import LastInFirstOut, Storage
from recursor.network.values import harden
from recursor.spec import Field, Spec

SHARPNESS = 20.0  # a choice changes so much faster than a weight: it is made within the first hundred updates


class ChoiceStack(CopyingStack):
    """A frame is [n, slots], one-hot in each slot; packed, it has one number a slot."""

    weight: Float[Array, "slots candidates"]
    pointers: tuple[Field, ...] = eqx.field(static=True)
    node_width: int = eqx.field(static=True)

    storage: ClassVar[Storage] = LastInFirstOut()
    settings: ClassVar[tuple[str, ...]] = ("frame_width",)
    needs_ops: ClassVar[bool] = True
    learns_by_rollout: ClassVar[bool] = False
    graph_width: int = eqx.field(static=True, default=0)

    def __init__(self, spec: Spec, config: NetworkConfig, *, key: PRNGKeyArray) -> None:
        own = (field for field in spec.hints if field.name in spec.frame)
        self.pointers = tuple(field for field in own if (field.place, field.kind) == ("graph", "pointer"))
        self.weight = truncated_normal(key, (config.frame_width, 2 * len(self.pointers) + 1), 0.1 / SHARPNESS)
        self.node_width = config.frame_width

    @classmethod
    def check(cls, config: NetworkConfig, spec: Spec) -> None:
        check_frame_width(config)
        check_call_variables(config, spec)

    @classmethod
    def training_bytes(cls, config: NetworkConfig, nodes: int) -> int:
        return 0  # next to nothing beside the features of the nodes

    @property
    def kept(self) -> list[str]:
        """What each slot keeps, in words."""
        names = [field.name for field in self.pointers]
        words = [*names, *(f"the next row's {name}" for name in names), "nothing"]
        return [words[index] for index in self.weight.argmax(-1).tolist()]

    def copy(self, row: Values, next_row: Values, mask: Bool[Array, " n"]) -> Float[Array, "n slots"]:
        rows = [harden(field, values[field.name]) for values in (row, next_row) for field in self.pointers]
        candidates = jax.lax.stop_gradient(jnp.stack([*rows, jnp.zeros(len(mask))], -1))
        soft = jax.nn.softmax(SHARPNESS * self.weight)
        hard = jax.nn.one_hot(self.weight.argmax(-1), self.weight.shape[-1])
        return candidates @ (hard + soft - jax.lax.stop_gradient(soft)).T

    def join(self, node: Features, graph: Features, frame: Float[Array, "n slots"]) -> tuple[Features, Features]:
        return node.joined(frame), graph

    def packed_shape(self, nodes: int) -> tuple[int, ...]:
        return (self.node_width,)

    def pack(self, frame: Float[Array, "n slots"]) -> Float[Array, " slots"]:
        """Returns for each slot 1 + the node, or 0 for nothing."""
        return jnp.arange(1.0, len(frame) + 1) @ jnp.round(frame)

    def unpack(self, packed: Float[Array, " slots"], nodes: int) -> Float[Array, "n slots"]:
        return jax.nn.one_hot(packed.astype(jnp.int32) - 1, nodes, axis=0)


KINDS = {"choice": ChoiceStack}
