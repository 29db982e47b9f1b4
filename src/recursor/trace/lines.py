"""Which source line a predicted row belongs to.

A network predicts the fields of a row, not its line. Where a row is the recorded one, its line is the recorded one. Any
other row is compared with all recorded rows of the same op, by what can be compared between different nodes: the node
categories and masks at the nodes that the row's pointers name, which pointers name the same node, and the graph's own
categories and masks. It gets the line of the recorded row that is most alike, the most frequent one among equals. In
depth-first search, a noop row whose u is white is where a root is found, and one whose u is grey is where it is discovered.
"""

from collections import Counter
from collections.abc import Mapping
from itertools import combinations

import numpy as np

from recursor.spec import Spec

DISCRETE = ("category", "mask")


def lines_of(
    spec: Spec, rows: Mapping[str, np.ndarray], recorded: Mapping[str, np.ndarray], lines: np.ndarray, same: np.ndarray
) -> np.ndarray:
    """The line of each row; `same` says which rows are the recorded ones. 0 where nothing recorded has its op."""
    marks, known = _marks(spec, rows), _marks(spec, recorded)
    frequent = Counter(lines.tolist())
    found = []
    for row in range(len(marks)):
        if same[row]:
            found.append(int(lines[row]))
            continue
        candidates = np.flatnonzero(known[:, 0] == marks[row, 0])
        if not len(candidates):
            found.append(0)
            continue
        alike = (known[candidates] == marks[row]).sum(1)
        best = lines[candidates[alike == alike.max()]].tolist()
        found.append(max(set(best), key=lambda line: (frequent[line], -line)))
    return np.array(found, np.int32)


def _marks(spec: Spec, rows: Mapping[str, np.ndarray]) -> np.ndarray:
    """What of a row can be compared between different nodes, [rows, marks]; first comes the op, if there is one."""
    length = len(next(iter(rows.values())))
    fields = [field for field in spec.hints if field.name in rows and field.name != "done"]
    marks = [rows["stack_op"] if "stack_op" in rows else np.zeros(length, int)]
    marks += [rows[f.name] for f in fields if f.place == "graph" and f.kind in DISCRETE and f.name != "stack_op"]
    pointers = [rows[field.name] for field in fields if field.place == "graph" and field.kind == "pointer"]
    marks += [(a == b).astype(int) for a, b in combinations(pointers, 2)]
    for field in fields:
        if field.place == "node" and field.kind in DISCRETE:
            values = rows[field.name]
            for pointer in pointers:
                there = (pointer >= 0) & (pointer < values.shape[1])
                at = np.take_along_axis(values, np.where(there, pointer, 0)[:, None], 1)[:, 0]
                marks.append(np.where(there, at, -1))
    return np.stack(marks, 1)
