"""The value of a tree of gates, each of which is an *and* or an *or* of its children; leaves are true or false.

A call returns a value, and its caller combines it with what it has. An *and* starts true, an *or* false.
"""

from recursor.graphs.conditions import not_tree
from recursor.graphs.distributions import any_gates, gates
from recursor.graphs.graph import Graph
from recursor.recording.algorithm import Algorithm
from recursor.recording.recorder import Recorder
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

    (root,) = set(range(n)) - set(graph.receivers.tolist())
    record.outermost.v = root
    record.step()
    evaluate(root)
    return {"value": values}


CIRCUIT = Algorithm(
    name="circuit",
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
)
