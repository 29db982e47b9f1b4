r"""For every size: all situations that the kinds of pairs allow, whether they were met or not.

A row of any size is made of nodes, and every two of them are a kind of pair. `Kinds` lists these. Suppose that inputs of all
sizes show no other kinds. Then what a node can hear is a union of what its kinds of partners say: each landmark says one
thing, and any set of the other nodes may be there. These unions can be listed, round after round:

$$ A^1(i) = \{\, \textstyle\bigvee_{j \in J} \text{said}_j \wedge \text{mask}(i, j) \,\} $$

In the second round, nodes of one row have heard the same from everyone, and each has heard what its partners said in the
first round. A set of partners is only possible if they say, in the first round, exactly what the node has heard. That
excludes most unions.

An order is finite, so two things more are known. Along an order a node hears all that those before it hear, and every bit
that is said has a first node that says it (`packing`). When the situations after both rounds are known, those that no
others explain are taken away again.

All that can occur in a row is found in this way. Some that is found may not occur: three nodes may be impossible together
although each two of them are possible.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field

import numpy as np

from recursor.situations.kinds import Kinds, Presence
from recursor.situations.tables import Tables
from recursor.verification.links import AnyNode, Linker, Links, Node, Settled, Situation
from recursor.verification.packing import TooManyError
from recursor.verification.row_kinds import Partner, RowKind, row_kinds

MOST_STATES = 100_000
"""Unions of one node; if there are more, the enumeration gives up."""

MOST_WORK = 400_000_000
"""Partners and unions of all nodes that are looked at, which takes some ten minutes; then the enumeration gives up, too."""


@dataclass(frozen=True)
class Meeting:
    """Situations that can meet in one row: one of each landmark's, and any of the others, so that all hear the same from
    everyone."""

    everyone: tuple[int, ...]
    """What all of them hear from everyone in the two rounds."""
    landmarks: frozenset[frozenset[Situation]]
    others: frozenset[Situation]
    present: frozenset[frozenset[Situation]] = frozenset()
    """Of each set at least one is there."""
    beside: Mapping[Situation, frozenset[Situation]] = field(default_factory=dict, compare=False)
    """Of each situation those that can be in the same row; nothing is known of a situation that is not listed."""


@dataclass
class Allowed:
    """What is allowed: (type, heard) after the first round, (type, heard, heard) after the second, and what can meet."""

    first: set[tuple[int, int]]
    second: set[Situation]
    meetings: set[Meeting]


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
        self.united = 0
        """How many unions were looked at."""
        self.mask: list[int] = kinds.relation.mask.tolist()
        self.along_orders = kinds.relation.along_orders
        self.ends = kinds.relation.ends[: 1 + 2 * len(tables.spec.compared)]
        self.everyone = kinds.relation.everyone
        self.scratch = tables.copy_types()
        self.word: list[int] = self.scratch.levels[0].word.tolist()
        self.linker = Linker(kinds.relation, self.word)

    @property
    def work(self) -> int:
        """How many partners and unions were looked at."""
        return self.united + self.linker.looked

    def enumerate(self, progress: Callable[[str], None] = lambda text: None) -> Allowed:
        """Returns everything that is allowed.

        Raises:
            TooManyError: If there are too many unions.
        """
        rows = row_kinds(self.kinds)
        heard = []
        for place, row in enumerate(rows):
            progress(f"first round: kind of row {place + 1} of {len(rows)}")
            heard.append({role: self._first(row, role) for role in row.roles})
        every = sorted({(role, word) for one in heard for role, words in one.items() for word in words})
        numbers = self.scratch.next_situations(1, *(np.array(column, np.int64) for column in zip(*every, strict=True)))
        said = dict(zip(every, self.scratch.levels[1].word[numbers].tolist(), strict=True))
        allowed = Allowed(set(), set(), set())
        for place, (row, words) in enumerate(zip(rows, heard, strict=True)):
            progress(f"second round: kind of row {place + 1} of {len(rows)}")
            for nodes in self._by_everyone(row, words):
                says = {node: said[node.role, node.heard[0]] for each in nodes.values() for node in each}
                for settled in self._by_everyone_again(row, self._second(row, nodes, says)):
                    links = self._link_settled(row, settled, says)
                    for chosen in self._choose(row, self._settle(row, settled, links), says, links):
                        self._note(row, chosen, says, links, allowed)
        return allowed

    def _note(
        self,
        row: RowKind,
        nodes: dict[int, list[Settled]],
        said: dict[Node, int],
        links: Links[Settled] | None,
        allowed: Allowed,
    ) -> None:
        """Adds the situations of nodes that can meet to what is allowed."""
        if not nodes:
            return
        by_role = {role: frozenset(node.situation for node in each) for role, each in nodes.items()}
        first, second = next(iter(nodes.values()))[0].heard  # all hear the same from everyone
        beside = {} if links is None else links.situations_beside
        others = frozenset(one for role, each in by_role.items() if role not in row.landmarks for one in each)
        landmarks = frozenset(by_role[landmark] for landmark in row.landmarks)
        present = {
            frozenset(one.situation for one in self.linker.present(row, nodes, presence, said, links))
            for presence in row.always
            if presence.owner < 0 or presence.owner in row.landmarks
        }
        present = frozenset(one for one in present if not any(other < one for other in present))  # others follow from these
        allowed.meetings.add(Meeting((first & self.everyone, second & self.everyone), landmarks, others, present, beside))
        allowed.second |= others.union(*landmarks)
        allowed.first |= {one[:2] for one in others.union(*landmarks)}

    def _first(self, row: RowKind, role: int) -> list[int]:
        """What a node of a role can hear in the first round."""
        loops = [self.word[role] & self.mask[code] for code in row.loops[role]]
        words = {partner: self.word[partner.role] & self.mask[partner.relation] for partner in row.partners[role]}
        landmarks = {partner: frozenset([word]) for partner, word in words.items() if partner.role in row.landmarks}
        others = {partner: word for partner, word in words.items() if partner not in landmarks}
        there = {one: [word for partner, word in others.items() if row.is_there(partner, one)] for one in row.owned(role)}
        free = [*others.values()]
        return self._united([loops], there, row.ways(role, landmarks), free).tolist()

    def _by_everyone(self, row: RowKind, words: dict[int, list[int]]) -> Iterator[dict[int, list[Node]]]:
        """The nodes that have heard the same from everyone, by role, if all landmarks are among them."""
        for everyone in sorted({word & self.everyone for each in words.values() for word in each}):
            nodes = {
                role: found
                for role, each in words.items()
                if (found := [Node(role, (word,)) for word in each if word & self.everyone == everyone])
            }
            if set(row.landmarks) <= set(nodes):
                yield nodes

    def _by_everyone_again(self, row: RowKind, found: dict[Node, list[int]]) -> Iterator[dict[int, list[Settled]]]:
        """The same after the second round."""
        for everyone in sorted({word & self.everyone for words in found.values() for word in words}):
            nodes: dict[int, list[Settled]] = {}
            for node, words in found.items():
                for word in words:
                    if word & self.everyone == everyone:
                        nodes.setdefault(node.role, []).append(Settled(node.role, (*node.heard, word)))
            if set(row.landmarks) <= set(nodes):
                yield nodes

    def _second(self, row: RowKind, nodes: dict[int, list[Node]], said: dict[Node, int]) -> dict[Node, list[int]]:
        """What each node can hear in the second round; nodes that cannot have heard what they have are taken away."""
        links = self.linker.link(row, nodes, said, both=False)
        while True:
            there = {node for each in nodes.values() for node in each}
            found = {node: self._hear_again(row, node, there, links) for node in there}
            left = _those(found, nodes)
            if left == nodes or not set(row.landmarks) <= set(left):
                return found if left == nodes else {}
            nodes = left

    def _link_settled(self, row: RowKind, nodes: dict[int, list[Settled]], said: dict[Node, int]) -> Links[Settled] | None:
        """Who can be beside whom; None if nodes say too much to tell."""
        try:
            return self.linker.link(row, nodes, said, both=True)
        except TooManyError:
            return None

    def _settle(
        self, row: RowKind, nodes: dict[int, list[Settled]], links: Links[Settled] | None
    ) -> dict[int, list[Settled]]:
        """Takes nodes away that no others explain, now that it is known what all of them hear in both rounds."""
        if links is None:
            return nodes  # more than can occur is as good, only less sharp
        while True:
            there = {node for each in nodes.values() for node in each}
            found = {
                node: [word for word in self._hear_again(row, node, there, links) if word == node.heard[1]] for node in there
            }
            left = _those(found, nodes)
            if left == nodes or not set(row.landmarks) <= set(left):
                return left if left == nodes else {}
            nodes = left

    def _choose(
        self, row: RowKind, nodes: dict[int, list[Settled]], said: dict[Node, int], links: Links[Settled] | None
    ) -> Iterator[dict[int, list[Settled]]]:
        """Chooses a situation for every landmark, in all ways, and takes away what cannot be beside them."""
        several = [role for role in row.landmarks if len(nodes.get(role, ())) > 1]
        if not several or self.work > MOST_WORK // 2:  # all of them at once are as good, only less sharp
            yield nodes
            return
        role = min(several, key=lambda role: len(nodes[role]))
        for one in nodes[role]:
            chosen = {**nodes, role: [one]}
            of_chosen = links or self._link_settled(row, chosen, said)
            yield from self._choose(row, self._settle(row, chosen, of_chosen), said, of_chosen)

    def _hear_again(self, row: RowKind, node: AnyNode, nodes: Set[AnyNode], links: Links[AnyNode]) -> list[int]:
        """What a node can hear in the second round from a set of partners that explains what it heard before."""
        of_landmarks: dict[Partner, set[int]] = {}
        free: set[int] = set()
        there: dict[Presence, set[int]] = {one: set() for one in row.owned(node.role)}
        for link in links.partners[node]:
            self.linker.looked += len(link.words)
            words = {packed for partner, packed in link.words if partner in nodes}
            if link.landmark is not None:
                of_landmarks.setdefault(link.landmark, set()).update(words)
                continue
            for part in (free, *(there[presence] for presence in link.presences)):
                part |= words
        ways = row.ways(node.role, {landmark: frozenset(words) for landmark, words in of_landmarks.items() if words})
        states = self._united([links.loops[node]], there, ways, list(free))
        return links.pack.second(states, node.heard[0])

    def _united(
        self,
        choices: list[list[int]],
        there: Mapping[Presence, Iterable[int]],
        ways: Iterable[tuple[frozenset[Presence], set[tuple[frozenset[int], ...]]]],
        free: list[int],
    ) -> np.ndarray:
        """All unions of one of each list of choices, one of each set of one of the ways and one of each presence that comes
        with these, and any of the free words."""
        found = [np.zeros(0, np.int64)]
        for presences, of_landmarks in ways:
            chosen = [*choices, *(list(there[one]) for one in presences)]
            if all(chosen):
                found += [self._unions([*chosen, *map(list, way)], free) for way in of_landmarks if all(way)]
        return np.unique(np.concatenate(found))

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
        self.united += len(states)
        if self.work > MOST_WORK:
            raise TooManyError(f"more than {MOST_WORK} partners and unions were looked at")
        if len(states) > self.most:
            raise TooManyError(f"one node can hear more than {self.most} different unions")


def _those(found: Mapping[AnyNode, list[int]], nodes: Mapping[int, Sequence[AnyNode]]) -> dict[int, list[AnyNode]]:
    """The nodes that can hear something, by role."""
    return {role: left for role, each in nodes.items() if (left := [node for node in each if found[node]])}
