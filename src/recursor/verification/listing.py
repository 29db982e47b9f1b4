"""A list of the situations of nodes that a verification met, in words, for people."""

from typing import Any

import numpy as np

from recursor.situations.tables import StageTable
from recursor.verification.all_sizes import describe
from recursor.verification.examine import BySituation


def list_situations(by: BySituation) -> list[dict[str, Any]]:
    """Returns every situation of a node that was met, those that were met least often first.

    Each has the graph's values, the node's own, the bits that are heard in each round, how often it was met, and what the
    network decodes there: of each field the values and the smallest margin, over all that later stages are given. The margin
    of a mask or category is the distance to another value. A pointer has its smallest and its largest logit; the node with
    the largest logit of a row is the one that it names.
    """
    tables = by.tables
    decoded: list[dict[str, Any]] = [{} for _ in by.met]
    for table in tables.stages:
        _decode(table, decoded)
    rows = tables.heard_in(tables.rounds).tolist()
    found = [
        {**describe(tables, *row), "met": int(met), "decoded": each}
        for row, met, each in zip(rows, by.met, decoded, strict=True)
    ]
    return sorted(found, key=lambda one: one["met"])


def _decode(table: StageTable, decoded: list[dict[str, Any]]) -> None:
    """Notes what one stage decodes in each situation."""
    situations, start = table.nodes.keys >> 36, 0
    for field in table.stage.decoder.node_fields:
        logits = table.node_logits[:, start : start + (field.categories or 1)]
        start += logits.shape[1]
        if field.kind == "category":
            best = np.sort(logits, 1)
            values, margins = logits.argmax(1), best[:, -1] - best[:, -2]
        else:
            values, margins = (logits[:, 0] > 0).astype(np.int64), np.abs(logits[:, 0])
        for place, situation in enumerate(situations.tolist()):
            if field.kind == "pointer":
                logit = round(float(logits[place, 0]), 4)
                least, most = decoded[situation].get(field.name, {}).get("logits", (logit, logit))
                decoded[situation][field.name] = {"logits": [min(least, logit), max(most, logit)]}
                continue
            note = decoded[situation].setdefault(field.name, {"values": [], "margin": np.inf})
            note["values"] = sorted({*note["values"], int(values[place])})
            note["margin"] = min(note["margin"], round(float(margins[place]), 4))
