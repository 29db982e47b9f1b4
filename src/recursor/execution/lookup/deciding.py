"""The next row: what the stages of the decoder decide, and what of the state changes with it."""

from recursor.execution.lookup.compiled import compiled
from recursor.execution.lookup.hearing import look_up, situation
from recursor.execution.lookup.sets import following
from recursor.execution.lookup.state import (
    CELLS,
    CHANGED,
    COPY,
    DEPTH,
    FIRST_LEVEL,
    GRAPH,
    KEEP,
    KEPT,
    MARK,
    MISSES,
    MISSING,
    NODES,
    PENDING,
    ROUNDS,
    RUNNING,
    SEGMENTS,
    SPECIAL,
    STAGES,
    STEPS,
    UNDERFLOWS,
)
from recursor.spec import POP, PUSH


@compiled
def find_specials(m, memory, network, first, last):
    """Lists the nodes that pointers name which a stage is given, with the bits of these pointers and their situations."""
    numbers = m.numbers
    count = 0
    for place in range(first, last):
        node = m.next_pointers[network.given_pointers[place]]
        if node < 0:
            continue
        at = 0
        while at < count and m.specials[3 * at] != node:
            at += 1
        if at == count:
            segment = 0
            while segment < numbers[SEGMENTS] - 1 and node > m.breaks[segment]:
                segment += 1
            group = m.classes[numbers[COPY] * numbers[NODES] + node]
            slot = situation(m, memory, group, segment, numbers[ROUNDS])
            m.specials[3 * at], m.specials[3 * at + 1], m.specials[3 * at + 2] = node, 0, memory.number[slot]
            count += 1
        m.specials[3 * at + 1] |= 1 << (place - first)
    numbers[SPECIAL] = count


@compiled
def is_special(m, node):
    """Returns whether a node is among the listed ones."""
    for at in range(m.numbers[SPECIAL]):
        if m.specials[3 * at] == node:
            return True
    return False


@compiled
def first_plain(m, cell, node):
    """Returns the first node of a cell from a node on that is not special; -1 if there is none."""
    last, tree = m.cells[4 * cell + 2], m.class_tree[m.cells[4 * cell]]
    while node >= 0 and node <= last and is_special(m, node):
        node = following(m.trees, m.shape, tree, node + 1)
    return node if node <= last else -1


@compiled
def decide(m, memory, network):
    """Decides the fields of the next row: pointers, categories, and the node fields that change, as pending."""
    numbers = m.numbers
    n, rounds = numbers[NODES], numbers[ROUNDS]
    width = len(network.pointers)
    wide = len(network.categories)
    fields = len(network.fields)
    numbers[PENDING] = 0
    for stage in range(numbers[STAGES]):
        at, after = 6 * stage, 6 * stage + 6
        starts = network.starts
        nodes_table = FIRST_LEVEL + rounds + 1 + 2 * stage
        find_specials(m, memory, network, starts[at], starts[after])
        given, radix = 0, 1
        for place in range(starts[at + 1], starts[after + 1]):
            given += radix * m.next_categories[network.given_categories[place]]
            radix *= network.given_radix[place]
        pooled, missed = 0, numbers[MISSES]
        first_pointer, pointers = starts[at + 2], starts[after + 2] - starts[at + 2]
        first_field, decoded = starts[at + 4], starts[after + 4] - starts[at + 4]
        for k in range(pointers):
            m.next_pointers[network.out_pointers[first_pointer + k]] = -1
        best = m.best
        for k in range(pointers):
            best[k] = -1e30
        cells, specials = numbers[CELLS], numbers[SPECIAL]
        for entry in range(cells + specials):
            if entry < cells:
                node, flags, number = m.cells[4 * entry + 1], 0, m.cells[4 * entry + 3]
                if specials:
                    node = first_plain(m, entry, node)
                    if node < 0:
                        continue
            else:
                special = 3 * (entry - cells)
                node, flags, number = m.specials[special], m.specials[special + 1], m.specials[special + 2]
            slot = look_up(m, memory, nodes_table, number, (given << 16) | flags)
            if slot < 0:
                continue
            pooled |= memory.word[slot]
            row = memory.number[slot]
            for k in range(pointers):
                logit = memory.logits[row * width + k]
                pointer = network.out_pointers[first_pointer + k]
                if logit > best[k] or (logit == best[k] and node < m.next_pointers[pointer]):
                    best[k] = logit
                    m.next_pointers[pointer] = node
            for k in range(decoded):
                field, value = network.out_fields[first_field + k], memory.values[row * fields + k]
                if entry >= cells:
                    if m.fields[field * n + node] != value:
                        keep_pending(m, node, field, value)
                    continue
                group = m.cells[4 * entry]
                if memory.digits[m.class_type[group] * fields + field] != value:
                    one = node
                    while one >= 0:
                        keep_pending(m, one, field, value)
                        one = following(m.trees, m.shape, m.class_tree[group], one + 1)
                        one = first_plain(m, entry, one) if one >= 0 else one
        if numbers[MISSES] > missed:
            return MISSING
        if starts[at + 5]:
            slot = look_up(m, memory, nodes_table + 1, numbers[GRAPH], (given << 32) | pooled)
            if slot < 0:
                return MISSING
            row = memory.number[slot]
            for k in range(starts[after + 3] - starts[at + 3]):
                m.next_categories[network.out_categories[starts[at + 3] + k]] = memory.categories[row * wide + k]
            for k in range(pointers):
                if network.out_nulls[first_pointer + k] and memory.nulls[row * width + k] > best[k]:
                    m.next_pointers[network.out_pointers[first_pointer + k]] = -1
    return RUNNING


@compiled
def keep_pending(m, node, field, value):
    """Notes that a node field gets another value."""
    at = 3 * m.numbers[PENDING]
    m.pending[at], m.pending[at + 1], m.pending[at + 2] = node, field, value
    m.numbers[PENDING] += 1


@compiled
def shift_type(m, node, by):
    """Changes the type of a node by so much, and notes the node."""
    if by == 0:
        return
    numbers = m.numbers
    m.raw[node] += by
    if m.marks[node] != numbers[MARK]:
        m.marks[node] = numbers[MARK]
        m.changed[numbers[CHANGED]] = node
        numbers[CHANGED] += 1


@compiled
def keep_change(m, node, field, value):
    """Keeps the change of a node field or stamp, if rows are kept."""
    numbers = m.numbers
    if numbers[KEEP]:
        at = 4 * numbers[KEPT]
        m.kept[at], m.kept[at + 1], m.kept[at + 2], m.kept[at + 3] = numbers[STEPS], node, field, value
        numbers[KEPT] += 1


@compiled
def take_row(m, network):
    """Makes the row that was decided the newest: fields, stamps, the stack, outputs. Types change with it."""
    numbers = m.numbers
    n = numbers[NODES]
    numbers[MARK] += 1
    numbers[CHANGED] = 0
    for k in range(len(network.pointers)):
        old, new = m.pointers[k], m.next_pointers[k]
        if old != new:
            if old >= 0:
                shift_type(m, old, -network.pointers[k])
            if new >= 0:
                shift_type(m, new, network.pointers[k])
            m.pointers[k] = new
    for k in range(len(network.categories)):
        m.categories[k] = m.next_categories[k]
    for k in range(numbers[PENDING]):
        node, field, value = m.pending[3 * k], m.pending[3 * k + 1], m.pending[3 * k + 2]
        shift_type(m, node, (value - m.fields[field * n + node]) * network.fields[field])
        m.fields[field * n + node] = value
        keep_change(m, node, field, value)
    for rule in range(len(network.stamps) // 3):
        node, order = m.pointers[network.stamps[3 * rule]], network.stamps[3 * rule + 2]
        if node >= 0 and m.stamps[rule * n + node] == 0:
            m.stamps[rule * n + node] = numbers[STEPS] + 1
            shift_type(m, node, network.stamps[3 * rule + 1])
            m.ranked_count[order] += 1
            m.ranks[order * n + node] = m.ranked_count[order]
            m.ranked[order * (n + 1) + m.ranked_count[order]] = node
            keep_change(m, node, len(network.fields) + rule, numbers[STEPS] + 1)
    if network.special[0] >= 0:
        op = m.categories[network.special[0]]
        if op == PUSH:
            push(m, network)
        elif op == POP:
            if numbers[DEPTH] == 0:
                numbers[UNDERFLOWS] += 1
            else:
                change_top(m, network, numbers[DEPTH], numbers[DEPTH] - 1)
                numbers[DEPTH] -= 1
    for rule in range(len(network.collect) // 5):
        at = m.pointers[network.collect[5 * rule + 1]]
        if at >= 0:
            which = network.collect[5 * rule + 3]
            value = m.categories[which] if network.collect[5 * rule + 2] else m.pointers[which]
            if value < 0 and network.collect[5 * rule + 4]:
                value = at
            m.outputs[network.collect[5 * rule] * n + at] = value


@compiled
def push(m, network):
    """Pushes a frame: a copy of the newest row's fields that are the call's own."""
    numbers = m.numbers
    n, width = numbers[NODES], len(network.frame) // 4
    depth, of_nodes = numbers[DEPTH] + 1, 0
    for k in range(width):
        kind, which = network.frame[4 * k], network.frame[4 * k + 1]
        if kind == 0:
            m.frames[depth * width + k] = m.pointers[which]
        elif kind == 1:
            m.frames[depth * width + k] = m.categories[which]
        else:
            of_nodes += 1
    base, at = depth * of_nodes * n, 0
    for k in range(width):
        if network.frame[4 * k] == 2:
            which = network.frame[4 * k + 1]
            for node in range(n):
                m.node_frames[base + at * n + node] = m.fields[which * n + node] + network.frame[4 * k + 3]
            at += 1
    change_top(m, network, depth - 1, depth)
    numbers[DEPTH] = depth


@compiled
def change_top(m, network, old, new):
    """Changes types as the top frame changes from one depth to another."""
    n, width, of_nodes = m.numbers[NODES], len(network.frame) // 4, 0
    for k in range(width):
        if network.frame[4 * k] == 2:
            of_nodes += 1
    at = 0
    for k in range(width):
        kind, value = network.frame[4 * k], network.frame[4 * k + 2]
        if kind == 0:
            before, after = m.frames[old * width + k], m.frames[new * width + k]
            if before != after:
                if before >= 0:
                    shift_type(m, before, -value)
                if after >= 0:
                    shift_type(m, after, value)
        elif kind == 2:
            first, second = (old * of_nodes + at) * n, (new * of_nodes + at) * n
            for node in range(n):
                if m.node_frames[first + node] != m.node_frames[second + node]:
                    shift_type(m, node, (m.node_frames[second + node] - m.node_frames[first + node]) * value)
            at += 1


@compiled
def graph_value(m, network):
    """Returns the graph's values in the newest row and its top frame as one number."""
    width, depth = len(network.frame) // 4, m.numbers[DEPTH]
    number = 0
    for k in range(len(network.categories)):
        number += m.categories[k] * network.categories[k]
    for k in range(width):
        if network.frame[4 * k] == 1 and depth > 0:
            number += (m.frames[depth * width + k] + network.frame[4 * k + 3]) * network.frame[4 * k + 2]
    return number
