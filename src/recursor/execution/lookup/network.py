"""The fields of a network by number, as an execution reads them."""

from collections.abc import Sequence

from recursor.execution.lookup.memory import SituationMemory, pointers_of
from recursor.execution.lookup.state import ARRAYS, OF_GRAPH, OF_NODES, ONE, POINTER
from recursor.situations.layout import Digit
from recursor.spec import STACK_OP, Field


def place_values(digits: Sequence[Digit]) -> list[int]:
    """Returns what one more in each digit adds to a type."""
    values, product = [], 1
    for digit in digits:
        values.append(product)
        product *= digit.radix
    return values


def _collected(memory: SituationMemory, value: str | None) -> tuple[int, int]:
    """Returns what a rule collects: its kind and number."""
    if value is None:
        return ONE, 0
    field = memory.tables.spec.hint(value)
    if field.kind == "pointer":
        return POINTER, memory.pointers.index(field)
    return OF_GRAPH, memory.categories.index(field)


def describe_network(memory: SituationMemory) -> dict[str, list[int]]:
    """Returns the arrays of the state that follow from the spec: the fields of the memory's network, by number."""
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
            frame += [POINTER, memory.pointers.index(field), of_nodes[digit], 0]
        elif field.place == "graph":
            frame += [OF_GRAPH, memory.categories.index(field), of_graph[digit], shift]
        else:
            frame += [OF_NODES, memory.node_fields.index(field), of_nodes[digit], shift]
    collect: list[int] = []
    outputs = [field.name for field in spec.outputs]
    for rule in spec.collect:
        if rule.at is not None:
            at = memory.pointers.index(spec.hint(rule.at))
            collect += [outputs.index(rule.output), at, *_collected(memory, rule.value)]
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
    stamps = [
        number
        for order, rule in enumerate(spec.stamps, compared)
        for number in (memory.pointers.index(spec.hint(rule.at)), value(rule.field), order)
    ]
    values = [[value(field) for field in fields] for fields in (memory.pointers, memory.node_fields, memory.categories)]
    special = [names.index(STACK_OP.name) if spec.has_ops else -1, names.index("done")]
    names = [name for name in ARRAYS if name.startswith("network ")]
    return dict(zip(names, [*values, stamps, frame, collect, *parts, starts, special], strict=True))
