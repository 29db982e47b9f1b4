"""The values of the nodes: further inputs of an algorithm, one number a node, such as the keys to be sorted."""

import math
import reprlib
from collections.abc import Iterable, Sequence
from numbers import Real
from typing import Any

import numpy as np

from recursor.graphs.adjacency import GraphError, refuse_masked
from recursor.graphs.graph import Graph, even


def from_numbers(numbers: Iterable[Any], name: str, where: str) -> Graph:
    """Makes the graph of a plain list of numbers: no edges, and a value a node.

    Args:
        numbers: The numbers.
        name: What the value is called, such as `key`.
        where: What errors call the list.

    Returns:
        The graph, whose nodes are called 0, 1, …

    Raises:
        GraphError: If there is no number, or something else than finite numbers.

    Example:
        >>> from_numbers([3, 1, 2], "key", "the list").values["key"].tolist()
        [3, 1, 2]
    """
    refuse_masked(numbers, where)
    items = as_array(numbers).tolist() if hasattr(numbers, "__array__") else list(numbers)
    column = [as_number(item) for item in items]
    if not column:
        raise GraphError(f"{where}: a graph needs at least one node, but there is no number")
    for place, number in enumerate(column):
        if not math.isfinite(number):
            item, here = reprlib.repr(items[place]), f"{where}, item {place} (counted from 0)"
            if isinstance(items[place], int):
                raise GraphError(f"{here}: {item} has more digits than a value can hold")
            raise GraphError(f"{here}: every {name} must be a finite number, not {item}")
    none = np.zeros(0, np.int32)
    return Graph(none, none, even(len(column)), range(len(column)), {name: as_values(column)}, given={name: items})


def as_array(source: Any) -> np.ndarray:
    """Returns an array; of a PyTorch tensor its numbers, whether or not it has a gradient, and wherever it is kept."""
    return np.asarray(source.detach().cpu() if hasattr(source, "detach") else source)


def read_number(word: str) -> float | None:
    """Returns the number that a word of a text file writes; None if it is none, not finite, or an integer of so many digits
    that a float would be another.

    Example:
        >>> read_number("12"), read_number("1e999"), read_number("9007199254740993")
        (12.0, None, None)
    """
    try:
        number = float(word)
    except ValueError:
        return None
    if not math.isfinite(number):
        return None
    digits = word.strip().lstrip("+-").lstrip("0")
    if digits.isdecimal() and (len(digits) > MOST_DIGITS or int(digits) != abs(number)):
        return None
    return number


MOST_DIGITS = 309
"""The digits of the largest integer that a float holds."""


def as_category(value: object, words: Sequence[str]) -> object:
    """Returns the number of a category that is given by its word; anything else as it is.

    Args:
        value: A value as its owner gave it.
        words: What the categories are called, in the order of their numbers.

    Example:
        >>> as_category("and", ("false", "true", "and")), as_category(1, ("false", "true")), as_category("no", ())
        (2, 1, 'no')
    """
    return words.index(value) if isinstance(value, str) and value in words else value


def what_is_wanted(words: Sequence[str]) -> str:
    """Returns what a value must be, in words: a finite number, or one of the words for its categories.

    Example:
        >>> what_is_wanted(()), what_is_wanted(("false", "true"))
        ('a finite number', "one of 'false', 'true'")
    """
    return f"one of {', '.join(map(repr, words))}" if words else "a finite number"


def as_number(value: object) -> float:
    """Returns a value as a number; NaN if it is none, or none that a float can hold exactly."""
    try:
        return number if isinstance(value, Real | np.bool_) and (number := float(value)) == value else math.nan
    except OverflowError:  # an integer that no float comes near
        return math.nan


def as_single(numbers: np.ndarray) -> np.ndarray:
    """Returns finite numbers in single precision; their ranks from 1, where it cannot tell different ones apart.

    Networks compare such numbers with each other, so their ranks say the same.

    Example:
        >>> as_single(np.array([1700000002, 1700000001, 1700000002])).tolist()
        [2.0, 1.0, 2.0]
    """
    with np.errstate(over="ignore"):
        single = numbers.astype(np.float32)
    different, ranks = np.unique(numbers, return_inverse=True)
    kept = np.isfinite(single).all() and len(np.unique(single)) == len(different)
    return single if kept else ranks.astype(np.float32) + 1


def as_values(numbers: Sequence[float]) -> np.ndarray:
    """Returns numbers as a graph's values, integers if all are whole."""
    exact = np.array(numbers, np.float64)
    whole = np.abs(exact).max(initial=0) < 2**31 and np.array_equal(exact, exact.astype(np.int32))
    return exact.astype(np.int32) if whole else exact
