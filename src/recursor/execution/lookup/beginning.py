"""What an execution begins with: the fields by number, and the state in row 0."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from recursor.algorithms import find
from recursor.execution.lookup.compiled import COMPILED, storage, zeros
from recursor.execution.lookup.memory import SituationMemory, pointers_of
from recursor.execution.lookup.sets import shape
from recursor.execution.lookup.state import (
    BITS,
    COUNT,
    FIRST_UNVERIFIED,
    KEEP,
    LIMIT,
    NODES,
    ORDERS,
    ROUNDS,
    STAGES,
    STEPS,
    CHANGED,
    Network,
    State,
)
from recursor.graphs.graph import Graph
from recursor.recording.rows import Rows
from recursor.situations.layout import Digit
from recursor.situations.rows import edge_list, input_values, places_in_order
from recursor.spec import STACK_OP, Field

CLASSES, TREES, MISSES = 256, 64, 4096
PIECE = 4096 if COMPILED else 256
"""Rows between two visits to Python."""


def place_values(digits: Sequence[Digit]) -> list[int]:
    """Returns what one more in each digit adds to a type."""
    values, product = [], 1
    for digit in digits:
        values.append(product)
        product *= digit.radix
    return values


def describe_network(memory: SituationMemory) -> Network:
    """Returns the fields of the memory's network by number."""
    tables, spec = memory.tables, memory.tables.spec
    layout, compared = tables.layout, len(spec.compared)
    of_nodes = dict(zip(layout.node, place_values(layout.node), strict=True))
    of_graph = dict(zip(layout.graph, place_values(layout.graph), strict=True))

    def value(field: Field) -> int:
        return (of_nodes | of_graph).get(Digit(field, "row"), 0)

    frame: list[int] = []
    for field in layout.frame:
        digit = Digit(field, "frame")
        shift = int(field.kind == "category")
        if field.kind == "pointer":
            frame += [0, memory.pointers.index(field), of_nodes[digit], 0]
        elif field.place == "graph":
            frame += [1, memory.categories.index(field), of_graph[digit], shift]
        else:
            frame += [2, memory.node_fields.index(field), of_nodes[digit], shift]
    collect: list[int] = []
    outputs = [field.name for field in spec.outputs]
    for rule in spec.collect:
        if rule.at is not None:
            found = spec.hint(rule.value)
            kind = int(found.kind != "pointer")
            where = (memory.categories if kind else memory.pointers).index(found)
            at = memory.pointers.index(spec.hint(rule.at))
            collect += [outputs.index(rule.output), at, kind, where, int(found.null)]
    parts: list[list[int]] = [[] for _ in range(7)]  # given pointers, categories and their radix; what is decoded
    starts: list[int] = []
    for stage in tables.stages:
        decoder = stage.stage.decoder
        starts += [*(len(parts[k]) for k in (0, 1, 3, 5, 6)), int(stage.decodes_graph)]
        parts[0] += [memory.pointers.index(field) for field in stage.pointers]
        parts[1] += [memory.categories.index(field) for field in stage.others]
        parts[2] += [field.categories or 2 for field in stage.others]
        parts[3] += [memory.pointers.index(field) for field in pointers_of(stage)]
        parts[4] += [int(field.null) for field in pointers_of(stage)]
        parts[5] += [memory.categories.index(field) for field in decoder.graph_fields]
        parts[6] += [memory.node_fields.index(field) for field in decoder.node_fields if field.kind != "pointer"]
    starts += [*(len(parts[k]) for k in (0, 1, 3, 5, 6)), 0]
    names = [field.name for field in memory.categories]
    return Network(
        pointers=storage([value(field) for field in memory.pointers]),
        fields=storage([value(field) for field in memory.node_fields]),
        categories=storage([value(field) for field in memory.categories]),
        stamps=storage(
            [
                number
                for order, rule in enumerate(spec.stamps, compared)
                for number in (memory.pointers.index(spec.hint(rule.at)), value(rule.field), order)
            ]
        ),
        frame=storage(frame),
        collect=storage(collect),
        **{
            name: storage(part)
            for name, part in zip(
                (
                    *("given_pointers", "given_categories", "given_radix"),
                    *("out_pointers", "out_nulls", "out_categories", "out_fields"),
                ),
                parts,
                strict=True,
            )
        },
        starts=storage(starts),
        special=storage([names.index(STACK_OP.name) if spec.has_ops else -1, names.index("done")]),
    )


def begin(memory: SituationMemory, network: Network, graph: Graph, limit: int, *, keep_rows: bool) -> State:
    """Returns the state of an execution in row 0."""
    tables, spec, n = memory.tables, memory.tables.spec, len(graph)
    bits, rounds, orders = tables.bits, tables.rounds, len(spec.compared) + len(spec.stamps)
    small = np.int32
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
    numbers = zeros(COUNT)
    for where, number in (
        *((NODES, n), (BITS, bits), (ROUNDS, rounds), (ORDERS, orders), (CHANGED, n), (STEPS, 1), (LIMIT, limit)),
        *((FIRST_UNVERIFIED, -1), (STAGES, len(tables.stages)), (KEEP, int(keep_rows))),
    ):
        numbers[where] = number
    form, width = shape(n + 1), len(memory.pointers) + len(memory.categories)
    segments = 2 * rounds * bits + 1
    node_values = [row[field.name] for field in memory.node_fields]
    frame_width = len(network.frame) // 4
    of_nodes = sum(network.frame[4 * k] == 2 for k in range(frame_width))
    return State(
        numbers=numbers,
        to_start=storage(np.searchsorted(edges.starts, np.arange(n + 1)), small),
        to=storage(edges.back, small),
        by_start=storage(np.searchsorted(edges.receivers, np.arange(n + 1)), small),
        by=storage(edges.senders, small),
        ranks=_joined(order_of, small),
        ranked=storage(ranked.reshape(-1), small),
        ranked_count=storage([np.count_nonzero(ranks) for ranks in order_of]),
        raw=storage(raw),
        types=zeros(n, small, -1),
        pointers=storage([int(row[field.name]) for field in memory.pointers]),
        categories=storage([int(row[field.name]) for field in memory.categories]),
        fields=_joined(node_values, small),
        stamps=_joined(stamps, small),
        next_pointers=zeros(len(memory.pointers)),
        next_categories=zeros(len(memory.categories)),
        outputs=storage(outputs.reshape(-1), small),
        frames=zeros(64 * frame_width, small, -1),
        node_frames=zeros(64 * of_nodes * n, np.int16),
        log=zeros(n + 1024, small),
        copy_of=zeros(0),
        copy_log=zeros(0),
        copy_types=zeros(0, small),
        classes=zeros(0, small),
        words=zeros(0),
        counts=zeros(0, small),
        firsts=zeros(0),
        alls=zeros(0),
        order_firsts=zeros(0),
        order_lasts=zeros(0),
        speakers=zeros(0),
        heads=zeros(0),
        class_hash=zeros(4 * CLASSES, fill=-1) if COMPILED else {},
        class_copy=zeros(CLASSES),
        class_type=zeros(CLASSES),
        class_slot=zeros(CLASSES),
        class_heard=zeros(CLASSES * rounds),
        class_tree=zeros(CLASSES),
        class_size=zeros(CLASSES),
        class_next=zeros(CLASSES),
        class_back=zeros(CLASSES),
        shape=storage(form),
        trees=zeros(TREES * form[0]),
        free_trees=zeros(TREES),
        marks=zeros(n),
        touch_marks=zeros(n),
        dirty=zeros(n, small),
        touched=zeros(n, small),
        changed=storage(np.arange(n), small),
        pending=zeros(3 * n * len(memory.node_fields), small),
        new_firsts=zeros(bits),
        old_firsts=zeros(rounds * bits),
        old_alls=zeros(rounds),
        breaks=zeros(segments),
        fixed=zeros(segments * rounds),
        old_fixed=zeros(segments * rounds),
        cells=zeros(4 * 1024),
        specials=zeros(3 * (len(memory.pointers) + 1)),
        best=zeros(len(memory.pointers) + 1, np.float64),
        misses=zeros(3 * MISSES),
        recorded=zeros(PIECE * width, small),
        kept=zeros(4 * (n * len(memory.node_fields) + len(stamps) + 4 * PIECE) if keep_rows else 0, small),
    )


def _joined(parts: Sequence[Any], dtype: type) -> Any:
    """Arrays one after the other."""
    return storage(np.concatenate([np.zeros(0, np.int64), *(np.asarray(part).reshape(-1) for part in parts)]), dtype)
