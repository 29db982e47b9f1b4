"""The next row: what the stages of the decoder decide, and what of the state changes with it."""

from recursor.execution.lookup.compiled import compiled
from recursor.execution.lookup.hearing import look_up, members, situation
from recursor.execution.lookup.sets import following
from recursor.execution.lookup.state import (
    AT_BEST,
    AT_BREAKS,
    AT_CATEGORIES,
    AT_CELLS,
    AT_CHANGED,
    AT_CLASS_TYPE,
    AT_CLASSES,
    AT_FIELDS,
    AT_FRAMES,
    AT_KEPT,
    AT_MARKS,
    AT_NEXT_CATEGORIES,
    AT_NEXT_POINTERS,
    AT_NODE_FRAMES,
    AT_OUTPUTS,
    AT_PENDING,
    AT_POINTERS,
    AT_RANKED,
    AT_RANKED_COUNT,
    AT_RANKS,
    AT_RAW,
    AT_SPECIALS,
    AT_STAMPS,
    CELLS,
    CHANGED,
    COPY,
    COUNT_CATEGORIES,
    COUNT_COLLECT,
    COUNT_FIELDS,
    COUNT_FRAME,
    COUNT_POINTERS,
    COUNT_STAMPS,
    DECIDED_CATEGORIES,
    DECIDED_DIGITS,
    DECIDED_LOGITS,
    DECIDED_NULLS,
    DECIDED_VALUES,
    DEPTH,
    FIRST_LEVEL,
    GRAPH,
    KEEP,
    KEPT,
    MARK,
    MISSES,
    MISSING,
    NETWORK_CATEGORIES,
    NETWORK_COLLECT,
    NETWORK_FIELDS,
    NETWORK_FRAME,
    NETWORK_GIVEN_CATEGORIES,
    NETWORK_GIVEN_POINTERS,
    NETWORK_GIVEN_RADIX,
    NETWORK_OUT_CATEGORIES,
    NETWORK_OUT_FIELDS,
    NETWORK_OUT_NULLS,
    NETWORK_OUT_POINTERS,
    NETWORK_POINTERS,
    NETWORK_SPECIAL,
    NETWORK_STAMPS,
    NETWORK_STARTS,
    NEVER,
    NODES,
    NUMBER,
    PENDING,
    ROUNDS,
    RUNNING,
    SEGMENTS,
    SPECIAL,
    STAGES,
    STEPS,
    UNDERFLOWS,
    WORD,
)
from recursor.spec import POP, PUSH


@compiled
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
            segment = 0
            while segment < h[SEGMENTS] - 1 and node > h[h[AT_BREAKS] + segment]:
                segment += 1
            group = h[h[AT_CLASSES] + h[COPY] * h[NODES] + node]
            found = situation(h, memory, group, segment, h[ROUNDS])
            h[specials + 3 * at] = node
            h[specials + 3 * at + 1] = 0
            h[specials + 3 * at + 2] = h[found]
            count += 1
        h[specials + 3 * at + 1] |= 1 << (place - first)
    h[SPECIAL] = count


@compiled
def is_special(h, node):
    """Returns whether a node is among the listed ones."""
    at = 0
    while at < h[SPECIAL] and h[h[AT_SPECIALS] + 3 * at] != node:
        at += 1
    return at < h[SPECIAL]


@compiled
def first_plain(h, cell, node):
    """Returns the first node of a cell from a node on that is not special; -1 if there is none."""
    last, tree = h[h[AT_CELLS] + 4 * cell + 2], members(h, h[h[AT_CELLS] + 4 * cell])
    while node >= 0 and node <= last and is_special(h, node):
        node = following(h, tree, node + 1)
    return node if node <= last else -1


@compiled
def decide(h, memory):
    """Decides the fields of the next row: pointers, categories, and the node fields that change, as pending."""
    n, rounds = h[NODES], h[ROUNDS]
    width = h[COUNT_POINTERS]
    wide = h[COUNT_CATEGORIES]
    fields = h[COUNT_FIELDS]
    h[PENDING] = 0
    for stage in range(h[STAGES]):
        at, after = 6 * stage, 6 * stage + 6
        nodes_table = FIRST_LEVEL + rounds + 1 + 2 * stage
        find_specials(h, memory, h[h[NETWORK_STARTS] + at], h[h[NETWORK_STARTS] + after])
        given, radix = 0, 1
        for place in range(h[h[NETWORK_STARTS] + at + 1], h[h[NETWORK_STARTS] + after + 1]):
            given += radix * h[h[AT_NEXT_CATEGORIES] + h[h[NETWORK_GIVEN_CATEGORIES] + place]]
            radix *= h[h[NETWORK_GIVEN_RADIX] + place]
        pooled, missed = 0, h[MISSES]
        first_pointer, pointers = (
            h[h[NETWORK_STARTS] + at + 2],
            h[h[NETWORK_STARTS] + after + 2] - h[h[NETWORK_STARTS] + at + 2],
        )
        first_field, decoded = (
            h[h[NETWORK_STARTS] + at + 4],
            h[h[NETWORK_STARTS] + after + 4] - h[h[NETWORK_STARTS] + at + 4],
        )
        for k in range(pointers):
            h[h[AT_NEXT_POINTERS] + h[h[NETWORK_OUT_POINTERS] + first_pointer + k]] = -1
        for k in range(pointers):
            h[h[AT_BEST] + k] = NEVER
        cells, specials = h[CELLS], h[SPECIAL]
        for entry in range(cells + specials):
            if entry < cells:
                node, flags, number = h[h[AT_CELLS] + 4 * entry + 1], 0, h[h[AT_CELLS] + 4 * entry + 3]
                if specials:
                    node = first_plain(h, entry, node)
                    if node < 0:
                        continue
            else:
                special = 3 * (entry - cells)
                node, flags, number = (
                    h[h[AT_SPECIALS] + special],
                    h[h[AT_SPECIALS] + special + 1],
                    h[h[AT_SPECIALS] + special + 2],
                )
            slot = look_up(h, memory, nodes_table, number, (given << 16) | flags)
            if slot < 0:
                continue
            pooled |= memory[slot + WORD]
            row = memory[slot + NUMBER]
            for k in range(pointers):
                logit = memory[memory[DECIDED_LOGITS] + row * width + k]
                pointer = h[h[NETWORK_OUT_POINTERS] + first_pointer + k]
                if logit > h[h[AT_BEST] + k] or (logit == h[h[AT_BEST] + k] and node < h[h[AT_NEXT_POINTERS] + pointer]):
                    h[h[AT_BEST] + k] = logit
                    h[h[AT_NEXT_POINTERS] + pointer] = node
            for k in range(decoded):
                field, value = h[h[NETWORK_OUT_FIELDS] + first_field + k], memory[memory[DECIDED_VALUES] + row * fields + k]
                if entry >= cells:
                    if h[h[AT_FIELDS] + field * n + node] != value:
                        keep_pending(h, node, field, value)
                    continue
                group = h[h[AT_CELLS] + 4 * entry]
                if memory[memory[DECIDED_DIGITS] + h[h[AT_CLASS_TYPE] + group] * fields + field] != value:
                    one = node
                    while one >= 0:
                        keep_pending(h, one, field, value)
                        one = following(h, members(h, group), one + 1)
                        one = first_plain(h, entry, one) if one >= 0 else one
        if h[MISSES] > missed:
            return MISSING
        if h[h[NETWORK_STARTS] + at + 5]:
            slot = look_up(h, memory, nodes_table + 1, h[GRAPH], (given << 32) | pooled)
            if slot < 0:
                return MISSING
            row = memory[slot + NUMBER]
            for k in range(h[h[NETWORK_STARTS] + after + 3] - h[h[NETWORK_STARTS] + at + 3]):
                h[h[AT_NEXT_CATEGORIES] + h[h[NETWORK_OUT_CATEGORIES] + h[h[NETWORK_STARTS] + at + 3] + k]] = memory[
                    memory[DECIDED_CATEGORIES] + row * wide + k
                ]
            for k in range(pointers):
                if (
                    h[h[NETWORK_OUT_NULLS] + first_pointer + k]
                    and memory[memory[DECIDED_NULLS] + row * width + k] > h[h[AT_BEST] + k]
                ):
                    h[h[AT_NEXT_POINTERS] + h[h[NETWORK_OUT_POINTERS] + first_pointer + k]] = -1
    return RUNNING


@compiled
def keep_pending(h, node, field, value):
    """Notes that a node field gets another value."""
    at = 3 * h[PENDING]
    h[h[AT_PENDING] + at], h[h[AT_PENDING] + at + 1], h[h[AT_PENDING] + at + 2] = node, field, value
    h[PENDING] += 1


@compiled
def shift_type(h, node, by):
    """Changes the type of a node by so much, and notes the node."""
    if by == 0:
        return
    h[h[AT_RAW] + node] += by
    if h[h[AT_MARKS] + node] != h[MARK]:
        h[h[AT_MARKS] + node] = h[MARK]
        h[h[AT_CHANGED] + h[CHANGED]] = node
        h[CHANGED] += 1


@compiled
def keep_change(h, node, field, value):
    """Keeps the change of a node field or stamp, if rows are kept."""
    if h[KEEP]:
        at = 4 * h[KEPT]
        h[h[AT_KEPT] + at], h[h[AT_KEPT] + at + 1], h[h[AT_KEPT] + at + 2], h[h[AT_KEPT] + at + 3] = (
            h[STEPS],
            node,
            field,
            value,
        )
        h[KEPT] += 1


@compiled
def take_row(h):
    """Makes the row that was decided the newest: fields, stamps, the stack, outputs. Types change with it."""
    n = h[NODES]
    h[MARK] += 1
    h[CHANGED] = 0
    for k in range(h[COUNT_POINTERS]):
        old, new = h[h[AT_POINTERS] + k], h[h[AT_NEXT_POINTERS] + k]
        if old != new:
            if old >= 0:
                shift_type(h, old, -h[h[NETWORK_POINTERS] + k])
            if new >= 0:
                shift_type(h, new, h[h[NETWORK_POINTERS] + k])
            h[h[AT_POINTERS] + k] = new
    for k in range(h[COUNT_CATEGORIES]):
        h[h[AT_CATEGORIES] + k] = h[h[AT_NEXT_CATEGORIES] + k]
    for k in range(h[PENDING]):
        node, field, value = h[h[AT_PENDING] + 3 * k], h[h[AT_PENDING] + 3 * k + 1], h[h[AT_PENDING] + 3 * k + 2]
        shift_type(h, node, (value - h[h[AT_FIELDS] + field * n + node]) * h[h[NETWORK_FIELDS] + field])
        h[h[AT_FIELDS] + field * n + node] = value
        keep_change(h, node, field, value)
    for rule in range(h[COUNT_STAMPS]):
        node, order = h[h[AT_POINTERS] + h[h[NETWORK_STAMPS] + 3 * rule]], h[h[NETWORK_STAMPS] + 3 * rule + 2]
        if node >= 0 and h[h[AT_STAMPS] + rule * n + node] == 0:
            h[h[AT_STAMPS] + rule * n + node] = h[STEPS] + 1
            shift_type(h, node, h[h[NETWORK_STAMPS] + 3 * rule + 1])
            h[h[AT_RANKED_COUNT] + order] += 1
            h[h[AT_RANKS] + order * n + node] = h[h[AT_RANKED_COUNT] + order]
            h[h[AT_RANKED] + order * (n + 1) + h[h[AT_RANKED_COUNT] + order]] = node
            keep_change(h, node, h[COUNT_FIELDS] + rule, h[STEPS] + 1)
    if h[h[NETWORK_SPECIAL] + 0] >= 0:
        op = h[h[AT_CATEGORIES] + h[h[NETWORK_SPECIAL] + 0]]
        if op == PUSH:
            push(h)
        elif op == POP:
            if h[DEPTH] == 0:
                h[UNDERFLOWS] += 1
            else:
                change_top(h, h[DEPTH], h[DEPTH] - 1)
                h[DEPTH] -= 1
    for rule in range(h[COUNT_COLLECT]):
        at = h[h[AT_POINTERS] + h[h[NETWORK_COLLECT] + 5 * rule + 1]]
        if at >= 0:
            which = h[h[NETWORK_COLLECT] + 5 * rule + 3]
            value = h[h[AT_CATEGORIES] + which] if h[h[NETWORK_COLLECT] + 5 * rule + 2] else h[h[AT_POINTERS] + which]
            if value < 0 and h[h[NETWORK_COLLECT] + 5 * rule + 4]:
                value = at
            h[h[AT_OUTPUTS] + h[h[NETWORK_COLLECT] + 5 * rule] * n + at] = value


@compiled
def push(h):
    """Pushes a frame: a copy of the newest row's fields that are the call's own."""
    n, width = h[NODES], h[COUNT_FRAME]
    depth, of_nodes = h[DEPTH] + 1, 0
    for k in range(width):
        kind, which = h[h[NETWORK_FRAME] + 4 * k], h[h[NETWORK_FRAME] + 4 * k + 1]
        if kind == 0:
            h[h[AT_FRAMES] + depth * width + k] = h[h[AT_POINTERS] + which]
        elif kind == 1:
            h[h[AT_FRAMES] + depth * width + k] = h[h[AT_CATEGORIES] + which]
        else:
            of_nodes += 1
    base, at = depth * of_nodes * n, 0
    for k in range(width):
        if h[h[NETWORK_FRAME] + 4 * k] == 2:
            which = h[h[NETWORK_FRAME] + 4 * k + 1]
            for node in range(n):
                h[h[AT_NODE_FRAMES] + base + at * n + node] = (
                    h[h[AT_FIELDS] + which * n + node] + h[h[NETWORK_FRAME] + 4 * k + 3]
                )
            at += 1
    change_top(h, depth - 1, depth)
    h[DEPTH] = depth


@compiled
def change_top(h, old, new):
    """Changes types as the top frame changes from one depth to another."""
    n, width, of_nodes = h[NODES], h[COUNT_FRAME], 0
    for k in range(width):
        if h[h[NETWORK_FRAME] + 4 * k] == 2:
            of_nodes += 1
    at = 0
    for k in range(width):
        kind, value = h[h[NETWORK_FRAME] + 4 * k], h[h[NETWORK_FRAME] + 4 * k + 2]
        if kind == 0:
            before, after = h[h[AT_FRAMES] + old * width + k], h[h[AT_FRAMES] + new * width + k]
            if before != after:
                if before >= 0:
                    shift_type(h, before, -value)
                if after >= 0:
                    shift_type(h, after, value)
        elif kind == 2:
            first, second = (old * of_nodes + at) * n, (new * of_nodes + at) * n
            for node in range(n):
                if h[h[AT_NODE_FRAMES] + first + node] != h[h[AT_NODE_FRAMES] + second + node]:
                    shift_type(h, node, (h[h[AT_NODE_FRAMES] + second + node] - h[h[AT_NODE_FRAMES] + first + node]) * value)
            at += 1


@compiled
def graph_value(h):
    """Returns the graph's values in the newest row and its top frame as one number."""
    width, depth = h[COUNT_FRAME], h[DEPTH]
    number = 0
    for k in range(h[COUNT_CATEGORIES]):
        number += h[h[AT_CATEGORIES] + k] * h[h[NETWORK_CATEGORIES] + k]
    for k in range(width):
        if h[h[NETWORK_FRAME] + 4 * k] == 1 and depth > 0:
            number += (h[h[AT_FRAMES] + depth * width + k] + h[h[NETWORK_FRAME] + 4 * k + 3]) * h[
                h[NETWORK_FRAME] + 4 * k + 2
            ]
    return number
