"""Merge sort: a call sorts some elements: first one half of them, then the other, and merges the two.

The halves are found by counting: the elements are passed one after the other, and with every second one the first element of
what is called `right` goes over to `left`. In the merge, the smaller of the two smallest elements that are left, `i` of the
one half and `j` of the other, comes next, until both halves are used up. The order is a linked list, as in CLRS-30: `pred`
names for each element the one before it, and the first names itself; the outermost merge has the last word.

Elements are slices of arrays, so that splitting copies none.
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
    rank = np.argsort(np.argsort(graph.values["key"], kind="stable"))
    now = record.graph(next=-1, before=-1)
    pred = list(range(n))

    @record.recursive
    def sort(call, elements):
        call.right = record.mask(elements)
        record.step()
        for count in range(1, len(elements) + 1):
            call.passed, call.odd = record.mask(elements[:count]), count % 2
            call.left, call.right = record.mask(elements[: count // 2]), record.mask(elements[count // 2 :])
            record.step()
        left, right = elements[: len(elements) // 2], elements[len(elements) // 2 :]
        if len(left):
            call.half = 1
            left = sort(left)
            call.half = 2
            right = sort(right)
        merged = []
        while len(left) or len(right):
            call.i, call.j = (int(part[0]) if len(part) else -1 for part in (left, right))
            now.before, now.next = now.next, min((x for x in (call.i, call.j) if x >= 0), key=rank.__getitem__)
            left, right = left[now.next == call.i :], right[now.next == call.j :]
            call.left, call.right = record.mask(left), record.mask(right)
            pred[now.next] = now.next if now.before < 0 else now.before
            merged.append(now.next)
            record.step()
        now.next = now.before = -1
        return np.array(merged)

    record.step()
    sort(np.arange(n))
    return {"pred": pred}


MERGE_SORT = Algorithm(
    name="merge_sort",
    title="Merge sort",
    summary="The keys in order: both halves are sorted, then merged.",
    function=merge_sort,
    inputs=("pos", Field("key", "node", "scalar")),
    shared=tuple(Field(name, "graph", "pointer", null=True) for name in ("next", "before")),
    call=(
        *(Field(name, "node", "mask") for name in ("left", "right", "passed")),
        *(Field(name, "graph", "pointer", null=True) for name in ("i", "j")),
        Field("half", "graph", "category", categories=3),
        Field("odd", "graph", "mask"),
    ),
    outputs=(Field("pred", "node", "pointer"),),
    collect=(Collect("pred", at="next", value="before"),),
    views={"discrete": ("left", "right", "passed", "odd", "half", "i", "j", "next", "before", "stack_op")},
    train=any_keys,
    test=keys,
    most_rows=lambda n: 100 + 10 * n * n.bit_length(),
    words=Words(
        categories={
            "left": ("not in the first half", "in the first half"),
            "right": ("not in the second half", "in the second half"),
            "passed": ("not counted yet", "counted"),
            "odd": ("an even number counted", "an odd number counted"),
            "half": ("no half sorted", "sorting the first half", "sorting the second half"),
        },
        parameters={"elements": ("left", "right", "passed")},
        meanings=SORTED,
        answer="the keys in ascending order, a list of numbers",
        pointers={
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
