r"""Kinds: how the nodes of one row can stand to each other, as far as a network can tell.

The *relation* of node i to node j is a small number: whether j → i and i → j are edges, whether j is before or after i, and
the same in each further order. The nodes that a pointer names, in the row or in its top frame, are *landmarks*.

- A *skeleton* is the graph's values and the types of the landmarks.
- A *pair* is a skeleton, the types of two nodes of such a row, and the relation of the first to the second. A node with
  itself is a pair, too: its loop.
- A *triple* is a skeleton, the type of a node of such a row, and its relations to two landmarks. That the neighbour to
  explore is the first one which is not seen is a statement about two landmarks and every other node.
- A *group* is one type that is no landmark, or all types with some value of a field. A *presence* is a group of which every
  row of a skeleton has a node, or every node of a type has one among its in-neighbours, among its out-neighbours, before it
  or after it in an order. In depth-first search, as long as a call is running, a node that is not seen has one that is being
  visited before it: the root, or one that was called from it.

None of this depends on the weights: it is a statement about the algorithm. There are finitely many of each. If no more
appear as inputs grow, the rows of larger inputs are made of the same kinds.
"""

from itertools import combinations_with_replacement
from typing import NamedTuple

import numpy as np

from recursor.situations.index import Index
from recursor.situations.rows import SeenRows
from recursor.situations.tables import Tables

LARGEST = 16
"""Pairs are looked at in inputs of up to this size: they are the square of it."""
BITS = 62
"""Groups that are looked at together."""
PIECE = 2_000_000
"""Pairs that are looked at at once."""


class Relation:
    """Relations as numbers: two bits for the edges, then a digit (0 neither, 1 before, 2 after) for each order."""

    def __init__(self, bits: int, orders: int) -> None:
        self.orders = 1 + orders
        self.count = 4 * 3**self.orders
        codes = np.arange(self.count)
        self.into, self.out = codes & 1 > 0, codes & 2 > 0  # j → i, i → j
        self.places = np.stack([codes // (4 * 3**order) % 3 for order in range(self.orders)])  # [orders, count]
        back = np.array([0, 2, 1])
        self.reverse = (codes & 1) * 2 + (codes >> 1 & 1)
        self.reverse += sum(4 * 3**order * back[self.places[order]] for order in range(self.orders))
        single = (1 << bits) - 1
        self.everyone = single << (2 * bits)
        self.mask = np.full(self.count, self.everyone, np.int64)
        """Of each relation of i to j: the bits of what j says that i hears."""
        self.mask |= np.where(self.into, single, 0) | np.where(self.out, single << bits, 0)
        self.ordered = np.where(self.places[0] == 1, single << (3 * bits), 0)
        """Those of them that j says along an order. What j hears there itself, i hears, too."""
        for order in range(1, self.orders):
            for place in (1, 2):
                kind = 2 + 2 * order + (place - 1)
                self.ordered |= np.where(self.places[order] == place, single << (kind * bits), 0)
        self.ends = [single << (kind * bits) for kind in range(3, 4 + 2 * orders)]
        """Of each end of an order, but the last by position: the bits of what is heard from beyond it."""
        self.mask |= self.ordered
        beside = self.places[0] > 0  # not the node itself
        self.ways = np.stack([self.into & beside, self.out & beside, *(self.places == 1), *(self.places == 2)])
        """Of each way in which j can be there for i, and of each relation: whether it is. [ways, count]"""
        self.along_orders = int(np.bitwise_or.reduce(self.ordered))


class Presence(NamedTuple):
    """That there is a node of a group; one that every node of a type has in some way, if an owner is given."""

    group: int
    """A type, or -1 - v for the types that have the value v (`Kinds.values`)."""
    owner: int = -1
    way: int = 0


class Kinds:
    """The kinds that were met."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        spec = tables.spec
        self.relation = Relation(tables.bits, len(spec.compared) + len(spec.stamps))
        if self.relation.count > 256:
            raise ValueError(f"{spec.algorithm} has {self.relation.orders} orders; kinds of pairs are listed for up to 3")
        self.pointers = [place for place, digit in enumerate(tables.layout.node) if digit.field.kind == "pointer"]
        self._chain = [Index() for _ in range(len(self.pointers) + 1)]
        self._standings = [Index() for _ in range(len(self.pointers) + 1)]
        self.pairs = Index()
        self._present: dict[int, dict[tuple[int, int], set[Presence]]] = {}
        """Of each size, and each skeleton and owner: what is there for every such node, or in every row (owner -1)."""
        self._smallest = [np.zeros(0, np.int64) for _ in range(3)]
        self.largest = 0
        """The largest input that was looked at."""

    def always(self, largest: int = LARGEST) -> dict[int, set[Presence]]:
        """Returns of each skeleton what is there in every row of the inputs of up to a size."""
        by_owner: dict[tuple[int, int], set[Presence]] = {}
        for size in sorted(size for size in self._present if size <= largest):
            for owner, present in self._present[size].items():
                by_owner[owner] = by_owner.get(owner, present) & present
        found: dict[int, set[Presence]] = {}
        for (skeleton, _), present in by_owner.items():
            found.setdefault(skeleton, set()).update(present)
        return found

    def relations_to_landmarks(self) -> dict[tuple[int, int], np.ndarray]:
        """Returns of each skeleton and type how such nodes were met to stand to the landmarks, a column for each pointer; 0
        where it names nobody, or the node itself."""
        owners, codes = self._standings_met()
        order = np.argsort(owners, kind="stable")
        parts = np.split(codes[order], np.flatnonzero(np.diff(owners[order])) + 1)
        return {divmod(int(owner), 1 << 24): part for owner, part in zip(np.unique(owners), parts, strict=True)}

    def _standings_met(self) -> tuple[np.ndarray, np.ndarray]:
        """Of each way in which a node was met to stand to all landmarks: its skeleton and type, and its relations."""
        numbers, codes = np.arange(len(self._standings[-1])), []
        for index in reversed(self._standings[1:]):
            numbers, code = np.divmod(index.keys[numbers], 256)
            codes.append(code)
        shape = len(numbers), len(codes)
        return self._standings[0].keys[numbers], np.stack(codes[::-1], 1) if codes else np.zeros(shape, np.int64)

    def _triples(self) -> np.ndarray:
        """Of each triple the size of the smallest input in which it was met."""
        owners, codes = self._standings_met()
        _, owner = np.unique(owners, return_inverse=True)
        found = [np.zeros(0, np.int64)]
        for first, second in combinations_with_replacement(range(codes.shape[1]), 2):
            keys = (owner << 16) | (codes[:, first] << 8) | codes[:, second]
            order = np.lexsort((self._smallest[2], keys))
            _, places = np.unique(keys[order], return_index=True)
            found.append(self._smallest[2][order][places])
        return np.concatenate(found)

    def landmarks_of(self, skeleton: int) -> list[int]:
        """The type of the landmark of each pointer, -1 where there is none."""
        landmarks = []
        for index in reversed(self._chain[1:]):
            skeleton, landmark = divmod(int(index.keys[skeleton]), 1 << 32)
            landmarks.append(landmark - 1)
        return landmarks[::-1]

    @property
    def growth(self) -> list[tuple[int, int, int, int, int]]:
        """Of each size: it, how many skeletons, pairs and triples occur in inputs of up to this size, and how many presences
        there are in all of their rows."""
        found, smallest = [], (*self._smallest[:2], self._triples())
        for size in range(1, self.largest + 1):
            skeletons, pairs, triples = (int((sizes <= size).sum()) for sizes in smallest)
            found.append((size, skeletons, pairs, triples, sum(map(len, self.always(size).values()))))
        return found

    @property
    def saturated(self) -> int:
        """The smallest size so that larger inputs show no other kinds, and lack nothing that is always there."""
        growth = self.growth
        return next(one[0] for one in growth if one[1:] == growth[-1][1:])

    @property
    def count(self) -> tuple[int, int, int]:
        """The numbers of skeletons, pairs and triples."""
        return len(self._chain[-1]), len(self.pairs), len(self._triples())

    def landmarks(self, numbers: np.ndarray) -> np.ndarray:
        """Returns which pointers name a node, [..., pointers], by its type."""
        return self._digits(numbers)[..., self.pointers] > 0

    def values(self, numbers: np.ndarray) -> np.ndarray:
        """Returns the values of a node's masks and categories, [..., values], by its type; each is another number."""
        digits = self.tables.layout.node
        places = [place for place in range(len(digits)) if place not in self.pointers]
        starts = np.cumsum([0, *(digits[place].radix for place in places)])[:-1]
        return self._digits(numbers)[..., places] + starts.astype(np.int64)

    def _digits(self, numbers: np.ndarray) -> np.ndarray:
        """The digits of nodes by their types, [..., digits]."""
        types = self.tables.types.keys[self.tables.levels[0].index.keys[numbers] & 0xFFFFFFFF]
        found = []
        for digit in self.tables.layout.node:
            types, rest = np.divmod(types, digit.radix)
            found.append(rest)
        return np.stack(found, -1) if found else np.zeros((*numbers.shape, 0), np.int64)

    def add(self, seen: SeenRows) -> None:
        """Takes in the kinds of some rows, unless they are of a large input."""
        nodes = seen.mask.shape[1]
        if nodes > LARGEST:
            return
        numbers = self.tables.ancestors(seen.situations, self.tables.rounds)[0]
        step = max(1, PIECE // nodes**2)
        for start in range(0, len(numbers), step):
            part = slice(start, start + step)
            relations = self._relations(seen, part)
            self._add(seen.graph[part], numbers[part], seen.mask[part], relations)
        self.largest = max(self.largest, nodes)

    def _relations(self, seen: SeenRows, part: slice) -> np.ndarray:
        """What every node is to every other, [rows, nodes, nodes]."""
        assert isinstance(seen.relations.edges, np.ndarray)
        edges = seen.relations.edges[seen.relations.graph[part]]  # from the second axis to the last
        nodes = edges.shape[1]
        place = np.arange(nodes)
        position = np.where(place < place[:, None], 1, 0) + np.where(place > place[:, None], 2, 0)  # j before i: 1
        code = edges.transpose(0, 2, 1) + 2 * edges.astype(np.int64) + 4 * position
        for number, order in enumerate(seen.relations.orders, 1):
            order = order[part]
            rank = np.argsort(np.argsort(order, 1, kind="stable"), 1, kind="stable")
            both = (order > 0)[:, :, None] & (order > 0)[:, None, :]
            earlier, later = (rank[:, None, :] < rank[:, :, None]), (rank[:, None, :] > rank[:, :, None])
            code += 4 * 3**number * np.where(both, earlier + 2 * later, 0)
        return code

    def _add(self, graph: np.ndarray, numbers: np.ndarray, mask: np.ndarray, relations: np.ndarray) -> None:
        rows, nodes = numbers.shape
        named = self.landmarks(numbers) & mask[..., None]  # [rows, nodes, pointers]
        key, _ = self._chain[0].add(graph.astype(np.int64))
        for place, index in enumerate(self._chain[1:]):
            at = named[..., place].argmax(1)
            landmark = np.where(named[..., place].any(1), numbers[np.arange(rows), at] + 1, 0)
            key, _ = index.add((key << 32) | landmark)
        standing, _ = self._standings[0].add((key[:, None] << 24) | numbers)
        for place, index in enumerate(self._standings[1:]):
            relation = relations[np.arange(rows), :, named[..., place].argmax(1)]
            there = named[..., place].any(1, keepdims=True)
            standing, _ = index.add((standing << 8) | np.where(there, relation, 0))
        self._add_presences(key, numbers, mask, np.asarray(named.any(-1)), relations)
        both = mask[:, :, None] & mask[:, None, :]
        code = (key[:, None, None] << 48) | (numbers[:, :, None] << 28) | (numbers[:, None, :] << 8) | relations
        numbers, _ = self.pairs.add(np.unique(code[both]))
        totals = len(self._chain[-1]), len(self.pairs), len(self._standings[-1])
        for place, found in enumerate((np.unique(key), numbers, np.unique(standing[mask]))):
            old = self._smallest[place]
            new = np.concatenate([old, np.full(totals[place] - len(old), nodes, np.int64)])
            new[found] = np.minimum(new[found], nodes)
            self._smallest[place] = new

    def _add_presences(
        self, key: np.ndarray, roles: np.ndarray, mask: np.ndarray, landmark: np.ndarray, relations: np.ndarray
    ) -> None:
        """Takes in what is there in some rows; what was there for all such nodes so far stays.

        Args:
            key: The skeletons, [rows].
            roles: The types, [rows, nodes].
            mask: Which nodes are real.
            landmark: Which nodes are landmarks.
            relations: Of each node to each other one.
        """
        groups, members = self._groups(roles, mask, landmark)
        of_row, skeletons = _numbered(key)
        of_node, types = _numbered(((key[:, None] << 24) | roles)[mask])
        rows = [(skeleton, -1) for skeleton in skeletons]
        nodes = [divmod(one, 1 << 24) for one in types]
        present: dict[tuple[int, int], set[Presence]] = {owner: set() for owner in (*rows, *nodes)}
        for start, bits in zip(range(0, len(groups), BITS), members, strict=True):
            cases = [(rows, 0, _all_have(np.bitwise_or.reduce(bits, 1), of_row, len(rows)))]
            for way, holds in enumerate(self.relation.ways):
                have = np.bitwise_or.reduce(np.where(holds[relations], bits[:, None, :], 0), 2)
                cases.append((nodes, way, _all_have(have[mask], of_node, len(nodes))))
            for owners, way, words in cases:
                for owner, word in zip(owners, words.tolist(), strict=True):
                    here = groups[start : start + BITS]
                    present[owner] |= {Presence(one, owner[1], way) for bit, one in enumerate(here) if word >> bit & 1}
        of_size = self._present.setdefault(mask.shape[1], {})
        for owner, found in present.items():
            of_size[owner] = of_size.get(owner, found) & found

    def _groups(self, roles: np.ndarray, mask: np.ndarray, landmark: np.ndarray) -> tuple[list[int], list[np.ndarray]]:
        """The groups, and of each node a bit for each group that it is of, `BITS` to a number."""
        values = self.values(roles)
        types, others = np.unique(roles[mask & ~landmark]), np.unique(values[mask])
        is_of = (
            np.concatenate(
                [
                    (roles[..., None] == types) & ~landmark[..., None],
                    (values[..., None] == others).any(-2),
                ],
                -1,
            )
            & mask[..., None]
        )
        packed = [
            (is_of[..., start : start + BITS] * (1 << np.arange(min(BITS, is_of.shape[-1] - start)))).sum(-1)
            for start in range(0, is_of.shape[-1], BITS)
        ]
        return [*types.tolist(), *(-1 - others).tolist()], packed


def _numbered(keys: np.ndarray) -> tuple[np.ndarray, list[int]]:
    """Returns of each key its number among all different ones, and these."""
    different, number = np.unique(keys, return_inverse=True)
    return number, different.tolist()


def _all_have(words: np.ndarray, group: np.ndarray, groups: int) -> np.ndarray:
    """Returns of each group the bits that all of its words have."""
    found = np.full(groups, -1, np.int64)
    np.bitwise_and.at(found, group, words)
    return found
