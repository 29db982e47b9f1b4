"""The median by quickselect: a recursion on sets that needs no frame, because only one of two parts is looked at.

The element of rank n // 2 is found, counted from 0 as in CLRS-30. Nothing is counted here: the rank is the place `k` in the
given order that has as many elements before it. Two fingers find it, of which one goes twice as fast as the other. A call
looks among the elements that are `active`, and `base` is the place that has as many before it as there are elements below
all active ones; the places up to it are `gone`. The pivot is the first active element. `rest` are those below it; one after
the other is counted, and `place` goes along from base until it is at k, or none is left. Then `side` says where the median
is: below if some are left, else it is the pivot if place is at k, and otherwise above.
"""

import numpy as np

from recursor.algorithms.pictures import one_key
from recursor.graphs import enumeration, shapes
from recursor.graphs.distributions import any_keys, keys
from recursor.graphs.graph import Graph, named_graph
from recursor.recording.algorithm import Algorithm
from recursor.recording.recorder import Recorder
from recursor.recording.words import Words
from recursor.spec import Collect, Field

COUNTING, BELOW, PIVOT, ABOVE = range(4)


def quickselect(graph: Graph, record: Recorder) -> dict:
    n = len(graph)
    order = np.argsort(graph.values["key"], kind="stable")

    @record.recursive
    def middle(call, fast, k, even):
        call.fast, call.k, call.even = fast, k, even
        call.passed, call.half = record.mask(range(fast + 1)), record.mask(range(k + 1))
        record.step()
        return record.tail(middle, fast + 1, k + even, 1 - even) if fast + 1 < n else record.tail(select, order, 0, k)

    @record.recursive
    def select(call, active, base, k):
        call.active, call.base, call.gone, call.k = record.mask(active), base, record.mask(range(base + 1)), k
        record.step()
        call.pivot = int(active.min())
        record.step()
        at = int(active.argmin())
        return record.tail(count, active, at, np.sort(active[:at]), base, base, k)

    @record.recursive
    def count(call, active, at, rest, base, place, k):
        """The pivot is active[at] in the order of the keys; `rest` of those below it are to be counted."""
        call.active, call.pivot, call.base, call.k = record.mask(active), int(active[at]), base, k
        call.rest, call.place, call.passed = record.mask(rest), place, record.mask(range(place + 1))
        call.gone = record.mask(range(base + 1))
        record.step()
        if len(rest) and place != k:
            return record.tail(count, active, at, rest[1:], base, place + 1, k)
        call.side = BELOW if len(rest) else PIVOT if place == k else ABOVE
        record.step()
        if call.side == PIVOT:
            return call.pivot
        below = call.side == BELOW
        return record.tail(select, active[:at], base, k) if below else record.tail(select, active[at + 1 :], place + 1, k)

    record.step()
    return {"median": middle(0, 0, 1)}


QUICKSELECT = Algorithm(
    name="quickselect",
    title="Quickselect",
    summary="The median key, found in ever smaller sets.",
    function=quickselect,
    inputs=("pos", Field("key", "node", "scalar")),
    shared=(),
    call=(
        *(Field(name, "node", "mask") for name in ("active", "rest", "gone", "passed", "half")),
        *(Field(name, "graph", "pointer", null=True) for name in ("fast", "k", "pivot", "base", "place")),
        Field("even", "graph", "mask"),
        Field("side", "graph", "category", 4),
    ),
    returns=(Field("returned", "graph", "pointer", null=True),),
    outputs=(Field("median", "graph", "pointer"),),
    collect=(Collect("median", at=None, value="returned"),),
    views={
        "discrete": (
            *("active", "rest", "gone", "passed", "half", "fast", "k", "even", "pivot", "base", "place", "side"),
            *("returned", "stack_op"),
        )
    },
    train=any_keys,
    test=keys,
    most_rows=lambda n: 100 + 10 * n + n * n,
    largest=129,
    words=Words(
        meanings={"key": "what is compared", "median": "the node with the median key"},
        answer="the median key, a number",
        categories={
            "active": ("not the median", "looked at"),
            "rest": ("not to be counted", "below the pivot, not counted yet"),
            "gone": ("after the base", "up to the base"),
            "passed": ("after the finger", "passed by the finger"),
            "half": ("after the middle", "up to the middle"),
            "even": ("odd step", "even step"),
            "side": ("not known yet", "below the pivot", "the pivot", "above the pivot"),
        },
        pointers={
            "fast": "fast finger",
            "k": "half-way",
            "pivot": "pivot",
            "base": "as many are too small",
            "place": "as many are below the pivot",
            "returned": "median",
        },
    ),
    example=named_graph(names="a b c d e f g", values={"key": (5, 2, 8, 1, 9, 3, 7)}),
    others=shapes.KEYS,
    small_inputs=enumeration.keys,
    small_size=6,
    answer=lambda graph, outputs: graph.values["key"][outputs["median"]].item(),
    picture=one_key("median", "median"),
)
