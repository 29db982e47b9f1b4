"""The stack of frames. A frame is a copy of the fields that are the call's own: pointers, categories, node fields."""

from recursor.execution.lookup.compiled import compilable
from recursor.execution.lookup.node_types import move_pointer, shift_type
from recursor.execution.lookup.state import (
    AT_CATEGORIES,
    AT_FIELDS,
    AT_FRAMES,
    AT_NODE_FRAMES,
    AT_POINTERS,
    COUNT_FRAME,
    COUNT_NODE_FRAME,
    DEPTH,
    NETWORK_FRAME,
    NODES,
    OF_GRAPH,
    OF_NODES,
    POINTER,
    UNDERFLOWS,
    WORK,
)


@compilable
def push(h):
    """Pushes a frame: a copy of the newest row's fields that are the call's own."""
    n, width, depth, at = h[NODES], h[COUNT_FRAME], h[DEPTH] + 1, 0
    for k in range(width):
        kind, which, shift = h[h[NETWORK_FRAME] + 4 * k], h[h[NETWORK_FRAME] + 4 * k + 1], h[h[NETWORK_FRAME] + 4 * k + 3]
        if kind == OF_NODES:
            base = node_frame(h, depth, at)
            for node in range(n):
                h[base + node] = h[h[AT_FIELDS] + which * n + node] + shift
            h[WORK] += n
            at += 1
        else:
            value = h[h[AT_CATEGORIES] + which] if kind == OF_GRAPH else h[h[AT_POINTERS] + which]
            h[h[AT_FRAMES] + depth * width + k] = value
    change_top(h, depth - 1, depth)
    h[DEPTH] = depth


@compilable
def pop(h):
    """Pops a frame; a pop of the empty stack is counted."""
    if h[DEPTH] == 0:
        h[UNDERFLOWS] += 1
    else:
        change_top(h, h[DEPTH], h[DEPTH] - 1)
        h[DEPTH] -= 1


@compilable
def change_top(h, old, new):
    """Changes types as the top frame changes from one depth to another."""
    n, width, at = h[NODES], h[COUNT_FRAME], 0
    for k in range(width):
        kind, value = h[h[NETWORK_FRAME] + 4 * k], h[h[NETWORK_FRAME] + 4 * k + 2]
        if kind == POINTER:
            move_pointer(h, h[h[AT_FRAMES] + old * width + k], h[h[AT_FRAMES] + new * width + k], value)
        elif kind == OF_NODES:
            before, after = node_frame(h, old, at), node_frame(h, new, at)
            for node in range(n):
                if h[before + node] != h[after + node]:
                    shift_type(h, node, (h[after + node] - h[before + node]) * value)
            h[WORK] += n
            at += 1


@compilable
def node_frame(h, depth, place):
    """Returns where the values of a node field start in the frame at a depth."""
    return h[AT_NODE_FRAMES] + (depth * h[COUNT_NODE_FRAME] + place) * h[NODES]
