"""What the network computes in situations, many at once."""

from collections.abc import Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from recursor.network.decoders.staged import Stage
from recursor.network.linear import Features
from recursor.network.processors.order import OrderProcessor
from recursor.network.reasoner import Reasoner

PIECE = 4096  # situations that the network computes at once, at most


def in_pieces(function: Any, reasoner: Reasoner, part: Any, *arrays: np.ndarray) -> Any:
    """Calls a compiled function on pieces of a few fixed lengths, so that few programs are compiled."""
    results = []
    for start in range(0, len(arrays[0]), PIECE):
        piece = [array[start : start + PIECE] for array in arrays]
        count = len(piece[0])
        length = max(64, 1 << (count - 1).bit_length())
        padded = [np.pad(array, ((0, length - count), *[(0, 0)] * (array.ndim - 1))) for array in piece]
        found = function(reasoner, part, *padded)
        results.append(jax.tree.map(lambda array, count=count: np.asarray(array)[:count], found))
    return jax.tree.map(lambda *pieces: np.concatenate(pieces), *results)


def bits_of(words: np.ndarray, count: int) -> np.ndarray:
    """Returns the bits of integers, [m] to [m, count]."""
    return ((words[:, None] >> np.arange(count)) & 1).astype(np.float32)


def word_of(logits: np.ndarray) -> np.ndarray:
    """Returns the bits of logits as integers, [m, bits] to [m]."""
    return ((logits > 0).astype(np.int64) << np.arange(logits.shape[1])).sum(-1)


def _node(reasoner: Reasoner, *parts: Any) -> Features:
    """The features of one node."""
    return Features(jnp.concatenate(parts)[None], reasoner.node_encoder.code, reasoner.node_encoder.bias)


def _graph(reasoner: Reasoner, *parts: Any) -> Features:
    return Features(jnp.concatenate(parts), reasoner.graph_encoder.code, reasoner.graph_encoder.bias)


def run_rounds(reasoner: Reasoner, node: Any, graph: Any, heard: Sequence[Any]) -> tuple[list[Any], Any]:
    """Runs all rounds in some situations.

    Args:
        reasoner: The network.
        node: The channels of the node, [m, channels].
        graph: Those of the graph, [m, channels].
        heard: Of each round the bits that the node hears, [m, bits].

    Returns:
        Of each round the logits of the bits that the node says, and the processed features after the last round.
    """
    processed, logits = jnp.zeros((len(node), 0)), []
    for round_, bits in enumerate(heard):
        logits.append(send(reasoner, round_, node, graph, processed))
        processed = receive(reasoner, round_, node, graph, processed, bits)
    return logits, processed


@eqx.filter_jit
def send(reasoner: Reasoner, round_: int, node: Any, graph: Any, processed: Any) -> Any:
    """Returns what nodes say in a round, before bits are made of it."""
    process: OrderProcessor = reasoner.processors[round_]  # pyright: ignore[reportAssignmentType]

    def one(node: Any, graph: Any, processed: Any) -> Any:
        return process.send_logits(_node(reasoner, node, processed), _graph(reasoner, graph))[0]

    return jax.vmap(one)(node, graph, processed)


@eqx.filter_jit
def receive(reasoner: Reasoner, round_: int, node: Any, graph: Any, processed: Any, heard: Any) -> Any:
    """Returns the processed features of nodes after a round."""
    process: OrderProcessor = reasoner.processors[round_]  # pyright: ignore[reportAssignmentType]

    def one(node: Any, graph: Any, processed: Any, heard: Any) -> Any:
        return process.receive(_node(reasoner, node, processed), _graph(reasoner, graph), heard[None])[0]

    return jax.vmap(one)(node, graph, processed, heard)


@eqx.filter_jit
def node_part(
    reasoner: Reasoner, stage: Stage, node: Any, graph: Any, processed: Any, flags: Any, given: Any
) -> tuple[Any, Any]:
    """Returns the logits of nodes in a stage of the decoder, and what they say to the graph, before bits are made of it."""

    def one(node: Any, graph: Any, processed: Any, flags: Any, given: Any) -> tuple[Any, Any]:
        features = _node(reasoner, node, processed, flags), _graph(reasoner, graph, given)
        hidden = jax.nn.relu(stage.hidden(features[0]) + stage.graph(features[1]))[0]
        logits = jnp.zeros(0) if stage.decoder.node is None else stage.decoder.node(hidden)
        return logits, jnp.zeros(0) if stage.pool is None else stage.pool(hidden)

    return jax.vmap(one)(node, graph, processed, flags, given)


@eqx.filter_jit
def graph_part(reasoner: Reasoner, stage: Stage, graph: Any, given: Any, pooled: Any) -> Any:
    """Returns the logits of the graph in a stage of the decoder."""

    def one(graph: Any, given: Any, pooled: Any) -> Any:
        decoder = stage.decoder
        assert decoder.graph is not None
        assert decoder.graph_of_nodes is not None
        return decoder.graph_of_nodes(stage.scale(pooled)) + decoder.graph(_graph(reasoner, graph, given))

    return jax.vmap(one)(graph, given, pooled)
