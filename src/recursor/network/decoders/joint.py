"""Joint decoding, as in the paper: every field independently of the others.

A node cannot be told that it is the one pointed at, because that is decided at the same time.
"""

from collections.abc import Sequence
from typing import ClassVar

from jaxtyping import Array, Bool, Float, PRNGKeyArray

from recursor.network.config import NetworkConfig
from recursor.network.decoders.decoder import ChooseValue, Decoder
from recursor.network.decoders.fields import FieldDecoder
from recursor.network.encode import Values
from recursor.network.linear import Features
from recursor.spec import Field, Spec


class JointDecoder(Decoder):
    """One decoder of all fields."""

    decoder: FieldDecoder

    has_bits: ClassVar[bool] = False

    def __init__(
        self,
        fields: Sequence[Field],
        config: NetworkConfig,
        node_width: int,
        graph_width: int,
        *,
        key: PRNGKeyArray,
    ) -> None:
        self.decoder = FieldDecoder(fields, node_width, config.width, graph_width, key=key)

    @classmethod
    def check(cls, config: NetworkConfig, spec: Spec) -> None:
        pass

    def __call__(
        self, node: Features, edge: Features | None, graph: Features, mask: Bool[Array, " n"], choose: ChooseValue
    ) -> tuple[Values, Float[Array, "n 0"]]:
        return self.decoder(node, edge, graph, mask), node.array[:, :0]


KINDS = {"joint": JointDecoder}
