"""A network as a program: its tables as plain numbers, which need neither JAX nor NumPy to be run.

What nodes say, what they hear and what is decided are looked up row by row. `examples/run_program.py` does so in less than
a hundred lines.
"""

from typing import Any

import numpy as np

from recursor.algorithms import find
from recursor.recording.rows import Rows
from recursor.situations.decisions import StageTable, decide
from recursor.situations.layout import Digit
from recursor.situations.tables import Tables


def program_of(tables: Tables) -> dict[str, Any]:
    """Returns the tables of a network as a dictionary for JSON.

    The keys of `levels` are (g, type) and then (situation, heard), those of `stages` (situation, given values, flags of the
    given pointers) for nodes and (g, given values, what all nodes say) for the graph. Types and g are numbers in mixed
    radix: `node` and `graph` say of which digits, the lowest first.

    Args:
        tables: The situations that the program shall know; it knows no others.

    Raises:
        ValueError: If row 0 of the algorithm is not the same for all inputs, so that a program cannot begin.
    """
    spec, layout = tables.spec, tables.layout
    edge = {field.name for field in spec.inputs if field.place == "edge"}
    return {
        "algorithm": spec.algorithm,
        "bits": tables.bits,
        "hears_itself": "A" not in edge,
        "orders": [field.name for field in spec.compared],
        "stamps": [{"field": rule.field.name, "at": rule.at} for rule in spec.stamps],
        "frame": [field.name for field in layout.frame],
        "first_row": _first_row(tables),
        "node": [_digit(digit) for digit in layout.node],
        "graph": [_digit(digit) for digit in layout.graph],
        "outputs": [
            {
                "output": rule.output,
                "at": rule.at,
                "value": rule.value,
                "null": rule.value is not None and spec.hint(rule.value).null,
            }
            for rule in spec.collect
        ],
        "levels": [_level(tables, place) for place in range(tables.rounds + 1)],
        "stages": [_stage(tables, stage) for stage in tables.stages],
    }


def _digit(digit: Digit) -> dict[str, Any]:
    shift = int(digit.source == "frame" and digit.field.kind == "category")
    return {
        "source": digit.source,
        "name": digit.field.name,
        "kind": digit.field.kind,
        "radix": digit.radix,
        "shift": shift,
    }


def _first_row(tables: Tables) -> dict[str, int]:
    """The values of row 0, one for all nodes."""
    algorithm, rng = find(tables.spec.algorithm), np.random.default_rng(0)
    found: dict[str, int] = {}
    for nodes in (1, 2, 5, 8):
        rows = Rows([algorithm.first_row(algorithm.test(rng, nodes))], length=1)
        for field in tables.spec.predicted:
            values = np.unique(np.zeros(1) if field.name == "done" else rows[field.name][0, 0])
            if len(values) > 1 or found.setdefault(field.name, int(values[0])) != int(values[0]):
                raise ValueError(
                    f"{algorithm.name} cannot be compiled: {field.name} of its row 0 depends on the input, and a program "
                    "begins with the same row on every input"
                )
    return found


def _level(tables: Tables, place: int) -> list[list[int]]:
    """The entries of a level: two keys, the number of the situation, the word that is said next."""
    level = tables.levels[place]
    keys, total = level.index.keys, len(level.index)
    first, second = keys >> 32, keys & 0xFFFFFFFF
    if place:
        second = level.heard.keys[second]
    else:
        first, second = tables.graphs.keys[first], tables.types.keys[second]
    words = level.word if place < tables.rounds else np.zeros(total, np.int64)
    return np.stack([first, second, np.arange(total), words], 1).tolist()


def _stage(tables: Tables, stage: StageTable) -> dict[str, Any]:
    decoder, given = stage.stage.decoder, tables.combinations.keys
    pointers = [field for field in decoder.node_fields if field.kind == "pointer"]
    fields = [field for field in decoder.node_fields if field.kind != "pointer"]
    columns, start = {}, 0
    for field in decoder.node_fields:
        columns[field.name] = stage.node_logits[:, start : start + (field.categories or 1)]
        start += field.categories or 1
    weights = np.cumprod([1, *(field.categories or 2 for field in stage.others)])[:-1].tolist()
    keys = stage.nodes.keys
    nodes = zip(
        *((keys >> 36).tolist(), given[(keys >> 16) & 0xFFFFF].tolist(), (keys & 0xFFFF).tolist(), stage.word.tolist()),
        *(columns[field.name][:, 0].astype(float).tolist() for field in pointers),
        *(decide(field, columns[field.name])[0].tolist() for field in fields),
        strict=True,
    )
    choices, start = [], 0
    for field in decoder.graph_fields:
        choices.append(decide(field, stage.graph_logits[:, start : start + (field.categories or 1)])[0].tolist())
        start += field.categories or 1
    keys = stage.graphs.keys
    graph = zip(
        *(tables.graphs.keys[keys >> 48].tolist(), given[(keys >> 28) & 0xFFFFF].tolist()),
        *(stage.pooled.keys[keys & 0xFFFFFFF].tolist(), *choices, *stage.graph_logits[:, start:].astype(float).T.tolist()),
        strict=True,
    )
    return {
        "given_pointers": [field.name for field in stage.pointers],
        "given_values": [[field.name, weight] for field, weight in zip(stage.others, weights, strict=True)],
        "pointers": [[field.name, field.null] for field in pointers],
        "values": [field.name for field in decoder.graph_fields],
        "node_values": [field.name for field in fields],
        "nodes": [list(entry) for entry in nodes],
        "graph": [list(entry) for entry in graph],
    }
