"""The state of an execution: all that changes from row to row, and what the graph and the network fix.

A row changes few nodes. But when the graph's values g change, such as the op, every node is in another situation and may say
another word. So what nodes hear is kept once for each g that was met (a *copy*), and brought up to date when a row has this
g again: then only the nodes count that changed in between.

In a copy, nodes of the same type that hear the same along edges and in further orders are a *class*. What everyone says is
the same for all nodes, and what is said before a node follows from its position: a node hears a bit from before if it
comes after the first node that says it. So the situations of a class are intervals of positions, and what the network
computes is looked up for each interval and not for each node.

All numbers are in one array, the *heap*: first single numbers, then of each array where it starts and its length, then the
arrays. (A compiled function takes one array more quickly than eighty.) So
`h[STEPS]` is a number, `h[h[AT_RAW] + i]` is element i of an array, and `h[AT_RAW + LENGTH]` is the array's length.
"""

NUMBERS: dict[str, str] = {}
"""The single numbers, and what they are."""
ARRAYS: dict[str, str] = {}
"""The arrays, and what they hold. Those whose names begin with `network` follow from the spec: its fields, by number."""
LENGTH = 1
"""The length of an array stands so far behind its start."""


def _number(name: str, meaning: str) -> int:
    NUMBERS[name] = meaning
    return len(NUMBERS) - 1


def _array(name: str, meaning: str) -> int:
    ARRAYS[name] = meaning
    return len(NUMBERS) + 2 * (len(ARRAYS) - 1)


NODES = _number("nodes", "how many nodes the graph has")
BITS = _number("bits", "bits of a message")
ROUNDS = _number("rounds", "rounds of the processor")
ORDERS = _number("orders", "further orders: keys, stamps")
STAGES = _number("stages", "stages of the decoder")
TREE_WORDS = _number("tree_words", "words of a set of nodes")
TREE_LEVELS = _number("tree_levels", "levels of a set of nodes")
COUNT_POINTERS = _number("count_pointers", "pointers of the graph in a row")
COUNT_CATEGORIES = _number("count_categories", "categories and masks of the graph in a row")
COUNT_FIELDS = _number("count_fields", "fields of the nodes in a row")
COUNT_STAMPS = _number("count_stamps", "rules that stamp nodes")
COUNT_FRAME = _number("count_frame", "fields of a frame")
COUNT_NODE_FRAME = _number("count_node_frame", "node fields of a frame")
COUNT_COLLECT = _number("count_collect", "rules that collect outputs")
PHASE = _number("phase", "what `advance` does next")
LEVEL = _number("level", "the round that is under way")
CURSOR = _number("cursor", "how far a phase is, which can be interrupted")
GRAPH = _number("graph", "the graph's values, as the memory numbers them")
COPY = _number("copy", "the copy of these values")
LOG = _number("log", "how many changes of types were ever logged")
STEPS = _number("steps", "rows so far")
LIMIT = _number("limit", "rows after which the execution is stopped")
HALTED = _number("halted", "whether the newest row says that it is done")
DEPTH = _number("depth", "frames on the stack")
UNDERFLOWS = _number("underflows", "pops that found the stack empty")
UNVERIFIED = _number("unverified", "whether a situation was met that is not verified")
FIRST_UNVERIFIED = _number("first_unverified", "the first row with such a situation; -1: none")
MARK = _number("mark", "`marks` with this number are set")
TOUCH_MARK = _number("touch_mark", "`touch_marks` with this number are set")
DIRTY = _number("dirty", "nodes that are listed as dirty")
TOUCHED = _number("touched", "nodes that are listed as touched")
CHANGED = _number("changed", "nodes whose types the newest row changed")
PENDING = _number("pending", "node fields that the next row changes")
EVERYTHING = _number("everything", "whether all nodes are brought up to date, because the log is too short")
CLASSES = _number("classes", "classes so far")
NEXT_TREE = _number("next_tree", "sets so far")
FREE_TREES = _number("free_trees", "sets that are no longer used")
SEGMENTS = _number("segments", "segments of positions")
CELLS = _number("cells", "cells of the newest row")
SPECIAL = _number("special", "nodes that are listed as special")
MISSES = _number("misses", "keys that the memory misses")
RECORDED = _number("recorded", "rows that Python has not taken yet")
KEEP = _number("keep", "whether all rows are kept")
KEPT = _number("kept", "changes of node fields that Python has not taken yet")
COPIES = _number("copies", "copies so far")
WORK = _number("work", "about how many nodes and edges were visited since Python was")
MOST_WORK = _number("most_work", "how many are visited before Python is, where interrupts are heard: 0.1 to 0.5 s")

FIRST_ARRAY = len(NUMBERS)
"""Where the places of the arrays start."""
AT_TO_START = _array("to_start", "[nodes + 1] of each node where its out-neighbours start")
AT_TO = _array("to", "the out-neighbours of all nodes, one after the other")
AT_BY_START = _array("by_start", "[nodes + 1] the same of its in-neighbours")
AT_BY = _array("by", "the in-neighbours")
AT_RANKS = _array("ranks", "[orders × nodes] places in further orders from 1 on; 0: not in it")
AT_RANKED = _array("ranked", "[orders × (nodes + 1)] the nodes by rank")
AT_RANKED_COUNT = _array("ranked_count", "[orders] how many nodes are in each")
AT_SHAPE = _array("shape", "of each level of a set where it starts and how many words it has")
AT_RAW = _array("raw", "[nodes] types as numbers in mixed radix")
AT_TYPES = _array("types", "[nodes] types as the memory numbers them")
AT_POINTERS = _array("pointers", "[pointers] the newest row")
AT_CATEGORIES = _array("categories", "categories and masks of the graph, in the newest row")
AT_FIELDS = _array("fields", "[node fields × nodes]")
AT_STAMPS = _array("stamps", "[stamps × nodes]")
AT_NEXT_POINTERS = _array("next_pointers", "[pointers] the row that is being decided")
AT_NEXT_CATEGORIES = _array("next_categories", "the same of categories and masks")
AT_OUTPUTS = _array("outputs", "[outputs × nodes]")
AT_FRAMES = _array("frames", "[depths × fields of a frame]; the first is the empty one")
AT_NODE_FRAMES = _array("node_frames", "[depths × node fields of a frame × nodes]")
AT_LOG = _array("log", "ring of the nodes whose types changed")
AT_COPY_OF = _array("copy_of", "[graph's values] the copy; -1: none")
AT_COPY_LOG = _array("copy_log", "[copies] how much of the log it knows")
AT_COPY_TYPES = _array("copy_types", "[copies × nodes]; -1: unknown")
AT_CLASSES = _array("classes", "[copies × nodes] the class of each node; -1: none")
AT_WORDS = _array("words", "[copies × rounds × nodes] what each node says along edges and in further orders")
AT_COUNTS = _array("counts", "[copies × rounds × nodes × 2 bits] how many neighbours say each bit")
AT_FIRSTS = _array("firsts", "[copies × rounds × bits] the first node that says each bit; n: none")
AT_ALLS = _array("alls", "[copies × rounds] what everyone says")
AT_ORDER_FIRSTS = _array("order_firsts", "[copies × rounds × orders × bits] the first rank that says each bit")
AT_ORDER_LASTS = _array("order_lasts", "[copies × rounds × orders × bits] the last rank that says each bit")
AT_SPEAKERS = _array("speakers", "[copies × rounds × orders × 2 bits] sets of the ranks that say each bit")
AT_HEADS = _array("heads", "[copies] the first class that has nodes; -1: none")
AT_CLASS_HASH = _array("class_hash", "the numbers of classes, by hash")
AT_CLASS_COPY = _array("class_copy", "[classes] its copy")
AT_CLASS_TYPE = _array("class_type", "[classes] the type of its nodes")
AT_CLASS_NUMBER = _array("class_number", "the situation before the first round")
AT_CLASS_WORD = _array("class_word", "what is said in the first round")
AT_CLASS_HEARD = _array("class_heard", "[classes × rounds] what is heard along edges and in further orders")
AT_CLASS_SITUATIONS = _array(
    "class_situations", "[classes × rounds × 3] what is heard of everyone and from before, the situation then, its word"
)
AT_CLASS_TREE = _array("class_tree", "the set of its nodes; -1: none")
AT_CLASS_SIZE = _array("class_size", "[classes] how many nodes it has")
AT_CLASS_NEXT = _array("class_next", "the classes of a copy that have nodes are a list")
AT_CLASS_BACK = _array("class_back", "the same list, backwards")
AT_TREES = _array("trees", "sets of nodes")
AT_FREE_TREES = _array("free_trees", "sets that are no longer used")
AT_MARKS = _array("marks", "[nodes] which are noted as dirty, or as changed")
AT_TOUCH_MARKS = _array("touch_marks", "[nodes] which are noted as touched")
AT_DIRTY = _array("dirty", "nodes whose hearing is to be computed again")
AT_TOUCHED = _array("touched", "nodes whose class changed")
AT_CHANGED = _array("changed", "nodes whose types the newest row changed")
AT_PENDING = _array("pending", "[changes × 3] node, field, value")
AT_NEW_FIRSTS = _array("new_firsts", "[bits] as `firsts`, while they are found")
AT_OLD_FIRSTS = _array("old_firsts", "[rounds × bits] `firsts` before this row")
AT_OLD_ALLS = _array("old_alls", "[rounds] `alls` before this row")
AT_BREAKS = _array("breaks", "the last positions of segments")
AT_FIXED = _array("fixed", "[segments × rounds] what is heard of everyone and from before")
AT_OLD_FIXED = _array("old_fixed", "the same before this row")
AT_CELLS = _array("cells", "[cells × 4] class, first node, last position, situation")
AT_SPECIALS = _array("specials", "[nodes that pointers name × 3] node, flags, situation")
AT_BEST = _array("best", "[pointers] the largest logit so far")
AT_MISSES = _array("misses", "[misses × 3] table and key")
AT_RECORDED = _array("recorded", "[rows × graph fields]")
AT_KEPT = _array("kept", "[changes × 4] row, node, node field or stamp, value")

NETWORK_POINTERS = _array("network pointers", "place value of each pointer of the row in types")
NETWORK_FIELDS = _array("network fields", "of each node field")
NETWORK_CATEGORIES = _array("network categories", "of each category or mask of the graph")
NETWORK_STAMPS = _array("network stamps", "[rules × 3] pointer, place value, order")
NETWORK_FRAME = _array(
    "network frame", "[fields × 4] kind (0 pointer, 1 category, 2 node field), number, place value, shift"
)
NETWORK_COLLECT = _array(
    "network collect", "[rules × 4] output, pointer, what the value is (0 a pointer, 1 a category, 3 a one), its number"
)
NETWORK_GIVEN_POINTERS = _array(
    "network given_pointers", "pointers that stages are given, of all stages one after the other"
)
NETWORK_GIVEN_CATEGORIES = _array("network given_categories", "the same of categories")
NETWORK_GIVEN_RADIX = _array("network given_radix", "how many values each of them has")
NETWORK_OUT_POINTERS = _array("network out_pointers", "pointers that stages decode")
NETWORK_OUT_NULLS = _array("network out_nulls", "whether the pointer may be null")
NETWORK_OUT_CATEGORIES = _array("network out_categories", "categories that they decode")
NETWORK_OUT_FIELDS = _array("network out_fields", "node fields that they decode")
NETWORK_STARTS = _array(
    "network starts", "[(stages + 1) × 6] where a stage's part of five arrays above starts; whether it decodes the graph"
)
NETWORK_SPECIAL = _array("network special", "the numbers of op (-1: none) and done")

HEADER = FIRST_ARRAY + 2 * len(ARRAYS)
"""Where the arrays start."""

# Why `advance` stops.
RUNNING, DONE, MISSING, NO_ROOM, NEW_COPY, PIECE_DONE, STACK_FULL = range(7)
# The kinds of a frame's fields.
POINTER, OF_GRAPH, OF_NODES, ONE = range(4)
