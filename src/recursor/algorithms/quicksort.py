"""Quicksort, as recursion on sets: a call sorts the elements that are marked `active`.

The pivot is the first of them in the given order. Between the calls for what is below it and what is above it, it takes its
final place: after `last`, the one that did so before it. The order is a linked list, as in CLRS-30: `pred` names for each
element the one before it, and the first names itself. Keys are compared; where they are alike, the first in the given order
is the smaller.

The elements of a call are a slice of all elements in the order of their keys, so that no call copies any.
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


def quicksort(graph: Graph, record: Recorder) -> dict:
    n = len(graph)
    (placed,) = record.nodes(placed=[0] * n)
    now = record.graph(last=-1, before=-1)
    order = np.argsort(graph.values["key"], kind="stable")
    pred = list(range(n))

    @record.recursive
    def sort(call, active):
        call.active = record.mask(active)
        place = int(active.argmin())
        call.pivot = pivot = int(active[place])
        below, above = active[:place], active[place + 1 :]
        record.step()
        if len(below):
            sort(below)
        pred[pivot] = pivot if now.last < 0 else now.last
        now.before, now.last, placed[pivot] = now.last, pivot, 1
        record.step()
        if len(above):
            sort(above)

    record.step()
    sort(order)
    return {"pred": pred}


QUICKSORT = Algorithm(
    name="quicksort",
    title="Quicksort",
    summary="The keys in order: those below a pivot, the pivot, those above it.",
    function=quicksort,
    inputs=("pos", Field("key", "node", "scalar")),
    shared=(
        Field("placed", "node", "mask"),
        *(Field(name, "graph", "pointer", null=True) for name in ("last", "before")),
    ),
    call=(Field("active", "node", "mask"), Field("pivot", "graph", "pointer", null=True)),
    outputs=(Field("pred", "node", "pointer"),),
    collect=(Collect("pred", at="last", value="before"),),
    views={"discrete": ("active", "pivot", "before", "last", "placed", "stack_op")},
    train=any_keys,
    test=keys,
    words=Words(
        categories={"active": ("not in this call", "to be sorted"), "placed": ("not placed yet", "in its final place")},
        pointers={"pivot": "pivot", "before": "placed before the last", "last": "placed last"},
        meanings=SORTED,
        answer="the keys in ascending order, a list of numbers",
    ),
    example=named_graph(names="a b c d e f g h", values={"key": (5, 2, 8, 1, 9, 3, 7, 4)}),
    others=shapes.KEYS,
    small_inputs=enumeration.keys,
    small_size=6,
    answer=sorted_keys,
    picture=sorted_nodes,
)
