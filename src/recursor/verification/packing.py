"""What nodes contribute to what another one hears, as numbers that are united by a bitwise or."""

from collections.abc import Iterable, Sequence
from functools import reduce
from operator import or_

import numpy as np


class TooManyError(Exception):
    """The enumeration has reached its bound."""


def united(words: Iterable[int]) -> int:
    """Returns the union of words."""
    return reduce(or_, words, 0)


class Pack:
    """What one node contributes to what another one hears, as one number, without the bits that nobody says.

    Its parts are the words of the two rounds, and for one round or both two more, which rule out what no finite order has:
    which bits the node says along orders, and which of them it does not hear there itself. Some node is the first to say a
    bit, so that the two have the same union over all nodes of a row.
    """

    def __init__(self, first: int, second: int, along_orders: int, *, both: bool) -> None:
        self.along_orders = along_orders
        ordered = [word & along_orders for word in ((first, second) if both else (first,)) for _ in range(2)]
        self.places = [[bit for bit in range(64) if word >> bit & 1] for word in (first, second, *ordered)]
        self.starts = [sum(map(len, self.places[:part])) for part in range(len(self.places) + 1)]
        if self.starts[-1] > 62:
            raise TooManyError(f"nodes say {len(self.places[0]) + len(self.places[1])} bits in two rounds, too many to list")
        self._known: tuple[dict[int, int], ...] = tuple({} for _ in self.places)

    def __call__(self, masked: Sequence[int], says: Sequence[int], hears: Sequence[int]) -> int:
        """Returns the contribution of a node.

        Args:
            masked: What is heard of what it says, in each round.
            says: What it says, in each round.
            hears: What it hears, in the first round or in both.
        """
        parts = [*masked]
        for word, heard in zip(says, hears, strict=False):
            parts += [word & self.along_orders, word & self.along_orders & ~heard]
        return united(self._part(part, word) << self.starts[part] for part, word in enumerate(parts))

    def _part(self, part: int, word: int) -> int:
        known = self._known[part]
        if word not in known:
            known[word] = sum((word >> bit & 1) << place for place, bit in enumerate(self.places[part]))
        return known[word]

    def second(self, states: np.ndarray, first: int) -> list[int]:
        """Returns the second words of those states that have the given first word, and in which all that is said along an
        order has a first node that says it."""
        if any(first >> bit & 1 for bit in range(64) if bit not in self.places[0]):
            return []
        heard, again, *flags = (
            states >> self.starts[part] & ((1 << len(places)) - 1) for part, places in enumerate(self.places)
        )
        possible = heard == self._part(0, first)
        for said, begun in zip(flags[::2], flags[1::2], strict=True):
            possible &= said == begun
        chosen = np.unique(again[possible])
        words = np.zeros_like(chosen)
        for place, bit in enumerate(self.places[1]):
            words |= (chosen >> place & 1) << bit
        return words.tolist()
