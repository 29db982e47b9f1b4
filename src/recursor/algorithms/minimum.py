"""The smallest key: a loop over the keys that keeps the smallest so far, written as tail recursion.

A call looks at the key `i` and goes on with the next one. It needs no frame, so the stack stays flat. What the last call
returns is the answer.
"""

import numpy as np

from recursor.algorithms.pictures import one_key
from recursor.graphs import enumeration, shapes
from recursor.graphs.distributions import any_keys, keys
from recursor.graphs.graph import Graph, named_graph
from recursor.recording.algorithm import Algorithm
from recursor.recording.recorder import Recorder
from recursor.recording.words import SEEN, Words
from recursor.spec import Collect, Field


def minimum(graph: Graph, record: Recorder) -> dict:
    n = len(graph)
    (seen,) = record.nodes(seen=[0] * n)
    rank = np.argsort(np.argsort(graph.values["key"], kind="stable")).tolist()

    @record.recursive
    def search(call, i, least):
        call.i, call.least, seen[i] = i, least, 1
        record.step()
        smaller = i if rank[i] < rank[least] else least
        return record.tail(search, i + 1, smaller) if i + 1 < n else smaller

    record.step()
    return {"min": search(0, 0)}


MINIMUM = Algorithm(
    name="minimum",
    title="Minimum",
    summary="The smallest key: a loop that keeps the smallest so far.",
    function=minimum,
    inputs=("pos", Field("key", "node", "scalar")),
    shared=(Field("seen", "node", "mask"),),
    call=tuple(Field(name, "graph", "pointer", null=True) for name in ("i", "least")),
    returns=(Field("returned", "graph", "pointer", null=True),),
    outputs=(Field("min", "graph", "pointer"),),
    collect=(Collect("min", at=None, value="returned"),),
    views={"discrete": ("i", "least", "seen", "returned", "stack_op")},
    train=any_keys,
    test=keys,
    words=Words(
        meanings={"key": "what is compared", "min": "the node with the smallest key"},
        answer="the smallest key, a number",
        categories=SEEN,
        pointers={"i": "key in hand", "least": "smallest before it", "returned": "smallest of all"},
    ),
    example=named_graph(names="a b c d e f g h", values={"key": (5, 2, 8, 1, 9, 3, 7, 4)}),
    others=shapes.KEYS,
    small_inputs=enumeration.keys,
    small_size=6,
    answer=lambda graph, outputs: graph.value("key", int(outputs["min"])),
    picture=one_key("min", "smallest key"),
)
