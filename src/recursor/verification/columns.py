"""Columns of bits that stand side by side in one number a node, so that rows of nodes are united by one operation."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from recursor.verification.packing import TooManyError

MOST_BITS = 62
"""Bits of what all nodes of a row say, and of what is known about it."""


class Columns(NamedTuple):
    """Columns that stand side by side in one number a node, without the bits that are 0 in all of them."""

    packed: np.ndarray
    starts: list[int]
    """Where each column begins."""
    places: list[list[int]]
    """The bits of each column."""

    def apart(self, packed: np.ndarray) -> list[np.ndarray]:
        """Returns the columns of packed numbers, such as `packed` or unions of it."""
        columns = []
        for start, bits in zip(self.starts, self.places, strict=True):
            column = np.zeros_like(packed)
            for place, bit in enumerate(bits):
                column |= (packed >> (start + place) & 1) << bit
            columns.append(column)
        return columns


def _bits(column: np.ndarray) -> list[int]:
    """The bits that are 1 somewhere in a column."""
    union = int(np.bitwise_or.reduce(column))
    return [bit for bit in range(63) if union >> bit & 1]


def width(columns: Sequence[np.ndarray]) -> int:
    """Returns how many bits the columns take side by side."""
    return sum(len(_bits(column)) for column in columns)


def side_by_side(columns: Sequence[np.ndarray]) -> Columns:
    """Returns the columns packed into one.

    Raises:
        TooManyError: If they have more than `MOST_BITS` bits.

    Example:
        >>> packed = side_by_side([np.array([0b100, 0b000]), np.array([0b01, 0b11])])
        >>> [bin(one) for one in packed.packed.tolist()]
        ['0b11', '0b110']
    """
    places = [_bits(column) for column in columns]
    starts = [sum(map(len, places[:part])) for part in range(len(places))]
    if sum(map(len, places)) > MOST_BITS:
        raise TooManyError(f"nodes say {sum(map(len, places))} bits, too many to list what all of them say together")
    packed = np.zeros(len(columns[0]), np.int64)
    for column, start, bits in zip(columns, starts, places, strict=True):
        for place, bit in enumerate(bits):
            packed |= (column >> bit & 1) << (start + place)
    return Columns(packed, starts, places)
