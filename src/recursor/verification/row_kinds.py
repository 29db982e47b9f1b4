"""Kinds of rows: the landmarks, the other nodes that may be there, and who can be what to whom."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from recursor.situations.kinds import Kinds, Presence, Standing


class Partner(NamedTuple):
    """What a node can be to another one: its role, and the relation to it."""

    role: int
    relation: int


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
    """What is there in every row."""
    _tables: dict[int, tuple[list[tuple[int, int]], np.ndarray]] = field(default_factory=dict)
    """Of each type its relations to landmarks, and its standings as places among them, [standings, landmarks]."""

    def ways(self, role: int, words: Mapping[tuple[int, int], frozenset[int]]) -> set[tuple[frozenset[int], ...]]:
        """Returns what a node of a type can hear of all landmarks at once.

        Args:
            role: The type.
            words: Of each landmark, by its type and the relation to it, the words that it may say; nothing if it cannot be.
        """
        if role not in self._tables:
            relations = sorted({one for standing in self.standings[role] for one in standing})
            place = {one: number for number, one in enumerate(relations)}
            longest = max(map(len, self.standings[role]))
            rows = [[*map(place.get, one), *[len(place)] * (longest - len(one))] for one in self.standings[role]]
            self._tables[role] = relations, np.array(rows, np.int64).reshape(len(rows), longest)
        relations, table = self._tables[role]
        different: dict[frozenset[int], int] = {frozenset([0]): 0}  # of no landmark, nothing is heard
        numbers = [different.setdefault(words[one], len(different)) if one in words else -1 for one in relations]
        found = np.array([*numbers, 0])[table]
        found = found[(found >= 0).all(1)]
        _, first = np.unique(found @ len(different) ** np.arange(found.shape[1]), return_index=True)
        sets = [*different]
        return {tuple(sets[one] for one in way) for way in found[first].tolist()}


def row_kinds(kinds: Kinds) -> list[RowKind]:
    """Returns the kinds of rows, one for each skeleton."""
    keys = kinds.pairs.keys
    skeletons, first, second = keys >> 48, (keys >> 28) & 0xFFFFF, (keys >> 8) & 0xFFFFF
    codes = keys & 0xFF
    found, always, standings = [], kinds.always(), kinds.standings()
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
        present = frozenset(always[skeleton])
        around = standings[skeleton]
        found.append(RowKind(tuple(landmarks.tolist()), tuple(roles.tolist()), loops, partners, around, present))
    return found
