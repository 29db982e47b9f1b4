"""What nodes hear, brought up to date: types that changed, then round by round what is said and heard because of them.

A word has one part of so many bits for each way of being heard: along edges out and in (`edges.py`), by everyone and by all
behind (`segments.py`), before and behind in each further order (`orders.py`).
"""

from recursor.execution.lookup.classes import class_of, has_room, members, move
from recursor.execution.lookup.compiled import compilable
from recursor.execution.lookup.edges import heard_along_edges, say_along_edges
from recursor.execution.lookup.entries import FIRST_LEVEL, NUMBER, WORD, look_up
from recursor.execution.lookup.orders import audible, heard_in_orders, say_in_orders
from recursor.execution.lookup.segments import cut, end_of, old_situation, segment_of, situation
from recursor.execution.lookup.sets import following
from recursor.execution.lookup.state import (
    AT_ALLS,
    AT_CELLS,
    AT_CLASS_HEARD,
    AT_CLASS_NEXT,
    AT_CLASS_NUMBER,
    AT_CLASS_TYPE,
    AT_CLASS_WORD,
    AT_COPY_LOG,
    AT_COPY_TYPES,
    AT_DIRTY,
    AT_FIRSTS,
    AT_FIXED,
    AT_HEADS,
    AT_LOG,
    AT_NEW_FIRSTS,
    AT_OLD_ALLS,
    AT_OLD_FIRSTS,
    AT_OLD_FIXED,
    AT_TOUCHED,
    AT_TYPES,
    AT_WORDS,
    BITS,
    CELLS,
    COPY,
    CURSOR,
    DIRTY,
    EVERYTHING,
    GRAPH,
    LENGTH,
    LOG,
    MARK,
    MISSES,
    MISSING,
    NO_ROOM,
    NODES,
    ROUNDS,
    RUNNING,
    TOUCH_MARK,
    TOUCHED,
    WORK,
)


@compilable
def say(h, node, level, word):
    """Has a node say another word in a round; those who hear something else along edges are noted as dirty."""
    word = audible(h, node, word)
    at = h[AT_WORDS] + (h[COPY] * h[ROUNDS] + level) * h[NODES] + node
    differ = h[at] ^ word
    if differ:
        h[at] = word
        say_along_edges(h, node, level, differ, word)
        say_in_orders(h, node, level, differ, word)


@compilable
def take_types(h, memory):
    """Brings the types of the copy up to date, and what nodes say in the first round."""
    n, copy, end = h[NODES], h[COPY], h[LOG]
    every = h[EVERYTHING]
    if h[CURSOR] < 0:  # begins
        every = 1 if end - h[h[AT_COPY_LOG] + copy] > h[AT_LOG + LENGTH] else 0
        h[EVERYTHING] = every
        h[CURSOR] = 0 if every else h[h[AT_COPY_LOG] + copy]
        h[MARK] += 1
        h[TOUCH_MARK] += 1
        h[DIRTY] = 0
        h[TOUCHED] = 0
    last = n if every else end
    while h[CURSOR] < last:
        node = h[CURSOR] if every else h[h[AT_LOG] + h[CURSOR] % h[AT_LOG + LENGTH]]
        kind = h[h[AT_TYPES] + node]
        if h[h[AT_COPY_TYPES] + copy * n + node] != kind:
            if not has_room(h):
                return NO_ROOM
            slot = look_up(h, memory, FIRST_LEVEL, h[GRAPH], kind)
            if slot < 0:
                return MISSING
            h[h[AT_COPY_TYPES] + copy * n + node] = kind
            move(h, node, kind, memory[slot + NUMBER], memory[slot + WORD], -1, 0)
            say(h, node, 0, memory[slot + WORD])
        h[CURSOR] += 1
    h[h[AT_COPY_LOG] + copy] = end
    return RUNNING


@compilable
def survey(h, memory, levels):
    """Visits the situations of all classes after some rounds. After the last round they are listed as cells; before it,
    what everyone says and the first node that says each bit follow."""
    n, bits, rounds = h[NODES], h[BITS], h[ROUNDS]
    single = (1 << bits) - 1
    everyone, cells, missed = 0, 0, h[MISSES]
    for bit in range(bits):
        h[h[AT_NEW_FIRSTS] + bit] = n
    cut(h, levels, False)
    group = h[h[AT_HEADS] + h[COPY]]
    while group >= 0:
        tree = members(h, group)
        node, segment = following(h, tree, 0), 0
        while node >= 0:
            segment = segment_of(h, node, segment)
            last = end_of(h, segment)
            found = situation(h, memory, group, segment, levels)
            if levels < rounds and (found >= 0 or levels == 0):
                word = (h[found + 1] if levels else h[h[AT_CLASS_WORD] + group]) >> (2 * bits)
                everyone |= word & single
                word = (word >> bits) & single
                for bit in range(bits):
                    if (word >> bit) & 1 and node < h[h[AT_NEW_FIRSTS] + bit]:
                        h[h[AT_NEW_FIRSTS] + bit] = node
            elif found >= 0:
                if 4 * cells + 4 > h[AT_CELLS + LENGTH]:
                    return NO_ROOM
                cell = h[AT_CELLS] + 4 * cells
                h[cell], h[cell + 1], h[cell + 2], h[cell + 3] = group, node, last, h[found]
                cells += 1
            node = following(h, tree, last + 1) if last < n else -1
        group = h[h[AT_CLASS_NEXT] + group]
    if h[MISSES] > missed:
        return MISSING
    h[CELLS] = cells
    if levels < rounds:
        at = h[COPY] * rounds + levels
        h[h[AT_OLD_ALLS] + levels], h[h[AT_ALLS] + at] = h[h[AT_ALLS] + at], everyone
        for bit in range(bits):
            h[h[AT_OLD_FIRSTS] + levels * bits + bit] = h[h[AT_FIRSTS] + at * bits + bit]
            h[h[AT_FIRSTS] + at * bits + bit] = h[h[AT_NEW_FIRSTS] + bit]
    return RUNNING


@compilable
def speak_again(h, memory, level):
    """Has all nodes whose word of this round changed say the new one. All situations of the round are known."""
    h[MARK] += 1  # the dirty nodes of the next round
    for at in range(h[TOUCHED]):  # the segments are those of `survey`
        node = h[h[AT_TOUCHED] + at]
        found = situation(h, memory, class_of(h, node), segment_of(h, node, 0), level)
        say(h, node, level, h[found + 1])
    if hears_the_same(h, level):
        return
    n, bits, rounds = h[NODES], h[BITS], h[ROUNDS]
    others = ~(((1 << (2 * bits)) - 1) << (2 * bits))  # all but what `survey` brought up to date
    cut(h, level, True)
    group = h[h[AT_HEADS] + h[COPY]]
    while group >= 0:
        tree = members(h, group)
        node, segment = following(h, tree, 0), 0
        while node >= 0:
            segment = segment_of(h, node, segment)
            last, differs = end_of(h, segment), False
            for r in range(level):
                differs = differs or h[h[AT_FIXED] + segment * rounds + r] != h[h[AT_OLD_FIXED] + segment * rounds + r]
            if differs:
                word = h[situation(h, memory, group, segment, level) + 1]
                was = old_situation(h, memory, group, segment, level)
                if was < 0 or (memory[was + WORD] ^ word) & others:
                    while node >= 0 and node <= last:
                        say(h, node, level, word)
                        h[WORK] += 1
                        node = following(h, tree, node + 1)
                    continue
            node = following(h, tree, last + 1) if last < n else -1
        group = h[h[AT_CLASS_NEXT] + group]


@compilable
def hears_the_same(h, level):
    """Returns whether what everyone says and what is said before is as it was before this row, in the first rounds."""
    bits = h[BITS]
    for r in range(level):
        at = h[COPY] * h[ROUNDS] + r
        if h[h[AT_ALLS] + at] != h[h[AT_OLD_ALLS] + r]:
            return False
        for bit in range(bits):
            if h[h[AT_FIRSTS] + at * bits + bit] != h[h[AT_OLD_FIRSTS] + r * bits + bit]:
                return False
    return True


@compilable
def hear_again(h, level):
    """Moves dirty nodes to the classes of what they hear now."""
    while h[DIRTY] > 0:
        if not has_room(h):
            return NO_ROOM
        node = h[h[AT_DIRTY] + h[DIRTY] - 1]
        heard = heard_along_edges(h, node, level) | heard_in_orders(h, node, level)
        old = class_of(h, node)
        if h[h[AT_CLASS_HEARD] + old * h[ROUNDS] + level] != heard:
            kind, number, word = h[h[AT_CLASS_TYPE] + old], h[h[AT_CLASS_NUMBER] + old], h[h[AT_CLASS_WORD] + old]
            move(h, node, kind, number, word, level, heard)
        h[DIRTY] -= 1
    return RUNNING
