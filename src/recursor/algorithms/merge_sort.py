"""Merge sort: a call sorts the elements from one to another of the given order, half by half, and merges the halves.

The middle is found by two fingers, of which one goes twice as fast as the other. Then the smaller of the two smallest
elements that are left, `i` of the one half and `j` of the other, comes next, until both halves are merged. The order is a
linked list, as in CLRS-30: `pred` names for each element the one before it, and the first names itself; the outermost merge
has the last word.
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


def merge_sort(graph: Graph, record: Recorder) -> dict:
    n = len(graph)
    rank = np.argsort(np.argsort(graph.values["key"], kind="stable")).tolist()
    now = record.graph(next=-1, before=-1)
    pred = list(range(n))

    def least(first, last, after):
        """The smallest element in a half that comes after another one, or none."""
        rest = [x for x in range(first, last + 1) if after < 0 or rank[x] > rank[after]]
        return min(rest, key=rank.__getitem__, default=-1)

    @record.recursive
    def sort(call, first, last):
        call.first, call.last, call.middle, call.fast = first, last, first, first
        now.next = now.before = -1
        record.step()
        while call.fast < last:
            call.fast, call.middle, call.odd = call.fast + 1, call.middle + call.odd, 1 - call.odd
            record.step()
        if first < last:
            sort(first, call.middle)
            sort(call.middle + 1, last)
        now.next = -1
        while True:
            call.i, call.j = least(first, call.middle, now.next), least(call.middle + 1, last, now.next)
            rest = [x for x in (call.i, call.j) if x >= 0]
            if not rest:
                return
            now.before, now.next = now.next, min(rest, key=rank.__getitem__)
            pred[now.next] = now.next if now.before < 0 else now.before
            record.step()

    record.outermost.first, record.outermost.last = 0, n - 1
    record.step()
    sort(0, n - 1)
    return {"pred": pred}


MERGE_SORT = Algorithm(
    name="merge_sort",
    title="Merge sort",
    summary="The keys in order: both halves are sorted, then merged.",
    function=merge_sort,
    inputs=("pos", Field("key", "node", "scalar")),
    shared=tuple(Field(name, "graph", "pointer", null=True) for name in ("next", "before")),
    call=(
        *(Field(name, "graph", "pointer", null=True) for name in ("first", "last", "middle", "fast", "i", "j")),
        Field("odd", "graph", "mask"),
    ),
    outputs=(Field("pred", "node", "pointer"),),
    collect=(Collect("pred", at="next", value="before"),),
    views={"discrete": ("first", "last", "middle", "fast", "i", "j", "odd", "next", "before", "stack_op")},
    train=any_keys,
    test=keys,
    most_rows=lambda n: 100 + 10 * n * n.bit_length(),
    words=Words(
        categories={"odd": ("even step", "odd step")},
        meanings=SORTED,
        answer="the keys in ascending order, a list of numbers",
        pointers={
            "first": "sort from",
            "last": "to",
            "middle": "end of the first half",
            "fast": "fast finger",
            "i": "least that is left of the first half",
            "j": "least that is left of the second half",
            "next": "merged last",
            "before": "merged before it",
        },
    ),
    example=named_graph(names="a b c d e f g h", values={"key": (5, 2, 8, 1, 9, 3, 7, 4)}),
    others=shapes.KEYS,
    small_inputs=enumeration.keys,
    small_size=6,
    answer=sorted_keys,
    picture=sorted_nodes,
)
