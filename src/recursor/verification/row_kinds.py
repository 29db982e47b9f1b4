"""Kinds of rows: the landmarks, the other nodes that may be there, and who can be what to whom."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from recursor.situations.kinds import Kinds, Presence
from recursor.verification.packing import TooManyError

MOST_STANDINGS = 200_000
"""Ways in which a node of one type can stand to the landmarks; if there are more, the enumeration gives up."""


class Partner(NamedTuple):
    """What a node can be to another one: its role, and the relation to it."""

    role: int
    relation: int


Standing = tuple[Partner, ...]
"""The landmarks as partners of a node; without the node itself."""
Words = Mapping[Partner, frozenset[int]]
"""Of landmarks the words that they may say."""


@dataclass
class RowKind:
    """A kind of row: the landmarks, the other nodes that may be there, and who can be what to whom."""

    landmarks: tuple[int, ...]
    roles: tuple[int, ...]
    loops: dict[int, list[int]]
    """Of each role the relations to itself."""
    partners: dict[int, list[Partner]]
    standings: dict[int, set[Standing]]
    """Of each type how such nodes stand to the landmarks."""
    always: frozenset[Presence]
    """What is there in every row, or for every node of a type."""
    groups: dict[int, frozenset[int]]
    """The types of each group."""
    holds: list[list[bool]]
    """Of each way in which one node can be there for another, and of each relation: whether it is."""
    _tables: dict[int, list["_Table"]] = field(default_factory=dict)

    def is_there(self, partner: Partner, presence: Presence) -> bool:
        """Returns whether a partner is what is always there for its owner."""
        return partner.role in self.groups[presence.group] and self.holds[presence.way][partner.relation]

    def owned(self, role: int) -> list[Presence]:
        """Returns what is there for every node of a type."""
        return [presence for presence in self.always if presence.owner == role]

    def ways(self, role: int, words: Words) -> Iterator[tuple[frozenset[Presence], set[tuple[frozenset[int], ...]]]]:
        """Yields what a node of a type can hear of all landmarks at once.

        Args:
            role: The type.
            words: What landmarks say; nothing of one that cannot be.

        Yields:
            What is there for every such node but is no landmark, and with it all that can be heard of the landmarks.
        """
        if role not in self._tables:
            by_lack: dict[frozenset[Presence], list[Standing]] = {}
            for standing in self.standings[role]:
                lack = frozenset(one for one in self.owned(role) if not any(self.is_there(other, one) for other in standing))
                by_lack.setdefault(lack, []).append(standing)
            self._tables[role] = [_Table(lack, standings) for lack, standings in by_lack.items()]
        for table in self._tables[role]:
            yield table.lack, table.ways(words)


class _Table:
    """Standings as places among the relations to landmarks, [standings, landmarks]."""

    def __init__(self, lack: frozenset[Presence], standings: Sequence[Standing]) -> None:
        self.lack = lack
        self.relations = sorted({one for standing in standings for one in standing})
        place = {one: number for number, one in enumerate(self.relations)}
        longest = max(map(len, standings))
        rows = [[*map(place.get, one), *[len(place)] * (longest - len(one))] for one in standings]
        self.places = np.array(rows, np.int64).reshape(len(rows), longest)

    def ways(self, words: Words) -> set[tuple[frozenset[int], ...]]:
        """Returns what can be heard of the landmarks, in all ways."""
        different: dict[frozenset[int], int] = {frozenset([0]): 0}  # of no landmark, nothing is heard
        numbers = [different.setdefault(words[one], len(different)) if one in words else -1 for one in self.relations]
        found = np.array([*numbers, 0])[self.places]
        found = found[(found >= 0).all(1)]
        _, first = np.unique(found @ len(different) ** np.arange(found.shape[1]), return_index=True)
        sets = [*different]
        return {tuple(sets[one] for one in way) for way in found[first].tolist()}


def row_kinds(kinds: Kinds) -> list[RowKind]:
    """Returns the kinds of rows, one for each skeleton."""
    keys = kinds.pairs.keys
    skeletons, first, second = keys >> 48, (keys >> 28) & 0xFFFFF, (keys >> 8) & 0xFFFFF
    codes = keys & 0xFF
    found, always, relations = [], kinds.always(), kinds.relations_to_landmarks()
    for skeleton in np.unique(skeletons).tolist():
        chosen = skeletons == skeleton
        roles = np.unique(first[chosen])
        landmarks = roles[kinds.landmarks(roles).any(-1)]
        loops: dict[int, list[int]] = {role: [] for role in roles.tolist()}
        partners: dict[int, list[Partner]] = {role: [] for role in roles.tolist()}
        for one, other, code in zip(first[chosen].tolist(), second[chosen].tolist(), codes[chosen].tolist(), strict=True):
            if kinds.relation.places[0, code]:
                partners[one].append(Partner(other, code))
            else:
                loops[one].append(code)
        named = kinds.landmarks_of(skeleton)
        around = {role: find_standings(named, relations[skeleton, role], kinds) for role in roles.tolist()}
        present = frozenset(always[skeleton])
        values = kinds.values(roles).tolist()
        groups = {
            one: frozenset(
                [one] if one >= 0 else (role for role, of in zip(roles.tolist(), values, strict=True) if -1 - one in of)
            )
            for one in {presence.group for presence in present}
        }
        holds = kinds.relation.ways.tolist()
        found.append(
            RowKind(tuple(landmarks.tolist()), tuple(roles.tolist()), loops, partners, around, present, groups, holds)
        )
    return found


def find_standings(landmarks: Sequence[int], met: np.ndarray, kinds: Kinds) -> set[Standing]:
    """Returns all ways in which a node can stand to the landmarks so that its relations to each two of them were met.

    Args:
        landmarks: The type of the landmark of each pointer; -1 where there is none.
        met: The relations to all of them that were met, [ways, pointers].
        kinds: What relations are.
    """
    found = np.zeros((1, 0), np.int64)
    for pointer in range(met.shape[1]):
        codes = np.unique(met[:, pointer])
        fits = np.ones((len(found), len(codes)), bool)
        for before in range(pointer):
            pairs = np.zeros((256, 256), bool)
            pairs[met[:, before], met[:, pointer]] = True
            fits &= pairs[found[:, before]][:, codes]
        rows, chosen = np.nonzero(fits)
        found = np.concatenate([found[rows], codes[chosen, None]], 1)
        if len(found) > MOST_STANDINGS:
            raise TooManyError(f"one node can stand to the landmarks in more than {MOST_STANDINGS} ways")
    beside = kinds.relation.places[0] > 0  # neither absent nor the node itself
    return {
        tuple(sorted({Partner(*one) for one in zip(landmarks, row, strict=True) if one[0] >= 0 and beside[one[1]]}))
        for row in found.tolist()
    }
