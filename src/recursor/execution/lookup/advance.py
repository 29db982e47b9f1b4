"""Row after row, until something is missing that only Python can give: a situation, room, or a visit to the terminal."""

from recursor.execution.lookup.compiled import compiled
from recursor.execution.lookup.deciding import decide, graph_value, take_row
from recursor.execution.lookup.hearing import (
    compare_orders,
    hear_again,
    look_up,
    speak_again,
    survey,
    take_types,
)
from recursor.execution.lookup.state import (
    CHANGED,
    COPY,
    CURSOR,
    DEPTH,
    DONE,
    FIRST_UNVERIFIED,
    GRAPH,
    GRAPHS,
    HALTED,
    KEEP,
    KEPT,
    LEVEL,
    LIMIT,
    LOG,
    MISSING,
    NEW_COPY,
    NODES,
    PHASE,
    PIECE_DONE,
    RECORDED,
    ROUNDS,
    RUNNING,
    STACK_FULL,
    STEPS,
    TYPES,
    UNVERIFIED,
)

START, FIND_TYPES, FIND_GRAPH, TAKE_TYPES, SURVEY, HEAR, DECIDE = range(7)


@compiled
def advance(m, memory, network):
    """Runs rows. Returns why it stopped; called again, it goes on where it stopped."""
    numbers = m.numbers
    while True:
        phase = numbers[PHASE]
        if phase == START:
            reason = start(m, network)
            if reason != RUNNING:
                return reason
            numbers[PHASE] = FIND_TYPES
            numbers[CURSOR] = 0
        elif phase == FIND_TYPES:
            if not find_types(m, memory):
                return MISSING
            numbers[PHASE] = FIND_GRAPH
        elif phase == FIND_GRAPH:
            slot = look_up(m, memory, GRAPHS, 0, graph_value(m, network))
            if slot < 0:
                return MISSING
            numbers[GRAPH] = memory.number[slot]
            if numbers[GRAPH] >= len(m.copy_of) or m.copy_of[numbers[GRAPH]] < 0:
                return NEW_COPY
            numbers[COPY] = m.copy_of[numbers[GRAPH]]
            numbers[CURSOR] = -1
            numbers[PHASE] = TAKE_TYPES
        elif phase == TAKE_TYPES:
            reason = take_types(m, memory)
            if reason != RUNNING:
                return reason
            numbers[LEVEL] = 0
            numbers[PHASE] = SURVEY
        elif phase == SURVEY:
            level = numbers[LEVEL]
            reason = survey(m, memory, level)
            if reason != RUNNING:
                return reason
            if level == numbers[ROUNDS]:
                numbers[PHASE] = DECIDE
            else:
                if level > 0:
                    speak_again(m, memory, level)
                compare_orders(m, level)
                numbers[PHASE] = HEAR
        elif phase == HEAR:
            reason = hear_again(m, numbers[LEVEL])
            if reason != RUNNING:
                return reason
            numbers[LEVEL] += 1
            numbers[PHASE] = SURVEY
        else:
            reason = decide(m, memory, network)
            if reason != RUNNING:
                return reason
            if numbers[UNVERIFIED] and numbers[FIRST_UNVERIFIED] < 0:
                numbers[FIRST_UNVERIFIED] = numbers[STEPS]
            take_row(m, network)
            record(m, network)
            numbers[STEPS] += 1
            numbers[HALTED] = m.categories[network.special[1]]
            numbers[PHASE] = START


@compiled
def start(m, network):
    """Returns whether there is another row to run, and room for what it changes."""
    numbers = m.numbers
    if numbers[HALTED] or numbers[STEPS] >= numbers[LIMIT]:
        return DONE
    width = len(network.pointers) + len(network.categories)
    changes = numbers[NODES] * len(network.fields) + len(network.stamps)
    if (numbers[RECORDED] + 1) * width > len(m.recorded) or (
        numbers[KEEP] and 4 * (numbers[KEPT] + changes) > len(m.kept)
    ):
        return PIECE_DONE
    frame = len(network.frame) // 4
    if frame and (numbers[DEPTH] + 2) * frame > len(m.frames):
        return STACK_FULL
    return RUNNING


@compiled
def find_types(m, memory):
    """Looks up the types of the nodes that changed; returns whether all are known."""
    numbers = m.numbers
    while numbers[CURSOR] < numbers[CHANGED]:
        node = m.changed[numbers[CURSOR]]
        slot = look_up(m, memory, TYPES, 0, m.raw[node])
        if slot < 0:
            return False
        kind = memory.number[slot]
        if m.types[node] != kind:
            m.types[node] = kind
            m.log[numbers[LOG] % len(m.log)] = node
            numbers[LOG] += 1
        numbers[CURSOR] += 1
    return True


@compiled
def record(m, network):
    """Keeps the graph fields of the newest row."""
    numbers = m.numbers
    pointers, categories = len(network.pointers), len(network.categories)
    at = numbers[RECORDED] * (pointers + categories)
    for k in range(pointers):
        m.recorded[at + k] = m.pointers[k]
    for k in range(categories):
        m.recorded[at + pointers + k] = m.categories[k]
    numbers[RECORDED] += 1
