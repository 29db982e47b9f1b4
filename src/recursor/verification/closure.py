r"""For every size: all situations that the kinds of pairs allow, whether they were met or not.

A row of any size is made of nodes, and every two of them are a kind of pair. `Kinds` lists these. Suppose that inputs of all
sizes show no other kinds. Then what a node can hear is a union of what its kinds of partners say: each landmark says one
thing, and any set of the other nodes may be there. These unions can be listed, round after round:

$$ A^1(i) = \{\, \textstyle\bigvee_{j \in J} \text{said}_j \wedge \text{mask}(i, j) \,\} $$

In the second round, nodes of one row have heard the same from everyone, and each has heard what its partners said in the
first round. A set of partners is only possible if they say, in the first round, exactly what the node has heard. That
excludes most unions.

All that can occur in a row is found in this way. Some that is found may not occur: three nodes may be impossible together
although each two of them are possible.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from recursor.situations.kinds import Kinds
from recursor.situations.tables import Tables

MOST_STATES = 100_000
"""Unions of one node; if there are more, the enumeration gives up."""

MOST_WORK = 50_000_000
"""Partners and unions of all nodes that are looked at, which takes a minute or two; then the enumeration gives up, too."""


class TooManyError(Exception):
    """The enumeration has reached its bound."""


class Partner(NamedTuple):
    """What a node can be to another one: its situation before the first round, and the relation to it."""

    type: int
    relation: int


@dataclass
class RowKind:
    """A kind of row: the landmarks, the other nodes that may be there, and who can be what to whom."""

    landmarks: tuple[int, ...]
    types: tuple[int, ...]
    loops: dict[int, list[int]]
    """Of each type the relations to itself."""
    partners: dict[int, list[Partner]]


class Node(NamedTuple):
    """A situation after the first round."""

    type: int
    heard: int


@dataclass
class Allowed:
    """What is allowed after each round: (type, heard) and (type, heard, heard)."""

    first: set[tuple[int, int]]
    second: set[tuple[int, int, int]]


def row_kinds(kinds: Kinds) -> list[RowKind]:
    """Returns the kinds of rows, one for each skeleton."""
    keys = kinds.pairs.keys
    skeletons, first, second = keys >> 48, (keys >> 28) & 0xFFFFF, (keys >> 8) & 0xFFFFF
    codes = keys & 0xFF
    found = []
    for skeleton in np.unique(skeletons).tolist():
        chosen = skeletons == skeleton
        types = np.unique(first[chosen])
        landmarks = types[kinds.landmarks(types).any(-1)]
        loops: dict[int, list[int]] = {kind: [] for kind in types.tolist()}
        partners: dict[int, list[Partner]] = {kind: [] for kind in types.tolist()}
        for one, other, code in zip(first[chosen].tolist(), second[chosen].tolist(), codes[chosen].tolist(), strict=True):
            if kinds.relation.places[0, code]:
                partners[one].append(Partner(other, code))
            else:
                loops[one].append(code)
        found.append(RowKind(tuple(landmarks.tolist()), tuple(types.tolist()), loops, partners))
    return found


class Closure:
    """Lists what is allowed.

    Args:
        kinds: The kinds of pairs.
        tables: Those of the network that the kinds were collected with.
        most: The bound on the unions of one node.
    """

    def __init__(self, kinds: Kinds, tables: Tables, most: int = MOST_STATES) -> None:
        if tables.rounds != 2:
            raise ValueError(f"situations are listed for networks of two rounds; this one has {tables.rounds}")
        self.kinds, self.tables, self.most = kinds, tables, most
        self.work = 0
        self.mask = [int(mask) for mask in kinds.relation.mask]
        self.reverse = kinds.relation.reverse.tolist()
        self.everyone = kinds.relation.everyone
        self.scratch = tables.copy_types()
        self.word = [int(word) for word in self.scratch.levels[0].word]

    def enumerate(self, progress: Callable[[str], None] = lambda text: None) -> Allowed:
        """Returns everything that is allowed.

        Raises:
            TooManyError: If there are too many unions.
        """
        rows = row_kinds(self.kinds)
        heard = []
        for place, row in enumerate(rows):
            progress(f"first round: kind of row {place + 1} of {len(rows)}")
            heard.append({kind: self._first(row, kind) for kind in row.types})
        every = sorted({(kind, word) for one in heard for kind, words in one.items() for word in words})
        numbers = self.scratch.next_situations(1, *(np.array(column, np.int64) for column in zip(*every, strict=True)))
        said = dict(zip(every, self.scratch.levels[1].word[numbers].tolist(), strict=True))
        allowed = Allowed(set(), set())
        for place, (row, words) in enumerate(zip(rows, heard, strict=True)):
            progress(f"second round: kind of row {place + 1} of {len(rows)}")
            for nodes in self._by_everyone(row, words):
                found = self._second(row, nodes, said)
                for node, seconds in found.items():
                    if seconds:
                        allowed.first.add(node)
                        allowed.second |= {(node.type, node.heard, word) for word in seconds}
        return allowed

    def _first(self, row: RowKind, kind: int) -> list[int]:
        """What a node of a type can hear in the first round."""
        choices = [[self.word[kind] & self.mask[code] for code in row.loops[kind]]]
        choices += [
            [self.word[kind_] & self.mask[code] for kind_, code in row.partners[kind] if kind_ == landmark]
            for landmark in row.landmarks
            if landmark != kind
        ]
        free = [self.word[other] & self.mask[code] for other, code in row.partners[kind] if other not in row.landmarks]
        return self._unions(choices, free).tolist()

    def _by_everyone(self, row: RowKind, words: dict[int, list[int]]) -> Iterator[dict[int, list[Node]]]:
        """The nodes that have heard the same from everyone, by type, if all landmarks are among them."""
        for everyone in sorted({word & self.everyone for each in words.values() for word in each}):
            nodes = {
                kind: found
                for kind, each in words.items()
                if (found := [Node(kind, word) for word in each if word & self.everyone == everyone])
            }
            if set(row.landmarks) <= set(nodes):
                yield nodes

    def _second(self, row: RowKind, nodes: dict[int, list[Node]], said: dict[tuple[int, int], int]) -> dict[Node, list[int]]:
        """What each node can hear in the second round; nodes that cannot have heard what they have are taken away."""
        live = 0
        for each in nodes.values():
            for node in each:
                live |= said[node]
        pack = _Pack(live, int(np.bitwise_or.reduce(np.array([self.word[kind] for kind in nodes], np.int64))))
        while True:
            found = {node: self._hear_again(row, node, nodes, said, pack) for each in nodes.values() for node in each}
            impossible = {node for node, words in found.items() if not words}
            if not impossible:
                return found
            nodes = {
                kind: left for kind, each in nodes.items() if (left := [node for node in each if node not in impossible])
            }
            if not set(row.landmarks) <= set(nodes):
                return {}

    def _hear_again(
        self, row: RowKind, node: Node, nodes: dict[int, list[Node]], said: dict[tuple[int, int], int], pack: "_Pack"
    ) -> list[int]:
        word, heard = self.word[node.type], node.heard
        choices = [
            [
                pack(word & self.mask[code], said[node] & self.mask[code])
                for code in row.loops[node.type]
                if word & self.mask[code] & ~heard == 0
            ]
        ]
        of_landmarks: dict[int, set[int]] = {landmark: set() for landmark in row.landmarks if landmark != node.type}
        free: set[int] = set()
        for other, code in row.partners[node.type]:
            first = self.word[other] & self.mask[code]
            if first & ~heard:
                continue
            back = word & self.mask[self.reverse[code]]
            into = of_landmarks.get(other, free)
            for partner in nodes.get(other, ()):
                self.work += 1
                if not back & ~partner.heard:
                    into.add(pack(first, said[partner] & self.mask[code]))
        if not all(of_landmarks.values()) or not choices[0]:
            return []
        states = self._unions([*choices, *map(list, of_landmarks.values())], list(free))
        return pack.second(states, heard)

    def _unions(self, choices: list[list[int]], free: list[int]) -> np.ndarray:
        """All unions of one of each list of choices and any of the free words."""
        states = np.zeros(1, np.int64)
        for choice in choices:
            states = np.unique(states[:, None] | np.array(sorted(set(choice)), np.int64))
            self._bound(states)
        for word in sorted(set(free)):
            more = states | word
            if (more != states).any():
                states = np.unique(np.concatenate([states, more]))
                self._bound(states)
        return states

    def _bound(self, states: np.ndarray) -> None:
        self.work += len(states)
        if self.work > MOST_WORK:
            raise TooManyError(f"more than {MOST_WORK} partners and unions were looked at")
        if len(states) > self.most:
            raise TooManyError(f"one node can hear more than {self.most} different unions")


class _Pack:
    """Two words as one, without the bits that nobody says."""

    def __init__(self, live: int, live_first: int) -> None:
        self.places = [[bit for bit in range(64) if word >> bit & 1] for word in (live_first, live)]
        self.shift = len(self.places[0])
        if self.shift + len(self.places[1]) > 62:
            raise TooManyError(f"nodes say {self.shift + len(self.places[1])} bits in two rounds, more than 62")
        self._known: tuple[dict[int, int], dict[int, int]] = {}, {}

    def __call__(self, first: int, second: int) -> int:
        return self._half(0, first) | self._half(1, second) << self.shift

    def _half(self, half: int, word: int) -> int:
        known = self._known[half]
        if word not in known:
            known[word] = sum((word >> bit & 1) << place for place, bit in enumerate(self.places[half]))
        return known[word]

    def second(self, states: np.ndarray, first: int) -> list[int]:
        """Returns the second words of those states that have the given first word."""
        if any(first >> bit & 1 for bit in range(64) if bit not in self.places[0]):
            return []
        chosen = states[states & ((1 << self.shift) - 1) == self._half(0, first)] >> self.shift
        words = np.zeros_like(chosen)
        for place, bit in enumerate(self.places[1]):
            words |= (chosen >> place & 1) << bit
        return words.tolist()
