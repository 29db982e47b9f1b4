"""What an execution begins with: the state in row 0."""

from collections.abc import Sequence

import numpy as np

from recursor.algorithms import find
from recursor.execution.lookup.compiled import COMPILED
from recursor.execution.lookup.heap import Heap, Room
from recursor.execution.lookup.memory import SituationMemory
from recursor.execution.lookup.sets import shape
from recursor.execution.lookup.state import (
    BITS,
    CHANGED,
    COUNT_CATEGORIES,
    COUNT_COLLECT,
    COUNT_FIELDS,
    COUNT_FRAME,
    COUNT_NODE_FRAME,
    COUNT_POINTERS,
    COUNT_STAMPS,
    FIRST_UNVERIFIED,
    KEEP,
    LIMIT,
    NODES,
    OF_NODES,
    ORDERS,
    ROUNDS,
    STAGES,
    STEPS,
    TREE_LEVELS,
    TREE_WORDS,
)
from recursor.graphs.graph import Graph
from recursor.recording.rows import Rows
from recursor.situations.layout import Digit
from recursor.situations.rows import edge_list, input_values, places_in_order

SOME_CLASSES, SOME_TREES, SOME_CELLS, SOME_MISSES, SOME_DEPTH, SOME_VALUES = 256, 64, 1024, 4096, 64, 64
"""How much room there is at first."""
SMALL = 2**16
"""Arrays of up to so many numbers cost nothing, so there is room for what most executions need."""
PIECE = 4096 if COMPILED else 256
"""Rows between two visits to Python."""


def copy_arrays(n: int, bits: int, rounds: int, orders: int, words: int) -> dict[str, Room]:
    """Returns of each array that has a part for each copy the length of this part, and what it holds at first."""
    return {
        "copy_log": (1, 0),
        "copy_types": (n, -1),
        "classes": (n, -1),
        "words": (rounds * n, 0),
        "counts": (2 * bits * rounds * n, 0),
        "heads": (1, -1),
        "firsts": (rounds * bits, n),
        "alls": (rounds, 0),
        "order_firsts": (rounds * orders * bits, n + 1),
        "order_lasts": (rounds * orders * bits, 0),
        "speakers": (2 * bits * rounds * orders * words, 0),
    }


def begin(memory: SituationMemory, network: dict[str, list[int]], graph: Graph, limit: int, *, keep_rows: bool) -> Heap:
    """Returns the state of an execution in row 0."""
    tables, spec, n = memory.tables, memory.tables.spec, len(graph)
    bits, rounds, orders = tables.bits, tables.rounds, len(spec.compared) + len(spec.stamps)
    first = Rows([find(spec.algorithm).first_row(graph)], length=1)
    row = {field.name: first[field.name][0, 0] for field in spec.hints if field.name != "done"}
    row["done"] = np.zeros((), np.int32)

    def value(digit: Digit) -> np.ndarray:
        if digit.source == "input":
            return input_values(digit.field, [graph], n)[0]
        if digit.source == "frame":
            nothing = -1 if digit.field.kind in ("pointer", "category") else 0
            return np.full((n,) * (digit.field.place == "node"), nothing)
        return row[digit.field.name]

    raw = tables.layout.types(tables.layout.node, value, n, (n,))
    edges = edge_list(spec, graph)
    order_of = [places_in_order(field, [graph], n)[0] for field in spec.compared]
    stamps = [np.asarray(row[rule.field.name], np.int64) for rule in spec.stamps]
    for stamp in stamps:
        stamped = np.argsort(stamp, kind="stable")[np.count_nonzero(stamp == 0) :]
        ranks = np.zeros(n, np.int64)
        ranks[stamped] = np.arange(1, len(stamped) + 1)
        order_of.append(ranks)
    ranked = np.zeros((orders, n + 1), np.int64)
    for place, ranks in enumerate(order_of):
        inside = np.flatnonzero(ranks)
        ranked[place, ranks[inside]] = inside
    outputs = np.zeros((len(spec.outputs), n), np.int64)
    for rule in spec.collect:
        at = -1 if rule.at is None else int(row[rule.at])
        if at >= 0:
            found = int(row[rule.value])
            null = spec.hint(rule.value).null and found < 0
            outputs[[f.name for f in spec.outputs].index(rule.output), at] = at if null else found
    form, width = shape(n + 1), len(memory.pointers) + len(memory.categories)
    words, segments = form[-2] + form[-1], 2 * rounds * bits + 1
    frame_width = len(network["network frame"]) // 4
    of_nodes = network["network frame"][::4].count(OF_NODES)
    depth = SOME_DEPTH if of_nodes else min(n + 2, SMALL)
    of_copies = copy_arrays(n, bits, rounds, orders, words)
    copies = min(8, max(len(tables.graphs), SMALL // sum(length for length, _ in of_copies.values())))
    scalars = {
        NODES: n,
        BITS: bits,
        ROUNDS: rounds,
        ORDERS: orders,
        STAGES: len(tables.stages),
        TREE_WORDS: words,
        TREE_LEVELS: len(form) // 2,
        COUNT_POINTERS: len(memory.pointers),
        COUNT_CATEGORIES: len(memory.categories),
        COUNT_FIELDS: len(memory.node_fields),
        COUNT_STAMPS: len(stamps),
        COUNT_FRAME: frame_width,
        COUNT_NODE_FRAME: of_nodes,
        COUNT_COLLECT: len(network["network collect"]) // 5,
        STEPS: 1,
        LIMIT: limit,
        FIRST_UNVERIFIED: -1,
        CHANGED: n,
        KEEP: int(keep_rows),
    }
    arrays = {
        "to_start": np.searchsorted(edges.starts, np.arange(n + 1)),
        "to": edges.back,
        "by_start": np.searchsorted(edges.receivers, np.arange(n + 1)),
        "by": edges.senders,
        "ranks": _joined(order_of),
        "ranked": ranked,
        "ranked_count": [np.count_nonzero(ranks) for ranks in order_of],
        "shape": form,
        "raw": raw,
        "types": (n, -1),
        "pointers": [int(row[field.name]) for field in memory.pointers],
        "categories": [int(row[field.name]) for field in memory.categories],
        "fields": _joined([row[field.name] for field in memory.node_fields]),
        "stamps": _joined(stamps),
        "outputs": outputs,
        "frames": (depth * frame_width, -1),
        "copy_of": (SOME_VALUES, -1),
        **{name: (copies * length, fill) for name, (length, fill) in of_copies.items()},
        "class_hash": (4 * SOME_CLASSES, -1),
        "changed": np.arange(n),
    }
    sizes = {
        "next_pointers": len(memory.pointers),
        "next_categories": len(memory.categories),
        "node_frames": depth * of_nodes * n,
        "log": n + 1024,
        **dict.fromkeys(("class_copy", "class_type", "class_number", "class_word"), SOME_CLASSES),
        **dict.fromkeys(("class_tree", "class_size", "class_next", "class_back"), SOME_CLASSES),
        "class_heard": SOME_CLASSES * rounds,
        "class_situations": SOME_CLASSES * rounds * 3,
        "trees": SOME_TREES * words,
        "free_trees": SOME_TREES,
        **dict.fromkeys(("marks", "touch_marks", "dirty", "touched"), n),
        "pending": 3 * n * len(memory.node_fields),
        "new_firsts": bits,
        "old_firsts": rounds * bits,
        "old_alls": rounds,
        "breaks": segments,
        "fixed": segments * rounds,
        "old_fixed": segments * rounds,
        "cells": 4 * SOME_CELLS,
        "specials": 3 * (len(memory.pointers) + 1),
        "best": len(memory.pointers) + 1,
        "misses": 3 * SOME_MISSES,
        "recorded": PIECE * width,
        "kept": 4 * (n * len(memory.node_fields) + len(stamps) + 4 * PIECE) if keep_rows else 0,
    }
    return Heap(scalars, network | {name: (count, 0) for name, count in sizes.items()} | arrays)


def _joined(parts: Sequence[np.ndarray]) -> np.ndarray:
    """Arrays one after the other."""
    return np.concatenate([np.zeros(0, np.int64), *(np.asarray(part).reshape(-1) for part in parts)])
