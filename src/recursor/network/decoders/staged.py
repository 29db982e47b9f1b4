r"""Staged decoding: the graph's pointers first, then its other fields, then the fields of the nodes, then what is latent.

Each stage is given the values x of the graph fields of the stages before it as channels, beside the features of the row:

    stage s        $h_i' = \mathrm{relu}(h_i W + x_i^{<s} V + (h_g, x_g^{<s}) U + b)$, decoded as in `fields`

The given values are the true ones in training and the argmax in execution. Graph fields can be decoded from *bits* of the
nodes: $(\sqrt{k} \max_i \mathrm{bit}(h_i' P + p)) W$ then replaces $(\max_i h_i') W$.
"""

from collections.abc import Sequence
from typing import ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, PRNGKeyArray

from recursor.network.bits import as_bits
from recursor.network.config import NetworkConfig
from recursor.network.decoders.decoder import ChooseValue, Decoder
from recursor.network.decoders.fields import FieldDecoder
from recursor.network.encode import Values, joined, joined_widths
from recursor.network.linear import Features, Linear, plain
from recursor.spec import Field, Spec


class StagedDecoder(Decoder):
    """One stage after the other, each given the values of those before it."""

    stages: "tuple[Stage, ...]"

    has_bits: ClassVar[bool] = True

    def __init__(
        self,
        fields: Sequence[Field],
        config: NetworkConfig,
        node_width: int,
        graph_width: int,
        *,
        key: PRNGKeyArray,
    ) -> None:
        of_graph = [field for field in fields if field.place == "graph" and not field.latent]
        pointers = [field for field in of_graph if field.kind == "pointer"]
        others = [field for field in of_graph if field.kind != "pointer"]
        rest = [field for field in fields if field.place != "graph"]
        latent = [field for field in fields if field.latent]  # last, so that nothing else depends on it
        stages, given = [], []
        for index, part in enumerate((pointers, others, rest, latent)):
            if part:
                stages.append(Stage(part, tuple(given), config, node_width, graph_width, key=jax.random.fold_in(key, index)))
                given += [field for field in part if field.place == "graph"]
        self.stages = tuple(stages)

    @classmethod
    def check(cls, config: NetworkConfig, spec: Spec) -> None:
        pass

    def __call__(
        self, node: Features, edge: Features | None, graph: Features, mask: Bool[Array, " n"], choose: ChooseValue
    ) -> tuple[Values, Float[Array, "n bits"]]:
        logits: Values = {}
        given: Values = {}
        pooled = [node.array[:, :0]]
        for stage in self.stages:
            decoded, bits = stage(node, edge, graph, mask, given)
            logits |= decoded
            pooled.append(bits)
            given |= {field.name: choose(field, logits[field.name]) for field in stage.fields}
        return logits, jnp.concatenate(pooled, -1)


class Stage(eqx.Module):
    """Some fields, given others."""

    hidden: Linear
    graph: Linear
    pool: Linear | None  # None: graph fields are decoded from real features, or there are none in this stage
    decoder: FieldDecoder
    fields: tuple[Field, ...] = eqx.field(static=True)
    given: tuple[Field, ...] = eqx.field(static=True)

    def __init__(
        self,
        fields: Sequence[Field],
        given: Sequence[Field],
        config: NetworkConfig,
        node_width: int,
        graph_width: int,
        *,
        key: PRNGKeyArray,
    ) -> None:
        keys, width, bits = jax.random.split(key, 3), config.width, config.pooled_bits
        self.fields, self.given = tuple(fields), tuple(given)
        on_nodes, on_graph = joined_widths(given)
        self.hidden = Linear(node_width + on_nodes, width, key=keys[0])
        self.graph = Linear(graph_width + on_graph, width, bias=False, key=keys[1])
        self.decoder = FieldDecoder(fields, width, width, graph_width + on_graph, bits, key=keys[2])
        pools = bits and self.decoder.graph is not None
        self.pool = Linear(width, bits, key=jax.random.fold_in(key, len(keys))) if pools else None

    def __call__(
        self, node: Features, edge: Features | None, graph: Features, mask: Bool[Array, " n"], given: Values
    ) -> tuple[Values, Float[Array, "n bits"]]:
        """Returns the logits of the fields, and those of the bits of all nodes that were pooled for them."""
        node, graph = joined(self.given, given, node, graph)
        hidden = jax.nn.relu(self.hidden(node) + self.graph(graph))
        if self.pool is None:
            return self.decoder(plain(hidden), edge, graph, mask), hidden[:, :0]
        bits = self.pool(hidden)
        return self.decoder(plain(hidden), edge, graph, mask, self.scale(as_bits(bits, mask).max(0))), bits

    @staticmethod
    def scale(pooled: Float[Array, " bits"]) -> Float[Array, " bits"]:
        """Returns k pooled bits times √k. The weights of a bit are then as large as those of a lone channel; without it,
        many updates pass until a bit changes a logit."""
        return len(pooled) ** 0.5 * pooled


KINDS = {"staged": StagedDecoder}
