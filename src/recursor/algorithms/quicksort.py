"""Quicksort, as recursion on sets: a call sorts the elements that are marked `active`.

The pivot is the first of them in the given order. Between the calls for what is below it and what is above it, it takes its
final place: after `last`, the one that did so before it. The order is a linked list, as in CLRS-30: `pred` names for each
element the one before it, and the first names itself. Keys are compared; where they are alike, the first in the given order
is the smaller.
"""

import numpy as np

from recursor.graphs.distributions import any_keys, keys
from recursor.graphs.graph import Graph
from recursor.recording.algorithm import Algorithm
from recursor.recording.recorder import Recorder
from recursor.spec import Collect, Field


def quicksort(graph: Graph, record: Recorder) -> dict:
    n = len(graph)
    (placed,) = record.nodes(placed=[0] * n)
    now = record.graph(last=-1, before=-1)
    rank = np.argsort(np.argsort(graph.values["key"], kind="stable")).tolist()
    pred = list(range(n))

    @record.recursive
    def sort(call, active):
        call.active = [int(x in active) for x in range(n)]
        call.pivot = pivot = min(active)
        record.step()
        if below := {x for x in active if rank[x] < rank[pivot]}:
            sort(below)
        pred[pivot] = pivot if now.last < 0 else now.last
        now.before, now.last, placed[pivot] = now.last, pivot, 1
        record.step()
        if above := {x for x in active if rank[x] > rank[pivot]}:
            sort(above)

    record.step()
    sort(set(range(n)))
    return {"pred": pred}


QUICKSORT = Algorithm(
    name="quicksort",
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
)
