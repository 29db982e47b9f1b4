"""What nodes hear, brought up to date: types that changed, then round by round what is said and heard because of them."""

from recursor.execution.lookup.compiled import COMPILED, compiled, slot_of
from recursor.execution.lookup.sets import following, insert, preceding, remove
from recursor.execution.lookup.state import (
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
    LOG,
    MARK,
    MARKED,
    MISSES,
    MISSING,
    NEXT_TREE,
    NO_ROOM,
    NODES,
    ORDERS,
    ROUNDS,
    RUNNING,
    SEGMENTS,
    TOUCHED,
    UNVERIFIED,
)


@compiled
def look_up(m, memory, table, a, b):
    """Returns the slot of an entry. An unknown key is noted among the misses, and gives -1."""
    slot = slot_of(memory, table, a, b)
    numbers = m.numbers
    if slot < 0:
        at = 3 * numbers[MISSES]
        if at < len(m.misses):
            m.misses[at], m.misses[at + 1], m.misses[at + 2] = table, a, b
            numbers[MISSES] += 1
    elif memory.unverified[slot]:
        numbers[UNVERIFIED] = 1
    return slot


if COMPILED:

    @compiled
    def find_class(m, copy, kind, old, level, heard):
        """Returns the class that is `old` (-1: hears nothing) with another type and another word in a round (-1: none),
        and where its number belongs in the hash table; -1 if there is no such class."""
        rounds, last = m.numbers[ROUNDS], len(m.class_hash) - 1
        h = kind * 7919 + copy * 104729
        for r in range(rounds):
            word = heard if r == level else (m.class_heard[old * rounds + r] if old >= 0 else 0)
            h = (h * 40503 + (word & 0x7FFFFFFF) * 2654435 + (word >> 31) * 69069) & 0xFFFFFFFFFFF
        h = (h >> 4) & last
        while m.class_hash[h] >= 0:
            found = m.class_hash[h]
            if m.class_type[found] == kind and m.class_copy[found] == copy:
                same = True
                for r in range(rounds):
                    word = heard if r == level else (m.class_heard[old * rounds + r] if old >= 0 else 0)
                    same = same and m.class_heard[found * rounds + r] == word
                if same:
                    return found, h
            h = (h + 1) & last
        return -1, h

    @compiled
    def keep_class(m, place, number):
        m.class_hash[place] = number
else:

    def find_class(m, copy, kind, old, level, heard):
        rounds = m.numbers[ROUNDS]
        words = m.class_heard[old * rounds : (old + 1) * rounds] if old >= 0 else [0] * rounds
        if level >= 0:
            words[level] = heard
        key = (copy, kind, *words)
        return m.class_hash.get(key, -1), key

    def keep_class(m, place, number):
        m.class_hash[place] = number


@compiled
def hash_classes(m):
    """Fills the hash table of classes anew."""
    for number in range(m.numbers[CLASSES]):
        _, place = find_class(m, m.class_copy[number], m.class_type[number], number, -1, 0)
        keep_class(m, place, number)


@compiled
def has_room(m):
    """Returns whether there is room for one more class with nodes."""
    numbers = m.numbers
    trees = numbers[FREE_TREES] > 0 or (numbers[NEXT_TREE] + 1) * m.shape[0] <= len(m.trees)
    return trees and numbers[CLASSES] < len(m.class_type)


@compiled
def move(m, node, kind, slot, level, heard):
    """Moves a node to the class with another type, or with another word heard in a round (level -1: the same words)."""
    numbers, rounds = m.numbers, m.numbers[ROUNDS]
    copy = numbers[COPY]
    at = copy * numbers[NODES] + node
    old = m.classes[at]
    new, place = find_class(m, copy, kind, old, level, heard)
    if new < 0:
        new = numbers[CLASSES]
        numbers[CLASSES] += 1
        keep_class(m, place, new)
        m.class_copy[new], m.class_type[new], m.class_slot[new] = copy, kind, slot
        m.class_tree[new], m.class_size[new] = -1, 0
        for r in range(rounds):
            m.class_heard[new * rounds + r] = m.class_heard[old * rounds + r] if old >= 0 else 0
        if level >= 0:
            m.class_heard[new * rounds + level] = heard
    if new == old:
        return
    if old >= 0:
        remove(m.trees, m.shape, m.class_tree[old], node)
        m.class_size[old] -= 1
        if m.class_size[old] == 0:
            m.free_trees[numbers[FREE_TREES]] = m.class_tree[old]
            numbers[FREE_TREES] += 1
            m.class_tree[old] = -1
            before, after = m.class_back[old], m.class_next[old]
            if before >= 0:
                m.class_next[before] = after
            else:
                m.heads[copy] = after
            if after >= 0:
                m.class_back[after] = before
    if m.class_size[new] == 0:
        if numbers[FREE_TREES] > 0:
            numbers[FREE_TREES] -= 1
            m.class_tree[new] = m.free_trees[numbers[FREE_TREES]]
        else:
            m.class_tree[new] = numbers[NEXT_TREE]
            numbers[NEXT_TREE] += 1
        head = m.heads[copy]
        m.class_next[new], m.class_back[new] = head, -1
        if head >= 0:
            m.class_back[head] = new
        m.heads[copy] = new
    insert(m.trees, m.shape, m.class_tree[new], node)
    m.class_size[new] += 1
    m.classes[at] = new
    touch(m, node)


@compiled
def touch(m, node):
    """Notes that a node changed in this copy."""
    numbers = m.numbers
    if m.touch_marks[node] != numbers[MARKED]:
        m.touch_marks[node] = numbers[MARKED]
        m.touched[numbers[TOUCHED]] = node
        numbers[TOUCHED] += 1


@compiled
def note_dirty(m, node):
    """Notes that what a node hears in the next round has to be computed again."""
    numbers = m.numbers
    if m.marks[node] != numbers[MARK]:
        m.marks[node] = numbers[MARK]
        m.dirty[numbers[DIRTY]] = node
        numbers[DIRTY] += 1


@compiled
def audible(m, node, word):
    """Returns the part of a word that is said along edges and in further orders of which the node is part."""
    n, bits = m.numbers[NODES], m.numbers[BITS]
    part = word & ((1 << (2 * bits)) - 1)
    for order in range(m.numbers[ORDERS]):
        if m.ranks[order * n + node]:
            part |= word & (((1 << (2 * bits)) - 1) << ((4 + 2 * order) * bits))
    return part


@compiled
def say(m, node, level, word):
    """Has a node say another word in a round; its listeners are noted as dirty."""
    numbers = m.numbers
    n, bits = numbers[NODES], numbers[BITS]
    base = (numbers[COPY] * numbers[ROUNDS] + level) * n
    before = m.words[base + node]
    differ = before ^ word
    if differ == 0:
        return
    m.words[base + node] = word
    width = 2 * bits
    if differ & ((1 << bits) - 1):
        for at in range(m.to_start[node], m.to_start[node + 1]):
            count_bits(m, base, m.to[at], width, 0, bits, differ, word)
    if (differ >> bits) & ((1 << bits) - 1):
        for at in range(m.by_start[node], m.by_start[node + 1]):
            count_bits(m, base, m.by[at], width, bits, width, differ, word)
    for order in range(numbers[ORDERS]):
        part = differ >> ((4 + 2 * order) * bits)
        if part & ((1 << width) - 1):
            said = word >> ((4 + 2 * order) * bits)
            rank = m.ranks[order * n + node]
            first = ((numbers[COPY] * numbers[ROUNDS] + level) * numbers[ORDERS] + order) * width
            for bit in range(width):
                if (part >> bit) & 1:
                    if (said >> bit) & 1:
                        insert(m.speakers, m.shape, first + bit, rank)
                    else:
                        remove(m.speakers, m.shape, first + bit, rank)


@compiled
def count_bits(m, base, node, width, low, high, differ, word):
    """Counts bits that a neighbour of a node says or no longer says."""
    at = (base + node) * width
    for bit in range(low, high):
        if (differ >> bit) & 1:
            if (word >> bit) & 1:
                m.counts[at + bit] += 1
                if m.counts[at + bit] == 1:
                    note_dirty(m, node)
            else:
                m.counts[at + bit] -= 1
                if m.counts[at + bit] == 0:
                    note_dirty(m, node)


@compiled
def take_types(m, memory):
    """Brings the types of the copy up to date, and what nodes say in the first round."""
    numbers = m.numbers
    n, copy, end = numbers[NODES], numbers[COPY], numbers[LOG]
    every = numbers[EVERYTHING]
    if numbers[CURSOR] < 0:  # begins
        every = 1 if end - m.copy_log[copy] > len(m.log) else 0
        numbers[EVERYTHING] = every
        numbers[CURSOR] = 0 if every else m.copy_log[copy]
        numbers[MARK] += 1
        numbers[MARKED] += 1
        numbers[DIRTY] = 0
        numbers[TOUCHED] = 0
    last = n if every else end
    while numbers[CURSOR] < last:
        node = numbers[CURSOR] if every else m.log[numbers[CURSOR] % len(m.log)]
        kind = m.types[node]
        if m.copy_types[copy * n + node] != kind:
            if not has_room(m):
                return NO_ROOM
            slot = look_up(m, memory, FIRST_LEVEL, numbers[GRAPH], kind)
            if slot < 0:
                return MISSING
            m.copy_types[copy * n + node] = kind
            move(m, node, kind, slot, -1, 0)
            say(m, node, 0, audible(m, node, memory.word[slot]))
        numbers[CURSOR] += 1
    m.copy_log[copy] = end
    return RUNNING


@compiled
def compare_orders(m, level):
    """Finds the first and last nodes that say each bit in further orders. Nodes that now hear another bit are dirty."""
    numbers = m.numbers
    n, bits, orders = numbers[NODES], numbers[BITS], numbers[ORDERS]
    for order in range(orders):
        first = (numbers[COPY] * numbers[ROUNDS] + level) * orders + order
        ranked, count = order * (n + 1), m.ranked_count[order]
        for bit in range(bits):
            at = first * bits + bit
            low, high = m.order_firsts[at], following(m.speakers, m.shape, first * 2 * bits + bit, 0)
            if high < 0:
                high = n + 1
            m.order_firsts[at] = high
            if low > high:
                low, high = high, low
            for rank in range(low + 1, min(high, count) + 1):
                note_dirty(m, m.ranked[ranked + rank])
            low, high = m.order_lasts[at], preceding(m.speakers, m.shape, first * 2 * bits + bits + bit, n)
            if high < 0:
                high = 0
            m.order_lasts[at] = high
            if low > high:
                low, high = high, low
            for rank in range(max(low, 1), min(high, count + 1)):
                note_dirty(m, m.ranked[ranked + rank])
    if orders:
        for at in range(numbers[TOUCHED]):
            note_dirty(m, m.touched[at])


@compiled
def heard_by(m, node, level):
    """Returns what a node hears along edges and in further orders."""
    numbers = m.numbers
    n, bits, orders = numbers[NODES], numbers[BITS], numbers[ORDERS]
    at = ((numbers[COPY] * numbers[ROUNDS] + level) * n + node) * 2 * bits
    heard = 0
    for bit in range(2 * bits):
        if m.counts[at + bit]:
            heard |= 1 << bit
    for order in range(orders):
        rank = m.ranks[order * n + node]
        if rank:
            first = ((numbers[COPY] * numbers[ROUNDS] + level) * orders + order) * bits
            for bit in range(bits):
                if m.order_firsts[first + bit] < rank:
                    heard |= 1 << ((4 + 2 * order) * bits + bit)
                if m.order_lasts[first + bit] > rank:
                    heard |= 1 << ((5 + 2 * order) * bits + bit)
    return heard


@compiled
def hear_again(m, level):
    """Moves dirty nodes to the classes of what they hear now."""
    numbers, rounds = m.numbers, m.numbers[ROUNDS]
    while numbers[DIRTY] > 0:
        if not has_room(m):
            return NO_ROOM
        node = m.dirty[numbers[DIRTY] - 1]
        heard = heard_by(m, node, level)
        old = m.classes[numbers[COPY] * numbers[NODES] + node]
        if m.class_heard[old * rounds + level] != heard:
            move(m, node, m.class_type[old], m.class_slot[old], level, heard)
        numbers[DIRTY] -= 1
    return RUNNING


@compiled
def cut(m, levels, old):
    """Finds the segments of positions in which all nodes hear the same from before, in the first rounds.

    Args:
        m: The state.
        levels: The number of rounds.
        old: Whether what was heard before this row is a reason to cut, too.
    """
    numbers = m.numbers
    n, bits, rounds = numbers[NODES], numbers[BITS], numbers[ROUNDS]
    count, first = 0, numbers[COPY] * rounds * bits
    for source in range(2 if old else 1):
        for at in range(levels * bits):
            x = m.old_firsts[at] if source else m.firsts[first + at]
            if x < n - 1:
                place = count
                while place > 0 and m.breaks[place - 1] > x:
                    place -= 1
                if place == 0 or m.breaks[place - 1] != x:
                    for k in range(count, place, -1):
                        m.breaks[k] = m.breaks[k - 1]
                    m.breaks[place] = x
                    count += 1
    numbers[SEGMENTS] = count + 1
    for k in range(count + 1):
        before = m.breaks[k - 1] if k else -1
        for level in range(levels):
            word = m.alls[numbers[COPY] * rounds + level] << (2 * bits)
            was = m.old_alls[level] << (2 * bits)
            for bit in range(bits):
                if m.firsts[first + level * bits + bit] <= before:
                    word |= 1 << (3 * bits + bit)
                if old and m.old_firsts[level * bits + bit] <= before:
                    was |= 1 << (3 * bits + bit)
            m.fixed[k * rounds + level] = word
            m.old_fixed[k * rounds + level] = was


@compiled
def situation(m, memory, group, segment, levels):
    """Returns the slot of the situation of a class in a segment after some rounds; -1 if it is not known yet."""
    rounds = m.numbers[ROUNDS]
    slot = m.class_slot[group]
    for level in range(levels):
        heard = m.class_heard[group * rounds + level] | m.fixed[segment * rounds + level]
        slot = look_up(m, memory, FIRST_LEVEL + 1 + level, memory.number[slot], heard)
        if slot < 0:
            return -1
    return slot


@compiled
def old_situation(m, memory, group, segment, levels):
    """Returns the slot that the class would have had before this row; -1 if it is not known."""
    rounds = m.numbers[ROUNDS]
    slot = m.class_slot[group]
    for level in range(levels):
        heard = m.class_heard[group * rounds + level] | m.old_fixed[segment * rounds + level]
        slot = slot_of(memory, FIRST_LEVEL + 1 + level, memory.number[slot], heard)
        if slot < 0:
            return -1
    return slot


@compiled
def survey(m, memory, levels):
    """Visits the situations of all classes after some rounds. After the last round they are listed as cells; before it,
    what everyone says and the first node that says each bit follow."""
    numbers = m.numbers
    n, bits, rounds = numbers[NODES], numbers[BITS], numbers[ROUNDS]
    single = (1 << bits) - 1
    everyone, cells, missed = 0, 0, numbers[MISSES]
    for bit in range(bits):
        m.new_firsts[bit] = n
    cut(m, levels, False)
    segments = numbers[SEGMENTS]
    group = m.heads[numbers[COPY]]
    while group >= 0:
        tree = m.class_tree[group]
        node, segment = following(m.trees, m.shape, tree, 0), 0
        while node >= 0:
            while segment < segments - 1 and node > m.breaks[segment]:
                segment += 1
            last = m.breaks[segment] if segment < segments - 1 else n
            slot = situation(m, memory, group, segment, levels)
            if slot >= 0 and levels < rounds:
                word = memory.word[slot] >> (2 * bits)
                everyone |= word & single
                word = (word >> bits) & single
                for bit in range(bits):
                    if (word >> bit) & 1 and node < m.new_firsts[bit]:
                        m.new_firsts[bit] = node
            elif slot >= 0:
                if 4 * cells + 4 > len(m.cells):
                    return NO_ROOM
                m.cells[4 * cells], m.cells[4 * cells + 1] = group, node
                m.cells[4 * cells + 2], m.cells[4 * cells + 3] = last, memory.number[slot]
                cells += 1
            node = following(m.trees, m.shape, tree, last + 1) if last < n else -1
        group = m.class_next[group]
    if numbers[MISSES] > missed:
        return MISSING
    numbers[CELLS] = cells
    if levels < rounds:
        at = numbers[COPY] * rounds + levels
        m.old_alls[levels], m.alls[at] = m.alls[at], everyone
        for bit in range(bits):
            m.old_firsts[levels * bits + bit] = m.firsts[at * bits + bit]
            m.firsts[at * bits + bit] = m.new_firsts[bit]
    return RUNNING


@compiled
def speak_again(m, memory, level):
    """Has all nodes whose word of this round changed say the new one. All situations of the round are known."""
    numbers = m.numbers
    n, bits, rounds = numbers[NODES], numbers[BITS], numbers[ROUNDS]
    numbers[MARK] += 1  # the dirty nodes of the next round
    segments = numbers[SEGMENTS]  # as `survey` cut them
    for at in range(numbers[TOUCHED]):
        node = m.touched[at]
        segment = 0
        while segment < segments - 1 and node > m.breaks[segment]:
            segment += 1
        slot = situation(m, memory, m.classes[numbers[COPY] * n + node], segment, level)
        say(m, node, level, audible(m, node, memory.word[slot]))
    same = True
    for r in range(level):
        at = numbers[COPY] * rounds + r
        same = same and m.alls[at] == m.old_alls[r]
        for bit in range(bits):
            same = same and m.firsts[at * bits + bit] == m.old_firsts[r * bits + bit]
    if same:
        return
    cut(m, level, True)
    segments = numbers[SEGMENTS]
    heard_of_all = ~(((1 << (2 * bits)) - 1) << (2 * bits))  # all but what everyone hears and what is heard from before
    group = m.heads[numbers[COPY]]
    while group >= 0:
        tree = m.class_tree[group]
        node, segment = following(m.trees, m.shape, tree, 0), 0
        while node >= 0:
            while segment < segments - 1 and node > m.breaks[segment]:
                segment += 1
            last = m.breaks[segment] if segment < segments - 1 else n
            differs = False
            for r in range(level):
                differs = differs or m.fixed[segment * rounds + r] != m.old_fixed[segment * rounds + r]
            if differs:
                slot = situation(m, memory, group, segment, level)
                was = old_situation(m, memory, group, segment, level)
                if was < 0 or (memory.word[was] ^ memory.word[slot]) & heard_of_all:
                    while node >= 0 and node <= last:
                        say(m, node, level, audible(m, node, memory.word[slot]))
                        node = following(m.trees, m.shape, tree, node + 1)
                    continue
            node = following(m.trees, m.shape, tree, last + 1) if last < n else -1
        group = m.class_next[group]
