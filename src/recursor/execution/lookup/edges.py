"""What is heard along edges: of each node, how many of its neighbours say each bit.

The lowest 2 · bits of a word are said along edges: bit b to out-neighbours, bit bits + b to in-neighbours. A node hears

    heard(i) = ⋃ { word(j), first part : j → i }  ∪  ⋃ { word(j), second part : i → j }

so its bit is heard as long as the number of neighbours that say it is not 0.
"""

from recursor.execution.lookup.compiled import compiled
from recursor.execution.lookup.state import (
    AT_BY,
    AT_BY_START,
    AT_COUNTS,
    AT_DIRTY,
    AT_MARKS,
    AT_TO,
    AT_TO_START,
    BITS,
    COPY,
    DIRTY,
    MARK,
    NODES,
    ROUNDS,
    WORK,
)


@compiled
def note_dirty(h, node):
    """Notes that what a node hears in the next round has to be computed again."""
    if h[h[AT_MARKS] + node] != h[MARK]:
        h[h[AT_MARKS] + node] = h[MARK]
        h[h[AT_DIRTY] + h[DIRTY]] = node
        h[DIRTY] += 1


@compiled
def say_along_edges(h, node, level, differ, word):
    """Has a node say another word to its neighbours, in which some bits differ; those who hear something else are dirty."""
    bits = h[BITS]
    base = (h[COPY] * h[ROUNDS] + level) * h[NODES]
    for low in range(0, 2 * bits, bits):  # to out-neighbours, to in-neighbours
        if (differ >> low) & ((1 << bits) - 1):
            starts, neighbours = (h[AT_BY_START], h[AT_BY]) if low else (h[AT_TO_START], h[AT_TO])
            h[WORK] += h[starts + node + 1] - h[starts + node]
            for at in range(h[starts + node], h[starts + node + 1]):
                count_bits(h, base, h[neighbours + at], low, differ, word)


@compiled
def count_bits(h, base, node, low, differ, word):
    """Counts bits, from the lowest on, that a neighbour of a node says or no longer says."""
    at = h[AT_COUNTS] + (base + node) * 2 * h[BITS]
    for bit in range(low, low + h[BITS]):
        if (differ >> bit) & 1:
            if (word >> bit) & 1:
                h[at + bit] += 1
                if h[at + bit] == 1:
                    note_dirty(h, node)
            else:
                h[at + bit] -= 1
                if h[at + bit] == 0:
                    note_dirty(h, node)


@compiled
def heard_along_edges(h, node, level):
    """Returns the bits that neighbours of a node say."""
    bits = h[BITS]
    at = h[AT_COUNTS] + ((h[COPY] * h[ROUNDS] + level) * h[NODES] + node) * 2 * bits
    heard = 0
    for bit in range(2 * bits):
        if h[at + bit]:
            heard |= 1 << bit
    return heard
