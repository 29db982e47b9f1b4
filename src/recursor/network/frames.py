r"""Frames: what a call saves on the stack, one class for each way to make them, interchangeable.

    stack     a frame is                                                      in the stack       joins
    node      $\phi(p_i)$ for every node, of the row that pushes              [n, width]         the node features
    graph     those of all nodes, pooled                                      [width]            the graph features
    fields    the call's own variables, as the pushing row shows them         [fields + n each]  both, each in its place
    choice    in each slot the pointer that the network learnt to keep        [slots]            the node features
    none                                                                      [0]                nothing

`make` computes a frame as the network uses it, so that gradients flow through it; `pack` and `unpack` turn it into what the
stack keeps and back. What is all zero is no frame: the top of the empty stack.

With the row t and the row t+1 whose op is push, the frame of *fields* is $x^{t+1}$, restricted to the call's variables; slot
k of *choice* is $\sum_c \mathrm{onehot}(\arg\max_c w_{kc})\, x_c$ over the pointers $x_c$ of both rows and nothing, with the
gradient of $\sum_c \mathrm{softmax}(20 w_k)_c\, x_c$. Neither depends on learnt features, so a frame is exact where its row
is, and it is a handful of numbers however large the graph, unless a variable itself has a value for every node.
"""

import math
from typing import Any, ClassVar, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, PRNGKeyArray

from recursor.network.config import NetworkConfig
from recursor.network.encode import Values, joined, joined_widths
from recursor.network.linear import Features, TwoLayers, draws
from recursor.network.pool import Pool
from recursor.network.values import choices, settled
from recursor.spec import Field, Spec

DECISIVE = 20.0  # how much faster a choice is made than a weight is learnt: it is made within the first hundred updates


class Pushed(NamedTuple):
    """All that a frame can be made of."""

    processed: Float[Array, "n width"]  # of row t
    graph: Features
    row: Values  # t
    next_row: Values  # t + 1, whose op is push
    mask: Bool[Array, " n"]


class NoFrames(eqx.Module):
    """There is no stack."""

    node_width: int = eqx.field(static=True, default=0)
    graph_width: int = eqx.field(static=True, default=0)
    packed_width: int = eqx.field(static=True, default=0)
    of_each_node: int = eqx.field(static=True, default=0)
    copies: ClassVar[bool] = False
    """Whether a frame depends on the rows alone, and on nothing that the network computed."""

    def make(self, pushed: Pushed) -> Any:
        """The frame."""
        return self.copy(pushed.row, pushed.next_row, pushed.mask)

    def copy(self, row: Values, next_row: Values, mask: Bool[Array, " n"]) -> Any:
        """The frame, where it depends on the rows alone."""
        return jnp.zeros(0)

    def join(self, node: Features, graph: Features, frame: Any) -> tuple[Features, Features]:
        """The features, unchanged."""
        return node, graph

    def pack(self, frame: Any) -> Float[Array, "*frame"]:
        """As it is."""
        return frame

    def unpack(self, packed: Float[Array, "*frame"], nodes: int) -> Any:
        """As it is."""
        return packed


class NodeFrames(NoFrames):
    """A learned or plain value for every node."""

    value: TwoLayers | None = None

    def __init__(self, config: NetworkConfig, *, key: PRNGKeyArray) -> None:
        self.node_width = self.packed_width = config.frame
        self.value = TwoLayers(config.width, config.width, config.frame, key=key) if config.value == "learned" else None

    def make(self, pushed: Pushed) -> Float[Array, "n frame"]:
        return pushed.processed[:, : self.packed_width] if self.value is None else self.value(pushed.processed)

    def join(self, node: Features, graph: Features, frame: Float[Array, "n frame"]) -> tuple[Features, Features]:
        return node.joined(frame), graph


class GraphFrames(NoFrames):
    """The values of all nodes, pooled."""

    nodes: NodeFrames | None = None
    pool: Pool | None = None

    def __init__(self, config: NetworkConfig, *, key: PRNGKeyArray) -> None:
        one, two = jax.random.split(key)
        self.nodes = NodeFrames(config, key=one)
        self.pool = Pool(config.pooling, config.width, config.width + config.frame, config.width, key=two)
        self.graph_width = self.packed_width = config.frame

    def make(self, pushed: Pushed) -> Float[Array, " frame"]:
        assert self.nodes is not None
        assert self.pool is not None
        return self.pool(self.nodes.make(pushed), pushed.processed, pushed.graph.dense(), pushed.mask)

    def join(self, node: Features, graph: Features, frame: Float[Array, " frame"]) -> tuple[Features, Features]:
        return node, graph.joined(frame)


class FieldFrames(NoFrames):
    """The call's own variables, copied."""

    fields: tuple[Field, ...] = eqx.field(static=True, default=())
    copies = True

    def __init__(self, spec: Spec) -> None:
        self.fields = tuple(field for field in spec.hints if field.name in spec.frame)
        self.of_each_node = len([field for field in self.fields if field.place == "node"])
        self.packed_width = len(self.fields) - self.of_each_node
        self.node_width, self.graph_width = joined_widths(self.fields)

    def copy(self, row: Values, next_row: Values, mask: Bool[Array, " n"]) -> Values:
        return {field.name: jax.lax.stop_gradient(settled(field, next_row[field.name])) for field in self.fields}

    def join(self, node: Features, graph: Features, frame: Values) -> tuple[Features, Features]:
        return joined(self.fields, frame, node, graph)

    def pack(self, frame: Values) -> Float[Array, " numbers"]:
        """One number a field, or one for each node: 0 for nothing, and from 1 on the index of a pointer or category."""
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


class ChoiceFrames(NoFrames):
    """A few slots, each of which keeps the pointer that the network learnt to keep."""

    weight: Float[Array, "slots candidates"] | None = None
    pointers: tuple[Field, ...] = eqx.field(static=True, default=())
    copies = True

    def __init__(self, spec: Spec, config: NetworkConfig, *, key: PRNGKeyArray) -> None:
        own = (field for field in spec.hints if field.name in spec.frame)
        self.pointers = tuple(field for field in own if (field.place, field.kind) == ("graph", "pointer"))
        self.weight = draws(key, (config.frame, 2 * len(self.pointers) + 1), 0.1 / DECISIVE)
        self.node_width = self.packed_width = config.frame

    @property
    def kept(self) -> list[str]:
        """What each slot keeps, in words."""
        names = [field.name for field in self.pointers]
        words = [*names, *(f"the next row's {name}" for name in names), "nothing"]
        assert self.weight is not None
        return [words[index] for index in self.weight.argmax(-1).tolist()]

    def copy(self, row: Values, next_row: Values, mask: Bool[Array, " n"]) -> Float[Array, "n slots"]:
        assert self.weight is not None
        rows = [settled(field, values[field.name]) for values in (row, next_row) for field in self.pointers]
        candidates = jax.lax.stop_gradient(jnp.stack([*rows, jnp.zeros(len(mask))], -1))
        soft = jax.nn.softmax(DECISIVE * self.weight)
        hard = jax.nn.one_hot(self.weight.argmax(-1), self.weight.shape[-1])
        return candidates @ (hard + soft - jax.lax.stop_gradient(soft)).T

    def join(self, node: Features, graph: Features, frame: Float[Array, "n slots"]) -> tuple[Features, Features]:
        return node.joined(frame), graph

    def pack(self, frame: Float[Array, "n slots"]) -> Float[Array, " slots"]:
        """One number a slot: 0 for nothing, else one more than the node."""
        return jnp.arange(1.0, len(frame) + 1) @ jnp.round(frame)

    def unpack(self, packed: Float[Array, " slots"], nodes: int) -> Float[Array, "n slots"]:
        return jax.nn.one_hot(packed.astype(jnp.int32) - 1, nodes, axis=0)


def frames(spec: Spec, config: NetworkConfig, *, key: PRNGKeyArray) -> NoFrames:
    """What the configuration asks for."""
    match config.stack:
        case "none":
            return NoFrames()
        case "node":
            return NodeFrames(config, key=key)
        case "graph":
            return GraphFrames(config, key=key)
        case "fields":
            return FieldFrames(spec)
        case "choice":
            return ChoiceFrames(spec, config, key=key)
