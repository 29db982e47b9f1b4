"""What nodes hear, brought up to date: types that changed, then round by round what is said and heard because of them."""

from recursor.execution.lookup.compiled import COMPILED, compiled
from recursor.execution.lookup.memory import slot_of
from recursor.execution.lookup.sets import following, insert, preceding, remove
from recursor.execution.lookup.state import (
    AT_ALLS,
    AT_BREAKS,
    AT_BY,
    AT_BY_START,
    AT_CELLS,
    AT_CLASS_BACK,
    AT_CLASS_COPY,
    AT_CLASS_HASH,
    AT_CLASS_HEARD,
    AT_CLASS_NEXT,
    AT_CLASS_NUMBER,
    AT_CLASS_SITUATIONS,
    AT_CLASS_SIZE,
    AT_CLASS_TREE,
    AT_CLASS_TYPE,
    AT_CLASS_WORD,
    AT_CLASSES,
    AT_COPY_LOG,
    AT_COPY_TYPES,
    AT_COUNTS,
    AT_DIRTY,
    AT_FIRSTS,
    AT_FIXED,
    AT_FREE_TREES,
    AT_HEADS,
    AT_LOG,
    AT_MARKS,
    AT_MISSES,
    AT_NEW_FIRSTS,
    AT_OLD_ALLS,
    AT_OLD_FIRSTS,
    AT_OLD_FIXED,
    AT_ORDER_FIRSTS,
    AT_ORDER_LASTS,
    AT_RANKED,
    AT_RANKED_COUNT,
    AT_RANKS,
    AT_SPEAKERS,
    AT_TO,
    AT_TO_START,
    AT_TOUCH_MARKS,
    AT_TOUCHED,
    AT_TREES,
    AT_TYPES,
    AT_WORDS,
    BITS,
    CELLS,
    CLASSES,
    COPY,
    CURSOR,
    DIRTY,
    EVERYTHING,
    FIRST_LEVEL,
    FREE_TREES,
    GRAPH,
    LENGTH,
    LOG,
    MARK,
    MISSES,
    MISSING,
    NEXT_TREE,
    NO_ROOM,
    NODES,
    NUMBER,
    ORDERS,
    ROUNDS,
    RUNNING,
    SEGMENTS,
    TOUCH_MARK,
    TOUCHED,
    TREE_WORDS,
    UNVERIFIED,
    UNVERIFIED_ENTRY,
    WORD,
)


@compiled
def look_up(h, memory, table, a, b):
    """Returns the slot of an entry. An unknown key is noted among the misses, and gives -1."""
    slot = slot_of(memory, table, a, b)
    if slot < 0:
        at = 3 * h[MISSES]
        if at < h[AT_MISSES + LENGTH]:
            h[h[AT_MISSES] + at], h[h[AT_MISSES] + at + 1], h[h[AT_MISSES] + at + 2] = table, a, b
            h[MISSES] += 1
    elif memory[slot + UNVERIFIED_ENTRY]:
        h[UNVERIFIED] = 1
    return slot


def _probe_classes(h, copy, kind, old, level, heard):
    """Returns the class that is `old` (-1: hears nothing) with another type and another word in a round (-1: none), and
    where its number belongs in the hash table. The class is -1 if there is none."""
    rounds, last = h[ROUNDS], h[AT_CLASS_HASH + LENGTH] - 1
    place = kind * 7919 + copy * 104729
    for r in range(rounds):
        word = heard if r == level else (h[h[AT_CLASS_HEARD] + old * rounds + r] if old >= 0 else 0)
        place = (place * 40503 + (word & 0x7FFFFFFF) * 2654435 + (word >> 31) * 69069) & 0xFFFFFFFFFFF
    place = (place >> 4) & last
    while h[h[AT_CLASS_HASH] + place] >= 0:
        found = h[h[AT_CLASS_HASH] + place]
        if h[h[AT_CLASS_TYPE] + found] == kind and h[h[AT_CLASS_COPY] + found] == copy:
            same = True
            for r in range(rounds):
                word = heard if r == level else (h[h[AT_CLASS_HEARD] + old * rounds + r] if old >= 0 else 0)
                same = same and h[h[AT_CLASS_HEARD] + found * rounds + r] == word
            if same:
                return found, place
        place = (place + 1) & last
    return -1, place


def _find_class_plainly(h, copy, kind, old, level, heard):
    """The same in a dictionary."""
    rounds = h[ROUNDS]
    first = h[AT_CLASS_HEARD] + old * rounds
    words = h[first : first + rounds] if old >= 0 else [0] * rounds
    if level >= 0:
        words[level] = heard
    key = (copy, kind, *words)
    return h.found.get(key, -1), key


def _keep_class_by_hash(h, place, number):
    h[h[AT_CLASS_HASH] + place] = number


def _keep_class_plainly(h, place, number):
    h.found[place] = number


find_class = compiled(_probe_classes) if COMPILED else _find_class_plainly
keep_class = compiled(_keep_class_by_hash) if COMPILED else _keep_class_plainly


@compiled
def members(h, group):
    """Returns where the set of a class's nodes starts."""
    return h[AT_TREES] + h[h[AT_CLASS_TREE] + group] * h[TREE_WORDS]


@compiled
def speakers(h, number):
    """Returns where a set of ranks starts."""
    return h[AT_SPEAKERS] + number * h[TREE_WORDS]


@compiled
def hash_classes(h):
    """Fills the hash table of classes anew."""
    for number in range(h[CLASSES]):
        _, place = find_class(h, h[h[AT_CLASS_COPY] + number], h[h[AT_CLASS_TYPE] + number], number, -1, 0)
        keep_class(h, place, number)


@compiled
def has_room(h):
    """Returns whether there is room for one more class with nodes."""
    trees = h[FREE_TREES] > 0 or (h[NEXT_TREE] + 1) * h[TREE_WORDS] <= h[AT_TREES + LENGTH]
    return trees and h[CLASSES] < h[AT_CLASS_TYPE + LENGTH]


@compiled
def move(h, node, kind, number, word, level, heard):
    """Moves a node to the class with another type, or with another word heard in a round (level -1: the same words)."""
    rounds = h[ROUNDS]
    copy = h[COPY]
    at = copy * h[NODES] + node
    old = h[h[AT_CLASSES] + at]
    new, place = find_class(h, copy, kind, old, level, heard)
    if new < 0:
        new = h[CLASSES]
        h[CLASSES] += 1
        keep_class(h, place, new)
        h[h[AT_CLASS_COPY] + new], h[h[AT_CLASS_TYPE] + new] = copy, kind
        h[h[AT_CLASS_NUMBER] + new], h[h[AT_CLASS_WORD] + new] = number, word
        h[h[AT_CLASS_TREE] + new], h[h[AT_CLASS_SIZE] + new] = -1, 0
        for r in range(rounds):
            h[h[AT_CLASS_HEARD] + new * rounds + r] = h[h[AT_CLASS_HEARD] + old * rounds + r] if old >= 0 else 0
            h[h[AT_CLASS_SITUATIONS] + 3 * (new * rounds + r)] = -1
        if level >= 0:
            h[h[AT_CLASS_HEARD] + new * rounds + level] = heard
    if new == old:
        return
    if old >= 0:
        remove(h, members(h, old), node)
        h[h[AT_CLASS_SIZE] + old] -= 1
        if h[h[AT_CLASS_SIZE] + old] == 0:
            h[h[AT_FREE_TREES] + h[FREE_TREES]] = h[h[AT_CLASS_TREE] + old]
            h[FREE_TREES] += 1
            h[h[AT_CLASS_TREE] + old] = -1
            before, after = h[h[AT_CLASS_BACK] + old], h[h[AT_CLASS_NEXT] + old]
            if before >= 0:
                h[h[AT_CLASS_NEXT] + before] = after
            else:
                h[h[AT_HEADS] + copy] = after
            if after >= 0:
                h[h[AT_CLASS_BACK] + after] = before
    if h[h[AT_CLASS_SIZE] + new] == 0:
        if h[FREE_TREES] > 0:
            h[FREE_TREES] -= 1
            h[h[AT_CLASS_TREE] + new] = h[h[AT_FREE_TREES] + h[FREE_TREES]]
        else:
            h[h[AT_CLASS_TREE] + new] = h[NEXT_TREE]
            h[NEXT_TREE] += 1
        head = h[h[AT_HEADS] + copy]
        h[h[AT_CLASS_NEXT] + new], h[h[AT_CLASS_BACK] + new] = head, -1
        if head >= 0:
            h[h[AT_CLASS_BACK] + head] = new
        h[h[AT_HEADS] + copy] = new
    insert(h, members(h, new), node)
    h[h[AT_CLASS_SIZE] + new] += 1
    h[h[AT_CLASSES] + at] = new
    touch(h, node)


@compiled
def touch(h, node):
    """Notes that a node changed in this copy."""
    if h[h[AT_TOUCH_MARKS] + node] != h[TOUCH_MARK]:
        h[h[AT_TOUCH_MARKS] + node] = h[TOUCH_MARK]
        h[h[AT_TOUCHED] + h[TOUCHED]] = node
        h[TOUCHED] += 1


@compiled
def note_dirty(h, node):
    """Notes that what a node hears in the next round has to be computed again."""
    if h[h[AT_MARKS] + node] != h[MARK]:
        h[h[AT_MARKS] + node] = h[MARK]
        h[h[AT_DIRTY] + h[DIRTY]] = node
        h[DIRTY] += 1


@compiled
def audible(h, node, word):
    """Returns the part of a word that is said along edges and in further orders of which the node is part."""
    n, bits = h[NODES], h[BITS]
    part = word & ((1 << (2 * bits)) - 1)
    for order in range(h[ORDERS]):
        if h[h[AT_RANKS] + order * n + node]:
            part |= word & (((1 << (2 * bits)) - 1) << ((4 + 2 * order) * bits))
    return part


@compiled
def say(h, node, level, word):
    """Has a node say another word in a round; its listeners are noted as dirty."""
    n, bits = h[NODES], h[BITS]
    base = (h[COPY] * h[ROUNDS] + level) * n
    before = h[h[AT_WORDS] + base + node]
    differ = before ^ word
    if differ == 0:
        return
    h[h[AT_WORDS] + base + node] = word
    width = 2 * bits
    if differ & ((1 << bits) - 1):
        for at in range(h[h[AT_TO_START] + node], h[h[AT_TO_START] + node + 1]):
            count_bits(h, base, h[h[AT_TO] + at], width, 0, bits, differ, word)
    if (differ >> bits) & ((1 << bits) - 1):
        for at in range(h[h[AT_BY_START] + node], h[h[AT_BY_START] + node + 1]):
            count_bits(h, base, h[h[AT_BY] + at], width, bits, width, differ, word)
    for order in range(h[ORDERS]):
        part = differ >> ((4 + 2 * order) * bits)
        if part & ((1 << width) - 1):
            said = word >> ((4 + 2 * order) * bits)
            rank = h[h[AT_RANKS] + order * n + node]
            first = ((h[COPY] * h[ROUNDS] + level) * h[ORDERS] + order) * width
            for bit in range(width):
                if (part >> bit) & 1:
                    if (said >> bit) & 1:
                        insert(h, speakers(h, first + bit), rank)
                    else:
                        remove(h, speakers(h, first + bit), rank)


@compiled
def count_bits(h, base, node, width, low, high, differ, word):
    """Counts bits that a neighbour of a node says or no longer says."""
    at = (base + node) * width
    for bit in range(low, high):
        if (differ >> bit) & 1:
            if (word >> bit) & 1:
                h[h[AT_COUNTS] + at + bit] += 1
                if h[h[AT_COUNTS] + at + bit] == 1:
                    note_dirty(h, node)
            else:
                h[h[AT_COUNTS] + at + bit] -= 1
                if h[h[AT_COUNTS] + at + bit] == 0:
                    note_dirty(h, node)


@compiled
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
            say(h, node, 0, audible(h, node, memory[slot + WORD]))
        h[CURSOR] += 1
    h[h[AT_COPY_LOG] + copy] = end
    return RUNNING


@compiled
def compare_orders(h, level):
    """Finds the first and last nodes that say each bit in further orders. Nodes that now hear another bit are dirty."""
    n, bits, orders = h[NODES], h[BITS], h[ORDERS]
    for order in range(orders):
        first = (h[COPY] * h[ROUNDS] + level) * orders + order
        ranked, count = order * (n + 1), h[h[AT_RANKED_COUNT] + order]
        for bit in range(bits):
            at = first * bits + bit
            low, high = h[h[AT_ORDER_FIRSTS] + at], following(h, speakers(h, first * 2 * bits + bit), 0)
            if high < 0:
                high = n + 1
            h[h[AT_ORDER_FIRSTS] + at] = high
            if low > high:
                low, high = high, low
            for rank in range(low + 1, min(high, count) + 1):
                note_dirty(h, h[h[AT_RANKED] + ranked + rank])
            low, high = h[h[AT_ORDER_LASTS] + at], preceding(h, speakers(h, first * 2 * bits + bits + bit), n)
            if high < 0:
                high = 0
            h[h[AT_ORDER_LASTS] + at] = high
            if low > high:
                low, high = high, low
            for rank in range(max(low, 1), min(high, count + 1)):
                note_dirty(h, h[h[AT_RANKED] + ranked + rank])
    if orders:
        for at in range(h[TOUCHED]):
            note_dirty(h, h[h[AT_TOUCHED] + at])


@compiled
def heard_by(h, node, level):
    """Returns what a node hears along edges and in further orders."""
    n, bits, orders = h[NODES], h[BITS], h[ORDERS]
    at = ((h[COPY] * h[ROUNDS] + level) * n + node) * 2 * bits
    heard = 0
    for bit in range(2 * bits):
        if h[h[AT_COUNTS] + at + bit]:
            heard |= 1 << bit
    for order in range(orders):
        rank = h[h[AT_RANKS] + order * n + node]
        if rank:
            first = ((h[COPY] * h[ROUNDS] + level) * orders + order) * bits
            for bit in range(bits):
                if h[h[AT_ORDER_FIRSTS] + first + bit] < rank:
                    heard |= 1 << ((4 + 2 * order) * bits + bit)
                if h[h[AT_ORDER_LASTS] + first + bit] > rank:
                    heard |= 1 << ((5 + 2 * order) * bits + bit)
    return heard


@compiled
def hear_again(h, level):
    """Moves dirty nodes to the classes of what they hear now."""
    rounds = h[ROUNDS]
    while h[DIRTY] > 0:
        if not has_room(h):
            return NO_ROOM
        node = h[h[AT_DIRTY] + h[DIRTY] - 1]
        heard = heard_by(h, node, level)
        old = h[h[AT_CLASSES] + h[COPY] * h[NODES] + node]
        if h[h[AT_CLASS_HEARD] + old * rounds + level] != heard:
            kind, number, word = h[h[AT_CLASS_TYPE] + old], h[h[AT_CLASS_NUMBER] + old], h[h[AT_CLASS_WORD] + old]
            move(h, node, kind, number, word, level, heard)
        h[DIRTY] -= 1
    return RUNNING


@compiled
def cut(h, levels, old):
    """Finds the segments of positions in which all nodes hear the same from before, in the first rounds.

    Args:
        m: The state.
        levels: The number of rounds.
        old: Whether what was heard before this row is a reason to cut, too.
    """
    n, bits, rounds = h[NODES], h[BITS], h[ROUNDS]
    count, first = 0, h[COPY] * rounds * bits
    for source in range(2 if old else 1):
        for at in range(levels * bits):
            x = h[h[AT_OLD_FIRSTS] + at] if source else h[h[AT_FIRSTS] + first + at]
            if x < n - 1:
                place = count
                while place > 0 and h[h[AT_BREAKS] + place - 1] > x:
                    place -= 1
                if place == 0 or h[h[AT_BREAKS] + place - 1] != x:
                    for k in range(count, place, -1):
                        h[h[AT_BREAKS] + k] = h[h[AT_BREAKS] + k - 1]
                    h[h[AT_BREAKS] + place] = x
                    count += 1
    h[SEGMENTS] = count + 1
    for k in range(count + 1):
        before = h[h[AT_BREAKS] + k - 1] if k else -1
        for level in range(levels):
            word = h[h[AT_ALLS] + h[COPY] * rounds + level] << (2 * bits)
            was = h[h[AT_OLD_ALLS] + level] << (2 * bits)
            for bit in range(bits):
                if h[h[AT_FIRSTS] + first + level * bits + bit] <= before:
                    word |= 1 << (3 * bits + bit)
                if old and h[h[AT_OLD_FIRSTS] + level * bits + bit] <= before:
                    was |= 1 << (3 * bits + bit)
            h[h[AT_FIXED] + k * rounds + level] = word
            h[h[AT_OLD_FIXED] + k * rounds + level] = was


@compiled
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


@compiled
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


@compiled
def survey(h, memory, levels):
    """Visits the situations of all classes after some rounds. After the last round they are listed as cells; before it,
    what everyone says and the first node that says each bit follow."""
    n, bits, rounds = h[NODES], h[BITS], h[ROUNDS]
    single = (1 << bits) - 1
    everyone, cells, missed = 0, 0, h[MISSES]
    for bit in range(bits):
        h[h[AT_NEW_FIRSTS] + bit] = n
    cut(h, levels, False)
    segments = h[SEGMENTS]
    group = h[h[AT_HEADS] + h[COPY]]
    while group >= 0:
        tree = members(h, group)
        node, segment = following(h, tree, 0), 0
        while node >= 0:
            while segment < segments - 1 and node > h[h[AT_BREAKS] + segment]:
                segment += 1
            last = h[h[AT_BREAKS] + segment] if segment < segments - 1 else n
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
                h[h[AT_CELLS] + 4 * cells], h[h[AT_CELLS] + 4 * cells + 1] = group, node
                h[h[AT_CELLS] + 4 * cells + 2], h[h[AT_CELLS] + 4 * cells + 3] = last, h[found]
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


@compiled
def speak_again(h, memory, level):
    """Has all nodes whose word of this round changed say the new one. All situations of the round are known."""
    n, bits, rounds = h[NODES], h[BITS], h[ROUNDS]
    h[MARK] += 1  # the dirty nodes of the next round
    segments = h[SEGMENTS]  # as `survey` cut them
    for at in range(h[TOUCHED]):
        node = h[h[AT_TOUCHED] + at]
        segment = 0
        while segment < segments - 1 and node > h[h[AT_BREAKS] + segment]:
            segment += 1
        found = situation(h, memory, h[h[AT_CLASSES] + h[COPY] * n + node], segment, level)
        say(h, node, level, audible(h, node, h[found + 1]))
    same = True
    for r in range(level):
        at = h[COPY] * rounds + r
        same = same and h[h[AT_ALLS] + at] == h[h[AT_OLD_ALLS] + r]
        for bit in range(bits):
            same = same and h[h[AT_FIRSTS] + at * bits + bit] == h[h[AT_OLD_FIRSTS] + r * bits + bit]
    if same:
        return
    cut(h, level, True)
    segments = h[SEGMENTS]
    heard_of_all = ~(((1 << (2 * bits)) - 1) << (2 * bits))  # all but what everyone hears and what is heard from before
    group = h[h[AT_HEADS] + h[COPY]]
    while group >= 0:
        tree = members(h, group)
        node, segment = following(h, tree, 0), 0
        while node >= 0:
            while segment < segments - 1 and node > h[h[AT_BREAKS] + segment]:
                segment += 1
            last = h[h[AT_BREAKS] + segment] if segment < segments - 1 else n
            differs = False
            for r in range(level):
                differs = differs or h[h[AT_FIXED] + segment * rounds + r] != h[h[AT_OLD_FIXED] + segment * rounds + r]
            if differs:
                word = h[situation(h, memory, group, segment, level) + 1]
                was = old_situation(h, memory, group, segment, level)
                if was < 0 or (memory[was + WORD] ^ word) & heard_of_all:
                    while node >= 0 and node <= last:
                        say(h, node, level, audible(h, node, word))
                        node = following(h, tree, node + 1)
                    continue
            node = following(h, tree, last + 1) if last < n else -1
        group = h[h[AT_CLASS_NEXT] + group]
