"""The median by quickselect: a recursion on sets that needs no frame, because only one of two parts is looked at.

The element of rank n // 2 is found, counted from 0 as in CLRS-30. No row has a number for that: a rank is a set of nodes,
its tokens, of which one is taken away for each element that is counted. First half of the nodes become tokens: one for every
two that are passed. A call looks among the elements that are `active` for the one that has as many active ones below it as
there are tokens. The pivot is the first active element, and `rest` are those below it. One of them and one token are taken
away, again and again, until nothing is left of the one or the other. Then `side` says where the median is: below if elements
are left, above if tokens are left, and else it is the pivot. Below, the search goes on with all the `tokens`. Above, it goes
on with those that are `left`, less one for the pivot.
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

COUNTING, BELOW, PIVOT, ABOVE = range(1, 5)


def quickselect(graph: Graph, record: Recorder) -> dict:
    n = len(graph)
    order = np.argsort(graph.values["key"], kind="stable")

    @record.recursive
    def halve(call, passed):
        call.passed, call.tokens, call.odd = record.mask(range(passed)), record.mask(range(passed // 2)), bool(passed % 2)
        record.step()
        return record.tail(halve, passed + 1) if passed < n else record.tail(select, order, range(passed // 2))

    @record.recursive
    def select(call, active, tokens):
        call.active, call.tokens = record.mask(active), record.mask(tokens)
        record.step()
        call.pivot = int(active.min())
        record.step()
        at = int(active.argmin())
        return record.tail(count, active, at, np.sort(active[:at]), tokens, tokens)

    @record.recursive
    def count(call, active, at, rest, tokens, left):
        """The pivot is active[at] in the order of the keys; `rest` of those below it are to be counted."""
        call.active, call.pivot, call.tokens = record.mask(active), int(active[at]), record.mask(tokens)
        call.rest, call.left, call.side = record.mask(rest), record.mask(left), COUNTING
        record.step()
        if len(rest) and len(left):
            return record.tail(count, active, at, rest[1:], tokens, left[1:])
        call.side = BELOW if len(rest) else ABOVE if len(left) else PIVOT
        record.step()
        if call.side == PIVOT:
            return call.pivot
        below = call.side == BELOW
        return record.tail(select, active[:at], tokens) if below else record.tail(select, active[at + 1 :], left[1:])

    record.step()
    return {"median": halve(1)}


QUICKSELECT = Algorithm(
    name="quickselect",
    title="Quickselect",
    summary="The median key, found in ever smaller sets.",
    function=quickselect,
    inputs=("pos", Field("key", "node", "scalar")),
    shared=(),
    call=(
        *(Field(name, "node", "mask") for name in ("passed", "tokens", "active", "rest", "left")),
        Field("odd", "graph", "mask"),
        Field("pivot", "graph", "pointer", null=True),
        Field("side", "graph", "category", 5),
    ),
    returns=(Field("returned", "graph", "pointer", null=True),),
    outputs=(Field("median", "graph", "pointer"),),
    collect=(Collect("median", at=None, value="returned"),),
    views={"discrete": ("passed", "tokens", "active", "rest", "left", "odd", "pivot", "side", "returned", "stack_op")},
    train=any_keys,
    test=keys,
    most_rows=lambda n: 100 + 10 * n + n * n,
    largest=129,
    words=Words(
        meanings={"key": "what is compared", "median": "the node with the median key"},
        answer="the median key, a number",
        categories={
            "passed": ("not passed", "passed"),
            "tokens": ("no token", "a token"),
            "active": ("ruled out", "may be the median"),
            "rest": ("not to be counted", "below the pivot, not counted yet"),
            "left": ("no token, or taken away", "a token that is left"),
            "odd": ("an even number passed", "an odd number passed"),
            "side": ("not looked for", "not known yet", "below the pivot", "the pivot", "above the pivot"),
        },
        pointers={"pivot": "pivot", "returned": "median"},
    ),
    example=named_graph(names="a b c d e f g", values={"key": (5, 2, 8, 1, 9, 3, 7)}),
    others=shapes.KEYS,
    small_inputs=enumeration.keys,
    small_size=6,
    answer=lambda graph, outputs: graph.value("key", int(outputs["median"])),
    picture=one_key("median", "median"),
)
