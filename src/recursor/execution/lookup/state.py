"""The state of an execution: all that changes from row to row, and what the graph and the network fix.

A row changes few nodes. But when the graph's values g change, such as the op, every node is in another situation and may say
another word. So what nodes hear is kept once for each g that was met (a *copy*), and brought up to date when a row has this
g again: then only the nodes count that changed in between.

In a copy, nodes of the same type that hear the same along edges and in further orders are a *class*. What everyone says is
the same for all nodes, and what is said before a node follows from its position: a node hears a bit from before if it
comes after the first node that says it. So the situations of a class are intervals of positions, and what the network
computes is looked up for each interval and not for each node.

All numbers are in one array, the *heap*: first single numbers, then of each array where it starts and its length, then the
arrays. (Compiled functions count references to every array that they are given, which takes longer than their work.) So
`h[STEPS]` is a number, and `h[h[AT_RAW] + i]` is element i of an array.
"""

from typing import Any

import numpy as np

from recursor.execution.lookup.compiled import COMPILED

(
    NODES,
    BITS,
    ROUNDS,
    ORDERS,
    STAGES,
    TREE_WORDS,
    TREE_LEVELS,
    COUNT_POINTERS,
    COUNT_CATEGORIES,
    COUNT_FIELDS,
    COUNT_STAMPS,
    COUNT_FRAME,
    COUNT_COLLECT,
    PHASE,
    LEVEL,
    CURSOR,
    GRAPH,
    COPY,
    LOG,
    STEPS,
    LIMIT,
    HALTED,
    DEPTH,
    UNDERFLOWS,
    UNVERIFIED,
    FIRST_UNVERIFIED,
    MARK,
    TOUCH_MARK,
    DIRTY,
    TOUCHED,
    CHANGED,
    PENDING,
    EVERYTHING,
    CLASSES,
    NEXT_TREE,
    FREE_TREES,
    SEGMENTS,
    CELLS,
    SPECIAL,
    MISSES,
    RECORDED,
    KEEP,
    KEPT,
    COPIES,
) = range(44)

ARRAYS = {
    "to_start": "[nodes + 1] of each node where its out-neighbours start",
    "to": "",
    "by_start": "[nodes + 1] the same of its in-neighbours",
    "by": "",
    "ranks": "[orders × nodes] places in further orders from 1 on; 0: not in it",
    "ranked": "[orders × (nodes + 1)] the nodes by rank",
    "ranked_count": "[orders]",
    "shape": "of each level of a set where it starts and how many words it has",
    "raw": "[nodes] types as numbers in mixed radix",
    "types": "[nodes] types as the memory numbers them",
    "pointers": "of the newest row",
    "categories": "",
    "fields": "[node fields × nodes]",
    "stamps": "[stamps × nodes]",
    "next_pointers": "of the row that is being decided",
    "next_categories": "",
    "outputs": "[outputs × nodes]",
    "frames": "[depths × fields of a frame]; the first is the empty one",
    "node_frames": "[depths × node fields of a frame × nodes]",
    "log": "ring of the nodes whose types changed",
    "copy_of": "[graph's values] the copy; -1: none",
    "copy_log": "[copies] how much of the log it knows",
    "copy_types": "[copies × nodes]; -1: unknown",
    "classes": "[copies × nodes] the class of each node; -1: none",
    "words": "[copies × rounds × nodes] what each node says along edges and in further orders",
    "counts": "[copies × rounds × nodes × 2 bits] how many neighbours say each bit",
    "firsts": "[copies × rounds × bits] the first node that says each bit; n: none",
    "alls": "[copies × rounds] what everyone says",
    "order_firsts": "[copies × rounds × orders × bits] the first rank that says each bit",
    "order_lasts": "",
    "speakers": "[copies × rounds × orders × 2 bits] sets of the ranks that say each bit",
    "heads": "[copies] the first class that has nodes; -1: none",
    "class_hash": "the numbers of classes, by hash",
    "class_copy": "",
    "class_type": "",
    "class_number": "the situation before the first round",
    "class_word": "what is said in the first round",
    "class_heard": "[classes × rounds] what is heard along edges and in further orders",
    "class_situations": "[classes × rounds × 3] what is heard of everyone and from before, the situation then, its word",
    "class_tree": "the set of its nodes; -1: none",
    "class_size": "",
    "class_next": "the classes of a copy that have nodes are a list",
    "class_back": "",
    "trees": "sets of nodes",
    "free_trees": "",
    "marks": "[nodes] which are noted as dirty, or as changed",
    "touch_marks": "[nodes]",
    "dirty": "",
    "touched": "",
    "changed": "",
    "pending": "[changes × 3] node, field, value",
    "new_firsts": "[bits]",
    "old_firsts": "[rounds × bits]",
    "old_alls": "[rounds]",
    "breaks": "the last positions of segments",
    "fixed": "[segments × rounds] what is heard of everyone and from before",
    "old_fixed": "",
    "cells": "[cells × 4] class, first node, last position, situation",
    "specials": "[nodes that pointers name × 3] node, flags, situation",
    "best": "[pointers] the largest logit so far",
    "misses": "[misses × 3] table and key",
    "recorded": "[rows × graph fields]",
    "kept": "[changes × 4] row, node, node field or stamp, value",
}
"""The arrays that change, and what they hold."""
NETWORK = {
    "pointers": "place value of each pointer of the row in types",
    "fields": "of each node field",
    "categories": "of each category or mask of the graph",
    "stamps": "[rules × 3] pointer, place value, order",
    "frame": "[fields × 4] kind (0 pointer, 1 category, 2 node field), number, place value, shift",
    "collect": "[rules × 5] output, pointer, 0 pointer or 1 category, its number, whether null means the node itself",
    "given_pointers": "of all stages one after the other",
    "given_categories": "",
    "given_radix": "",
    "out_pointers": "",
    "out_nulls": "whether the pointer may be null",
    "out_categories": "",
    "out_fields": "",
    "starts": "[(stages + 1) × 6] where a stage's part of five arrays above starts; whether it decodes the graph",
    "special": "the numbers of op (-1: none) and done",
}
"""The arrays that the spec fixes: its fields, by number."""

LENGTH = 1
"""The length of an array stands so far behind its start."""
(
    AT_TO_START,
    AT_TO,
    AT_BY_START,
    AT_BY,
    AT_RANKS,
    AT_RANKED,
    AT_RANKED_COUNT,
    AT_SHAPE,
    AT_RAW,
    AT_TYPES,
    AT_POINTERS,
    AT_CATEGORIES,
    AT_FIELDS,
    AT_STAMPS,
    AT_NEXT_POINTERS,
    AT_NEXT_CATEGORIES,
    AT_OUTPUTS,
    AT_FRAMES,
    AT_NODE_FRAMES,
    AT_LOG,
    AT_COPY_OF,
    AT_COPY_LOG,
    AT_COPY_TYPES,
    AT_CLASSES,
    AT_WORDS,
    AT_COUNTS,
    AT_FIRSTS,
    AT_ALLS,
    AT_ORDER_FIRSTS,
    AT_ORDER_LASTS,
    AT_SPEAKERS,
    AT_HEADS,
    AT_CLASS_HASH,
    AT_CLASS_COPY,
    AT_CLASS_TYPE,
    AT_CLASS_NUMBER,
    AT_CLASS_WORD,
    AT_CLASS_HEARD,
    AT_CLASS_SITUATIONS,
    AT_CLASS_TREE,
    AT_CLASS_SIZE,
    AT_CLASS_NEXT,
    AT_CLASS_BACK,
    AT_TREES,
    AT_FREE_TREES,
    AT_MARKS,
    AT_TOUCH_MARKS,
    AT_DIRTY,
    AT_TOUCHED,
    AT_CHANGED,
    AT_PENDING,
    AT_NEW_FIRSTS,
    AT_OLD_FIRSTS,
    AT_OLD_ALLS,
    AT_BREAKS,
    AT_FIXED,
    AT_OLD_FIXED,
    AT_CELLS,
    AT_SPECIALS,
    AT_BEST,
    AT_MISSES,
    AT_RECORDED,
    AT_KEPT,
    NETWORK_POINTERS,
    NETWORK_FIELDS,
    NETWORK_CATEGORIES,
    NETWORK_STAMPS,
    NETWORK_FRAME,
    NETWORK_COLLECT,
    NETWORK_GIVEN_POINTERS,
    NETWORK_GIVEN_CATEGORIES,
    NETWORK_GIVEN_RADIX,
    NETWORK_OUT_POINTERS,
    NETWORK_OUT_NULLS,
    NETWORK_OUT_CATEGORIES,
    NETWORK_OUT_FIELDS,
    NETWORK_STARTS,
    NETWORK_SPECIAL,
) = range(44, 200, 2)
HEADER = 200

# Why `advance` stops.
RUNNING, DONE, MISSING, NO_ROOM, NEW_COPY, PIECE_DONE, STACK_FULL = range(7)

# The tables of the memory; those of level r and stage s come after FIRST_LEVEL.
TYPES, GRAPHS, FIRST_LEVEL = range(3)
# The memory begins with the number of its slots, and where the arrays of decisions start.
SLOTS, DECIDED_LOGITS, DECIDED_VALUES, DECIDED_NULLS, DECIDED_CATEGORIES, DECIDED_DIGITS, FIRST_ENTRY = range(7)
# An entry of the memory is six numbers.
TABLE, KEY_A, KEY_B, NUMBER, WORD, UNVERIFIED_ENTRY, ENTRY = range(7)
NEVER = -(2**62) * 2 + 1
"""Less than every logit."""


class PlainHeap(list):
    """A heap for plain Python, which finds classes and entries in dictionaries."""

    def __init__(self, values: list[int], found: dict) -> None:
        super().__init__(values)
        self.found = found


class Heap:
    """A heap whose arrays have names, and can become longer."""

    def __init__(self, scalars: dict[int, int], arrays: dict[str, Any]) -> None:
        self._found: dict = {}
        header = np.zeros(HEADER, np.int64)
        for which, number in scalars.items():
            header[which] = number
        parts = {name: np.asarray(values, np.int64).reshape(-1) for name, values in arrays.items()}
        self._places: dict[str, tuple[int, int]] = {}
        self._join(header, parts)

    def _join(self, header: np.ndarray, parts: dict[str, np.ndarray]) -> None:
        start = HEADER
        for place, (name, part) in enumerate(parts.items()):
            at = AT_TO_START + 2 * place
            header[at], header[at + LENGTH] = start, len(part)
            self._places[name] = start, len(part)
            start += len(part)
        whole = np.concatenate([header, *parts.values()])
        self.numbers: Any = whole if COMPILED else PlainHeap(whole.tolist(), self._found)

    def __getitem__(self, name: str) -> np.ndarray:
        """Returns a copy of an array."""
        start, length = self._places[name]
        return np.array(self.numbers[start : start + length], np.int64)

    def head(self, name: str, count: int) -> np.ndarray:
        """Returns a copy of the first elements of an array."""
        start, _ = self._places[name]
        return np.array(self.numbers[start : start + count], np.int64)

    def enlarge(self, longer: dict[str, tuple[int, int]]) -> None:
        """Makes arrays longer: of each by how much, and what the new elements are."""
        if not any(count for count, _ in longer.values()):
            return
        header = np.array(self.numbers[:HEADER], np.int64)
        parts = {}
        for name, (start, length) in self._places.items():
            count, fill = longer.get(name, (0, 0))
            part = np.asarray(self.numbers[start : start + length], np.int64)  # compiled, no copy
            parts[name] = np.concatenate([part, np.full(count, fill, np.int64)]) if count else part
        self._join(header, parts)

    def length(self, name: str) -> int:
        """Returns the length of an array."""
        return self._places[name][1]
