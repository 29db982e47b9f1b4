"""Targets: what the algorithm does in each situation.

In every situation of a node, and of the graph, a stage of the decoder decides about its fields. The recorded rows say what
is right. A pointer is a yes or no for each node: whether it names the node. In one situation the algorithm may do two
different things. That is a *contradiction*: what the nodes say does not tell the two apart.
"""

from collections.abc import Iterator

import numpy as np

from recursor.situations.rows import SeenRows
from recursor.situations.tables import Tables
from recursor.spec import Field

UNKNOWN, CONTRADICTION = -9, -8


class Targets:
    """The right value of every field in every situation that was met, by the numbers of the tables."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.nodes: list[dict[str, np.ndarray]] = [{} for _ in tables.stages]
        """Of each stage and field: the value in each situation of a node; of a pointer, whether it names the node."""
        self.graphs: list[dict[str, np.ndarray]] = [{} for _ in tables.stages]
        """Of each stage and field: the value in each situation of the graph."""

    def add(self, seen: SeenRows) -> np.ndarray:
        """Takes in some rows.

        Returns:
            Which of the rows have a situation in which the algorithm did something else in an earlier row.
        """
        places = np.arange(seen.mask.shape[1])
        rows, _ = np.nonzero(seen.mask)
        contradictory = np.zeros(len(seen.mask), bool)
        for stage, table in enumerate(self.tables.stages):
            numbers = seen.decoded.nodes[stage][seen.mask]
            for field in table.stage.decoder.node_fields:
                truth = seen.truth[field.name]
                values = (truth[:, None] == places) if field.kind == "pointer" else truth
                known = _note(self.nodes[stage], field, len(table.nodes), numbers, values[seen.mask].astype(np.int64))
                contradictory[rows[known[numbers] == CONTRADICTION]] = True
            for field in table.stage.decoder.graph_fields:
                of_graphs = seen.decoded.graphs[stage]
                known = _note(self.graphs[stage], field, len(table.graphs), of_graphs, seen.truth[field.name])
                contradictory |= known[of_graphs] == CONTRADICTION
        return contradictory

    def contradictions(self) -> dict[str, int]:
        """Returns of each field in how many situations the algorithm does two different things, if there are any."""
        found = {name: int((values == CONTRADICTION).sum()) for name, values in self._all()}
        return {name: count for name, count in found.items() if count}

    def separation(self) -> float | None:
        """Returns by how much the nodes that a pointer names stand apart from those that it does not name, over all
        situations that were met: the smallest logit of a named node less the largest of another node, and of null; and the
        smallest logit of null less the largest of a node that is not named.

        If it is positive, a pointer is right whatever situations meet in one row: none of them has to win against another.
        None if there are no pointers.
        """
        gaps = [gap for _, gap, _ in self._gaps()]
        least = min(gaps, default=np.inf)
        return float(least) if np.isfinite(least) else None

    def thresholds(self) -> dict[str, float | None]:
        """Returns of each pointer a number that is below the logits of all nodes that it names, and above those of all other
        nodes and of null, over all situations that were met; None if there is none."""
        return {name: threshold if gap > 0 else None for name, gap, threshold in self._gaps()}

    def _gaps(self) -> Iterator[tuple[str, float, float]]:
        """Of each pointer its name, its separation, and the middle between the nodes that it names and all others."""
        for stage, table in enumerate(self.tables.stages):
            decoder = table.stage.decoder
            start, null = 0, sum(field.categories or 1 for field in decoder.graph_fields)
            for field in decoder.node_fields:
                if field.kind == "pointer":
                    values, logits = self.nodes[stage][field.name], table.node_logits[:, start]
                    named = logits[values != 0].min(initial=np.inf)  # a contradiction counts on both sides
                    others = logits[values != 1].max(initial=-np.inf)
                    gap = np.inf
                    if field.null:
                        nulls = table.graph_logits[:, null]
                        gap = nulls.min() - others
                        others = max(others, nulls.max())
                        null += 1
                    yield field.name, float(min(gap, named - others)), float((named + others) / 2)
                start += field.categories or 1

    def _all(self) -> Iterator[tuple[str, np.ndarray]]:
        for part in (*self.nodes, *self.graphs):
            yield from part.items()


def _note(part: dict[str, np.ndarray], field: Field, total: int, numbers: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Takes in the values of a field in some situations, and returns those in all situations so far."""
    known = part.get(field.name, np.zeros(0, np.int64))
    known = part[field.name] = np.concatenate([known, np.full(total - len(known), UNKNOWN, np.int64)])
    new = known[numbers] == UNKNOWN
    known[numbers[new]] = values[new]
    known[numbers[known[numbers] != values]] = CONTRADICTION
    return known
