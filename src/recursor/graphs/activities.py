"""Activities as graphs: a node for the start and a node for the end of each, with an edge from the end to the start.

Starts are compared with ends, so they must be in one order of the nodes, which is that of `key`: when they are. Ends come
before starts in the order of the nodes, so that an activity that ends when another one starts is before it. A node without
an edge is a moment at which nothing starts or ends.
"""

import math
import reprlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from recursor.graphs.adjacency import GraphError
from recursor.graphs.files import Line
from recursor.graphs.graph import Graph, from_edges, with_distinct
from recursor.graphs.values import as_number, as_values, read_number

Distribution = Callable[[np.random.Generator, int], Graph]


def as_activities(activities: Mapping[Any, tuple[float, float]]) -> Graph:
    """Returns the graph of some activities.

    Args:
        activities: Of each activity its start and its end, by its name.

    Returns:
        The graph. The end of an activity has the activity's name; the start is called "…-starts".

    Raises:
        GraphError: If there is no activity, or one does not end after it starts.

    Example:
        >>> as_activities({"talk": (9, 10)}).values["key"].tolist()
        [10, 9]
    """
    if not activities:
        raise GraphError("the activities: there must be at least one, with its start and its end")
    for name, times in activities.items():
        pair = times if isinstance(times, tuple | list) and len(times) == 2 else (math.nan, math.nan)
        if not -math.inf < as_number(pair[0]) < as_number(pair[1]) < math.inf:
            raise GraphError(f"the activity {name!r}: its times must be its start and, larger, its end, not {times!r}")
    starts, ends = as_values([as_number(time) for times in activities.values() for time in times]).reshape(-1, 2).T
    names = with_distinct(list(activities), [f"{name}-starts" for name in activities])
    return _graph(starts, ends, names=names)


def read_activities(lines: Iterable[Line]) -> dict[str, tuple[float, float]]:
    """Returns the activities of the lines of a file: in each a name, a start and an end.

    Raises:
        GraphError: If a line is something else, or a name occurs twice.
    """
    found: dict[str, tuple[float, float]] = {}
    for line in lines:
        times = [number for word in line.words[1:] if (number := read_number(word)) is not None]
        if len(line.words) != 3 or len(times) != 2:
            line_is = f"{line.where}, line {line.number}: {reprlib.repr(' '.join(line.words))} is no activity"
            raise GraphError(f"{line_is}, which is a name and two numbers, its start and its end{line.advice()}")
        if line.words[0] in found:
            raise GraphError(
                f"{line.where}, line {line.number}: the activity {line.words[0]!r} must be there once, not twice"
            )
        found[line.words[0]] = (times[0], times[1])
    return found


def not_activities(graph: Graph) -> str:
    """Every edge leads from the end of an activity to its start, which is before it in time; ends come first."""
    key, ends, starts = np.asarray(graph.values["key"]), graph.senders, graph.receivers
    once = len({*ends.tolist(), *starts.tolist()}) == 2 * len(ends)
    good = once and (key[starts] < key[ends]).all() and (len(ends) == 0 or ends.max() < starts.min())
    return "" if good else "activities: edges from ends to starts, which come after all ends and have smaller keys"


def _graph(starts: np.ndarray, ends: np.ndarray, *, moments: int = 0, names: tuple | None = None) -> Graph:
    count = len(starts)
    own = np.arange(count)
    key = np.concatenate([ends, starts, np.zeros(moments, int)])
    return from_edges(own, own + count, 2 * count + moments, names=names, values={"key": key})


def all_activities(n: int) -> Iterator[Graph]:
    """All inputs of n nodes: n // 2 activities with all weak orders of their starts and ends; if n is odd, one moment."""
    count = n // 2
    for ranks in np.ndindex(*[2 * count] * (2 * count)):
        if count and len({*ranks}) != max(ranks) + 1:
            continue
        starts, ends = np.array(ranks[:count], int), np.array(ranks[count:], int)
        if (starts < ends).all():
            yield _graph(starts, ends, moments=n % 2)


def _drawn(longest: Callable[[int], float], *, whole: bool = False) -> Distribution:
    def draw(rng: np.random.Generator, n: int) -> Graph:
        starts = rng.random(n // 2)
        ends = starts + rng.uniform(1e-3, 1, n // 2) * longest(max(1, n // 2))
        if whole:
            starts, ends = np.floor(starts * 6), np.floor(ends * 6) + 1
        return _graph(starts.astype(np.float32), ends.astype(np.float32), moments=n % 2)

    return draw


SHAPES: Mapping[str, Distribution] = {
    "random": lambda rng, n: _graph(*np.sort(rng.permutation(n - n % 2).reshape(2, -1), 0), moments=n % 2),
    "short": _drawn(lambda count: 2 / count),
    "middling": _drawn(lambda count: 8 / count),
    "long": _drawn(lambda count: 10.0),
    "whole hours": _drawn(lambda count: 1.0, whole=True),
    "one after the other": lambda rng, n: _graph(np.arange(n // 2), np.arange(n // 2) + 1, moments=n % 2),
    "all at once": lambda rng, n: _graph(np.zeros(n // 2, int), np.ones(n // 2, int), moments=n % 2),
}
"""Distributions by name."""


def any_activities(rng: np.random.Generator, n: int) -> Graph:
    """One of all distributions."""
    return list(SHAPES.values())[rng.integers(len(SHAPES))](rng, n)
