"""Sets of the integers 0 … n-1 that know the next and the previous element: trees of words of 32 bits.

Bit i of the lowest words says whether i is in the set; a bit of a higher word says whether the word below has any. So every
operation visits a word a level: four for a million. A set is part of a heap, from a base on; all sets of a heap have the
same shape.
"""

from recursor.execution.lookup.compiled import compilable
from recursor.execution.lookup.state import AT_SHAPE, TREE_LEVELS

BITS = 32
_BITS = {(1 << bit) % 37: bit for bit in range(BITS)}  # 2 has order 36 modulo 37: all are different
PLACE = [_BITS.get(rest, 0) for rest in range(37)]


def shape(n: int) -> list[int]:
    """Returns the shape of sets of 0 … n-1: of each level where it starts and how many words it has."""
    levels, start = [], 0
    while True:
        words = -(-n // BITS)
        levels += [start, words]
        start += words
        if words <= 1:
            return levels
        n = words


@compilable
def lowest(word):
    """Returns the place of the lowest bit of a word that is not 0."""
    return PLACE[(word & -word) % 37]


@compilable
def highest(word):
    """Returns the place of the highest bit of a word that is not 0."""
    word |= word >> 1
    word |= word >> 2
    word |= word >> 4
    word |= word >> 8
    word |= word >> 16
    return PLACE[(word - (word >> 1)) % 37]


@compilable
def insert(h, base, x):
    """Puts x into a set."""
    shape = h[AT_SHAPE]
    for level in range(h[TREE_LEVELS]):
        at = base + h[shape + 2 * level] + (x >> 5)
        before = h[at]
        h[at] = before | (1 << (x & 31))
        if before:
            return
        x >>= 5


@compilable
def remove(h, base, x):
    """Takes x out of a set."""
    shape = h[AT_SHAPE]
    for level in range(h[TREE_LEVELS]):
        at = base + h[shape + 2 * level] + (x >> 5)
        after = h[at] & ~(1 << (x & 31))
        h[at] = after
        if after:
            return
        x >>= 5


@compilable
def following(h, base, x):
    """Returns the smallest element that is at least x, or -1."""
    shape = h[AT_SHAPE]
    for level in range(h[TREE_LEVELS]):
        if x >> 5 >= h[shape + 2 * level + 1]:
            return -1
        word = h[base + h[shape + 2 * level] + (x >> 5)] >> (x & 31)
        if word:
            x += lowest(word)
            for below in range(level - 1, -1, -1):
                x = (x << 5) + lowest(h[base + h[shape + 2 * below] + x])
            return x
        x = (x >> 5) + 1
    return -1


@compilable
def preceding(h, base, x):
    """Returns the largest element that is at most x, or -1."""
    shape = h[AT_SHAPE]
    for level in range(h[TREE_LEVELS]):
        if x < 0:
            return -1
        word = h[base + h[shape + 2 * level] + (x >> 5)] & ((2 << (x & 31)) - 1)
        if word:
            x = (x >> 5 << 5) + highest(word)
            for below in range(level - 1, -1, -1):
                x = (x << 5) + highest(h[base + h[shape + 2 * below] + x])
            return x
        x = (x >> 5) - 1
    return -1
