"""Row after row, until something is missing that only Python can give: a situation, room, or a visit to the terminal."""

from recursor.execution.lookup.compiled import compilable
from recursor.execution.lookup.deciding import decide
from recursor.execution.lookup.entries import GRAPHS, NUMBER, look_up
from recursor.execution.lookup.hearing import hear_again, speak_again, survey, take_types
from recursor.execution.lookup.newest_row import record, take_row
from recursor.execution.lookup.node_types import find_types, graph_value
from recursor.execution.lookup.orders import compare_orders
from recursor.execution.lookup.state import (
    AT_CATEGORIES,
    AT_COPY_OF,
    AT_FRAMES,
    AT_KEPT,
    AT_RECORDED,
    COPY,
    COUNT_CATEGORIES,
    COUNT_FIELDS,
    COUNT_FRAME,
    COUNT_POINTERS,
    COUNT_STAMPS,
    CURSOR,
    DEPTH,
    DONE,
    FIRST_UNVERIFIED,
    GRAPH,
    HALTED,
    KEEP,
    KEPT,
    LENGTH,
    LEVEL,
    LIMIT,
    MISSING,
    MOST_WORK,
    NETWORK_SPECIAL,
    NEW_COPY,
    NODES,
    PHASE,
    PIECE_DONE,
    RECORDED,
    ROUNDS,
    RUNNING,
    STACK_FULL,
    STEPS,
    UNVERIFIED,
    WORK,
)

START, FIND_TYPES, FIND_GRAPH, TAKE_TYPES, SURVEY, HEAR, DECIDE = range(7)


@compilable
def advance(h, memory):
    """Runs rows. Returns why it stopped; called again, it goes on where it stopped."""
    while True:
        phase = h[PHASE]
        if phase == START:
            reason = start(h)
            if reason != RUNNING:
                return reason
            h[PHASE] = FIND_TYPES
            h[CURSOR] = 0
        elif phase == FIND_TYPES:
            if not find_types(h, memory):
                return MISSING
            h[PHASE] = FIND_GRAPH
        elif phase == FIND_GRAPH:
            slot = look_up(h, memory, GRAPHS, 0, graph_value(h))
            if slot < 0:
                return MISSING
            h[GRAPH] = memory[slot + NUMBER]
            if h[GRAPH] >= h[AT_COPY_OF + LENGTH] or h[h[AT_COPY_OF] + h[GRAPH]] < 0:
                return NEW_COPY
            h[COPY] = h[h[AT_COPY_OF] + h[GRAPH]]
            h[CURSOR] = -1
            h[PHASE] = TAKE_TYPES
        elif phase == TAKE_TYPES:
            reason = take_types(h, memory)
            if reason != RUNNING:
                return reason
            h[LEVEL] = 0
            h[PHASE] = SURVEY
        elif phase == SURVEY:
            level = h[LEVEL]
            reason = survey(h, memory, level)
            if reason != RUNNING:
                return reason
            if level == h[ROUNDS]:
                h[PHASE] = DECIDE
            else:
                if level > 0:
                    speak_again(h, memory, level)
                compare_orders(h, level)
                h[PHASE] = HEAR
        elif phase == HEAR:
            reason = hear_again(h, h[LEVEL])
            if reason != RUNNING:
                return reason
            h[LEVEL] += 1
            h[PHASE] = SURVEY
        else:
            reason = decide(h, memory)
            if reason != RUNNING:
                return reason
            if h[UNVERIFIED] and h[FIRST_UNVERIFIED] < 0:
                h[FIRST_UNVERIFIED] = h[STEPS]
            take_row(h)
            record(h)
            h[STEPS] += 1
            h[HALTED] = h[h[AT_CATEGORIES] + h[h[NETWORK_SPECIAL] + 1]]
            h[PHASE] = START


@compilable
def start(h):
    """Returns whether there is another row to run, and room for what it changes."""
    if h[HALTED] or h[STEPS] >= h[LIMIT]:
        return DONE
    width = h[COUNT_POINTERS] + h[COUNT_CATEGORIES]
    changes = h[NODES] * h[COUNT_FIELDS] + h[COUNT_STAMPS]
    if (h[RECORDED] + 1) * width > h[AT_RECORDED + LENGTH] or (h[KEEP] and 4 * (h[KEPT] + changes) > h[AT_KEPT + LENGTH]):
        return PIECE_DONE
    if h[WORK] >= h[MOST_WORK]:
        return PIECE_DONE
    frame = h[COUNT_FRAME]
    if frame and (h[DEPTH] + 2) * frame > h[AT_FRAMES + LENGTH]:
        return STACK_FULL
    return RUNNING
