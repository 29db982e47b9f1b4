"""An answer as text, in the names of a person's nodes."""

from collections.abc import Hashable, Mapping
from typing import Any

import networkx as nx
from rich.console import Group, RenderableType
from rich.text import Text
from rich.tree import Tree

DEEPEST = 12
"""A forest with more levels than this is printed as a list of edges: its drawing would be too wide."""


def heading(title: str, answer: Any) -> str:
    """Returns the line above an answer: the title of the algorithm, and how many parts the answer has.

    For example:

            >>> heading("Bridges", [("a", "b")])
            'Bridges (1)'
    """
    many = isinstance(answer, list) and not _is_row(answer)
    return f"{title} ({len(answer)})" if many else title


def as_text(answer: Any) -> RenderableType:
    """Returns an answer as something that rich prints.

    Args:
        answer: What `Algorithm.answer` returns: a truth value, a list, sets, edges, a forest, or a dictionary.

    Returns:
        A forest as a drawing of its trees, or if it has weights as its edges and its lone nodes; sets and edges one per
        line, "none" if there are none; a list in one line; of truth values by node, the nodes at which they are true.

    For example:
        >>> print(as_text([2, 3.0, 4.5]))
        2, 3, 4.5
        >>> print(as_text({"region": {"a": True, "b": True, "c": False}}))
        region: a, b
    """
    if isinstance(answer, nx.Graph):
        return _forest(answer)
    if isinstance(answer, Mapping):
        return Text("\n".join(f"{name}: {_value(value)}" for name, value in answer.items()))
    if isinstance(answer, list) and not _is_row(answer):
        return Text("\n".join(map(_value, answer)) or "none")
    return Text(_value(answer))


def _is_row(answer: list) -> bool:
    """Whether a list is an order: one line, not one line per part."""
    return bool(answer) and not isinstance(answer[0], set | tuple)


def _value(value: Any) -> str:
    match value:
        case set():
            return "{" + ", ".join(sorted(map(str, value))) + "}"
        case tuple():
            return " – ".join(map(str, value))
        case list():
            return ", ".join(map(_value, value)) or "none"
        case bool():
            return "true" if value else "false"
        case float() if value.is_integer():
            return str(value).removesuffix(".0")
        case Mapping() if value and all(isinstance(one, bool) for one in value.values()):
            return ", ".join(str(key) for key, one in value.items() if one) or "none"
        case Mapping():
            return ", ".join(f"{key} {_value(one)}" for key, one in value.items())
        case None:
            return "none"
    return str(value)


def _forest(forest: nx.Graph) -> RenderableType:
    if not forest.is_directed():
        weighted = [(f"{a} – {b}", weight) for a, b, weight in forest.edges(data="weight")]
        edges = [edge if weight is None else f"{edge}: {_value(weight)}" for edge, weight in weighted]
        return Text("\n".join([*edges, *map(str, nx.isolates(forest))]))
    children: dict[Hashable, list[Hashable]] = {node: list(forest.adj[node]) for node in forest}
    below = {child for nodes in children.values() for child in nodes}
    roots = [node for node in forest if node not in below]
    drawn = [_tree(root, children) for root in roots]
    if any(tree is None for tree in drawn):
        return Text("\n".join(f"{parent} → {child}" for parent, nodes in children.items() for child in nodes))
    return Group(*(tree for tree in drawn if tree is not None))


def _tree(root: Hashable, children: Mapping[Hashable, list[Hashable]]) -> Tree | None:
    """Returns the drawing of a tree; None if it is too deep."""
    tree = Tree(Text(str(root)))
    level = [(root, tree)]
    for _ in range(DEEPEST):
        level = [(child, branch.add(Text(str(child)))) for node, branch in level for child in children[node]]
        if not level:
            return tree
    return None
