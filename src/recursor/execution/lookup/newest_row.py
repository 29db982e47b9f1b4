"""The row that was decided becomes the newest: fields, stamps, the stack, outputs; and types change with it.

The type of a node is a number in mixed radix, whose digits are its values. So a change of a value is a change of the type by
the difference times the digit's place value.
"""

from recursor.execution.lookup.compiled import compilable
from recursor.execution.lookup.frames import pop, push
from recursor.execution.lookup.node_types import move_pointer, shift_type
from recursor.execution.lookup.state import (
    AT_CATEGORIES,
    AT_FIELDS,
    AT_KEPT,
    AT_NEXT_CATEGORIES,
    AT_NEXT_POINTERS,
    AT_OUTPUTS,
    AT_PENDING,
    AT_POINTERS,
    AT_RANKED,
    AT_RANKED_COUNT,
    AT_RANKS,
    AT_RECORDED,
    AT_STAMPS,
    CHANGED,
    COUNT_CATEGORIES,
    COUNT_COLLECT,
    COUNT_FIELDS,
    COUNT_POINTERS,
    COUNT_STAMPS,
    KEEP,
    KEPT,
    MARK,
    NETWORK_COLLECT,
    NETWORK_FIELDS,
    NETWORK_POINTERS,
    NETWORK_SPECIAL,
    NETWORK_STAMPS,
    NODES,
    OF_GRAPH,
    PENDING,
    POINTER,
    RECORDED,
    STEPS,
)
from recursor.spec import POP, PUSH


@compilable
def take_row(h):
    """Makes the row that was decided the newest."""
    h[MARK] += 1
    h[CHANGED] = 0
    for k in range(h[COUNT_POINTERS]):
        move_pointer(h, h[h[AT_POINTERS] + k], h[h[AT_NEXT_POINTERS] + k], h[h[NETWORK_POINTERS] + k])
        h[h[AT_POINTERS] + k] = h[h[AT_NEXT_POINTERS] + k]
    for k in range(h[COUNT_CATEGORIES]):
        h[h[AT_CATEGORIES] + k] = h[h[AT_NEXT_CATEGORIES] + k]
    for at in range(h[AT_PENDING], h[AT_PENDING] + 3 * h[PENDING], 3):
        node, field, value = h[at], h[at + 1], h[at + 2]
        place = h[AT_FIELDS] + field * h[NODES] + node
        shift_type(h, node, (value - h[place]) * h[h[NETWORK_FIELDS] + field])
        h[place] = value
        keep_change(h, node, field, value)
    stamp(h)
    if h[h[NETWORK_SPECIAL]] >= 0:
        op = h[h[AT_CATEGORIES] + h[h[NETWORK_SPECIAL]]]
        if op == PUSH:
            push(h)
        elif op == POP:
            pop(h)
    collect(h)


@compilable
def stamp(h):
    """Stamps the nodes that rules point at for the first time; they are last in the order of stamps."""
    n = h[NODES]
    for rule in range(h[COUNT_STAMPS]):
        at = h[NETWORK_STAMPS] + 3 * rule
        node, value, order = h[h[AT_POINTERS] + h[at]], h[at + 1], h[at + 2]
        if node >= 0 and h[h[AT_STAMPS] + rule * n + node] == 0:
            h[h[AT_STAMPS] + rule * n + node] = h[STEPS] + 1
            shift_type(h, node, value)
            h[h[AT_RANKED_COUNT] + order] += 1
            rank = h[h[AT_RANKED_COUNT] + order]
            h[h[AT_RANKS] + order * n + node] = rank
            h[h[AT_RANKED] + order * (n + 1) + rank] = node
            keep_change(h, node, h[COUNT_FIELDS] + rule, h[STEPS] + 1)


@compilable
def collect(h):
    """Collects outputs: output[at] ← value of the newest row."""
    for rule in range(h[COUNT_COLLECT]):
        first = h[NETWORK_COLLECT] + 4 * rule
        output, at, kind, which = h[first], h[first + 1], h[first + 2], h[first + 3]
        node = h[h[AT_POINTERS] + at]
        if node >= 0:
            value = 1
            if kind == POINTER:
                value = h[h[AT_POINTERS] + which]
            elif kind == OF_GRAPH:
                value = h[h[AT_CATEGORIES] + which]
            h[h[AT_OUTPUTS] + output * h[NODES] + node] = node if value < 0 else value


@compilable
def keep_change(h, node, field, value):
    """Keeps the change of a node field or stamp, if rows are kept."""
    if h[KEEP]:
        at = h[AT_KEPT] + 4 * h[KEPT]
        h[at], h[at + 1], h[at + 2], h[at + 3] = h[STEPS], node, field, value
        h[KEPT] += 1


@compilable
def record(h):
    """Keeps the graph fields of the newest row until Python takes them."""
    pointers, categories = h[COUNT_POINTERS], h[COUNT_CATEGORIES]
    at = h[AT_RECORDED] + h[RECORDED] * (pointers + categories)
    for k in range(pointers):
        h[at + k] = h[h[AT_POINTERS] + k]
    for k in range(categories):
        h[at + pointers + k] = h[h[AT_CATEGORIES] + k]
    h[RECORDED] += 1
