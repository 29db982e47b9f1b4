"""What is heard in further orders, such as keys and stamps: what is said before a node, and what is said after it.

In order o, bits (4 + 2 o) · bits and on of a word are heard by all nodes of a larger rank, and the bits behind them by all
of a smaller rank. With S(b) the ranks of the nodes that say bit b, a node of rank r hears

    b from before, if min S(b) < r        b from behind, if max S(b) > r

So of each bit the first and the last rank are enough. When one of them moves, the nodes in between hear something else.
"""

from recursor.execution.lookup.compiled import compilable
from recursor.execution.lookup.edges import note_dirty
from recursor.execution.lookup.sets import following, insert, preceding, remove
from recursor.execution.lookup.state import (
    AT_ORDER_FIRSTS,
    AT_ORDER_LASTS,
    AT_RANKED,
    AT_RANKED_COUNT,
    AT_RANKS,
    AT_SPEAKERS,
    AT_TOUCHED,
    BITS,
    COPY,
    NODES,
    ORDERS,
    ROUNDS,
    TOUCHED,
    TREE_WORDS,
    WORK,
)


@compilable
def place_of(h, level, order):
    """Returns the number of an order in a round of this copy."""
    return (h[COPY] * h[ROUNDS] + level) * h[ORDERS] + order


@compilable
def speakers(h, number, bit):
    """Returns where the set of ranks starts that say a bit; the bits from behind come after those from before."""
    return h[AT_SPEAKERS] + (number * 2 * h[BITS] + bit) * h[TREE_WORDS]


@compilable
def audible(h, node, word):
    """Returns the part of a word that is said along edges and in further orders of which the node is part."""
    bits = h[BITS]
    both = (1 << (2 * bits)) - 1
    part = word & both
    for order in range(h[ORDERS]):
        if h[h[AT_RANKS] + order * h[NODES] + node]:
            part |= word & (both << ((4 + 2 * order) * bits))
    return part


@compilable
def say_in_orders(h, node, level, differ, word):
    """Has a node say another word in further orders, in which some bits differ."""
    bits = h[BITS]
    for order in range(h[ORDERS]):
        first = (4 + 2 * order) * bits
        if (differ >> first) & ((1 << (2 * bits)) - 1):
            rank = h[h[AT_RANKS] + order * h[NODES] + node]
            for bit in range(2 * bits):
                if (differ >> (first + bit)) & 1:
                    if (word >> (first + bit)) & 1:
                        insert(h, speakers(h, place_of(h, level, order), bit), rank)
                    else:
                        remove(h, speakers(h, place_of(h, level, order), bit), rank)


@compilable
def compare_orders(h, level):
    """Finds the first and last ranks that say each bit. Nodes that now hear something else are dirty."""
    n, bits = h[NODES], h[BITS]
    for order in range(h[ORDERS]):
        number = place_of(h, level, order)
        for bit in range(bits):
            at = h[AT_ORDER_FIRSTS] + number * bits + bit
            old, new = h[at], following(h, speakers(h, number, bit), 0)
            h[at] = new if new >= 0 else n + 1
            note_between(h, order, min(old, h[at]) + 1, max(old, h[at]))
            at = h[AT_ORDER_LASTS] + number * bits + bit
            old, new = h[at], preceding(h, speakers(h, number, bits + bit), n)
            h[at] = max(new, 0)
            note_between(h, order, min(old, h[at]), max(old, h[at]) - 1)
    if h[ORDERS]:
        for at in range(h[TOUCHED]):
            note_dirty(h, h[h[AT_TOUCHED] + at])


@compilable
def note_between(h, order, low, high):
    """Notes the nodes from one rank to another as dirty."""
    ranked = h[AT_RANKED] + order * (h[NODES] + 1)
    low, high = max(low, 1), min(high, h[h[AT_RANKED_COUNT] + order])
    h[WORK] += max(0, high - low)
    for rank in range(low, high + 1):
        note_dirty(h, h[ranked + rank])


@compilable
def heard_in_orders(h, node, level):
    """Returns the bits that a node hears in further orders."""
    bits, heard = h[BITS], 0
    for order in range(h[ORDERS]):
        rank = h[h[AT_RANKS] + order * h[NODES] + node]
        if rank:
            number = place_of(h, level, order)
            for bit in range(bits):
                if h[h[AT_ORDER_FIRSTS] + number * bits + bit] < rank:
                    heard |= 1 << ((4 + 2 * order) * bits + bit)
                if h[h[AT_ORDER_LASTS] + number * bits + bit] > rank:
                    heard |= 1 << ((5 + 2 * order) * bits + bit)
    return heard
