"""Texts as graphs: a node a letter, in the order of the text, and after them the letters of the needle to be found in it."""

from collections.abc import Callable, Iterator, Mapping
from itertools import product

import numpy as np

from recursor.graphs.graph import Graph, even

Distribution = Callable[[np.random.Generator, int], Graph]
LETTERS = 4


def as_text(text: str, needle: str) -> Graph:
    """Returns the input of a string matcher.

    Args:
        text: The text that is searched.
        needle: The text that is searched for, of at least one letter.

    Returns:
        The graph. Every letter is called by its place and itself.

    Raises:
        ValueError: If there are more than four different letters, or none in the needle.

    Example:
        >>> as_text("ATT", "T").names
        ('0:A', '1:T', '2:T', '3:T')
        >>> as_text("ATT", "T").values["string"].tolist()
        [0, 0, 0, 1]
    """
    letters = sorted({*text, *needle})
    if len(letters) > LETTERS:
        raise ValueError(f"a text has at most {LETTERS} different letters here, not {len(letters)}: {' '.join(letters)}")
    if not needle:
        raise ValueError("the needle needs at least one letter")
    names = tuple(f"{place}:{letter}" for place, letter in enumerate(text + needle))
    return _graph([letters.index(letter) for letter in text], [letters.index(letter) for letter in needle], names)


def not_text(graph: Graph) -> str:
    """The letters of the needle, at least one, come after those of the text."""
    string = np.asarray(graph.values["string"])
    good = string[-1] == 1 and (string[1:] >= string[:-1]).all()
    return "" if good else "letters of a text and after them those of the needle, at least one, which 'string' marks by 1"


def _graph(text: list[int] | np.ndarray, needle: list[int] | np.ndarray, names: tuple[str, ...] | None = None) -> Graph:
    none, n = np.zeros(0, np.int32), len(text) + len(needle)
    values = {"string": np.arange(n) >= len(text), "key": np.concatenate([text, needle])}
    return Graph(none, none, even(n), names or range(n), {name: column.astype(np.int32) for name, column in values.items()})


def all_texts(n: int) -> Iterator[Graph]:
    """All inputs of n letters: every text with every needle of at least one letter."""
    for letters in product(range(LETTERS), repeat=n):
        for size in range(n):
            yield _graph(np.array(letters[:size], int), np.array(letters[size:], int))


def _drawn(letters: int, *, longest: float = 1.0, inside: bool = False) -> Distribution:
    """Texts of so many letters; the needle is at most this part of all, and perhaps a piece of the text."""

    def draw(rng: np.random.Generator, n: int) -> Graph:
        size = int(rng.integers(1, max(1, int(longest * n)) + 1))
        text = rng.permutation(LETTERS)[:letters][rng.integers(0, letters, n - size)]
        needle = rng.integers(0, letters, size)
        if inside and size <= len(text):
            start = rng.integers(len(text) - size + 1)
            needle = text[start : start + size].copy()
            if rng.random() < 0.3:
                needle[-1] = rng.integers(LETTERS)
        return _graph(text, needle)

    return draw


random_text = _drawn(4, longest=0.25)
TEXTS: Mapping[str, Distribution] = {
    "one letter": _drawn(1),
    "two letters": _drawn(2, longest=0.5),
    "short needle": _drawn(3, longest=0.1),
    "long needle": _drawn(4),
    "inside": _drawn(2, longest=0.5, inside=True),
    "inside of four": _drawn(4, longest=0.4, inside=True),
}
"""Distributions by name."""


def any_text(rng: np.random.Generator, n: int) -> Graph:
    """One of all distributions."""
    return list(TEXTS.values())[rng.integers(len(TEXTS))](rng, n)
