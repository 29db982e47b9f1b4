"""Types of nodes, and of the graph, as numbers in mixed radix: each value is a digit."""

from recursor.execution.lookup.compiled import compilable
from recursor.execution.lookup.entries import NUMBER, TYPES, look_up
from recursor.execution.lookup.state import (
    AT_CATEGORIES,
    AT_CHANGED,
    AT_FRAMES,
    AT_LOG,
    AT_MARKS,
    AT_RAW,
    AT_TYPES,
    CHANGED,
    COUNT_CATEGORIES,
    COUNT_FRAME,
    CURSOR,
    DEPTH,
    LENGTH,
    LOG,
    MARK,
    NETWORK_CATEGORIES,
    NETWORK_FRAME,
    OF_GRAPH,
)


@compilable
def shift_type(h, node, by):
    """Changes the type of a node by so much, and notes the node."""
    if by == 0:
        return
    h[h[AT_RAW] + node] += by
    if h[h[AT_MARKS] + node] != h[MARK]:
        h[h[AT_MARKS] + node] = h[MARK]
        h[h[AT_CHANGED] + h[CHANGED]] = node
        h[CHANGED] += 1


@compilable
def move_pointer(h, old, new, value):
    """Changes the types of the nodes that a pointer named and names (-1: none); `value` is its place value."""
    if old != new:
        if old >= 0:
            shift_type(h, old, -value)
        if new >= 0:
            shift_type(h, new, value)


@compilable
def find_types(h, memory):
    """Looks up the types of the nodes that changed, and logs them; returns whether all are known."""
    while h[CURSOR] < h[CHANGED]:
        node = h[h[AT_CHANGED] + h[CURSOR]]
        slot = look_up(h, memory, TYPES, 0, h[h[AT_RAW] + node])
        if slot < 0:
            return False
        kind = memory[slot + NUMBER]
        if h[h[AT_TYPES] + node] != kind:
            h[h[AT_TYPES] + node] = kind
            h[h[AT_LOG] + h[LOG] % h[AT_LOG + LENGTH]] = node
            h[LOG] += 1
        h[CURSOR] += 1
    return True


@compilable
def graph_value(h):
    """Returns the graph's values in the newest row and its top frame as one number."""
    number = 0
    for k in range(h[COUNT_CATEGORIES]):
        number += h[h[AT_CATEGORIES] + k] * h[h[NETWORK_CATEGORIES] + k]
    for k in range(h[COUNT_FRAME] if h[DEPTH] > 0 else 0):
        kind, value, shift = h[h[NETWORK_FRAME] + 4 * k], h[h[NETWORK_FRAME] + 4 * k + 2], h[h[NETWORK_FRAME] + 4 * k + 3]
        if kind == OF_GRAPH:
            number += (h[h[AT_FRAMES] + h[DEPTH] * h[COUNT_FRAME] + k] + shift) * value
    return number
