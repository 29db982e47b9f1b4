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


WORDS = {
    "dfs": Words(
        title="Depth-first search",
        categories={"color": ("white: not seen", "grey: being visited", "black: finished")},
        pointers={"u": "current node", "u_pi": "its predecessor", "u_v": "neighbour to explore", "s": "root"},
        callee="u_v",
    )
}


def words_of(algorithm: str) -> Words:
    """The words of an algorithm, or none."""
    return WORDS.get(algorithm) or Words(title=algorithm)
