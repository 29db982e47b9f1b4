r"""Kinds: how the nodes of one row can stand to each other, as far as a network can tell.

The *relation* of node i to node j is a small number: whether j → i and i → j are edges, whether j is before or after i, and
the same in each further order. The nodes that a pointer names, in the row or in its top frame, are *landmarks*.

- A *skeleton* is the graph's values and the types of the landmarks.
- A *pair* is a skeleton, the types of two nodes of such a row, and the relation of the first to the second. A node with
  itself is a pair, too: its loop.
- A *standing* is a skeleton, the type of a node of such a row, and its relation to every landmark. That the neighbour to
  explore is the first one which is not seen is a statement about two landmarks and every other node.
- A *presence* is a type that every row of a skeleton has: anywhere, or before or after a landmark in an order.

None of this depends on the weights: it is a statement about the algorithm. There are finitely many of each. If no more
appear as inputs grow, the rows of larger inputs are made of the same kinds.
"""

from typing import NamedTuple

import numpy as np

from recursor.situations.index import Index
from recursor.situations.rows import SeenRows
from recursor.situations.tables import Tables

LARGEST = 16
"""Pairs are looked at in inputs of up to this size: they are the square of it."""
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
        self.along_orders = int(np.bitwise_or.reduce(self.ordered))


Standing = tuple[tuple[int, int], ...]
"""Of each landmark its type, and the relation of a node to it; without the node itself."""


class Presence(NamedTuple):
    """That there is a node of a type; before or after a landmark in an order, if one is given."""

    role: int
    landmark: int = -1
    order: int = 0
    place: int = 0


class Kinds:
    """The kinds that were met."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        spec = tables.spec
        self.relation = Relation(tables.bits, len(spec.compared) + len(spec.stamps))
        if self.relation.count > 256:
            raise ValueError(f"{spec.algorithm} has {self.relation.orders} orders; kinds of pairs are listed for up to 3")
        self._placements = [(order, place) for order in range(self.relation.orders) for place in (1, 2)]
        self.pointers = [place for place, digit in enumerate(tables.layout.node) if digit.field.kind == "pointer"]
        self._chain = [Index() for _ in range(len(self.pointers) + 1)]
        self._standings = [Index() for _ in range(len(self.pointers) + 1)]
        self.pairs = Index()
        self._present: dict[int, dict[int, set[Presence]]] = {}
        """Of each size and skeleton what is there in every row."""
        self._smallest = [np.zeros(0, np.int64) for _ in self.count]
        self.largest = 0
        """The largest input that was looked at."""

    def always(self, largest: int = LARGEST) -> dict[int, set[Presence]]:
        """Returns of each skeleton what is there in every row of the inputs of up to a size."""
        found: dict[int, set[Presence]] = {}
        for size in sorted(size for size in self._present if size <= largest):
            for skeleton, present in self._present[size].items():
                found[skeleton] = found.get(skeleton, present) & present
        return found

    def standings(self) -> dict[int, dict[int, set[Standing]]]:
        """Returns of each skeleton and type how such nodes stand to the landmarks."""
        found: dict[int, dict[int, set[Standing]]] = {}
        for number in range(len(self._standings[-1])):
            codes = []
            for index in reversed(self._standings[1:]):
                number, code = divmod(int(index.keys[number]), 256)
                codes.append(code)
            skeleton, role = divmod(int(self._standings[0].keys[number]), 1 << 24)
            landmarks = self._landmarks_of(skeleton)
            standing = {
                (landmark, code)
                for landmark, code in zip(landmarks, reversed(codes), strict=True)
                if landmark >= 0 and self.relation.places[0, code]  # neither absent nor the node itself
            }
            found.setdefault(skeleton, {}).setdefault(role, set()).add(tuple(sorted(standing)))
        return found

    def _landmarks_of(self, skeleton: int) -> list[int]:
        """The type of the landmark of each pointer, -1 where there is none."""
        landmarks = []
        for index in reversed(self._chain[1:]):
            skeleton, landmark = divmod(int(index.keys[skeleton]), 1 << 32)
            landmarks.append(landmark - 1)
        return landmarks[::-1]

    @property
    def growth(self) -> list[tuple[int, int, int, int, int]]:
        """Of each size: it, how many skeletons, pairs and standings occur in inputs of up to this size, and how many
        presences there are in all of their rows."""
        found = []
        for size in range(1, self.largest + 1):
            skeletons, pairs, standings = (int((smallest <= size).sum()) for smallest in self._smallest)
            found.append((size, skeletons, pairs, standings, sum(map(len, self.always(size).values()))))
        return found

    @property
    def saturated(self) -> int:
        """The smallest size so that larger inputs show no other kinds, and lack nothing that is always there."""
        growth = self.growth
        return next(one[0] for one in growth if one[1:] == growth[-1][1:])

    @property
    def count(self) -> tuple[int, int, int]:
        """The numbers of skeletons, pairs and standings."""
        return len(self._chain[-1]), len(self.pairs), len(self._standings[-1])

    def landmarks(self, numbers: np.ndarray) -> np.ndarray:
        """Returns which pointers name a node, [..., pointers], by its type."""
        types = self.tables.types.keys[self.tables.levels[0].index.keys[numbers] & 0xFFFFFFFF]
        found, digits = [], self.tables.layout.node
        for place, digit in enumerate(digits):
            types, rest = np.divmod(types, digit.radix)
            if place in self.pointers:
                found.append(rest > 0)
        return np.stack(found, -1) if found else np.zeros((*numbers.shape, 0), bool)

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
        self._add_presences(key, numbers, mask, named, relations)
        both = mask[:, :, None] & mask[:, None, :]
        code = (key[:, None, None] << 48) | (numbers[:, :, None] << 28) | (numbers[:, None, :] << 8) | relations
        numbers, _ = self.pairs.add(np.unique(code[both]))
        for place, found in enumerate((np.unique(key), numbers, np.unique(standing[mask]))):
            old = self._smallest[place]
            new = np.concatenate([old, np.full(self.count[place] - len(old), nodes, np.int64)])
            new[found] = np.minimum(new[found], nodes)
            self._smallest[place] = new

    def _add_presences(
        self, key: np.ndarray, roles: np.ndarray, mask: np.ndarray, named: np.ndarray, relations: np.ndarray
    ) -> None:
        """Takes in what is there in some rows; what was there in all rows of the skeleton so far stays."""
        rows = np.arange(len(key))
        skeletons, which, count = np.unique(key, return_inverse=True, return_counts=True)
        found: list[set[Presence]] = [set() for _ in skeletons]
        cases: list[tuple[int, int, np.ndarray, np.ndarray]] = [(-1, 0, np.ones(len(key), bool), mask)]
        for pointer in range(named.shape[-1]):
            there, at = np.asarray(named[..., pointer].any(1)), named[..., pointer].argmax(1)
            places: np.ndarray = self.relation.places[:, relations[rows, at]]  # [orders, rows, nodes]
            cases += [(pointer, 4 * o + place, there, np.equal(places[o], place)) for o, place in self._placements]
        for pointer, code, there, of in cases:
            chosen, nodes = np.nonzero(of & mask & there[:, None])
            pairs = np.unique((chosen << 32) | roles[chosen, nodes])
            seen, times = np.unique((which[pairs >> 32] << 32) | (pairs & 0xFFFFFFFF), return_counts=True)
            for one in seen[times == count[seen >> 32]].tolist():
                skeleton, role = one >> 32, one & 0xFFFFFFFF
                row = int((which == skeleton).argmax())
                landmark = int(roles[row, named[row, :, pointer].argmax()]) if pointer >= 0 else -1
                found[skeleton].add(Presence(role, landmark, code // 4, code % 4))
        of_size = self._present.setdefault(mask.shape[1], {})
        for skeleton, present in zip(skeletons.tolist(), found, strict=True):
            of_size[skeleton] = of_size.get(skeleton, present) & present
