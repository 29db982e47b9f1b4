"""Lessons: rows that verification found wrong or unsure, from which training goes on.

lessons.json    in the run directory: the lessons of each phase, so that a resumed run draws the same batches
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from recursor.algorithms import find
from recursor.graphs.graph import Graph, from_edges
from recursor.network.reasoner import Reasoner
from recursor.recording.rows import Recording
from recursor.system.files import DamagedFileError, parse_json, read_whole, write_atomically
from recursor.training.consolidation import Examples, consolidate, examples_of, joined
from recursor.verification.report import Report
from recursor.verification.verify import Verifier, verify_reasoner

SIZES = (*range(1, 33), 48, 64, 97, 129)
"""Sizes of the random inputs that are verified between two phases."""
LARGEST = 24
"""Larger graphs are no lessons: every batch would be padded to their size."""
MOST_WRONG, MOST_RARE = 1500, 300
CONSOLIDATIONS, SURE = 4, 0.25
"""How often a network is consolidated and verified again, at most, and the smallest margin that is large enough."""
FILE = "lessons.json"


class Lesson(NamedTuple):
    """A row of an execution."""

    graph: Graph
    row: int
    """The network learns to predict the row after this one."""


class Outcome(NamedTuple):
    """What came of verifying a network under training."""

    reasoner: Reasoner
    """The network itself, or what consolidation made of it."""
    report: Report
    """Of that network."""
    lessons: list[Lesson]
    """The rows to learn from."""


def examine(reasoner: Reasoner, seed: int, *, keep_processor: bool = False) -> Outcome:
    """Verifies a reasoner, and consolidates it if its situations tell the algorithm's decisions apart.

    Args:
        reasoner: A network under training.
        seed: Of the random inputs, and of the choice among too many lessons.
        keep_processor: Whether consolidation leaves the processor as it is.

    Returns:
        The network, the report, and the rows to learn from: wrong ones, contradictory and unsure ones, and one for each rare
        situation.
    """
    small = find(reasoner.spec.algorithm).small_size
    report, verifier = verify_reasoner(reasoner, small_size=small, sizes=SIZES, seed=seed)
    examples: Examples = ()
    for attempt in range(CONSOLIDATIONS):
        by = verifier.by_situation
        if by is None or report.contradictions:
            break
        examples = joined(examples, examples_of(by.tables, by.targets))
        reasoner, margin = consolidate(reasoner, examples, seed + attempt, keep_processor=keep_processor)
        report, verifier = verify_reasoner(reasoner, small_size=small, sizes=SIZES, seed=seed + 1000 * (attempt + 1))
        if margin < 0 or (report.passed and (report.margin or 0.0) >= SURE):
            break
    return Outcome(reasoner, report, _find_lessons(verifier, np.random.default_rng(seed)))


def _find_lessons(verifier: Verifier, rng: np.random.Generator) -> list[Lesson]:
    wrong = [(found.recording, found.row - 1) for found in verifier.wrong]
    rare: list[tuple[Recording, int]] = []
    by = verifier.by_situation
    if by is not None:
        wrong += by.contradictory
        rare += [(recording, row) for _, recording, row, _ in by.unsure]
        rare += [by.examples[number] for number in by.rare(2)]
    return [*_lessons(wrong, MOST_WRONG, rng), *_lessons(rare, MOST_RARE, rng)]


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
