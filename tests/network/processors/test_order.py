from typing import Any, NamedTuple

import equinox as eqx
import jax
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from recursor.algorithms.dfs import DFS
from recursor.data.batches import pad
from recursor.graphs.distributions import path
from recursor.network.linear import plain
from recursor.network.processors.order import OrderProcessor, max_before, max_from, max_in, neighbours, ordered
from tests.network.networks import NETWORKS, drawn, logits_after, one, prepare, quickly_compiled, reasoner, row, small

NODES, WIDTH, NODE_WIDTH, GRAPH_WIDTH = 6, 8, 5, 3


class Edges(NamedTuple):
    """Edges among some nodes of which the first are real, as a matrix and as the list that a batch holds."""

    matrix: np.ndarray  # [n, n] bool: from a sender (first axis) to a receiver (second axis)
    senders: np.ndarray  # [pairs], sorted by receiver; n: no edge, with a receiver or without
    receivers: np.ndarray
    mask: np.ndarray  # [n] bool


def listed(matrix: np.ndarray, real: int = NODES) -> Edges:
    """As a batch lists them: each node with itself too, although it may be no edge, and then nothing."""
    n = len(matrix)
    mask = np.arange(n) < real
    matrix = matrix & mask & mask[:, None]
    receivers, senders = np.nonzero((matrix | np.diag(mask)).T)
    senders = np.where(matrix[senders, receivers], senders, n)
    more = np.full(n * n + 1 - len(senders), n)
    senders, receivers = (np.append(ends, more).astype(np.int32) for ends in (senders, receivers))
    return Edges(matrix, senders, receivers, mask)


matrices = hnp.arrays(np.bool_, (NODES, NODES))
edges = st.builds(listed, matrices, st.integers(1, NODES))
messages = hnp.arrays(np.float32, (NODES, 2), elements=st.floats(0, 10, width=32, allow_subnormal=False))
seeds = st.integers(0, 2**32 - 1)


# Maxima


@quickly_compiled
def heard(edges: Edges, messages: np.ndarray, backwards: bool, matrix: bool | None) -> jax.Array:
    written = neighbours(edges.senders, edges.receivers, edges.mask, matrix=matrix)  # pyright: ignore[reportArgumentType]
    return max_from(written, messages, backwards=backwards)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("matrix", [True, False], ids=["matrix", "list"])
@pytest.mark.parametrize("backwards", [False, True], ids=["forwards", "backwards"])
@given(edges=edges, messages=messages)
def test_a_node_hears_the_most_of_its_neighbours_however_edges_are_written(
    matrix: bool, backwards: bool, edges: Edges, messages: np.ndarray
) -> None:
    hears = edges.matrix if backwards else edges.matrix.T  # [hearer, speaker]
    expected = [messages[speakers].max(0, initial=0) for speakers in hears]
    np.testing.assert_array_equal(heard(edges, messages, backwards, matrix), expected)


def test_room_for_more_pairs_changes_nothing() -> None:
    """It is a matrix where there is room for all of them, and a list in a sparse graph without."""
    network, n = NETWORKS["order fields"], 32
    recording = DFS.record(path(n))
    forms, logits = set(), []
    for every_pair in (True, False):
        truth = one(pad([recording], network.spec, every_pair=every_pair), 0)
        prepared = prepare(reasoner("order fields"), truth.inputs)
        forms.add(prepared.relations.matrix is None)  # pyright: ignore[reportAttributeAccessIssue]
        memory = reasoner("order fields").start(n, 3 * n)
        logits.append(logits_after(reasoner("order fields"), prepared, row(network.spec, truth.hints, 2, n), memory))
    assert forms == {True, False}
    jax.tree.map(lambda one, other: np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5), *logits)


@given(messages)
def test_a_node_hears_the_most_of_those_before_it(messages: np.ndarray) -> None:
    expected = [messages[:node].max(0, initial=0) for node in range(NODES)]
    np.testing.assert_array_equal(before(messages), expected)


before = quickly_compiled(max_before)


@quickly_compiled
def heard_in_order(values: np.ndarray, inside: np.ndarray, messages: np.ndarray) -> jax.Array:
    return max_in(ordered(values, inside), messages)  # pyright: ignore[reportArgumentType]


@given(hnp.arrays(np.float32, NODES, elements=st.integers(0, 3)), hnp.arrays(np.bool_, NODES), messages)
def test_in_another_order_a_node_hears_those_before_and_those_after(
    values: np.ndarray, inside: np.ndarray, messages: np.ndarray
) -> None:
    """One message is for those after the speaker, the other for those before; who is alike is ordered by position."""
    place = {node: rank for rank, node in enumerate(np.argsort(values, kind="stable").tolist())}
    expected = np.zeros_like(messages)
    for hearer in np.flatnonzero(inside).tolist():
        for speaker in np.flatnonzero(inside).tolist():
            if speaker != hearer:
                kind = int(place[speaker] > place[hearer])
                expected[hearer, kind] = max(expected[hearer, kind], messages[speaker, kind])
    np.testing.assert_array_equal(heard_in_order(values, inside, messages), expected)


@quickly_compiled
def gradients(edges: Edges, messages: np.ndarray, felt: np.ndarray) -> list[jax.Array]:
    written = neighbours(edges.senders, edges.receivers, edges.mask, matrix=True)  # pyright: ignore[reportArgumentType]
    ways = [lambda x: max_from(written, x), lambda x: max_from(written, x, backwards=True), max_before]
    return [jax.vjp(way, messages)[1](felt)[0] for way in ways]


@given(
    edges, st.permutations(range(1, 2 * NODES + 1)), hnp.arrays(np.float32, (NODES, 2), elements=st.floats(-4, 4, width=16))
)
def test_who_is_heard_gets_the_gradient(edges: Edges, order: list[int], felt: np.ndarray) -> None:
    """Each of those who hear gives what it felt to the one that it heard."""
    messages = np.array(order, np.float32).reshape(NODES, 2)
    relations = [edges.matrix.T, edges.matrix, np.tri(NODES, NODES, -1, bool)]  # [hearer, speaker]
    for found, relation in zip(gradients(edges, messages, felt), relations, strict=True):
        expected = np.zeros_like(messages)
        for hearer, speakers in enumerate(relation):
            for channel in range(2) if speakers.any() else ():
                heard = np.where(speakers, messages[:, channel], -1).argmax()
                expected[heard, channel] += felt[hearer, channel]
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


def test_who_say_the_same_share_the_gradient() -> None:
    everybody = listed(np.ones((NODES, NODES), bool))
    found = gradients(everybody, np.ones((NODES, 2), np.float32), np.ones((NODES, 2), np.float32))
    np.testing.assert_allclose(found[0], 1.0, rtol=1e-6)
    np.testing.assert_allclose(found[1], 1.0, rtol=1e-6)


# The processor

PROCESSOR = drawn(OrderProcessor, DFS.spec("discrete"), small(width=WIDTH), NODE_WIDTH, GRAPH_WIDTH)


@quickly_compiled
def process(processor: OrderProcessor, node: Any, graph: Any, edges: Edges) -> jax.Array:
    written = neighbours(edges.senders, edges.receivers, edges.mask, matrix=True)  # pyright: ignore[reportArgumentType]
    return processor(plain(node), None, plain(graph), written)[0]


def draw(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Node and graph features."""
    rng = np.random.default_rng(seed)
    node, graph = (rng.normal(size=shape).astype(np.float32) for shape in ((NODES, NODE_WIDTH), (GRAPH_WIDTH,)))
    return node, graph


@given(seeds, edges)
@settings(max_examples=20)
def test_the_processor_is_its_equation(seed: int, edges: Edges) -> None:
    node, graph = draw(seed)
    p = jax.tree.map(np.asarray, PROCESSOR)
    to_messages, to_nodes = np.split(graph @ p.graph.weight, [WIDTH])
    a, b, c, d = np.split(np.maximum(node @ p.send.weight + p.send.bias + to_messages, 0), 4, -1)
    processed = []
    for i in np.flatnonzero(edges.mask):
        speakers = [edges.matrix[:, i], edges.matrix[i], edges.mask, np.arange(NODES) < i]
        parts = [said[who].max(0, initial=0) for said, who in zip((a, b, c, d), speakers, strict=True)]
        own = node[i] @ p.own.weight + p.own.bias + to_nodes
        out = np.maximum(own + np.concatenate(parts) @ p.heard.weight, 0) @ p.out.weight + p.out.bias
        processed.append((out - out.mean()) / np.sqrt(out.var() + 1e-5) * p.norm.weight + p.norm.bias)
    np.testing.assert_allclose(process(PROCESSOR, node, graph, edges)[edges.mask], processed, rtol=1e-3, atol=1e-3)


@given(seeds, edges)
@settings(max_examples=20)
def test_padding_never_speaks(seed: int, edges: Edges) -> None:
    node, graph = draw(seed)
    expected = process(PROCESSOR, node, graph, edges)
    node[~edges.mask] = 100
    np.testing.assert_array_equal(process(PROCESSOR, node, graph, edges)[edges.mask], expected[edges.mask])


@given(seeds, matrices, hnp.arrays(np.bool_, NODES))
@settings(max_examples=20)
def test_a_node_that_says_nothing_might_as_well_not_be_there(seed: int, matrix: np.ndarray, silent: np.ndarray) -> None:
    """Wherever it is in the order, and whoever its neighbours are: nothing grows with the graph."""
    send = PROCESSOR.send.weight.at[-1].set(-1000.0)  # so the last feature shuts a node up
    shy = eqx.tree_at(lambda processor: processor.send.weight, PROCESSOR, send)
    node, graph = draw(seed)
    node[:, -1] = silent
    rest = [*np.flatnonzero(~silent), *np.flatnonzero(silent)]
    speaking = int((~silent).sum())
    found = process(shy, node, graph, listed(matrix))[~silent]
    without = process(shy, node[rest], graph, listed(matrix[np.ix_(rest, rest)], speaking))[:speaking]
    np.testing.assert_allclose(found, without, rtol=1e-5, atol=1e-5)


@given(seeds, hnp.arrays(np.bool_, (NODES - 1, NODES - 1)), st.integers(0, NODES - 2))
@settings(max_examples=20)
def test_what_is_said_twice_is_heard_once(seed: int, matrix: np.ndarray, twin: int) -> None:
    """A second node like one before it, with the same neighbours, changes no other."""
    node, graph = draw(seed)
    alone = process(PROCESSOR, node, graph, listed(np.pad(matrix, (0, 1)), NODES - 1))[:-1]
    doubled = np.insert(np.arange(NODES - 1), twin + 1, twin)
    both = process(PROCESSOR, node[doubled], graph, listed(matrix[np.ix_(doubled, doubled)]))
    np.testing.assert_allclose(np.delete(both, twin + 1, 0), alone, rtol=1e-5, atol=1e-5)


def test_only_the_order_of_the_nodes_tells_them_apart() -> None:
    """In a graph that looks the same from everywhere, nodes with the same features differ by who is before them alone."""
    node, graph = (np.ones_like(part) for part in draw(0))
    cycle = listed(np.roll(np.eye(NODES, dtype=bool), 1, 1))
    processed = process(PROCESSOR, node, graph, cycle)
    np.testing.assert_allclose(processed[2:], np.broadcast_to(processed[1], processed[2:].shape), rtol=1e-5)
    assert np.abs(processed[0] - processed[1]).max() > 1e-3, "nobody is before the first"
