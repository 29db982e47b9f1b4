"""For every size: which decisions the rows call for that are made of situations that can meet.

A stage of the decoder decides about a node by its situation, by the values of the stages before and by the pointers that
name it. About the graph it decides by the graph's values and by what all nodes say to it, united. `Closure` lists which
situations can meet in one row: one of each landmark's, and any set of the others. The unions of what such nodes say are
listed here, stage after stage. These are left out:

- sets with a node that cannot be beside the one that is decided about;
- sets in which a pointer names two nodes, or none although it cannot be null;
- sets without a first or last node in an order of all nodes, or without a node that every row of the kind has;
- sets that do not say to everyone what everyone has heard;
- sets that say a bit along an order which no node of them is the first to say (`packing`);
- sets that hear what none of them says.
"""

from collections.abc import Callable, Mapping
from functools import reduce
from typing import NamedTuple

import numpy as np

from recursor.situations.decisions import StageTable, decide
from recursor.situations.tables import Tables
from recursor.verification.closure import Allowed, Closure, Meeting
from recursor.verification.columns import MOST_BITS, Columns, side_by_side, width
from recursor.verification.links import Situation
from recursor.verification.packing import TooManyError
from recursor.verification.targets import Targets

MOST_UNIONS = 100_000
"""Unions of one row; if there are more, the enumeration gives up."""

MOST_WORK = 20_000_000_000
"""Unions of all rows that are computed, which takes some ten minutes; then the enumeration gives up, too."""


class NodeDecision(NamedTuple):
    """What a stage decides about a node by."""

    stage: int
    situation: Situation
    combination: int
    flags: int


class GraphDecision(NamedTuple):
    """What a stage decides about the graph by."""

    stage: int
    graph: int
    combination: int
    pooled: int


class Decisions(NamedTuple):
    """What is decided in rows: as `met_decisions` has seen them, or as `allowed_decisions` has listed them."""

    nodes: set[NodeDecision]
    graphs: set[GraphDecision]


def met_decisions(tables: Tables) -> Decisions:
    """Returns the decisions that were met."""
    met = Decisions(set(), set())
    situations = [tuple(one) for one in tables.heard_in(2).tolist()]
    for place, table in enumerate(tables.stages):
        for key in table.nodes.keys.tolist():
            combination = int(tables.combinations.keys[key >> 16 & 0xFFFFF])
            met.nodes.add(NodeDecision(place, situations[key >> 36], combination, key & 0xFFFF))
        for key in table.graphs.keys.tolist():
            combination = int(tables.combinations.keys[key >> 28 & 0xFFFFF])
            met.graphs.add(GraphDecision(place, key >> 48, combination, int(table.pooled.keys[key & 0xFFFFFFF])))
    return met


def allowed_decisions(
    closure: Closure, allowed: Allowed, targets: Targets, progress: Callable[[str], None] = lambda text: None
) -> Decisions:
    """Returns all decisions that the rows can call for which are made of allowed situations.

    Args:
        closure: What listed the allowed situations.
        allowed: These.
        targets: What the algorithm does in the situations that were met.
        progress: Is told how far it is.

    Raises:
        TooManyError: If there are too many unions, or if two nodes can compete for a pointer.
    """
    found = Decisions(set(), set())
    listing = _Listing(closure, targets, found)
    for place, meeting in enumerate(sorted(allowed.meetings, key=lambda one: (one.everyone, len(one.others)))):
        progress(f"decisions: row {place + 1} of {len(allowed.meetings)}")
        listing.add(meeting)
    return found


class _Row(NamedTuple):
    """Nodes that can meet in a row: the places in `situations` of each landmark's and of the others."""

    everyone: tuple[int, ...]
    landmarks: list[list[int]]
    others: list[int]
    present: np.ndarray
    """Of each situation which of those that must be there it can be: a bit for each."""

    @property
    def members(self) -> list[int]:
        """All nodes that may be there."""
        return sorted({*self.others}.union(*self.landmarks))


class _Listing:
    """Goes through the stages of rows that are made of allowed situations."""

    def __init__(self, closure: Closure, targets: Targets, found: Decisions) -> None:
        self.closure, self.tables, self.found = closure, closure.scratch, found
        self.united = 0
        """How many unions were computed."""
        self.thresholds = targets.thresholds()
        if None in self.thresholds.values():
            names = ", ".join(name for name, threshold in self.thresholds.items() if threshold is None)
            raise TooManyError(f"nodes compete for {names}: the separation is not positive")
        self.pointers = {name: bit for bit, name in enumerate(self.thresholds)}
        fields = [field for table in self.tables.stages for field in table.stage.decoder.node_fields]
        self.required = sum(1 << self.pointers[field.name] for field in fields if field.kind == "pointer" and not field.null)

    def add(self, meeting: Meeting) -> None:
        """Lists what the rows of a meeting call for."""
        self.situations: list[Situation] = sorted(meeting.others.union(*meeting.landmarks))
        place = {situation: number for number, situation in enumerate(self.situations)}
        types, first, second = (np.array(column, np.int64) for column in zip(*self.situations, strict=True))
        middle = self.tables.next_situations(1, types, first)
        self.numbers = self.tables.next_situations(2, middle, second)
        self.words = [self.tables.levels[0].word[types], self.tables.levels[1].word[middle]]
        self.heard = [first, second]
        self.graph = int(self.tables.levels[0].index.keys[types[0]] >> 32)
        row = _Row(
            meeting.everyone,
            [sorted(place[one] for one in landmark) for landmark in meeting.landmarks],
            sorted(place[one] for one in meeting.others),
            sum(
                (
                    np.array([one in part for one in self.situations], np.int64) << bit
                    for bit, part in enumerate(meeting.present)
                ),
                np.zeros(len(self.situations), np.int64),
            ),
        )
        self.presences = (1 << len(meeting.present)) - 1
        everything = frozenset(self.situations)
        self.beside = [
            {place[other] for other in everything & {one, *meeting.beside.get(one, everything)}} for one in self.situations
        ]
        self._stage(0, row, {}, np.zeros(len(self.situations), np.int64))

    def _stage(self, number: int, row: _Row, known: Mapping[str, int], named: np.ndarray) -> None:
        """Lists what a stage and those after it decide.

        Args:
            number: That of the stage.
            row: The nodes that may be there.
            known: The graph's values that are decided already.
            named: Which pointers name the nodes: of each situation a bit for every pointer.
        """
        if number == len(self.tables.stages):
            return
        table = self.tables.stages[number]
        combination = int(table.combination({name: np.array([value]) for name, value in known.items()}, 1)[0])
        flags = np.zeros_like(named)
        for bit, field in enumerate(table.pointers):
            flags |= (named >> self.pointers[field.name] & 1) << bit
        entries = table.of_nodes(self.numbers, np.full(len(flags), combination), flags)
        named = named | self._names(table, entries)
        rows: dict[int, _Row] = {}
        if table.decodes_graph:
            rows = self._rows(row, table.word[entries], named)
        there = {one for part in (rows.values() if table.decodes_graph else [row]) for one in part.members}
        for one in there:
            self.found.nodes.add(NodeDecision(number, self.situations[one], combination, int(flags[one])))
        if not table.decodes_graph:
            self._stage(number + 1, row, known, named)
        for pooled, part in rows.items():
            self.found.graphs.add(GraphDecision(number, self.graph, combination, pooled))
            self._stage(number + 1, part, {**known, **self._values(table, combination, pooled)}, named)

    def _rows(self, row: _Row, said: np.ndarray, named: np.ndarray) -> dict[int, _Row]:
        """The rows by what all nodes say to the graph: with those nodes that can be in such a row."""
        columns = self._columns(row, said, named)
        members, states = self._states(row, columns)
        pooled, possible = self._possible(row, columns, states)
        found: dict[int, set[int]] = {}
        for union, one in np.unique(np.stack([pooled, members], 1)[possible], axis=0).tolist():
            found.setdefault(union, set()).add(one)
        return {
            pooled: _Row(
                row.everyone,
                [[one for one in part if one in members] for part in row.landmarks],
                [one for one in row.others if one in members],
                row.present,
            )
            for pooled, members in found.items()
        }

    def _names(self, table: StageTable, entries: np.ndarray) -> np.ndarray:
        """Which pointers of a stage name the nodes: a bit for every pointer."""
        named, start = np.zeros(len(entries), np.int64), 0
        for field in table.stage.decoder.node_fields:
            if field.kind == "pointer":
                threshold = self.thresholds[field.name]
                assert threshold is not None
                logits = table.node_logits[entries, start]
                named |= (logits > threshold).astype(np.int64) << self.pointers[field.name]
            start += field.categories or 1
        return named

    def _values(self, table: StageTable, combination: int, pooled: int) -> dict[str, int]:
        """The values that a stage decides on for the graph."""
        one = np.array([self.graph]), np.array([combination]), np.array([pooled])
        entry = table.of_graphs(*one, self.tables.graph_channels)
        logits, start = table.graph_logits[entry], 0
        values = {}
        for field in table.stage.decoder.graph_fields:
            width = field.categories or 1
            values[field.name] = int(decide(field, logits[:, start : start + width])[0][0])
            start += width
        return values

    def _ends(self) -> np.ndarray:
        """Which nodes can be at the end of an order: a bit for every end. Nobody is heard from beyond it."""
        either = self.heard[0] | self.heard[1]
        found = np.zeros_like(either)
        for bit, end in enumerate(self.closure.ends):
            found |= ((either & end) == 0).astype(np.int64) << bit
        return found

    def _columns(self, row: _Row, said: np.ndarray, named: np.ndarray) -> Columns:
        """What the nodes of a row say to the graph, and what is known about them."""
        everyone, orders = self.closure.everyone, self.closure.along_orders
        columns = [said, named, self._ends(), row.present, *self.words]
        begun = [word & orders & ~heard for word, heard in zip(self.words, self.heard, strict=True)]
        others = [word & ~everyone for word in self.heard]
        for more in (begun, others):  # as many rules as there is room for
            if width([*columns, *more]) > MOST_BITS:
                break
            columns += more
        return side_by_side(columns)

    def _states(self, row: _Row, columns: Columns) -> tuple[np.ndarray, np.ndarray]:
        """All unions of one situation of each landmark and any set of the others, for each situation of them with those that
        can be beside it: the situations, and the unions."""
        packed = columns.packed
        flags = ((1 << len(columns.places[1])) - 1) << columns.starts[1]

        def unite(states: np.ndarray, more: np.ndarray) -> np.ndarray:
            """The unions of two, unless a pointer names a node of each."""
            self.united += len(states) * len(more)
            if self.united > MOST_WORK:
                raise TooManyError(f"more than {MOST_WORK} unions of rows were computed")
            apart = ((states[:, None] & more) & flags) == 0
            found = np.unique((states[:, None] | more)[apart])
            if len(found) > MOST_UNIONS:
                raise TooManyError(f"all nodes together can say more than {MOST_UNIONS} different things")
            return found

        known: dict[tuple[int, ...], np.ndarray] = {}
        members, states = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for one in row.members:
            beside = self.beside[one]
            others = tuple(other for other in row.others if other in beside)
            if others not in known:
                words = [np.array([0, word]) for word in np.unique(packed[list(others)]).tolist()]
                known[others] = reduce(unite, words, np.zeros(1, np.int64))
            chosen = [[one] if one in part else [other for other in part if other in beside] for part in row.landmarks]
            found = reduce(unite, [packed[part] for part in chosen], known[others])
            if one in row.others:
                found = unite(found, packed[[one]])
            members.append(np.full(len(found), one))
            states.append(found)
        return np.concatenate(members), np.concatenate(states)

    def _possible(self, row: _Row, columns: Columns, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What each union says to the graph, and whether there can be a row of it."""
        everyone, orders = self.closure.everyone, self.closure.along_orders
        pooled, names, ends, present, *words = columns.apart(states)
        possible = ((names & self.required) == self.required) & (ends == (1 << len(self.closure.ends)) - 1)
        possible &= present == self.presences
        for word, wanted in zip(words[:2], row.everyone, strict=True):
            possible &= (word & everyone) == wanted
        for word, first in zip(words[:2], words[2:4], strict=False):
            possible &= (word & orders) == first
        for word, heard in zip(words[:2], words[4:], strict=False):
            possible &= (heard & ~word) == 0
        return pooled, possible
