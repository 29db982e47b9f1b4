"""Lessons: rows that verification found wrong or unsure, from which training goes on.

lessons.json    in the run directory: the lessons of each phase, so that a resumed run draws the same batches
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from recursor.graphs.graph import Graph, from_edges
from recursor.network.reasoner import Reasoner
from recursor.recording.rows import Recording
from recursor.system.files import DamagedFileError, parse_json, read_whole, write_atomically
from recursor.verification.verify import Report, verify_reasoner

SIZES = (*range(1, 33), 48, 64)
"""Sizes of the random inputs that are verified between two phases."""
LARGEST = 24
"""Larger graphs are no lessons: every batch would be padded to their size."""
MOST_WRONG, MOST_RARE = 1500, 300
FILE = "lessons.json"


class Lesson(NamedTuple):
    """A row of an execution."""

    graph: Graph
    row: int
    """The network learns to predict the row after this one."""


def find_lessons(reasoner: Reasoner, seed: int) -> tuple[Report, list[Lesson]]:
    """Verifies a reasoner.

    Args:
        reasoner: A network under training.
        seed: Of the random inputs, and of the choice among too many lessons.

    Returns:
        The report, and the rows to learn from: those that are wrong, unsure ones, and one for each rare situation.
    """
    report, verifier = verify_reasoner(reasoner, sizes=SIZES, seed=seed)
    rng = np.random.default_rng(seed)
    wrong = [(found.recording, found.row - 1) for found in verifier.wrong]
    rare: list[tuple[Recording, int]] = []
    if verifier.by_situation is not None:
        rare += [(recording, row) for _, recording, row, _ in verifier.by_situation.unsure]
        rare += [verifier.by_situation.examples[number] for number in verifier.by_situation.rare(2)]
    return report, [*_lessons(wrong, MOST_WRONG, rng), *_lessons(rare, MOST_RARE, rng)]


def _lessons(found: Sequence[tuple[Recording, int]], most: int, rng: np.random.Generator) -> list[Lesson]:
    small = [Lesson(recording.graph, max(0, row)) for recording, row in found if len(recording.graph) <= LARGEST]
    if len(small) <= most:
        return small
    return [small[place] for place in sorted(rng.choice(len(small), most, replace=False).tolist())]


def write_lessons(directory: Path, phases: Sequence[Sequence[Lesson]]) -> None:
    """Keeps the lessons of all phases."""
    write_atomically(directory / FILE, json.dumps([[_plain(lesson) for lesson in phase] for phase in phases]).encode())


def read_lessons(directory: Path) -> list[list[Lesson]]:
    """Returns the lessons of all phases so far; none if there are none yet."""
    path = directory / FILE
    if not path.exists():
        return []
    try:
        return [[_lesson(plain) for plain in phase] for phase in parse_json(read_whole(path))]
    except (ValueError, KeyError, TypeError, IndexError, RecursionError) as error:
        raise DamagedFileError(path, f"it holds no lessons ({error}); start the run again in another directory") from None


def _plain(lesson: Lesson) -> dict[str, Any]:
    graph = lesson.graph
    values = {name: [np.asarray(numbers).dtype.str, np.asarray(numbers).tolist()] for name, numbers in graph.values.items()}
    ends = [graph.senders.tolist(), graph.receivers.tolist()]
    return {"row": lesson.row, "nodes": len(graph), "ends": ends, "values": values}


def _lesson(plain: dict[str, Any]) -> Lesson:
    senders, receivers = (np.array(end, np.int64) for end in plain["ends"])
    values = {name: np.array(numbers, dtype) for name, (dtype, numbers) in plain["values"].items()}
    return Lesson(from_edges(senders, receivers, int(plain["nodes"]), values=values), int(plain["row"]))
