"""Flood fill: from node 0, all nodes of its colour that can be reached through nodes of its colour."""

from dataclasses import replace

import numpy as np

from recursor import Algorithm, Collect, Field, Recorder
from recursor.graphs.conditions import not_undirected
from recursor.graphs.distributions import undirected
from recursor.graphs.graph import Graph


def flood_fill(graph: Graph, record: Recorder) -> dict:
    colour = graph.values["colour"].tolist()
    (filled,) = record.nodes(filled=[0] * len(graph))

    @record.recursive
    def fill(call, u):
        call.u, filled[u] = u, 1
        record.step()
        for v in graph.successors[u]:
            if colour[v] == colour[u] and not filled[v]:
                call.v = v
                fill(v)

    record.step()
    fill(0)
    return {"region": list(filled)}


def maps(rng: np.random.Generator, n: int) -> Graph:
    return replace(undirected(rng, n), values={"colour": rng.integers(0, 2, n)})


FLOOD_FILL = Algorithm(
    name="flood_fill",
    function=flood_fill,
    inputs=("pos", "A", "adj", Field("colour", "node", "category", 2)),
    shared=(Field("filled", "node", "mask"),),
    call=(Field("u", "graph", "pointer", null=True), Field("v", "graph", "pointer", null=True)),
    outputs=(Field("region", "node", "mask"),),
    collect=(Collect("region", at=None, value="filled"),),
    views={"discrete": ("u", "v", "filled", "stack_op")},
    train=maps,
    test=maps,
    unfit=not_undirected,
)
