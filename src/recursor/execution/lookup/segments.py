"""Segments of positions, in which all nodes hear the same from before; and the situations of classes in them.

A node at position i hears of everyone and from before, in a round,

    fixed(i) = ⋃ { word(j), third part : all j }  ∪  ⋃ { word(j), fourth part : j < i }

So a bit from before is heard behind the first node that says it, and the first nodes of all bits cut the positions into
segments. The situation of a class in a segment follows from what the class hears and what is fixed there.
"""

from recursor.execution.lookup.compiled import compilable
from recursor.execution.lookup.entries import FIRST_LEVEL, NUMBER, WORD, look_up, slot_of
from recursor.execution.lookup.state import (
    AT_ALLS,
    AT_BREAKS,
    AT_CLASS_HEARD,
    AT_CLASS_NUMBER,
    AT_CLASS_SITUATIONS,
    AT_FIRSTS,
    AT_FIXED,
    AT_OLD_ALLS,
    AT_OLD_FIRSTS,
    AT_OLD_FIXED,
    BITS,
    COPY,
    NODES,
    ROUNDS,
    SEGMENTS,
)


@compilable
def cut(h, levels, old):
    """Finds the segments, and what is fixed in each, in the first rounds.

    Args:
        h: The state.
        levels: The number of rounds.
        old: Whether what was heard before this row is a reason to cut, too.
    """
    n, bits, rounds = h[NODES], h[BITS], h[ROUNDS]
    firsts = h[AT_FIRSTS] + h[COPY] * rounds * bits
    h[SEGMENTS] = 1
    for at in range(levels * bits):
        cut_after(h, h[firsts + at], n)
        if old:
            cut_after(h, h[h[AT_OLD_FIRSTS] + at], n)
    for segment in range(h[SEGMENTS]):
        before = h[h[AT_BREAKS] + segment - 1] if segment else -1
        for level in range(levels):
            everyone = h[h[AT_ALLS] + h[COPY] * rounds + level]
            h[h[AT_FIXED] + segment * rounds + level] = fixed_word(h, firsts + level * bits, everyone, before)
            if old:
                first, everyone = h[AT_OLD_FIRSTS] + level * bits, h[h[AT_OLD_ALLS] + level]
                h[h[AT_OLD_FIXED] + segment * rounds + level] = fixed_word(h, first, everyone, before)


@compilable
def cut_after(h, x, n):
    """Ends a segment at position x, unless one ends there already, or it is the last position."""
    if x >= n - 1:
        return
    count, breaks = h[SEGMENTS] - 1, h[AT_BREAKS]
    place = count
    while place > 0 and h[breaks + place - 1] > x:
        place -= 1
    if place > 0 and h[breaks + place - 1] == x:
        return
    for k in range(count, place, -1):
        h[breaks + k] = h[breaks + k - 1]
    h[breaks + place] = x
    h[SEGMENTS] += 1


@compilable
def fixed_word(h, firsts, everyone, before):
    """Returns what is heard of everyone and from before, behind a position; `firsts` is where the first nodes start."""
    bits = h[BITS]
    word = everyone << (2 * bits)
    for bit in range(bits):
        if h[firsts + bit] <= before:
            word |= 1 << (3 * bits + bit)
    return word


@compilable
def segment_of(h, node, segment):
    """Returns the segment of a node, which is the given one or a later one."""
    while segment < h[SEGMENTS] - 1 and node > h[h[AT_BREAKS] + segment]:
        segment += 1
    return segment


@compilable
def end_of(h, segment):
    """Returns the last position of a segment."""
    return h[h[AT_BREAKS] + segment] if segment < h[SEGMENTS] - 1 else h[NODES]


@compilable
def situation(h, memory, group, segment, levels):
    """Returns where the number and the word of a class's situation in a segment are kept, after one round or more; -1 if it
    is not known yet. A class keeps its latest situations: most lie in one segment and hear the same in many rows."""
    rounds = h[ROUNDS]
    at = h[AT_CLASS_SITUATIONS] + 3 * group * rounds
    number, found, same = h[h[AT_CLASS_NUMBER] + group], -1, True
    for level in range(levels):
        fixed = h[h[AT_FIXED] + segment * rounds + level]
        if not same or h[at] != fixed:
            same = False
            slot = look_up(h, memory, FIRST_LEVEL + 1 + level, number, h[h[AT_CLASS_HEARD] + group * rounds + level] | fixed)
            if slot < 0:
                h[at] = -1
                return -1
            h[at], h[at + 1], h[at + 2] = fixed, memory[slot + NUMBER], memory[slot + WORD]
            if level + 1 < rounds:
                h[at + 3] = -1
        number, found = h[at + 1], at + 1
        at += 3
    return found


@compilable
def old_situation(h, memory, group, segment, levels):
    """Returns the slot that the class would have had before this row; -1 if it is not known."""
    rounds = h[ROUNDS]
    slot, number = -1, h[h[AT_CLASS_NUMBER] + group]
    for level in range(levels):
        heard = h[h[AT_CLASS_HEARD] + group * rounds + level] | h[h[AT_OLD_FIXED] + segment * rounds + level]
        slot = slot_of(memory, FIRST_LEVEL + 1 + level, number, heard)
        if slot < 0:
            return -1
        number = memory[slot + NUMBER]
    return slot
