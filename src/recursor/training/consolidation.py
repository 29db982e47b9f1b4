r"""Consolidation: the last phase of training, on situations instead of rows.

In a network whose messages are bits, verification lists every situation that it met, and what the algorithm does in each
(`verification.targets`). So the network can be trained on the list itself: each situation is one example, rare or not. What
nodes say in it, its message bits, is to stay as it is, so that the list stays true; what is decided in it is to be right.
Every number x that decides something is to be at least m away from deciding otherwise:

    bit, mask      $\max(0, m - y x)^2$ with $y = \pm 1$
    category       $\sum_{c \ne y} \max(0, m - x_y + x_c)^2$
    pointer        as a mask: above m at the node that is named, below -m at all others
    null           $\max(0, |x| - m/4)^2$, so that a pointer is null where no node is above it

A pointer is then right whatever situations meet in one row: no two compete for it. One update takes a sample of each table.
There are no graphs and no message passing, so that an update takes milliseconds.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float

from recursor.network.decoders.fields import FieldDecoder
from recursor.network.reasoner import Reasoner
from recursor.situations.compute import graph_part, node_part, run_rounds
from recursor.situations.tables import Tables
from recursor.spec import Field
from recursor.training.sharing import keep_processors
from recursor.verification.targets import Targets

MARGIN = 1.0
"""What every decision is trained to be away from another one,"""
ENOUGH = 0.5
"""and how far is enough."""
SAMPLE = 1024
UPDATES, CHECK = 3000, 500
RATE = 2e-3


class NodeExamples(NamedTuple):
    """The situations of nodes in which one stage decides."""

    node: np.ndarray  # [m, channels]
    graph: np.ndarray  # [m, channels]
    heard: tuple[np.ndarray, ...]  # of each round [m, bits]
    flags: np.ndarray  # [m, pointers]: which pointers of earlier stages name the node
    given: np.ndarray  # [m, channels]: the graph's values of earlier stages
    messages: tuple[np.ndarray, ...]  # of each round [m, bits]: what the node says
    pooled: np.ndarray  # [m, bits]: what it says to the graph
    fields: dict[str, np.ndarray]  # [m]: the targets; negative: none


class GraphExamples(NamedTuple):
    """The situations of the graph in which one stage decides."""

    graph: np.ndarray
    given: np.ndarray
    pooled: np.ndarray
    fields: dict[str, np.ndarray]


Examples = tuple[tuple[NodeExamples, GraphExamples | None], ...]


def examples_of(tables: Tables, targets: Targets) -> Examples:
    """Returns all situations as examples, stage by stage."""
    found = []
    for stage, table in enumerate(tables.stages):
        on_nodes = NodeExamples(*tables.node_inputs(table), dict(targets.nodes[stage]))
        on_graph = None
        if len(table.graphs):
            on_graph = GraphExamples(*tables.graph_inputs(table), dict(targets.graphs[stage]))
        found.append((on_nodes, on_graph))
    return tuple(found)


def joined(first: Examples, second: Examples) -> Examples:
    """Returns the examples of both, each once."""
    if not first:
        return second
    both = jax.tree.map(lambda *parts: np.concatenate(parts), first, second)
    return tuple((_each_once(nodes), None if graphs is None else _each_once(graphs)) for nodes, graphs in both)


def _each_once(part: Any) -> Any:
    columns = [np.asarray(array).reshape(len(part.graph), -1) for array in jax.tree.leaves(part)]
    _, first = np.unique(np.concatenate(columns, 1), axis=0, return_index=True)
    return jax.tree.map(lambda array: array[np.sort(first)], part)


def size(examples: Examples) -> int:
    """Returns the number of examples."""
    return sum(len(part.graph) for parts in examples for part in parts if part is not None)


def consolidate(
    reasoner: Reasoner, examples: Examples, seed: int, updates: int = UPDATES, *, keep_processor: bool = False
) -> tuple[Reasoner, float]:
    """Trains a reasoner on situations until all decisions are right by a margin, or the updates are used up.

    Args:
        reasoner: One whose messages are bits.
        examples: What it is to do, as `examples_of` lists it.
        seed: Of the samples.
        updates: The number of updates, at most.
        keep_processor: Whether the processor stays as it is, because other networks share it.

    Returns:
        The reasoner, and the smallest margin of all decisions and bits; negative if one is wrong.
    """
    transformation = optax.chain(
        keep_processors() if keep_processor else optax.identity(),
        optax.clip_by_global_norm(1.0),
        optax.adam(optax.cosine_decay_schedule(RATE, updates, 0.02)),
    )
    state = transformation.init(eqx.filter(reasoner, eqx.is_inexact_array))
    rng = np.random.default_rng((seed, 77))
    least = margin_of(reasoner, examples)
    done = 0
    while least < ENOUGH and done < updates:
        for _ in range(CHECK):
            sample = tuple((_take(nodes, rng), None if graphs is None else _take(graphs, rng)) for nodes, graphs in examples)
            reasoner, state = _update(transformation, reasoner, state, sample)
        done += CHECK
        least = margin_of(reasoner, examples)
    return reasoner, least


def margin_of(reasoner: Reasoner, examples: Examples) -> float:
    """Returns the smallest margin of all decisions and bits in all examples."""
    least = np.inf
    for stage, (nodes, graphs) in enumerate(examples):
        for part in (nodes, graphs):
            if part is None:
                continue
            for start in range(0, len(part.graph), 4096):
                piece = _padded(jax.tree.map(lambda array, start=start: array[start : start + 4096], part))
                least = min(least, float(_least(reasoner, stage, piece)))
    return least


def _take(part: Any, rng: np.random.Generator) -> Any:
    chosen = rng.integers(0, len(part.graph), SAMPLE)
    return jax.tree.map(lambda array: array[chosen], part)


def _padded(part: Any) -> Any:
    """Repeats examples up to a power of two, so that few programs are compiled."""
    count = len(part.graph)
    chosen = np.arange(max(64, 1 << (count - 1).bit_length())) % count
    return jax.tree.map(lambda array: array[chosen], part)


def _bits(margins: list[Array], logits: Float[Array, "m bits"], bits: Any) -> None:
    margins.append(((2 * bits - 1) * logits).reshape(-1))


def _field(margins: list[Array], field: Field, logits: Float[Array, "m width"], truth: Any) -> None:
    known = truth >= 0
    if field.kind in ("mask", "pointer"):
        margins.append(jnp.where(known, (2 * truth - 1) * logits[:, 0], jnp.inf))
        return
    at = jnp.maximum(truth, 0)[:, None]
    others = jnp.where(jnp.arange(logits.shape[1]) == at, jnp.inf, jnp.take_along_axis(logits, at, 1) - logits)
    margins.append(jnp.where(known[:, None], others, jnp.inf).reshape(-1))


def _fields(
    margins: list[Array], fields: tuple[Field, ...], logits: Float[Array, "m width"], targets: Mapping[str, Any]
) -> int:
    start = 0
    for field in fields:
        width = field.categories or 1
        _field(margins, field, logits[:, start : start + width], targets[field.name])
        start += width
    return start


def _margins(reasoner: Reasoner, stage: int, part: NodeExamples | GraphExamples) -> list[Array]:
    """The margins of all decisions in some examples; of an unknown one infinity."""
    of_stage = reasoner.hint_decoder.stages[stage]  # pyright: ignore[reportAttributeAccessIssue]
    decoder: FieldDecoder = of_stage.decoder
    margins: list[Array] = []
    if isinstance(part, NodeExamples):
        messages, processed = run_rounds(reasoner, part.node, part.graph, part.heard)
        if stage == 0:
            for logits, bits in zip(messages, part.messages, strict=True):
                _bits(margins, logits, bits)
        logits, pooled = node_part(reasoner, of_stage, part.node, part.graph, processed, part.flags, part.given)
        _bits(margins, pooled, part.pooled)
        _fields(margins, decoder.node_fields, logits, part.fields)
        return margins
    logits = graph_part(reasoner, of_stage, part.graph, part.given, part.pooled)
    start = _fields(margins, decoder.graph_fields, logits, part.fields)
    margins.append((1.25 * MARGIN - jnp.abs(logits[:, start:])).reshape(-1))  # null: at least m if |x| is at most m/4
    return margins


@eqx.filter_jit
def _least(reasoner: Reasoner, stage: int, part: Any) -> Float[Array, ""]:
    return jnp.stack([margin.min(initial=jnp.inf) for margin in _margins(reasoner, stage, part)]).min()


@eqx.filter_jit
def _update(transformation: Any, reasoner: Reasoner, state: Any, sample: Examples) -> tuple[Reasoner, Any]:
    def loss(reasoner: Reasoner) -> Float[Array, ""]:
        total = jnp.zeros(())
        for stage, parts in enumerate(sample):
            for part in parts:
                if part is None:
                    continue
                for margin in _margins(reasoner, stage, part):
                    total += jnp.square(jnp.maximum(0.0, MARGIN - margin)).sum() / SAMPLE
        return total

    gradient = eqx.filter_grad(loss)(reasoner)
    changes, state = transformation.update(gradient, state)
    return eqx.apply_updates(reasoner, changes), state
