"""Texts that have a structure, as graphs: a node a bracket or word, in the order of the text."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from recursor.graphs.graph import Graph, even
from recursor.system.files import is_there

Distribution = Callable[[np.random.Generator, int], Graph]
SIGNS = "()[]"
TOKENS = ("false", "true", "and", "or", "not", "(", ")")
FALSE, TRUE, AND, OR, NOT, LEFT, RIGHT = range(7)


def as_brackets(text: str) -> Graph:
    """Returns the brackets of a text, round and square; everything else in it is left out.

    Args:
        text: A text with at least one bracket.

    Returns:
        The graph. A bracket is called by its place in the text, counted from 0.

    Raises:
        ValueError: If there is no bracket.

    Example:
        >>> as_brackets("f(x[1])").names
        (1, 3, 5, 6)
    """
    places = tuple(place for place, sign in enumerate(text) if sign in SIGNS)
    if not places:
        raise ValueError("the text has no bracket; there should be at least one of ( ) [ ]")
    return _graph("bracket", [SIGNS.index(text[place]) for place in places], places)


def is_text(source: Any) -> bool:
    """Returns whether a source is a text, and not the name of a file."""
    return isinstance(source, str) and not is_there(source)


def all_brackets(n: int) -> Iterator[Graph]:
    """All texts of n brackets, matched or not."""
    return (_graph("bracket", kinds) for kinds in product(range(4), repeat=n))


def _matched(rng: np.random.Generator, n: int, deeper: float) -> list[int]:
    """Matched brackets; if n is odd, one of them is without a partner."""
    text: list[int] = []
    opened: list[int] = []
    while len(text) + len(opened) < n - n % 2:
        if opened and rng.random() > deeper:
            text.append(opened.pop() + 1)
        else:
            opened.append(2 * int(rng.integers(2)))
            text.append(opened[-1])
    text += [opening + 1 for opening in reversed(opened)]
    if n % 2:
        text.insert(int(rng.integers(n)), int(rng.integers(4)))
    return text


def _brackets(deeper: float, mistakes: int = 0) -> Distribution:
    def draw(rng: np.random.Generator, n: int) -> Graph:
        text = _matched(rng, n, deeper)
        for place in rng.integers(0, n, mistakes).tolist():
            text[place] = int(rng.integers(4))
        return _graph("bracket", text)

    return draw


balanced_brackets = _brackets(0.5)
BRACKETS: Mapping[str, Distribution] = {
    "balanced": balanced_brackets,
    "deep": _brackets(0.8),
    "deepest": _brackets(1.0),
    "flat": _brackets(0.1),
    "one mistake": _brackets(0.6, 1),
    "mistakes": _brackets(0.5, 4),
    "anything": lambda rng, n: _graph("bracket", rng.integers(0, 4, n)),
    "open": lambda rng, n: _graph("bracket", 2 * rng.integers(0, 2, n)),
}
"""Distributions by name."""


def any_brackets(rng: np.random.Generator, n: int) -> Graph:
    """One of all distributions."""
    return list(BRACKETS.values())[rng.integers(len(BRACKETS))](rng, n)


def as_expression(text: str) -> Graph:
    """Returns the words of an expression.

    Args:
        text: The words true, false, and, or, not and parentheses, with spaces between the words.

    Returns:
        The graph. Every word is called by its place and itself.

    Raises:
        ValueError: If there is another word.

    Example:
        >>> as_expression("not (true)").names
        ('0:not', '1:(', '2:true', '3:)')
    """
    words = text.replace("(", " ( ").replace(")", " ) ").split()
    for word in words:
        if word not in TOKENS:
            raise ValueError(f"{word!r} is not a word of an expression; the words are {' '.join(TOKENS)}")
    return _graph("token", [TOKENS.index(word) for word in words], tuple(f"{k}:{word}" for k, word in enumerate(words)))


def no_expression(graph: Graph) -> str:
    """The words are an expression of the grammar in `algorithms/expression.py`."""
    wants, depth = True, 0  # whether a value comes next; how many parentheses are open
    for word in np.asarray(graph.values["token"]).tolist():
        if (word in (FALSE, TRUE, NOT, LEFT)) != wants:
            return _NEEDS
        depth += (word == LEFT) - (word == RIGHT)
        if depth < 0:
            return _NEEDS
        wants = word in (AND, OR, NOT, LEFT)
    return _NEEDS if wants or depth else ""


_NEEDS = "the words of an expression, such as not ( true and false )"


@cache
def _words(rule: str, n: int) -> tuple[tuple[int, ...], ...]:
    """All texts of n words that a rule of the grammar gives."""
    if n < 1:
        return ()
    if rule == "factor":
        values = ((FALSE,), (TRUE,)) if n == 1 else ()
        negated = ((NOT, *words) for words in _words("factor", n - 1))
        return (*values, *negated, *((LEFT, *words, RIGHT) for words in _words("disjunction", n - 2)))
    below, word = ("factor", AND) if rule == "conjunction" else ("conjunction", OR)
    return (
        *_words(below, n),
        *(
            (*first, word, *second)
            for size in range(1, n - 1)
            for first in _words(rule, size)
            for second in _words(below, n - 1 - size)
        ),
    )


def all_expressions(n: int) -> Iterator[Graph]:
    """All expressions of n words."""
    return (_graph("token", words) for words in _words("disjunction", n))


def _expression(weights: Sequence[float]) -> Distribution:
    """Expressions in which *not*, parentheses, *and*, *or* have these weights."""

    def write(rng: np.random.Generator, n: int) -> list[int]:
        text: list[int] = []
        parts: list[int | tuple[int]] = [(n,)]  # from the last to the first: a word, or how many are to be written
        while parts:
            part = parts.pop()
            if isinstance(part, int):
                text.append(part)
                continue
            (size,) = part
            chance = np.array(weights) * (size > 1, size > 2, size > 2, size > 2)
            if size == 1:
                text.append(int(rng.integers(2)))
                continue
            match int(rng.choice(4, p=chance / chance.sum())):
                case 0:
                    parts += [(size - 1,), NOT]
                case 1:
                    parts += [RIGHT, (size - 2,), LEFT]
                case kind:
                    first = int(rng.integers(1, size - 1))
                    parts += [(size - 1 - first,), AND if kind == 2 else OR, (first,)]
        return text

    return lambda rng, n: _graph("token", write(rng, n))


EXPRESSIONS: Mapping[str, Distribution] = {
    "random": _expression((1, 1, 1, 1)),
    "flat": _expression((1, 0.01, 4, 4)),
    "nested": _expression((1, 6, 1, 1)),
    "parentheses": _expression((0.01, 1, 0, 0)),
    "negations": _expression((8, 1, 1, 1)),
    "products": _expression((1, 2, 8, 0.1)),
    "sums": _expression((1, 2, 0.1, 8)),
}
"""Distributions by name."""


def any_expression(rng: np.random.Generator, n: int) -> Graph:
    """One of all distributions."""
    return list(EXPRESSIONS.values())[rng.integers(len(EXPRESSIONS))](rng, n)


def _graph(name: str, kinds: Sequence[int] | np.ndarray, names: tuple | None = None) -> Graph:
    none, n = np.zeros(0, np.int32), len(kinds)
    return Graph(none, none, even(n), range(n) if names is None else names, {name: np.array(kinds, np.int32)})
