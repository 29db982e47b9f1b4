"""Words for what an algorithm's fields mean. All are optional: a field without words is shown by its name, a category by its
number."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Words:
    """The fields of an algorithm in words.

    Example:
        >>> Words(categories={"seen": ("not seen", "seen")}, callee="v").categories["seen"][1]
        'seen'
    """

    categories: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What the values of a category or mask are called."""
    pointers: Mapping[str, str] = field(default_factory=dict)
    """What a pointer points at."""
    callee: str = ""
    """The pointer that names, in a push row, whom the call calls."""
    onward: tuple[str, ...] = ()
    """Outputs that name the node after a node; all others name one before it."""


SEEN = {"seen": ("not seen", "seen")}
"""The words of a mask of the nodes that a search has seen."""
SEARCH = {"u": "current node", "v": "neighbour to explore"}
"""The words of the pointers of a search."""
LOW = SEARCH | {"low": "first discovered within reach", "returned": "what the call returned"}
"""The words of a search that also keeps the first node within reach."""
