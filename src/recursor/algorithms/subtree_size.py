"""How many nodes the subtree of every node of a tree has, modulo 3.

A call counts its node and adds what its children return. A number that grows with the graph is beyond anything that a
network has seen; modulo 3 it is one of three.
"""

from collections.abc import Mapping

import numpy as np

from recursor.algorithms.circuit import root_of
from recursor.graphs import enumeration
from recursor.graphs.conditions import not_tree
from recursor.graphs.distributions import tree
from recursor.graphs.graph import Graph, named_graph
from recursor.graphs.trees import TREES, any_rooted_tree
from recursor.recording.algorithm import Algorithm
from recursor.recording.picture import Picture
from recursor.recording.recorder import Recorder
from recursor.recording.words import SEARCH, SEEN, Words
from recursor.spec import Collect, Field

MODULUS = 3


def subtree_size(graph: Graph, record: Recorder) -> dict:
    n = len(graph)
    (seen,) = record.nodes(seen=[0] * n)
    sizes = [0] * n

    @record.recursive
    def count(call, u):
        call.u, seen[u], call.size = u, 1, 1
        record.step()
        for v in graph.successors[u]:
            call.v = v
            call.size = (call.size + count(v)) % MODULUS
        sizes[u] = call.size
        return call.size

    record.outermost.v = root_of(graph)
    record.step()
    count(root_of(graph))
    return {"size": sizes}


def picture(graph: Graph, outputs: Mapping[str, np.ndarray]) -> Picture:
    """Returns the picture of the sizes, written below the nodes."""
    sizes = outputs["size"].tolist()
    return Picture(
        f"{sizes[root_of(graph)]} modulo {MODULUS} in the whole tree",
        groups=[[node for node, size in enumerate(sizes) if size == which] for which in range(MODULUS)],
        group_words=[f"{which} modulo {MODULUS}" for which in range(MODULUS)],
        labels={node: str(size) for node, size in enumerate(sizes)},
    )


SUBTREE_SIZE = Algorithm(
    name="subtree_size",
    title="Subtree sizes modulo 3",
    summary="How many nodes are below each node of a tree, itself among them, modulo 3.",
    function=subtree_size,
    inputs=("pos", "A", "adj"),
    shared=(Field("seen", "node", "mask"),),
    call=(
        *(Field(name, "graph", "pointer", null=True) for name in ("u", "v")),
        Field("size", "graph", "category", MODULUS),
    ),
    returns=(Field("returned", "graph", "category", MODULUS),),
    outputs=(Field("size", "node", "category", MODULUS),),
    collect=(Collect("size", at="v", value="returned"),),
    views={"discrete": ("u", "v", "size", "returned", "seen", "stack_op")},
    train=any_rooted_tree,
    test=tree,
    unfit=not_tree,
    words=Words(
        meanings={"size": "how many nodes are below it, itself among them, modulo 3"},
        answer="that number for each node, a dictionary by name",
        categories=SEEN | {"size": ("0 mod 3", "1 mod 3", "2 mod 3"), "returned": ("0 mod 3", "1 mod 3", "2 mod 3")},
        pointers=SEARCH | {"v": "child"},
        callee="v",
    ),
    example=named_graph("top left", "top right", "left p", "left q", "q x", "right r"),
    others=TREES,
    small_inputs=enumeration.trees,
    small_size=6,
    answer=lambda graph, outputs: dict(zip(graph.names, outputs["size"].tolist(), strict=True)),
    layout="tree",
    picture=picture,
)
