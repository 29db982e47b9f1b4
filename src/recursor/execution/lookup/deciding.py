"""The fields of the next row, as the stages of the decoder decide them one after the other.

A cell is a class in a segment; all its nodes are in one situation, so one look-up decides for all. But a stage is given the
pointers of earlier stages, and the nodes that they name are special: each is looked up by itself.
"""

from recursor.execution.lookup.classes import class_of, members
from recursor.execution.lookup.compiled import compilable
from recursor.execution.lookup.entries import (
    DECIDED_CATEGORIES,
    DECIDED_DIGITS,
    DECIDED_LOGITS,
    DECIDED_NULLS,
    DECIDED_VALUES,
    FIRST_LEVEL,
    NUMBER,
    WORD,
    look_up,
)
from recursor.execution.lookup.segments import segment_of, situation
from recursor.execution.lookup.sets import following
from recursor.execution.lookup.state import (
    AT_BEST,
    AT_CELLS,
    AT_CLASS_TYPE,
    AT_FIELDS,
    AT_NEXT_CATEGORIES,
    AT_NEXT_POINTERS,
    AT_PENDING,
    AT_SPECIALS,
    CELLS,
    COUNT_CATEGORIES,
    COUNT_FIELDS,
    COUNT_POINTERS,
    GRAPH,
    MISSES,
    MISSING,
    NETWORK_GIVEN_CATEGORIES,
    NETWORK_GIVEN_POINTERS,
    NETWORK_GIVEN_RADIX,
    NETWORK_OUT_CATEGORIES,
    NETWORK_OUT_FIELDS,
    NETWORK_OUT_NULLS,
    NETWORK_OUT_POINTERS,
    NETWORK_STARTS,
    NODES,
    PENDING,
    ROUNDS,
    RUNNING,
    SPECIAL,
    STAGES,
    WORK,
)

NEVER = -(2**62) * 2 + 1
"""Less than every logit."""
# Where a stage's part of five arrays starts, and whether it decodes the graph.
GIVEN_POINTERS, GIVEN_CATEGORIES, POINTERS, CATEGORIES, FIELDS, DECODES_GRAPH, STAGE = range(7)


@compilable
def decide(h, memory):
    """Decides the fields of the next row: pointers, categories, and the node fields that change, as pending."""
    h[PENDING] = 0
    for stage in range(h[STAGES]):
        starts, table = h[NETWORK_STARTS] + STAGE * stage, FIRST_LEVEL + h[ROUNDS] + 1 + 2 * stage
        find_specials(h, memory, h[starts + GIVEN_POINTERS], h[starts + STAGE + GIVEN_POINTERS])
        given, radix = 0, 1
        for place in range(h[starts + GIVEN_CATEGORIES], h[starts + STAGE + GIVEN_CATEGORIES]):
            given += radix * h[h[AT_NEXT_CATEGORIES] + h[h[NETWORK_GIVEN_CATEGORIES] + place]]
            radix *= h[h[NETWORK_GIVEN_RADIX] + place]
        missed = h[MISSES]
        pooled = decide_nodes(h, memory, starts, table, given)
        if h[MISSES] > missed:
            return MISSING
        if h[starts + DECODES_GRAPH] and not decide_graph(h, memory, starts, table + 1, (given << 32) | pooled):
            return MISSING
    return RUNNING


@compilable
def find_specials(h, memory, first, last):
    """Lists the nodes that pointers name which a stage is given, with the bits of these pointers and their situations."""
    specials, count = h[AT_SPECIALS], 0
    for place in range(first, last):
        node = h[h[AT_NEXT_POINTERS] + h[h[NETWORK_GIVEN_POINTERS] + place]]
        if node < 0:
            continue
        at = 0
        while at < count and h[specials + 3 * at] != node:
            at += 1
        if at == count:
            found = situation(h, memory, class_of(h, node), segment_of(h, node, 0), h[ROUNDS])
            h[specials + 3 * at], h[specials + 3 * at + 1], h[specials + 3 * at + 2] = node, 0, h[found]
            count += 1
        h[specials + 3 * at + 1] |= 1 << (place - first)
    h[SPECIAL] = count


@compilable
def first_plain(h, cell, node):
    """Returns the first node of a cell from a node on that is not special; -1 if there is none."""
    last, tree = h[h[AT_CELLS] + 4 * cell + 2], members(h, h[h[AT_CELLS] + 4 * cell])
    while node >= 0 and node <= last and is_special(h, node):
        node = following(h, tree, node + 1)
    return node if node <= last else -1


@compilable
def is_special(h, node):
    """Returns whether a node is among the listed ones."""
    at = 0
    while at < h[SPECIAL] and h[h[AT_SPECIALS] + 3 * at] != node:
        at += 1
    return at < h[SPECIAL]


@compilable
def decide_nodes(h, memory, starts, table, given):
    """Decides what a stage decodes from nodes: pointers and node fields. Returns what the graph hears of the nodes."""
    first, last = h[NETWORK_OUT_POINTERS] + h[starts + POINTERS], h[NETWORK_OUT_POINTERS] + h[starts + STAGE + POINTERS]
    for k in range(first, last):
        h[h[AT_NEXT_POINTERS] + h[k]], h[h[AT_BEST] + k - first] = -1, NEVER
    cells, specials, pooled = h[CELLS], h[SPECIAL], 0
    for entry in range(cells + specials):
        if entry < cells:
            cell = h[AT_CELLS] + 4 * entry
            node, flags, number = h[cell + 1], 0, h[cell + 3]
            if specials:
                node = first_plain(h, entry, node)
                if node < 0:
                    continue
        else:
            special = h[AT_SPECIALS] + 3 * (entry - cells)
            node, flags, number = h[special], h[special + 1], h[special + 2]
        slot = look_up(h, memory, table, number, (given << 16) | flags)
        if slot < 0:
            continue
        pooled |= memory[slot + WORD]
        row = memory[slot + NUMBER]
        for k in range(first, last):
            logit, best = memory[memory[DECIDED_LOGITS] + row * h[COUNT_POINTERS] + k - first], h[h[AT_BEST] + k - first]
            if logit > best or (logit == best and node < h[h[AT_NEXT_POINTERS] + h[k]]):
                h[h[AT_BEST] + k - first], h[h[AT_NEXT_POINTERS] + h[k]] = logit, node
        for k in range(h[starts + STAGE + FIELDS] - h[starts + FIELDS]):
            field = h[h[NETWORK_OUT_FIELDS] + h[starts + FIELDS] + k]
            value = memory[memory[DECIDED_VALUES] + row * h[COUNT_FIELDS] + k]
            change_field(h, memory, entry, node, field, value)
    return pooled


@compilable
def change_field(h, memory, entry, node, field, value):
    """Notes that a field gets another value, if it does: in all nodes of a cell, from a node on, or in a special one."""
    if entry >= h[CELLS]:
        if h[h[AT_FIELDS] + field * h[NODES] + node] != value:
            keep_pending(h, node, field, value)
        return
    group = h[h[AT_CELLS] + 4 * entry]
    if memory[memory[DECIDED_DIGITS] + h[h[AT_CLASS_TYPE] + group] * h[COUNT_FIELDS] + field] != value:
        while node >= 0:
            keep_pending(h, node, field, value)
            node = following(h, members(h, group), node + 1)
            node = first_plain(h, entry, node) if node >= 0 else node


@compilable
def keep_pending(h, node, field, value):
    """Notes that a node field gets another value."""
    at = h[AT_PENDING] + 3 * h[PENDING]
    h[at], h[at + 1], h[at + 2] = node, field, value
    h[PENDING] += 1
    h[WORK] += 1


@compilable
def decide_graph(h, memory, starts, table, key):
    """Decides what a stage decodes from the graph: categories, and which pointers are null. Returns whether it is known."""
    slot = look_up(h, memory, table, h[GRAPH], key)
    if slot < 0:
        return False
    row, first = memory[slot + NUMBER], h[starts + POINTERS]
    for k in range(h[starts + STAGE + CATEGORIES] - h[starts + CATEGORIES]):
        category = h[h[NETWORK_OUT_CATEGORIES] + h[starts + CATEGORIES] + k]
        h[h[AT_NEXT_CATEGORIES] + category] = memory[memory[DECIDED_CATEGORIES] + row * h[COUNT_CATEGORIES] + k]
    for k in range(h[starts + STAGE + POINTERS] - first):
        null = memory[memory[DECIDED_NULLS] + row * h[COUNT_POINTERS] + k]
        if h[h[NETWORK_OUT_NULLS] + first + k] and null > h[h[AT_BEST] + k]:
            h[h[AT_NEXT_POINTERS] + h[h[NETWORK_OUT_POINTERS] + first + k]] = -1
    return True
