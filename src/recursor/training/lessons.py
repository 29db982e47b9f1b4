"""Lessons: rows that a network gets wrong, or right by a small margin. Training continues with them.

Between two phases of training the network is verified. What it finds is added to the lessons of the next phase.

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
from recursor.training.consolidation import Examples, consolidate, examples_of, joined, size
from recursor.verification.report import Report
from recursor.verification.verify import Verifier, verify_reasoner

SIZES = (*range(1, 33), 48, 64, 97, 129)
"""Sizes of the random inputs that are verified between two phases."""
SEARCH = 16_384
"""Inputs that are searched between two phases."""
LARGEST = 24
"""Larger graphs are no lessons: every batch would be padded to their size."""
MOST_WRONG, MOST_RARE = 1500, 300
"""The largest numbers of lessons of one phase: wrong and contradictory rows, and unsure and rare ones."""
CONSOLIDATIONS = 6
"""How often a network is consolidated and verified again, at most."""
TWICE = 2
"""A network that passes firmly so often in a row, on different random and searched inputs, needs no further consolidation,
even if its list of situations still grows."""
FILE = "lessons.json"


class Lesson(NamedTuple):
    """A row of an execution."""

    graph: Graph
    row: int
    """The network learns to predict the row after this one."""


class Outcome(NamedTuple):
    """The result of `examine`."""

    reasoner: Reasoner
    """The network after consolidation; unchanged if it was not consolidated."""
    report: Report
    """The last verification of that network."""
    lessons: list[Lesson]
    """The rows to learn from."""


def examine(reasoner: Reasoner, seed: int, *, keep_processor: bool = False) -> Outcome:
    """Verifies a reasoner, and consolidates it if it can be made right: if no situation needs two different decisions.

    Args:
        reasoner: A network under training.
        seed: The seed of the random inputs, and of the choice of lessons if there are too many.
        keep_processor: Whether consolidation leaves the processor as it is.

    Returns:
        The network, the report, and the rows to learn from: wrong ones, contradictory and unsure ones, and one for each rare
        situation.
    """
    small = find(reasoner.spec.algorithm).small_size
    report, verifier = verify_reasoner(reasoner, small_size=small, sizes=SIZES, search=SEARCH, seed=seed)
    examples: Examples = ()
    in_a_row = 0
    for attempt in range(CONSOLIDATIONS):
        by_situation = verifier.by_situation
        if by_situation is None or report.contradictions:
            break
        before, examples = size(examples), joined(examples, examples_of(by_situation.tables, by_situation.targets))
        if report.firm and (in_a_row == TWICE or size(examples) == before):
            break
        reasoner, margin = consolidate(reasoner, examples, seed + attempt, keep_processor=keep_processor)
        again = seed + 1000 * (attempt + 1)
        report, verifier = verify_reasoner(reasoner, small_size=small, sizes=SIZES, search=SEARCH, seed=again)
        in_a_row = in_a_row + 1 if report.firm else 0
        if margin < 0:
            break
    return Outcome(reasoner, report, _find_lessons(verifier, np.random.default_rng(seed)))


def _find_lessons(verifier: Verifier, rng: np.random.Generator) -> list[Lesson]:
    # A lesson is the row before the one that is to be learnt.
    wrong = [(found.recording, found.row - 1) for found in verifier.wrong]
    rare: list[tuple[Recording, int]] = []
    by_situation = verifier.by_situation
    if by_situation is not None:
        wrong += by_situation.contradictory
        rare += [(recording, row) for _, recording, row, _ in by_situation.unsure]
        rare += [by_situation.examples[number] for number in by_situation.rare(2)]
    return [*_choose_lessons(wrong, MOST_WRONG, rng), *_choose_lessons(rare, MOST_RARE, rng)]


def _choose_lessons(found: Sequence[tuple[Recording, int]], most: int, rng: np.random.Generator) -> list[Lesson]:
    small = [Lesson(recording.graph, max(0, row)) for recording, row in found if len(recording.graph) <= LARGEST]
    if len(small) <= most:
        return small
    return [small[place] for place in sorted(rng.choice(len(small), most, replace=False).tolist())]


def write_lessons(directory: Path, phases: Sequence[Sequence[Lesson]]) -> None:
    """Writes the lessons of all phases into a run directory."""
    write_atomically(directory / FILE, json.dumps([[_to_json(lesson) for lesson in phase] for phase in phases]).encode())


def read_lessons(directory: Path) -> list[list[Lesson]]:
    """Returns the lessons of all phases so far; an empty list if no phase has ended yet."""
    path = directory / FILE
    if not path.exists():
        return []
    try:
        return [[_from_json(plain) for plain in phase] for phase in parse_json(read_whole(path))]
    except (ValueError, KeyError, TypeError, IndexError, RecursionError) as error:
        raise DamagedFileError(path, f"it holds no lessons ({error}); start the run again in another directory") from None


def _to_json(lesson: Lesson) -> dict[str, Any]:
    graph = lesson.graph
    values = {name: [np.asarray(numbers).dtype.str, np.asarray(numbers).tolist()] for name, numbers in graph.values.items()}
    ends = [graph.senders.tolist(), graph.receivers.tolist()]
    return {"row": lesson.row, "nodes": len(graph), "ends": ends, "values": values}


def _from_json(plain: dict[str, Any]) -> Lesson:
    senders, receivers = (np.array(end, np.int64) for end in plain["ends"])
    values = {name: np.array(numbers, dtype) for name, (dtype, numbers) in plain["values"].items()}
    return Lesson(from_edges(senders, receivers, int(plain["nodes"]), values=values), int(plain["row"]))
