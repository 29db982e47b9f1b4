r"""The fields stack: a frame is a copy of the call's own variables.

With row t + 1, whose op is push, the frame is $x^{t+1}$ restricted to the call's variables, each as its argmax. Nothing in
it is learnt, so a frame is exact where its row is. It joins the node and graph features, each variable in its place.
"""

import math
from typing import ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, PRNGKeyArray

from recursor.network.config import NetworkConfig
from recursor.network.encode import Values, joined, joined_widths
from recursor.network.linear import Features
from recursor.network.stacks.call_stack import CopyingStack, check_call_variables
from recursor.network.stacks.storage import LastInFirstOut, Storage
from recursor.network.values import choices, harden
from recursor.spec import Field, Spec


class FieldsStack(CopyingStack):
    """A frame is the values of some fields; packed, it has one number a graph field and n a node field."""

    fields: tuple[Field, ...] = eqx.field(static=True)
    node_width: int = eqx.field(static=True)
    graph_width: int = eqx.field(static=True)
    encodes: bool = eqx.field(static=True)

    storage: ClassVar[Storage] = LastInFirstOut()
    settings: ClassVar[tuple[str, ...]] = ("encode_frame",)
    needs_ops: ClassVar[bool] = True
    learns_by_rollout: ClassVar[bool] = True

    def __init__(self, spec: Spec, config: NetworkConfig, *, key: PRNGKeyArray) -> None:
        self.fields = tuple(field for field in spec.hints if field.name in spec.frame)
        self.encodes = config.encode_frame
        self.node_width, self.graph_width = (0, 0) if self.encodes else joined_widths(self.fields)

    @property
    def encoded(self) -> tuple[Field, ...]:
        return self.fields if self.encodes else ()

    @classmethod
    def check(cls, config: NetworkConfig, spec: Spec) -> None:
        check_call_variables(config, spec)

    @classmethod
    def training_bytes(cls, config: NetworkConfig, nodes: int) -> int:
        return 0  # next to nothing beside the features of the nodes

    def copy(self, row: Values, next_row: Values, mask: Bool[Array, " n"]) -> Values:
        return {field.name: jax.lax.stop_gradient(harden(field, next_row[field.name])) for field in self.fields}

    def join(self, node: Features, graph: Features, frame: Values) -> tuple[Features, Features]:
        return joined(self.fields, frame, node, graph)

    def packed_shape(self, nodes: int) -> tuple[int, ...]:
        return (sum(nodes if field.place == "node" else 1 for field in self.fields),)

    def pack(self, frame: Values) -> Float[Array, " numbers"]:
        """Returns the fields one after the other. A pointer or category is 1 + its index, or 0 where it is all zero."""
        return jnp.concatenate([jnp.zeros(0), *(jnp.ravel(_number(field, frame[field.name])) for field in self.fields)])

    def unpack(self, packed: Float[Array, " numbers"], nodes: int) -> Values:
        frame, start = {}, 0
        for field in self.fields:
            shape = (nodes,) if field.place == "node" else ()
            value = packed[start : start + math.prod(shape)].reshape(shape)
            indexed = field.kind in ("category", "pointer")
            frame[field.name] = jax.nn.one_hot(value.astype(jnp.int32) - 1, choices(field, nodes)) if indexed else value
            start += math.prod(shape)
        return frame


def _number(field: Field, value: Float[Array, "..."]) -> Float[Array, "..."]:
    return value @ jnp.arange(1.0, value.shape[-1] + 1) if field.kind in ("category", "pointer") else value


KINDS = {"fields": FieldsStack}
