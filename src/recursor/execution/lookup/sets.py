"""Sets of the integers 0 … n-1 that know the next and the previous element: trees of words of 32 bits.

Bit i of the lowest words says whether i is in the set; a bit of a higher word says whether the word below has any. So every
operation visits a word a level: four for a million.
"""

import numpy as np

from recursor.execution.lookup.compiled import COMPILED, compiled

BITS = 32
_LOWEST = np.zeros(37, np.int64)
_LOWEST[[(1 << bit) % 37 for bit in range(BITS)]] = np.arange(BITS)  # 2 has order 36 modulo 37: all are different
PLACE = _LOWEST if COMPILED else _LOWEST.tolist()


def shape(n: int) -> list[int]:
    """Returns the shape of a set of 0 … n-1: its words, its levels, and of each level where it starts and its words."""
    levels, start = [], 0
    while True:
        words = -(-n // BITS)
        levels += [start, words]
        start += words
        if words <= 1:
            return [start, len(levels) // 2, *levels]
        n = words


@compiled
def lowest(word):
    """Returns the place of the lowest bit of a word that is not 0."""
    return PLACE[(word & -word) % 37]


@compiled
def highest(word):
    """Returns the place of the highest bit of a word that is not 0."""
    word |= word >> 1
    word |= word >> 2
    word |= word >> 4
    word |= word >> 8
    word |= word >> 16
    return PLACE[(word - (word >> 1)) % 37]


@compiled
def insert(trees, shape, tree, x):
    """Puts x into a set."""
    base = tree * shape[0]
    for level in range(shape[1]):
        at = base + shape[2 + 2 * level] + (x >> 5)
        before = trees[at]
        trees[at] = before | (1 << (x & 31))
        if before:
            return
        x >>= 5


@compiled
def remove(trees, shape, tree, x):
    """Takes x out of a set."""
    base = tree * shape[0]
    for level in range(shape[1]):
        at = base + shape[2 + 2 * level] + (x >> 5)
        after = trees[at] & ~(1 << (x & 31))
        trees[at] = after
        if after:
            return
        x >>= 5


@compiled
def following(trees, shape, tree, x):
    """Returns the smallest element that is at least x, or -1."""
    base = tree * shape[0]
    for level in range(shape[1]):
        if x >> 5 >= shape[3 + 2 * level]:
            return -1
        word = trees[base + shape[2 + 2 * level] + (x >> 5)] >> (x & 31)
        if word:
            x += lowest(word)
            for below in range(level - 1, -1, -1):
                x = (x << 5) + lowest(trees[base + shape[2 + 2 * below] + x])
            return x
        x = (x >> 5) + 1
    return -1


@compiled
def preceding(trees, shape, tree, x):
    """Returns the largest element that is at most x, or -1."""
    base = tree * shape[0]
    for level in range(shape[1]):
        if x < 0:
            return -1
        word = trees[base + shape[2 + 2 * level] + (x >> 5)] & ((2 << (x & 31)) - 1)
        if word:
            x = (x >> 5 << 5) + highest(word)
            for below in range(level - 1, -1, -1):
                x = (x << 5) + highest(trees[base + shape[2 + 2 * below] + x])
            return x
        x = (x >> 5) - 1
    return -1
