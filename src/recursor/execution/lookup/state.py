"""The state of an execution: all that changes from row to row, as flat arrays, and what the graph and the network fix.

A row changes few nodes. But when the graph's values g change, such as the op, every node is in another situation and may say
another word. So the state of hearing is kept once for each g that was met (a *copy*), and brought up to date when a row has
this g again: then only the nodes count that changed in between.

In a copy, nodes of the same type that hear the same along edges and in further orders are a *class*. What everyone says is
the same for all nodes, and what is said before a node follows from its position: a node hears a bit from before if it
comes after the first node that says it. So the situations of a class are intervals of positions, and what the network
computes is looked up for each interval and not for each node.
"""

from typing import Any, NamedTuple

# Places in `numbers`, the integers of the state.
(
    NODES,
    BITS,
    ROUNDS,
    ORDERS,
    PHASE,
    LEVEL,
    GRAPH,
    COPY,
    MARK,
    DIRTY,
    TOUCHED,
    CHANGED,
    CURSOR,
    LOG,
    STEPS,
    LIMIT,
    HALTED,
    UNDERFLOWS,
    DEPTH,
    UNVERIFIED,
    FIRST_UNVERIFIED,
    MISSES,
    CELLS,
    PENDING,
    CLASSES,
    FREE_TREES,
    NEXT_TREE,
    STAGES,
    ENTRIES,
    KEPT,
    KEEP,
    RECORDED,
    SEGMENTS,
    EVERYTHING,
    SPECIAL,
    MARKED,
    COUNT,
) = range(37)

# What `advance` stops for.
RUNNING, DONE, MISSING, NO_ROOM, NEW_COPY, PIECE_DONE, STACK_FULL = range(7)

# The tables of the memory; those of level r and stage s come after FIRST_LEVEL.
TYPES, GRAPHS, FIRST_LEVEL = range(3)


class Memory(NamedTuple):
    """The tables of situations in the form in which they are looked up: a hash table of entries, and what they decide."""

    slots: Any  # in plain Python a dictionary from (table, a, b) to the slot; else nothing
    table: Any  # [slots] of each entry its table; -1: the slot is empty
    key_a: Any
    key_b: Any
    number: Any  # [slots] the entry's number: of levels that of the situation, of stages the row in the arrays below
    word: Any  # [slots] what a node says next in this situation
    unverified: Any  # [slots] 1: the entry is none of the verified ones
    logits: Any  # [node entries × pointers]
    values: Any  # [node entries × node fields]
    nulls: Any  # [graph entries × pointers]
    categories: Any  # [graph entries × categories]
    digits: Any  # [types × node fields]: the value that a node of this type has now


class Network(NamedTuple):
    """What the spec and the network fix: the fields, by number, and the place value of each in types."""

    pointers: Any  # place value of each pointer of the row
    fields: Any  # place value of each node field
    categories: Any  # place value of each category or mask of the graph
    stamps: Any  # of each rule of a stamp: its pointer, its place value, its order
    frame: Any  # of each field of a frame: kind (0 pointer, 1 category, 2 node field), number, place value, shift
    collect: Any  # of each rule: output, pointer, 0 pointer or 1 category, number, whether null means the node itself
    given_pointers: Any  # of all stages one after the other
    given_categories: Any
    given_radix: Any
    out_pointers: Any
    out_nulls: Any  # of each pointer that is decoded whether it may be null
    out_categories: Any
    out_fields: Any
    starts: Any  # [6 × (stages + 1)] where the part of each stage starts in the six arrays above, nulls apart; then its graph
    special: Any  # numbers of the fields: op (-1: none), done


class State(NamedTuple):
    """One execution."""

    numbers: Any
    # the graph
    to_start: Any  # [nodes + 1] of each node where its out-neighbours start
    to: Any
    by_start: Any  # [nodes + 1] the same of its in-neighbours
    by: Any
    ranks: Any  # [orders × nodes] places in further orders from 1 on; 0: not in it
    ranked: Any  # [orders × (nodes + 1)] the nodes by rank
    ranked_count: Any  # [orders]
    # the row
    raw: Any  # [nodes] types as numbers in mixed radix
    types: Any  # [nodes] types as numbered by the memory
    pointers: Any
    categories: Any
    fields: Any  # [node fields × nodes]
    stamps: Any  # [stamps × nodes]
    next_pointers: Any
    next_categories: Any
    outputs: Any  # [outputs × nodes]
    frames: Any  # [capacity × fields of a frame]; the first is the empty one
    node_frames: Any  # [capacity × node fields of a frame × nodes]
    log: Any  # ring of the nodes whose types changed
    # copies
    copy_of: Any  # [graph's values] the copy, -1: none
    copy_log: Any  # [copies] how much of the log it knows
    copy_types: Any  # [copies × nodes]; -1: unknown
    classes: Any  # [copies × nodes] the class of each node; -1: none
    words: Any  # [copies × rounds × nodes] what each node says along edges and in further orders
    counts: Any  # [copies × rounds × nodes × 2 bits] how many neighbours say each bit
    firsts: Any  # [copies × rounds × bits] the first node that says each bit; n: none
    alls: Any  # [copies × rounds] what everyone says
    order_firsts: Any  # [copies × rounds × orders × bits] first rank
    order_lasts: Any
    speakers: Any  # [copies × rounds × orders × 2 bits] sets of ranks
    heads: Any  # [copies] the first class that has nodes; -1: none
    # classes
    class_hash: Any
    class_copy: Any
    class_type: Any
    class_slot: Any  # the entry of (g, type) in the memory
    class_heard: Any  # [classes × rounds]
    class_tree: Any  # -1: no nodes
    class_size: Any
    class_next: Any
    class_back: Any
    shape: Any
    trees: Any
    free_trees: Any
    # room to work in
    marks: Any  # [nodes]
    touch_marks: Any  # [nodes]
    dirty: Any  # [nodes]
    touched: Any  # [nodes]
    changed: Any  # [nodes]
    pending: Any  # [3 × (node fields × nodes)] node, field, value
    new_firsts: Any  # [bits]
    old_firsts: Any  # [rounds × bits]
    old_alls: Any  # [rounds]
    breaks: Any  # positions at which segments end
    fixed: Any  # [segments × rounds] what is heard of everyone and from before
    old_fixed: Any
    cells: Any  # [cells × 4] class, first node, last position, situation
    specials: Any  # [pointers × 3] node, flags, situation
    best: Any  # [pointers] the largest logit so far
    misses: Any  # [most × 3]
    recorded: Any  # [rows × graph fields]
    kept: Any  # [changes × 4] row, node, node field or stamp, value
