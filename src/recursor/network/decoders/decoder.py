"""The contract of decoding: the features of a row to the logits of all hints of the next row.

A kind of decoding is one final class in a file of its own. The file names it in `KINDS`, and `FILES` names the file.
"""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import equinox as eqx
from jaxtyping import Array, Bool, Float, PRNGKeyArray

from recursor.network.config import NetworkConfig
from recursor.network.encode import Values
from recursor.network.linear import Features
from recursor.spec import Field, Spec

if TYPE_CHECKING:
    from typing import ClassVar as AbstractClassVar  # pyright does not know equinox's
else:
    from equinox import AbstractClassVar

ChooseValue = Callable[[Field, Float[Array, "..."]], Float[Array, "..."]]
"""A function from a field and its logits to the value that the fields decoded after it are given."""


class Decoder(eqx.Module):
    """A kind of decoding. Abstract: the final classes are in the table `DECODERS`."""

    has_bits: AbstractClassVar[bool]
    """Whether graph fields can be decoded from bits of the nodes."""

    @abstractmethod
    def __init__(
        self,
        fields: Sequence[Field],
        config: NetworkConfig,
        node_width: int,
        graph_width: int,
        *,
        key: PRNGKeyArray,
    ) -> None:
        """Makes the decoder of these fields. Edge features are `config.width` wide."""

    @classmethod
    @abstractmethod
    def check(cls, config: NetworkConfig, spec: Spec) -> None:
        """Raises ValueError, in one sentence, for a configuration or a spec that it cannot work with."""

    @abstractmethod
    def __call__(
        self, node: Features, edge: Features | None, graph: Features, mask: Bool[Array, " n"], choose: ChooseValue
    ) -> tuple[Values, Float[Array, "n bits"]]:
        """Returns the logits in the shapes of `values`, and the logits of the bits that graph fields were decoded from.

        Args:
            node: Node features, before and after the processor.
            edge: Edge features; None if the processor does not encode pairs.
            graph: Graph features.
            mask: Which nodes are not padding.
            choose: The value of a field that later fields are given.
        """
