from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings

from recursor.algorithms.dfs import DFS
from recursor.algorithms.forests import is_depth_first_forest
from recursor.graphs.distributions import path
from recursor.graphs.graph import Graph
from tests.strategies import graphs


def every_forest(graph: Graph) -> set[tuple[int, ...]]:
    """What depth-first search leaves behind, over all orders of roots and neighbours."""
    n = len(graph)
    found = set()

    def search(seen: frozenset[int], stack: tuple[int, ...], pi: tuple[int, ...]) -> None:
        if len(seen) == n:
            found.add(pi)
            return
        choices = [v for v in (graph.successors[stack[-1]] if stack else range(n)) if v not in seen]
        if stack and not choices:
            search(seen, stack[:-1], pi)
        for v in choices:
            search(seen | {v}, (*stack, v), tuple(stack[-1] if stack and i == v else p for i, p in enumerate(pi)))

    search(frozenset(), (), tuple(range(n)))
    return found


@given(graphs(max_nodes=4))
@settings(max_examples=40)
def test_valid_forests_are_those_that_some_order_gives(graph: Graph) -> None:
    n = len(graph)
    accepted = {pi for pi in product(range(n), repeat=n) if is_depth_first_forest(graph, np.array(pi))}
    assert accepted == every_forest(graph)


@given(graphs(max_nodes=12))
def test_the_canonical_forest_is_valid(graph: Graph) -> None:
    assert is_depth_first_forest(graph, DFS.run(graph)["pi"])


@pytest.mark.parametrize("pi", [[0, 0], [0, 0, 7], [-1, 0, 1], [1, 2, 0]])
def test_nonsense_is_no_forest(pi: list[int]) -> None:
    assert not is_depth_first_forest(path(3), np.array(pi))
