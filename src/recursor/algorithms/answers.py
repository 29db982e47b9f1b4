"""Answers that several algorithms give, in the names of a person's nodes."""

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from recursor.graphs.graph import Graph


def components(graph: Graph, outputs: Mapping[str, np.ndarray]) -> list[set[Hashable]]:
    """Returns the strongly connected components as sets of names.

    Args:
        graph: The graph.
        outputs: `scc_id` names one node of its component for every node.

    Returns:
        The components, in the order of their first nodes.
    """
    found: dict[int, set[Hashable]] = {}
    for name, which in zip(graph.names, outputs["scc_id"].tolist(), strict=True):
        found.setdefault(which, set()).add(name)
    return list(found.values())


def follow(after: Mapping[int, int], first: int, n: int) -> list[int]:
    """Walks along a linked list of n nodes.

    Args:
        after: The node after each node but the last.
        first: The node to begin with.
        n: How many nodes there are.

    Returns:
        The nodes in order.

    Raises:
        ValueError: If the list does not lead through every node once.
    """
    order = [first]
    while len(order) <= n and order[-1] in after:
        order.append(after[order[-1]])
    if sorted(order) != list(range(n)):
        raise ValueError("these outputs are not an order: the linked list does not visit every node exactly once")
    return order


def sorted_keys(graph: Graph, outputs: Mapping[str, np.ndarray]) -> list[Any]:
    """Returns the keys in ascending order.

    Args:
        graph: The graph, with its keys.
        outputs: `pred` names for each node the one before it; the first names itself.

    Returns:
        The sorted keys.

    Raises:
        ValueError: If the outputs are no order.
    """
    pred = outputs["pred"].tolist()
    firsts = [node for node, before in enumerate(pred) if node == before]
    after = {before: node for node, before in enumerate(pred) if node != before}
    order = follow(after, firsts[0] if firsts else -1, len(graph))
    return [graph.value("key", node) for node in order]
