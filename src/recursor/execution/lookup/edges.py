"""What is heard along edges: of each node, how many of its neighbours say each bit.

The lowest 2 · bits of a word are said along edges: bit b to out-neighbours, bit bits + b to in-neighbours. A node hears

    heard(i) = ⋃ { word(j), first part : j → i }  ∪  ⋃ { word(j), second part : i → j }

so its bit is heard as long as the number of neighbours that say it is not 0.
"""

from recursor.execution.lookup.compiled import compilable
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


@compilable
def note_dirty(h, node):
    """Notes that what a node hears in the next round has to be computed again."""
    if h[h[AT_MARKS] + node] != h[MARK]:
        h[h[AT_MARKS] + node] = h[MARK]
        h[h[AT_DIRTY] + h[DIRTY]] = node
        h[DIRTY] += 1


@compilable
def say_along_edges(h, node, level, differ, word):
    """Has a node say another word to its neighbours, in which some bits differ; those who hear something else are dirty."""
    bits = h[BITS]
    for bit in range(2 * bits):
        if (differ >> bit) & 1:
            starts, neighbours = (h[AT_TO_START], h[AT_TO]) if bit < bits else (h[AT_BY_START], h[AT_BY])
            first, last = neighbours + h[starts + node], neighbours + h[starts + node + 1]
            count_bit(h, level, first, last, bit, (word >> bit) & 1)
            h[WORK] += last - first


@compilable
def count_bit(h, level, first, last, bit, begins):
    """Counts a bit at the listed neighbours of a node that begins or ceases to say it."""
    width = 2 * h[BITS]
    counts = h[AT_COUNTS] + (h[COPY] * h[ROUNDS] + level) * h[NODES] * width + bit
    change = 1 if begins else -1
    for at in range(first, last):
        neighbour = h[at]
        count = h[counts + neighbour * width] + change
        h[counts + neighbour * width] = count
        if count == begins:  # from 0 to 1, or from 1 to 0
            note_dirty(h, neighbour)


@compilable
def heard_along_edges(h, node, level):
    """Returns the bits that neighbours of a node say."""
    bits = h[BITS]
    at = h[AT_COUNTS] + ((h[COPY] * h[ROUNDS] + level) * h[NODES] + node) * 2 * bits
    heard = 0
    for bit in range(2 * bits):
        if h[at + bit]:
            heard |= 1 << bit
    return heard
