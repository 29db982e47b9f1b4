"""The name that was probably meant."""

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(word: str, names: Iterable[str]) -> str:
    """Returns the name that is most like a word; an empty string if none is.

    Args:
        word: What was typed: capital letters make no difference, and initials are enough.
        names: The names that there are.

    Example:
        >>> names = ["bridges", "strongly_connected_components"]
        >>> nearest("BRIGDES", names), nearest("scc", names), nearest("dijkstra", names)
        ('bridges', 'strongly_connected_components', '')
    """
    names, word = list(names), word.lower()
    initials = ["".join(part[:1] for part in name.split("_")) for name in names]
    if initials.count(word) == 1:
        return names[initials.index(word)]
    return next(iter(get_close_matches(word, names, 1)), "")
