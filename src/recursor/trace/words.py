"""Words for what a trace shows. All are optional: a field without words is shown by its name, a category by its number."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Words:
    """An algorithm in words."""

    title: str = ""
    categories: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """What the values of a category or mask are called."""
    pointers: dict[str, str] = field(default_factory=dict)
    """What a pointer points at."""
    callee: str = ""
    """The pointer that names, in a push row, whom the call calls."""
    onward: tuple[str, ...] = ()
    """Outputs that name the node after a node; all others name one before it."""


_SEARCH = {"u": "current node", "v": "neighbour to explore"}
_LOW = _SEARCH | {"low": "first discovered within reach", "returned": "what the call returned"}
_SEEN = {"seen": ("not seen", "seen")}

WORDS = {
    "dfs": Words(
        title="Depth-first search",
        categories={"color": ("white: not seen", "grey: being visited", "black: finished")},
        pointers={"u": "current node", "u_pi": "its predecessor", "u_v": "neighbour to explore", "s": "root"},
        callee="u_v",
    ),
    "topological_sort": Words(
        title="Topological sort",
        categories=_SEEN,
        pointers=_SEARCH | {"head": "first of the order so far"},
        callee="v",
        onward=("topo",),
    ),
    "strongly_connected_components": Words(
        title="Strongly connected components (Kosaraju)",
        categories={
            "state": ("not seen", "seen by the first search", "seen by the second search"),
            "second": ("first search", "second search, against the edges"),
        },
        pointers=_SEARCH | {"s": "root", "returned": "finished node"},
        callee="v",
    ),
    "tarjan": Words(
        title="Strongly connected components (Tarjan)",
        categories={"state": ("not seen", "in no component yet", "in a component")},
        pointers=_LOW | {"w": "goes into the component of u"},
        callee="v",
    ),
    "articulation_points": Words(
        title="Articulation points",
        categories=_SEEN | {"cut": ("no articulation point, as far as known", "articulation point")},
        pointers=_LOW | {"pi": "its predecessor"},
        callee="v",
    ),
    "bridges": Words(
        title="Bridges",
        categories=_SEEN | {"bridge": ("no bridge above, as far as known", "the edge from its predecessor is a bridge")},
        pointers=_LOW | {"pi": "its predecessor"},
        callee="v",
    ),
    "quicksort": Words(
        title="Quicksort",
        categories={"active": ("not in this call", "to be sorted"), "placed": ("not placed yet", "in its final place")},
        pointers={"pivot": "pivot", "before": "placed before the last", "last": "placed last"},
    ),
    "merge_sort": Words(
        title="Merge sort",
        categories={"odd": ("even step", "odd step")},
        pointers={
            "first": "sort from",
            "last": "to",
            "middle": "end of the first half",
            "fast": "fast finger",
            "i": "least that is left of the first half",
            "j": "least that is left of the second half",
            "next": "merged last",
            "before": "merged before it",
        },
    ),
    "circuit": Words(
        title="A tree of gates",
        categories=_SEEN
        | {"value": ("false", "true"), "returned": ("false", "true"), "gate": ("false", "true", "and", "or")},
        pointers={"u": "current gate", "v": "child to evaluate"},
        callee="v",
    ),
}


def words_of(algorithm: str) -> Words:
    """The words of an algorithm, or none."""
    return WORDS.get(algorithm) or Words(title=algorithm)
