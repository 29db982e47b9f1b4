"""The contract of a pooling: from the values of all nodes to one value of the graph.

The graph stack pools the values of the nodes into its frames. A kind of pooling is one final class in a file of its own. The
file names it in `KINDS`, and `FILES` names the file.
"""

from abc import abstractmethod
from typing import TYPE_CHECKING

import equinox as eqx
from jaxtyping import Array, Bool, Float, PRNGKeyArray

if TYPE_CHECKING:
    from typing import ClassVar as AbstractClassVar  # pyright does not know equinox's
else:
    from equinox import AbstractClassVar


class Pooling(eqx.Module):
    """A permutation-invariant map [n, width] → [width]. Abstract: the final classes are in the table `POOLINGS`."""

    attends: AbstractClassVar[bool]
    """Whether it is an attention: nodes have learnt weights."""

    @abstractmethod
    def __init__(self, node_width: int, graph_width: int, hidden: int, *, key: PRNGKeyArray) -> None:
        """Makes a pooling, with random weights where it has any.

        Args:
            node_width: The width of the node features.
            graph_width: The width of the graph features.
            hidden: The width of hidden layers.
            key: The source of randomness.
        """

    @abstractmethod
    def __call__(
        self,
        values: Float[Array, "n width"],
        node: Float[Array, "n node_width"],
        graph: Float[Array, " graph_width"],
        mask: Bool[Array, " n"],
    ) -> Float[Array, " width"]:
        """Returns the pooled values. The mask is true for nodes that are not padding; padding must not change the result."""
