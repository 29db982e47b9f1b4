"""Fields of CLRS-30, in the words of dm-clrs 2.0.3, so that a type here equals the one there.

A field has a location (node, edge, graph) and a type. Its values for a batch of samples of n nodes are

    type              node                 edge              graph
    scalar, mask      [batch, n]           [batch, n, n]     [batch]
    mask_one          [batch, n], one-hot
    categorical       [batch, n, k], one-hot
    pointer           [batch, n], indices

Hints have the row as a leading axis. A mask is -1 where it does not count.
"""

from typing import Any, NamedTuple

import numpy as np

Arrays = dict[str, np.ndarray]


class ClrsField(NamedTuple):
    """A field of CLRS-30: its location and its type."""

    location: str
    type: str

    @property
    def is_index(self) -> bool:
        """Whether the values are indices of nodes."""
        return self.type in ("pointer", "should_be_permutation")

    @property
    def axes(self) -> tuple[str, ...]:
        """What the axes of the values are."""
        places = {"node": ("nodes",), "edge": ("nodes", "nodes"), "graph": ()}[self.location]
        return ("samples", *places, *(("categories",) if self.type == "categorical" else ()))

    def shape(self, batch: int, nodes: int) -> tuple[int, ...]:
        """Returns the shape of the values, without the axis of categories."""
        sizes = {"samples": batch, "nodes": nodes}
        return tuple(sizes[axis] for axis in self.axes if axis in sizes)

    def fits(self, shape: tuple[int, ...], batch: int, nodes: int) -> bool:
        """Returns whether an array of this shape holds the field of so many samples of so many nodes."""
        return len(shape) == len(self.axes) and shape[: len(self.shape(batch, nodes))] == self.shape(batch, nodes)


def fields(**kinds: str) -> dict[str, ClrsField]:
    """Returns fields by name from words such as "node scalar"."""
    return {name: ClrsField(*kind.split()) for name, kind in kinds.items()}


def one_hot(index: Any, size: int) -> np.ndarray:
    """Returns one-hot vectors: an axis of this size is added at the end."""
    return (np.asarray(index)[..., None] == np.arange(size)).astype(np.float32)
