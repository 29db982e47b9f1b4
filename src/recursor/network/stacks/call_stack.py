"""The contract of a call stack: what a frame is, how it joins the features, and how frames are stored.

A kind of call stack is one final class in a file of its own. The file names it in `KINDS`, and `FILES` names the file. The
class says what a frame is made of, and names its `storage`; everything else calls the methods below. A *frame* is any
pytree, as the network uses it, so that gradients flow through it. The storage keeps it packed into one array. A packed
frame of zeros is no frame.
"""

import math
from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import equinox as eqx
import jax.numpy as jnp
from equinox import AbstractVar
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray

from recursor.network.config import NetworkConfig
from recursor.network.encode import Values
from recursor.network.linear import Features
from recursor.network.stacks.storage import Storage
from recursor.spec import Field, Spec

if TYPE_CHECKING:
    from typing import ClassVar as AbstractClassVar  # pyright does not know equinox's
else:
    from equinox import AbstractClassVar

Frame = Any
"""A pytree of arrays; each kind has its own."""


class PushContext(NamedTuple):
    """Everything that a frame can be made of."""

    processed: Float[Array, "n width"]  # of row t
    graph: Features
    row: Values  # t
    next_row: Values  # t + 1, whose op is push
    mask: Bool[Array, " n"]


class CallStack(eqx.Module):
    """A kind of call stack. Abstract: the final classes are in the table `STACKS`."""

    storage: AbstractClassVar[Storage]
    """Where frames are kept."""
    settings: AbstractClassVar[tuple[str, ...]]
    """Names of the fields of `NetworkConfig` that this kind uses, besides `width`."""
    needs_ops: AbstractClassVar[bool]
    """Whether the view has to show the hint stack_op."""
    copies: AbstractClassVar[bool]
    """Whether a frame depends on the rows alone. Then it is a `CopyingStack`."""
    learns_by_rollout: AbstractClassVar[bool]
    """Whether a rollout gives its parameters a gradient."""

    node_width: AbstractVar[int]
    """How much wider a frame makes the node features."""
    graph_width: AbstractVar[int]
    """How much wider a frame makes the graph features."""

    @abstractmethod
    def __init__(self, spec: Spec, config: NetworkConfig, *, key: PRNGKeyArray) -> None:
        """Makes the stack of a network, with random weights where it has any."""

    @classmethod
    @abstractmethod
    def check(cls, config: NetworkConfig, spec: Spec) -> None:
        """Raises ValueError, in one sentence, for a configuration or a spec that it cannot work with."""

    @classmethod
    @abstractmethod
    def training_bytes(cls, config: NetworkConfig, nodes: int) -> int:
        """Returns about how many bytes the backward pass keeps for the frame of one row."""

    @abstractmethod
    def make(self, context: PushContext) -> Frame:
        """Returns the frame that is pushed after this row."""

    @abstractmethod
    def join(self, node: Features, graph: Features, frame: Frame) -> tuple[Features, Features]:
        """Returns the features with the top frame joined to them."""

    @abstractmethod
    def packed_shape(self, nodes: int) -> tuple[int, ...]:
        """Returns the shape of a packed frame."""

    @abstractmethod
    def pack(self, frame: Frame) -> Float[Array, "*packed"]:
        """Returns the array that the storage keeps."""

    @abstractmethod
    def unpack(self, packed: Float[Array, "*packed"], nodes: int) -> Frame:
        """Returns the frame of a packed array; of zeros it is a frame of zeros."""

    @property
    def encoded(self) -> tuple[Field, ...]:
        """The fields of the top frame that the encoders encode; their channels do not make the features wider."""
        return ()

    def empty(self, nodes: int) -> Frame:
        """Returns the frame that a row sees if there is none."""
        return self.unpack(jnp.zeros(self.packed_shape(nodes)), nodes)

    def init(self, nodes: int, capacity: int) -> Any:
        """Returns the state of the storage without frames."""
        return self.storage.init(self.packed_shape(nodes), capacity)

    def top(self, state: Any, nodes: int) -> Frame:
        """Returns the frame that the current row sees."""
        return self.unpack(self.storage.top(state), nodes)

    def step(self, state: Any, op: Int[Array, ""], frame: Frame) -> Any:
        """Returns the state after one op."""
        return self.storage.step(state, op, self.pack(frame))

    @property
    def grows_with_graph(self) -> bool:
        """Whether a frame has more numbers the more nodes there are."""
        return math.prod(self.packed_shape(2)) > math.prod(self.packed_shape(1))

    def execution_numbers(self, nodes: int) -> int:
        """Returns about how many numbers the storage keeps in an execution on one graph."""
        return nodes * math.prod(self.packed_shape(nodes)) if self.grows_with_graph else 0


class CopyingStack(CallStack):
    """A kind whose frames depend on the rows alone, so that they are known in training. Abstract."""

    copies: ClassVar[bool] = True

    @abstractmethod
    def copy(self, row: Values, next_row: Values, mask: Bool[Array, " n"]) -> Frame:
        """Returns the frame of row t, given row t and row t + 1, whose op is push."""

    def make(self, context: PushContext) -> Frame:
        return self.copy(context.row, context.next_row, context.mask)


def check_frame_width(config: NetworkConfig) -> None:
    """Raises ValueError if a frame would have no width."""
    if config.frame_width < 1:
        raise ValueError(f"frame_width must be at least 1, not {config.frame_width}")


def check_call_variables(config: NetworkConfig, spec: Spec) -> None:
    """Raises ValueError if the view shows none of a call's own variables."""
    if not spec.frame:
        raise ValueError(
            f"a {config.stack} stack keeps a call's own variables, of which the view {spec.view!r} of {spec.algorithm} "
            f"shows none"
        )
