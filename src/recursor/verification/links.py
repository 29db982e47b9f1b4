"""Links: which nodes can be beside which in one row, and what one hears of the other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, NamedTuple, TypeVar

from recursor.situations.kinds import Presence, Relation
from recursor.verification.packing import Pack, united
from recursor.verification.row_kinds import Partner, RowKind

Situation = tuple[int, int, int]
"""The type of a node, and the words that it hears in both rounds."""


class Node(NamedTuple):
    """A role, and what is heard in the first round."""

    role: int
    heard: tuple[int]

    @property
    def before(self) -> "Node":
        """The node before the second round: itself."""
        return self


class Settled(NamedTuple):
    """A role, and what is heard in both rounds."""

    role: int
    heard: tuple[int, int]

    @property
    def before(self) -> Node:
        """The node before the second round."""
        return Node(self.role, self.heard[:1])

    @property
    def situation(self) -> Situation:
        """The same as a plain tuple."""
        return self.role, *self.heard


AnyNode = TypeVar("AnyNode", Node, Settled)


class Link(NamedTuple, Generic[AnyNode]):
    """The nodes that can be to a node what one partner is."""

    landmark: Partner | None
    """The partner, if it is a landmark."""
    presences: tuple[Presence, ...]
    """What must be there, and is if one of the nodes is."""
    words: list[tuple[AnyNode, int]]
    """The nodes, and what each contributes to what is heard, packed."""


@dataclass(frozen=True)
class Links(Generic[AnyNode]):
    """Who can be beside whom, and what it contributes to what the other one hears."""

    pack: Pack
    loops: dict[AnyNode, list[int]]
    partners: dict[AnyNode, list[Link[AnyNode]]]

    @cached_property
    def situations_beside(self: "Links[Settled]") -> dict[Situation, frozenset[Situation]]:
        """Of each situation those that can be in the same row."""
        return {
            node.situation: frozenset(one.situation for link in links for one, _ in link.words)
            for node, links in self.partners.items()
        }


class Linker:
    """Finds links.

    Args:
        relation: What relations between nodes are.
        word: What nodes of each type say in the first round.
    """

    def __init__(self, relation: Relation, word: Sequence[int]) -> None:
        self.word = word
        self.mask: list[int] = relation.mask.tolist()
        self.ordered: list[int] = relation.ordered.tolist()
        self.reverse: list[int] = relation.reverse.tolist()
        self.along_orders = relation.along_orders
        self.looked = 0
        """How many candidates were looked at."""

    def present(
        self,
        row: RowKind,
        nodes: dict[int, list[Settled]],
        presence: Presence,
        said: dict[Node, int],
        links: Links[Settled] | None,
    ) -> set[Settled]:
        """The nodes that can be what is always there: in every row, or for a landmark. `links` are those of the nodes, if
        they are known."""
        if presence.owner < 0:
            return {one for role in row.groups[presence.group] for one in nodes.get(role, ())}
        owners = nodes[presence.owner]
        if links is None:
            fit = [partner for partner in row.partners[presence.owner] if row.is_there(partner, presence)]
            return {
                one
                for partner in fit
                for one in nodes.get(partner.role, ())
                if any(
                    self._agree(owner, self._words(owner, said), one, self._words(one, said), partner.relation)
                    for owner in owners
                )
            }
        there = {one for each in nodes.values() for one in each}
        fit = [link for owner in owners for link in links.partners[owner] if presence in link.presences]
        return there & {one for link in fit for one, _ in link.words}

    def _agree(self, one: AnyNode, says: Sequence[int], other: AnyNode, answers: Sequence[int], code: int) -> bool:
        """Whether two nodes hear at least what each says to the other; `code` is the relation of the first to the second."""
        reverse = self.reverse[code]
        return not any(
            (word & self.mask[reverse] | heard & self.ordered[reverse]) & ~its
            or (answer & self.mask[code] | its & self.ordered[code]) & ~heard
            for word, heard, answer, its in zip(says, one.heard, answers, other.heard, strict=False)
        )

    def link(
        self, row: RowKind, nodes: Mapping[int, Sequence[AnyNode]], said: dict[Node, int], *, both: bool
    ) -> Links[AnyNode]:
        """Who can be beside whom."""
        first = united(self.word[role] for role in nodes)
        second = united(said[node.before] for each in nodes.values() for node in each)
        pack = Pack(first, second, self.along_orders, both=both)
        every = [node for each in nodes.values() for node in each]
        loops, partners = {}, {}
        for node in every:
            words = self._words(node, said)
            loops[node] = [
                pack([word & self.mask[code] for word in words], words, node.heard)
                for code in row.loops[node.role]
                if not any(word & self.mask[code] & ~heard for word, heard in zip(words, node.heard, strict=False))
            ]
            partners[node] = [
                self._link_to(row, node, partner, nodes.get(partner.role, ()), said, pack)
                for partner in row.partners[node.role]
                if not self.word[partner.role] & self.mask[partner.relation] & ~node.heard[0]
            ]
        return Links(pack, loops, partners)

    def _link_to(
        self, row: RowKind, node: AnyNode, to: Partner, candidates: Sequence[AnyNode], said: dict[Node, int], pack: Pack
    ) -> Link[AnyNode]:
        """Which nodes can be a partner of a node, and what it hears of them."""
        other, code = to
        self.looked += len(candidates)
        words = self._words(node, said)
        found = []
        for partner in candidates:
            says = self._words(partner, said)
            if self._agree(node, words, partner, says, code):
                found.append((partner, pack([word & self.mask[code] for word in says], says, partner.heard)))
        presences = tuple(one for one in row.owned(node.role) if row.is_there(to, one))
        return Link(to if other in row.landmarks else None, presences, found)

    def _words(self, node: AnyNode, said: dict[Node, int]) -> tuple[int, int]:
        """What a node says in the two rounds."""
        return self.word[node.role], said[node.before]
