"""Insertion sort: two loops, written as tail recursion.

The elements that are `sorted` are a list in the order of their keys. The next element `u` of the given order finds its place
from the upper end: `j` goes down the list until it is not larger than u, `k` is the one that it was before, and all that it
was are marked as `larger`.
Then u is linked in between: its predecessor is j, and k's is u. `pred` names for each element the one before it, and the
first names itself, as in CLRS-30. No call needs a frame: the stack stays flat.
"""

import numpy as np

from recursor.algorithms.answers import sorted_keys
from recursor.algorithms.pictures import sorted_nodes
from recursor.graphs import enumeration, shapes
from recursor.graphs.distributions import any_keys, keys
from recursor.graphs.graph import Graph, named_graph
from recursor.recording.algorithm import Algorithm
from recursor.recording.recorder import Recorder
from recursor.recording.words import SORTED, Words
from recursor.spec import Collect, Field


def insertion_sort(graph: Graph, record: Recorder) -> dict:
    n = len(graph)
    (is_sorted,) = record.nodes(sorted=[0] * n)
    rank = np.argsort(np.argsort(graph.values["key"], kind="stable")).tolist()
    ascending: list[int] = []  # the sorted elements
    pred = list(range(n))

    @record.recursive
    def descend(call, u, place):
        """The place of u is at or below this place among the sorted elements."""
        show(call, u, place)
        record.step()
        down = place > 0 and rank[ascending[place - 1]] > rank[u]
        return record.tail(descend, u, place - 1) if down else record.tail(insert, u, place)

    @record.recursive
    def insert(call, u, place):
        show(call, u, place)
        call.larger, is_sorted[u], pred[u] = None, 1, u if call.j < 0 else call.j
        ascending.insert(place, u)
        record.step()
        return record.tail(next_one) if call.k < 0 else record.tail(link, call.k, u)

    @record.recursive
    def link(call, k, u):
        call.u, call.j, pred[k] = k, u, u
        record.step()
        return record.tail(next_one)

    @record.recursive
    def next_one(call):
        u = len(ascending)
        return record.tail(descend, u, u) if u < n else None

    def show(call, u, place):
        call.u = u
        call.j = ascending[place - 1] if place else -1
        call.k = ascending[place] if place < len(ascending) else -1
        call.larger = record.mask(ascending[place:])

    record.step()
    next_one()
    return {"pred": pred}


INSERTION_SORT = Algorithm(
    name="insertion_sort",
    title="Insertion sort",
    summary="The keys in order: each finds its place among those before it.",
    function=insertion_sort,
    inputs=("pos", Field("key", "node", "scalar")),
    shared=(Field("sorted", "node", "mask"),),
    call=(*(Field(name, "graph", "pointer", null=True) for name in ("u", "j", "k")), Field("larger", "node", "mask")),
    outputs=(Field("pred", "node", "pointer"),),
    collect=(Collect("pred", at="u", value="j"),),
    views={"discrete": ("u", "j", "k", "larger", "sorted", "stack_op")},
    train=any_keys,
    test=keys,
    most_rows=lambda n: 100 + 6 * n + n * n,
    largest=129,
    words=Words(
        meanings=SORTED,
        answer="the keys in ascending order, a list of numbers",
        categories={"sorted": ("not sorted yet", "sorted"), "larger": ("not larger", "larger")},
        pointers={"u": "element to insert", "j": "compared with it", "k": "larger than it"},
    ),
    example=named_graph(names="a b c d e f g h", values={"key": (5, 2, 8, 1, 9, 3, 7, 4)}),
    others=shapes.KEYS,
    small_inputs=enumeration.keys,
    small_size=6,
    answer=sorted_keys,
    picture=sorted_nodes,
)
