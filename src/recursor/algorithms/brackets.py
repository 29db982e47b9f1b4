"""Matching brackets, by recursive descent: a call reads what stands between a bracket and the one that closes it.

The nodes are brackets in the order of a text, round or square. `at` was read last, and `sign` is the bracket there, so that
u compares itself with it and needs no message. The call for an opening bracket `u` reads on: it calls itself for an opening
bracket, and a closing one of the same kind closes u. A closing one of the other kind, or the end of the text, is a mistake:
`right` is 0 from then on, all calls return, and the rest is read without being matched. For each bracket `opener` names the
one that it closes; one that closes none names itself.
"""

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from recursor.algorithms.pictures import counted
from recursor.graphs.graph import Graph
from recursor.graphs.texts import BRACKETS as BRACKET_TEXTS
from recursor.graphs.texts import all_brackets, any_brackets, as_brackets, balanced_brackets, is_text
from recursor.recording.algorithm import Algorithm
from recursor.recording.picture import Picture
from recursor.recording.recorder import Recorder
from recursor.recording.words import SEEN, Words
from recursor.spec import Collect, Field


def brackets(graph: Graph, record: Recorder) -> dict:
    n, kind = len(graph), graph.values["bracket"].tolist()
    (seen,) = record.nodes(seen=[0] * n)
    now = record.graph(at=-1, sign=0, closes=-1, right=1)
    opener = list(range(n))

    def read() -> bool:
        if now.at + 1 == n:
            return False
        now.at, now.closes = now.at + 1, -1
        now.sign, seen[now.at] = 1 + kind[now.at], 1
        return True

    @record.recursive
    def inside(call, u):
        """Reads up to the bracket that closes u."""
        call.u = u
        record.step()
        while read():
            record.step()
            if kind[now.at] % 2:
                break
            inside(now.at)
            if not now.right:
                return
        if kind[now.at] == kind[u] + 1 and now.closes < 0:
            now.closes = opener[now.at] = u
        else:
            now.right = 0
        record.step()

    @record.recursive
    def text(call):
        while now.right and read():
            record.step()
            if kind[now.at] % 2 == 0:
                inside(now.at)
            else:
                now.right = 0
                record.step()
        while read():
            record.step()

    record.step()
    text()
    return {"opener": opener, "balanced": now.right}


def as_pairs(graph: Graph, outputs: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """Returns whether all brackets are matched, and the pairs by name."""
    pairs: list[tuple[Hashable, Hashable]] = [
        (graph.names[opener], graph.names[node]) for node, opener in enumerate(outputs["opener"].tolist()) if opener != node
    ]
    return {"balanced": bool(outputs["balanced"]), "pairs": pairs}


def picture(graph: Graph, outputs: Mapping[str, np.ndarray]) -> Picture:
    """Returns the picture of the pairs."""
    pairs = [(opener, node) for node, opener in enumerate(outputs["opener"].tolist()) if opener != node]
    balanced = "balanced" if outputs["balanced"] else "not balanced"
    return Picture(f"{balanced}: {counted(len(pairs), 'pair')}", edges=pairs, edge_word="pair of brackets")


BRACKETS = Algorithm(
    name="brackets",
    title="Matching brackets",
    summary="Which bracket closes which, and whether all are matched.",
    function=brackets,
    inputs=("pos", Field("bracket", "node", "category", 4)),
    shared=(
        Field("seen", "node", "mask"),
        *(Field(name, "graph", "pointer", null=True) for name in ("at", "closes")),
        Field("sign", "graph", "category", 5),
        Field("right", "graph", "mask"),
    ),
    call=(Field("u", "graph", "pointer", null=True),),
    outputs=(Field("opener", "node", "pointer"), Field("balanced", "graph", "mask")),
    collect=(Collect("opener", at="at", value="closes"), Collect("balanced", at=None, value="right")),
    views={"discrete": ("u", "at", "sign", "closes", "right", "seen", "stack_op")},
    train=any_brackets,
    test=balanced_brackets,
    from_source=lambda source: as_brackets(source) if is_text(source) else None,
    words=Words(
        meanings={
            "bracket": "0 (, 1 ), 2 [, 3 ]",
            "opener": "the bracket that it closes; itself if it closes none",
            "balanced": "whether all brackets are matched",
        },
        source="a text, such as 'f(x[1])'",
        answer="a dictionary: whether it is balanced, and the pairs of places",
        categories=SEEN
        | {
            "bracket": ("(", ")", "[", "]"),
            "sign": ("nothing", "(", ")", "[", "]"),
            "right": ("there is a mistake", "right so far"),
        },
        pointers={"u": "open bracket", "at": "read last", "closes": "bracket that it closes"},
        callee="at",
    ),
    example=lambda: as_brackets("([]())[()]"),
    layout="text",
    size=lambda graph: counted(len(graph), "bracket"),
    others=BRACKET_TEXTS,
    small_inputs=all_brackets,
    small_size=7,
    answer=as_pairs,
    picture=picture,
)
