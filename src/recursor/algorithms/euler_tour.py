"""The Euler tour of a tree: the way along every edge down and up again, which visits each node when a call returns to it.

What is kept of the tour is when each node is entered first and left last, as two linked lists: `pre` names for each node the
one that was entered before it, and `post` the one that was left before it. The first of each names itself.
"""

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from recursor.algorithms.answers import follow
from recursor.algorithms.circuit import root_of
from recursor.graphs import enumeration
from recursor.graphs.conditions import not_tree
from recursor.graphs.distributions import tree
from recursor.graphs.graph import Graph, named_graph
from recursor.graphs.trees import TREES, any_rooted_tree
from recursor.recording.algorithm import Algorithm
from recursor.recording.picture import Picture, listed
from recursor.recording.recorder import Recorder
from recursor.recording.words import SEARCH, SEEN, Words
from recursor.spec import Collect, Field


def euler_tour(graph: Graph, record: Recorder) -> dict:
    n = len(graph)
    (seen,) = record.nodes(seen=[0] * n)
    now = record.graph(entered=-1, left=-1, left_before=-1)
    pre, post = list(range(n)), list(range(n))

    @record.recursive
    def visit(call, u):
        call.u, call.before, seen[u] = u, now.entered, 1
        pre[u] = u if now.entered < 0 else now.entered
        now.entered = u
        record.step()
        for v in graph.successors[u]:
            call.v = v
            visit(v)
        post[u] = u if now.left < 0 else now.left
        now.left, now.left_before = u, now.left

    record.outermost.v = root_of(graph)
    record.step()
    visit(root_of(graph))
    return {"pre": pre, "post": post}


def as_tour(graph: Graph, outputs: Mapping[str, np.ndarray]) -> dict[str, list[Any]]:
    """Returns the tour as a list of names, and the orders in which nodes are entered first and left last.

    Raises:
        ValueError: If the outputs are no orders.
    """
    orders = [_order(outputs[name].tolist()) for name in ("pre", "post")]
    place = {node: index for index, node in enumerate(orders[1])}
    tour: list[Hashable] = []
    above: list[int] = []
    for node in [*orders[0], -1]:
        while above and (node < 0 or place[above[-1]] < place[node]):  # left before this one
            above.pop()
            tour += [graph.names[above[-1]]] if above else []
        if node >= 0:
            above.append(node)
            tour.append(graph.names[node])
    names = [[graph.names[node] for node in order] for order in orders]
    return {"tour": tour, "preorder": names[0], "postorder": names[1]}


def _order(before: list[int]) -> list[int]:
    firsts = [node for node, other in enumerate(before) if node == other]
    return follow(
        {other: node for node, other in enumerate(before) if node != other}, firsts[0] if firsts else -1, len(before)
    )


def picture(graph: Graph, outputs: Mapping[str, np.ndarray]) -> Picture:
    """Returns the picture of the tour: nodes are numbered in the order in which they are entered first."""
    order = _order(outputs["pre"].tolist())
    return Picture(f"tour: {listed(as_tour(graph, outputs)['tour'])}", order=order, order_word="place among first visits")


EULER_TOUR = Algorithm(
    name="euler_tour",
    title="Euler tour",
    summary="The way along all edges of a tree, down and up again.",
    function=euler_tour,
    inputs=("pos", "A", "adj"),
    shared=(
        Field("seen", "node", "mask"),
        *(Field(name, "graph", "pointer", null=True) for name in ("entered", "left", "left_before")),
    ),
    call=tuple(Field(name, "graph", "pointer", null=True) for name in ("u", "v", "before")),
    outputs=(Field("pre", "node", "pointer"), Field("post", "node", "pointer")),
    collect=(Collect("pre", at="u", value="before"), Collect("post", at="left", value="left_before")),
    views={"discrete": ("u", "v", "before", "entered", "left", "left_before", "seen", "stack_op")},
    train=any_rooted_tree,
    test=tree,
    unfit=not_tree,
    words=Words(
        meanings={"pre": "the node visited before it, going down", "post": "the node finished before it, going up"},
        answer="a dictionary with the tour and the orders of going down and up, as lists of names",
        categories=SEEN,
        pointers=SEARCH
        | {
            "v": "child",
            "before": "entered before it",
            "entered": "entered last",
            "left": "left last",
            "left_before": "left before that",
        },
        callee="v",
    ),
    example=named_graph("top left", "top right", "left p", "left q", "q x", "right r"),
    others=TREES,
    small_inputs=enumeration.trees,
    small_size=6,
    answer=as_tour,
    layout="tree",
    picture=picture,
)
