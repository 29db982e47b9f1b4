"""The value of a tree of gates, each of which is an *and* or an *or* of its children; leaves are true or false.

A call returns a value, and its caller combines it with what it has. An *and* starts true, an *or* false.
"""

from collections.abc import Mapping

import numpy as np

from recursor.graphs import enumeration, shapes
from recursor.graphs.conditions import not_tree
from recursor.graphs.distributions import any_gates, gates
from recursor.graphs.graph import Graph, named_graph
from recursor.recording.algorithm import Algorithm
from recursor.recording.picture import Picture
from recursor.recording.recorder import Recorder
from recursor.recording.words import SEEN, Words
from recursor.spec import Collect, Field

FALSE, TRUE, AND, OR = range(4)


def circuit(graph: Graph, record: Recorder) -> dict:
    n = len(graph)
    (seen,) = record.nodes(seen=[0] * n)
    gate = graph.values["gate"].tolist()
    values = [0] * n

    @record.recursive
    def evaluate(call, u):
        call.u, seen[u], call.value = u, 1, int(gate[u] in (TRUE, AND))
        record.step()
        for v in graph.successors[u]:
            call.v = v
            returned = evaluate(v)
            call.value = call.value & returned if gate[u] == AND else call.value | returned
        values[u] = call.value
        return call.value

    root = root_of(graph)
    record.outermost.v = root
    record.step()
    evaluate(root)
    return {"value": values}


def root_of(graph: Graph) -> int:
    """Returns the node that has no parent."""
    return int(np.setdiff1d(np.arange(len(graph)), graph.receivers)[0])


def picture(graph: Graph, outputs: Mapping[str, np.ndarray]) -> Picture:
    """Returns the picture of the values of all gates."""
    values, words = outputs["value"].tolist(), ("false", "true")
    return Picture(
        f"the tree of gates is {words[values[root_of(graph)]]}",
        groups=[[node for node, value in enumerate(values) if value == which] for which in range(2)],
        group_words=words,
        labels={node: words[value] for node, value in enumerate(values)},
    )


CIRCUIT = Algorithm(
    name="circuit",
    title="A tree of gates",
    summary="Whether a tree of and-gates and or-gates is true.",
    function=circuit,
    inputs=("pos", "A", "adj", Field("gate", "node", "category", 4)),
    shared=(Field("seen", "node", "mask"),),
    call=(*(Field(name, "graph", "pointer", null=True) for name in ("u", "v")), Field("value", "graph", "mask")),
    returns=(Field("returned", "graph", "mask"),),
    outputs=(Field("value", "node", "mask"),),
    collect=(Collect("value", at="v", value="returned"),),
    views={"discrete": ("u", "v", "value", "returned", "seen", "stack_op")},
    train=any_gates,
    test=gates,
    unfit=not_tree,
    words=Words(
        categories=SEEN
        | {"value": ("false", "true"), "returned": ("false", "true"), "gate": ("false", "true", "and", "or")},
        pointers={"u": "current gate", "v": "child to evaluate"},
        callee="v",
        meanings={"gate": "false, true, and, or; or their numbers, 0 to 3", "value": "its value, false or true"},
        answer="the value of the root, True or False",
    ),
    example=named_graph(
        *("top left", "top right", "left p", "left q", "right r", "right s"),
        names="top left right p q r s",
        values={"gate": (AND, OR, OR, TRUE, FALSE, FALSE, TRUE)},
    ),
    others=shapes.GATES,
    small_inputs=enumeration.gates,
    small_size=5,
    full_size=6,
    answer=lambda graph, outputs: bool(outputs["value"][root_of(graph)]),
    layout="tree",
    picture=picture,
)
