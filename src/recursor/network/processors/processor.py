"""The contract of a processor: node, edge and graph features to processed node features.

A kind of processor is one final class in a file of its own. The file names it in `KINDS`, and `FILES` names the file. An
instance is one round. The class also answers what only this kind knows: which inputs are encoded, what is computed once a
graph, what it cannot work with, how inputs are laid out, and what it costs. Everything is for one row of one graph;
`jax.vmap` adds the batch.
"""

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

import equinox as eqx
from jaxtyping import Array, Float, PRNGKeyArray

from recursor.data.batch import Inputs
from recursor.network.config import NetworkConfig
from recursor.network.encode import Values
from recursor.network.linear import Features
from recursor.spec import Spec

if TYPE_CHECKING:
    from typing import ClassVar as AbstractClassVar  # pyright does not know equinox's
else:
    from equinox import AbstractClassVar

Relations = Any
"""Who sends messages to whom, a pytree of arrays; each kind has its own."""


class Processor(eqx.Module):
    """One round of a processor. Abstract: the final classes are in the table `PROCESSORS`."""

    encodes_pairs: AbstractClassVar[bool]
    """Whether it takes features of all pairs of nodes. Without them no field of pairs can be decoded."""
    has_bits: AbstractClassVar[bool]
    """Whether its messages can be bits."""

    @abstractmethod
    def __init__(self, spec: Spec, config: NetworkConfig, node_width: int, graph_width: int, *, key: PRNGKeyArray) -> None:
        """Makes one round with random weights.

        Args:
            spec: The fields of the view.
            config: The configuration of the network; edge features and the result are `config.width` wide.
            node_width: Width of the node features.
            graph_width: Width of the graph features.
            key: The source of randomness.
        """

    @classmethod
    @abstractmethod
    def check(cls, config: NetworkConfig, spec: Spec) -> None:
        """Raises ValueError, in one sentence, for a configuration or a spec that it cannot work with."""

    @classmethod
    @abstractmethod
    def encoded(cls, spec: Spec) -> Spec:
        """Returns the spec with only those inputs that are encoded as features."""

    @classmethod
    @abstractmethod
    def is_dense(cls, nodes: int, pairs: int) -> bool:
        """Returns whether graphs of so many nodes and pairs should be laid out with all pairs of nodes."""

    @classmethod
    @abstractmethod
    def training_bytes(cls, config: NetworkConfig, nodes: int) -> int:
        """Returns about how many bytes the backward pass keeps of the messages of one row in one round."""

    @classmethod
    @abstractmethod
    def execution_numbers(cls, config: NetworkConfig, nodes: int, edges: int) -> int:
        """Returns about how many numbers the messages of one row take in an execution."""

    @classmethod
    @abstractmethod
    def prepare(cls, spec: Spec, inputs: Inputs) -> Relations:
        """Returns what is computed once a graph, from its inputs."""

    @classmethod
    @abstractmethod
    def for_row(cls, spec: Spec, relations: Relations, row: Values) -> Relations:
        """Returns what is computed once a row, for all rounds, from the hints."""

    @abstractmethod
    def __call__(
        self, node: Features, edge: Features | None, graph: Features, relations: Relations
    ) -> tuple[Float[Array, "n width"], Float[Array, "n bits"]]:
        """Returns the processed node features, and the logits of the bits that each node sent, of width 0 where messages are
        numbers.

        Args:
            node: Node features.
            edge: Edge features; None if the class does not encode pairs.
            graph: Graph features.
            relations: The result of `for_row`.
        """
