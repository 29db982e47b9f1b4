"""For every size: what the kinds of pairs allow, against what was met, and a search for what was not met."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from recursor.recording.algorithm import Algorithm
from recursor.situations.kinds import Kinds
from recursor.situations.tables import Tables
from recursor.verification.closure import Allowed, Closure
from recursor.verification.examine import BySituation
from recursor.verification.links import Situation
from recursor.verification.meetings import Decisions, allowed_decisions, met_decisions
from recursor.verification.packing import TooManyError
from recursor.verification.plan import Part
from recursor.verification.search import TOGETHER, search_part

SEARCHES, LARGEST_FOUND = 40, 12
"""How often inputs are searched, and of what size at most."""


class Verification(Protocol):
    """A verification under way, as `verify.Verifier` is one."""

    @property
    def algorithm(self) -> Algorithm: ...

    @property
    def by_situation(self) -> BySituation | None: ...

    @property
    def tables(self) -> Tables | None: ...

    def examine(self, part: Part) -> None:
        """Records the algorithm on some inputs and examines the rows."""


@dataclass(frozen=True)
class AllSizes:
    """What is allowed at any size, and what of it was met."""

    kinds: list[tuple[int, int, int, int, int]]
    """Of each size: it, and how many skeletons, pairs, triples and presences inputs of up to this size have."""
    saturated: int
    """The smallest size after which nothing of this changed, up to `largest`."""
    largest: int
    """The largest size in which kinds were collected."""
    allowed: dict[str, int] = field(default_factory=dict)
    met: dict[str, int] = field(default_factory=dict)
    """How many of those that are allowed were met."""
    open: dict[str, int] = field(default_factory=dict)
    """How many of those that are allowed were not met, nor found by searching."""
    found: int = 0
    """Situations that were met only by searching for them."""
    searched: int = 0
    """Inputs of the search."""
    stopped: str = ""
    """Why nothing could be listed."""
    undecided: str = ""
    """Why the decisions could not be listed, although the situations were."""
    examples: list[dict[str, Any]] = field(default_factory=list)
    """Some of the open situations, in words."""

    @property
    def obstacles(self) -> list[str]:
        """What is missing for a certificate, in words; nothing if all that is allowed was met."""
        if self.stopped:
            return [f"the situations that are allowed were not listed: {self.stopped}"]
        found = [f"{count} {name} are open" for name, count in self.open.items() if count]
        if self.undecided:
            found.append(f"the decisions that are allowed were not listed: {self.undecided}")
        if self.saturated >= self.largest:
            found.append(f"the largest inputs, of {self.largest} nodes, show kinds of pairs that no smaller ones do")
        return found


def examine_all_sizes(
    verifier: Verification, progress: Callable[[str], None] = lambda text: None, *, seed: int = 0
) -> AllSizes:
    """Lists what is allowed at any size, and searches for what was not met.

    Args:
        verifier: A verification that is done, and that collected kinds.
        progress: Is told how far it is.
        seed: Of the search.
    """
    assert verifier.by_situation is not None
    assert verifier.tables is not None
    kinds, tables = verifier.by_situation.kinds, verifier.tables
    assert kinds is not None
    rng, before = np.random.default_rng((seed, 2)), len(tables.levels[-1].index)
    searched = 0
    try:
        while True:
            known, closure = kinds.count, Closure(kinds, tables)
            allowed = closure.enumerate(progress)
            decisions, undecided = _decisions(closure, allowed, verifier.by_situation, progress)
            while wanted := open_situations(allowed, tables) | _called_for(decisions, tables):
                if searched == SEARCHES * TOGETHER:
                    break
                progress(f"search: {searched} inputs, {len(wanted)} situations open, or decisions in them")
                nodes = int(rng.integers(3, LARGEST_FOUND + 1))  # all of one size: nothing is padded
                if (part := _neighbours(verifier, wanted, nodes, rng)).graphs:
                    verifier.examine(part)
                searched += TOGETHER
            if kinds.count == known:
                break  # else the search has found other kinds, which allow more
    except TooManyError as error:
        return AllSizes(*_growth(kinds), stopped=str(error))
    met = met_decisions(tables)
    parts = {
        f"situations after round {level}": (part, {*map(tuple, tables.heard_in(level).tolist())})
        for level, part in ((1, allowed.first), (2, allowed.second))
    }
    if decisions is not None:
        parts |= {
            "decisions about nodes": (decisions.nodes, met.nodes),
            "decisions about the graph": (decisions.graphs, met.graphs),
        }
    return AllSizes(
        *_growth(kinds),
        allowed={name: len(part) for name, (part, _) in parts.items()},
        met={name: len(part & seen) for name, (part, seen) in parts.items()},
        open={name: len(part - seen) for name, (part, seen) in parts.items()},
        found=len(tables.levels[-1].index) - before,
        searched=searched,
        undecided=undecided,
        examples=[describe(tables, *one) for one in sorted(open_situations(allowed, tables))[:20]],
    )


def _decisions(
    closure: Closure, allowed: Allowed, by: BySituation, progress: Callable[[str], None]
) -> tuple[Decisions | None, str]:
    """The decisions that are allowed, or why they could not be listed. Situations that occur in no row are taken away."""
    try:
        decisions = allowed_decisions(closure, allowed, by.targets, progress)
    except TooManyError as error:
        return None, str(error)
    allowed.second = {one.situation for one in decisions.nodes}
    allowed.first = {one[:2] for one in allowed.second}
    return decisions, ""


def _called_for(decisions: Decisions | None, tables: Tables) -> set[Situation]:
    """The situations in which a decision about a node is allowed that was not met."""
    return set() if decisions is None else {one.situation for one in decisions.nodes - met_decisions(tables).nodes}


def open_situations(allowed: Allowed, tables: Tables) -> set[Situation]:
    """Returns the situations that are allowed and were not met."""
    return allowed.second - {*map(tuple, tables.heard_in(2).tolist())}


def describe(tables: Tables, kind: int, *heard: int) -> dict[str, Any]:
    """Returns a situation in words: the graph's values, those of the node, and the bits heard in each round."""
    key = int(tables.levels[0].index.keys[kind])
    layout = tables.layout
    return {
        "graph": dict(layout.words(layout.graph, int(tables.graphs.keys[key >> 32]))),
        "node": dict(layout.words(layout.node, int(tables.types.keys[key & 0xFFFFFFFF]))),
        "heard": [heard_words(tables, word) for word in heard],
    }


def heard_words(tables: Tables, word: int) -> dict[str, str]:
    """Returns what a node hears, as bits by whom it hears them from; kinds of messages that are silent are left out."""
    names = ["in-neighbours", "out-neighbours", "all nodes", "nodes before"]
    for name in (*(f.name for f in tables.spec.compared), *(rule.field.name for rule in tables.spec.stamps)):
        names += [f"before by {name}", f"after by {name}"]
    parts = [(word >> (place * tables.bits)) & ((1 << tables.bits) - 1) for place in range(len(names))]
    return {name: format(part, f"0{tables.bits}b")[::-1] for name, part in zip(names, parts, strict=True) if part}


def _growth(kinds: Kinds) -> tuple[list[tuple[int, int, int, int, int]], int, int]:
    return kinds.growth, kinds.saturated, kinds.largest


def _neighbours(verifier: Verification, wanted: set[Situation], nodes: int, rng: np.random.Generator) -> Part:
    """Inputs that differ a little from some with a situation that is like a wanted one: the same up to the last round."""
    tables, by = verifier.tables, verifier.by_situation
    assert tables is not None
    assert by is not None
    seen = tables.heard_in(2)
    alike = {one[:2] for one in wanted}
    kinds = {kind for kind, _ in alike}
    close = [place for place, one in enumerate(seen.tolist()) if (one[0], one[1]) in alike]
    close += [place for place, one in enumerate(seen.tolist()) if one[0] in kinds]
    near = [graph for place in close if abs(len(graph := by.examples[place][0].graph) - nodes) <= 2]
    return search_part(verifier.algorithm, near, nodes, rng)
