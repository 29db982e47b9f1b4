"""What an execution begins with: the state in row 0."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from recursor.algorithms import find
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
PIECE = {False: 256, True: 4096}
"""Rows between two visits of plain Python and of compiled functions."""


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
    """Returns the state of an execution in row 0.

    Args:
        memory: The memory of the network.
        network: Its fields by number, as `describe_network` returns them.
        graph: The graph.
        limit: The number of rows after which the execution is stopped.
        keep_rows: Whether all rows are kept.
    """
    tables, n, form = memory.tables, len(graph), shape(len(graph) + 1)
    row = _first_row(memory, graph)
    numbers = {
        NODES: n,
        BITS: tables.bits,
        ROUNDS: tables.rounds,
        ORDERS: len(tables.spec.compared) + len(tables.spec.stamps),
        STAGES: len(tables.stages),
        TREE_WORDS: form[-2] + form[-1],
        TREE_LEVELS: len(form) // 2,
        COUNT_POINTERS: len(memory.pointers),
        COUNT_CATEGORIES: len(memory.categories),
        COUNT_FIELDS: len(memory.node_fields),
        COUNT_STAMPS: len(tables.spec.stamps),
        COUNT_FRAME: len(network["network frame"]) // 4,
        COUNT_NODE_FRAME: network["network frame"][::4].count(OF_NODES),
        COUNT_COLLECT: len(network["network collect"]) // 4,
        STEPS: 1,
        LIMIT: limit,
        FIRST_UNVERIFIED: -1,
        CHANGED: n,
        KEEP: int(keep_rows),
    }
    room = _room(numbers, len(tables.graphs), PIECE[memory.is_compiled])
    arrays = room | network | _graph_arrays(memory, graph, row) | {"shape": form}
    return Heap(numbers, arrays, is_compiled=memory.is_compiled)


def _first_row(memory: SituationMemory, graph: Graph) -> dict[str, np.ndarray]:
    """Returns row 0, which follows from the inputs."""
    spec = memory.tables.spec
    first = Rows([find(spec.algorithm).first_row(graph)], length=1)
    row = {field.name: first[field.name][0, 0] for field in spec.hints if field.name != "done"}
    return row | {"done": np.zeros((), np.int32)}


def _graph_arrays(memory: SituationMemory, graph: Graph, row: dict[str, np.ndarray]) -> dict[str, Any]:
    """Returns the arrays that follow from the graph and row 0."""
    tables, spec, n = memory.tables, memory.tables.spec, len(graph)

    def value(digit: Digit) -> np.ndarray:
        if digit.source == "input":
            return input_values(digit.field, [graph], n)[0]
        if digit.source == "frame":
            nothing = -1 if digit.field.kind in ("pointer", "category") else 0
            return np.full((n,) * (digit.field.place == "node"), nothing)
        return row[digit.field.name]

    edges = edge_list(spec, graph)
    stamps = [np.asarray(row[rule.field.name], np.int64) for rule in spec.stamps]
    orders = [places_in_order(field, [graph], n)[0] for field in spec.compared] + [_ranks(stamp) for stamp in stamps]
    ranked = np.zeros((len(orders), n + 1), np.int64)
    for place, ranks in enumerate(orders):
        inside = np.flatnonzero(ranks)
        ranked[place, ranks[inside]] = inside
    return {
        "to_start": np.searchsorted(edges.starts, np.arange(n + 1)),
        "to": edges.back,
        "by_start": np.searchsorted(edges.receivers, np.arange(n + 1)),
        "by": edges.senders,
        "ranks": _joined(orders),
        "ranked": ranked,
        "ranked_count": [np.count_nonzero(ranks) for ranks in orders],
        "raw": tables.layout.types(tables.layout.node, value, n, (n,)),
        "pointers": [int(row[field.name]) for field in memory.pointers],
        "categories": [int(row[field.name]) for field in memory.categories],
        "fields": _joined([row[field.name] for field in memory.node_fields]),
        "stamps": _joined(stamps),
        "outputs": _first_outputs(memory, n, row),
        "changed": np.arange(n),
    }


def _ranks(stamp: np.ndarray) -> np.ndarray:
    """Returns the places of nodes in the order of their stamps, from 1 on; 0 of those without one."""
    stamped = np.argsort(stamp, kind="stable")[np.count_nonzero(stamp == 0) :]
    ranks = np.zeros(len(stamp), np.int64)
    ranks[stamped] = np.arange(1, len(stamped) + 1)
    return ranks


def _first_outputs(memory: SituationMemory, n: int, row: dict[str, np.ndarray]) -> np.ndarray:
    """Returns the outputs after row 0."""
    spec = memory.tables.spec
    names = [field.name for field in spec.outputs]
    outputs = np.zeros((len(names), n), np.int64)
    for rule in spec.collect:
        at = -1 if rule.at is None else int(row[rule.at])
        if at >= 0:
            found = 1 if rule.value is None else int(row[rule.value])
            outputs[names.index(rule.output), at] = at if found < 0 else found  # only a pointer can be less than 0
    return outputs


def _room(numbers: dict[int, int], graph_values: int, piece: int) -> dict[str, Room]:
    """Returns how much room the other arrays have at first.

    Args:
        numbers: The single numbers of the state.
        graph_values: How many values of the graph the memory knows: so many copies will be needed.
        piece: Rows between two visits.
    """
    n, bits, rounds, words = numbers[NODES], numbers[BITS], numbers[ROUNDS], numbers[TREE_WORDS]
    pointers, categories, fields = numbers[COUNT_POINTERS], numbers[COUNT_CATEGORIES], numbers[COUNT_FIELDS]
    of_copies = copy_arrays(n, bits, rounds, numbers[ORDERS], words)
    copies = min(8, max(graph_values, SMALL // sum(length for length, _ in of_copies.values())))
    segments = 2 * rounds * bits + 1
    depth = SOME_DEPTH if numbers[COUNT_NODE_FRAME] else min(n + 2, SMALL)
    changes = n * fields + numbers[COUNT_STAMPS] + 4 * piece
    empty = {
        "next_pointers": pointers,
        "next_categories": categories,
        "node_frames": depth * numbers[COUNT_NODE_FRAME] * n,
        "log": n + 1024,
        **dict.fromkeys(("class_copy", "class_type", "class_number", "class_word"), SOME_CLASSES),
        **dict.fromkeys(("class_tree", "class_size", "class_next", "class_back"), SOME_CLASSES),
        "class_heard": SOME_CLASSES * rounds,
        "class_situations": SOME_CLASSES * rounds * 3,
        "trees": SOME_TREES * words,
        "free_trees": SOME_TREES,
        **dict.fromkeys(("marks", "touch_marks", "dirty", "touched"), n),
        "pending": 3 * n * fields,
        "new_firsts": bits,
        "old_firsts": rounds * bits,
        "old_alls": rounds,
        "breaks": segments,
        "fixed": segments * rounds,
        "old_fixed": segments * rounds,
        "cells": 4 * SOME_CELLS,
        "specials": 3 * (pointers + 1),
        "best": pointers + 1,
        "misses": 3 * SOME_MISSES,
        "recorded": piece * (pointers + categories),
        "kept": 4 * changes * numbers[KEEP],
    }
    return {
        **{name: (count, 0) for name, count in empty.items()},
        **{name: (copies * length, fill) for name, (length, fill) in of_copies.items()},
        "types": (n, -1),
        "frames": (depth * numbers[COUNT_FRAME], -1),
        "copy_of": (SOME_VALUES, -1),
        "class_hash": (4 * SOME_CLASSES, -1),
    }


def _joined(parts: Sequence[np.ndarray]) -> np.ndarray:
    """Arrays one after the other."""
    return np.concatenate([np.zeros(0, np.int64), *(np.asarray(part).reshape(-1) for part in parts)])
