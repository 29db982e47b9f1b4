"""Words for the fields of an algorithm. All are optional: a field without words is shown by its name, a category by its
index."""

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field

from recursor.graphs.graph import Graph


@dataclass(frozen=True)
class Words:
    """The fields of an algorithm in words.

    Example:
        >>> Words(categories={"seen": ("not seen", "seen")}, callee="v").categories["seen"][1]
        'seen'
    """

    categories: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Names of the values of a category or mask."""
    pointers: Mapping[str, str] = field(default_factory=dict)
    """The meaning of each pointer."""
    callee: str = ""
    """The pointer that is the argument of the call that a push row makes."""
    parameters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Masks that together are a parameter of a call: the set of nodes at which one of them is 1."""
    beside: Callable[[Graph], Container[int]] | None = None
    """The nodes that have their values written beside them; by default all."""
    onward: tuple[str, ...] = ()
    """Pointer outputs that name a node's successor; all others name its predecessor."""
    meanings: Mapping[str, str] = field(default_factory=dict)
    """The meaning of each output, and of each input of its own."""
    answer: str = ""
    """The form of `Execution.answer`."""
    source: str = ""
    """What it takes beside a graph, such as a text."""


SORTED = {"key": "what is sorted", "pred": "the node before it in the order; the first names itself"}
"""The meanings of the input and the output of a sorting algorithm."""
SEEN = {"seen": ("not seen", "seen")}
"""Words for the mask of nodes that a search has seen."""
SEARCH = {"u": "current node", "v": "neighbour to explore"}
"""Words for the pointers of a search."""
LOW = SEARCH | {"low": "first discovered within reach", "returned": "what the call returned"}
"""Words for the pointers of a search that also keeps the earliest reachable node."""
