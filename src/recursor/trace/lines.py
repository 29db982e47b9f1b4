"""Source lines of predicted rows.

A network predicts the fields of a row, not its source line. A row that equals the recorded row gets its line. Any other row
is compared with all recorded rows of the same op, by features that do not depend on node indices: the node categories and
masks at the nodes that pointers name, which pointers name the same node, and the graph categories and masks. The row gets
the line of the most similar recorded row; among equally similar ones, the most frequent line. For example, in a noop row of
depth-first search, a white u means that a root was found, and a grey u that the node is being discovered.
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
    """Returns the source line of each row, 0 if no recorded row has its op. `same` marks the rows that equal the recorded
    ones."""
    features, known = _features(spec, rows), _features(spec, recorded)
    frequent = Counter(lines.tolist())
    predicted_lines = []
    for row in range(len(features)):
        if same[row]:
            predicted_lines.append(int(lines[row]))
            continue
        candidates = np.flatnonzero(known[:, 0] == features[row, 0])
        if not len(candidates):
            predicted_lines.append(0)
            continue
        alike = (known[candidates] == features[row]).sum(1)
        best = lines[candidates[alike == alike.max()]].tolist()
        predicted_lines.append(max(set(best), key=lambda line: (frequent[line], -line)))
    return np.array(predicted_lines, np.int32)


def _features(spec: Spec, rows: Mapping[str, np.ndarray]) -> np.ndarray:
    """Returns the features by which rows are compared, [rows, features]. The first is the op (0 if the view has no ops)."""
    length = len(next(iter(rows.values())))
    fields = [field for field in spec.hints if field.name in rows and field.name != "done"]
    features = [rows["stack_op"] if "stack_op" in rows else np.zeros(length, int)]
    features += [rows[f.name] for f in fields if f.place == "graph" and f.kind in DISCRETE and f.name != "stack_op"]
    pointers = [rows[field.name] for field in fields if field.place == "graph" and field.kind == "pointer"]
    features += [(a == b).astype(int) for a, b in combinations(pointers, 2)]
    for field in fields:
        if field.place == "node" and field.kind in DISCRETE:
            values = rows[field.name]
            for pointer in pointers:
                valid = (pointer >= 0) & (pointer < values.shape[1])
                at = np.take_along_axis(values, np.where(valid, pointer, 0)[:, None], 1)[:, 0]
                features.append(np.where(valid, at, -1))
    return np.stack(features, 1)
