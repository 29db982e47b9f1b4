"""Small networks and the small batch they are run on. All batches of a view have one shape, so each network compiles once."""

from functools import cache
from typing import Any, NamedTuple

import equinox as eqx
import jax
import numpy as np

from recursor.algorithms.dfs import DFS
from recursor.batches import Batch, pad
from recursor.graphs import Graph, erdos_renyi, from_matrix, random_positions
from recursor.network.config import NetworkConfig
from recursor.network.encode import Values
from recursor.network.reasoner import Memory, Prepared, Reasoner, Rollout
from recursor.network.values import from_truth
from recursor.rows import Recording
from recursor.spec import Field, Spec


class Network(NamedTuple):
    """A network of the paper, or near it."""

    view: str
    config: NetworkConfig
    forcing: float = 0.5

    @property
    def spec(self) -> Spec:
        return DFS.spec(self.view)


def small(**changes: Any) -> NetworkConfig:
    return NetworkConfig(**{"width": 8, "frame": 6} | changes)


PAPER = {
    "row 1": Network("clrs", small(stack="none", hidden_state=True, collect=False)),
    "row 2": Network("local", small(stack="graph")),
    "row 3": Network("local-no-op", small(stack="none")),
    "row 4": Network("local", small(stack="graph", hidden_state=True)),
    "row 5": Network("local-no-op", small(stack="none", hidden_state=True)),
    "row 6": Network("local", small(stack="graph", collect=False)),
    "row 7": Network("local", small(stack="graph"), forcing=0.0),
    "row 8": Network("local", small(stack="graph", value="plain")),
    "row 9": Network("local", small(stack="graph", pooling="attention-sum")),
    "row 10": Network("local", small(stack="node")),
    "row 11": Network("local", small(stack="node", hidden_state=True)),
}
BESIDES = {
    "attention": Network("local", small(stack="graph", pooling="attention")),
    "max": Network("local", small(stack="graph", pooling="max")),
    "mean": Network("local", small(stack="graph", pooling="mean")),
    "edges": Network("local", small(stack="node", processor="mpnn-edges")),
    "hard": Network("local", small(stack="node", feedback="hard")),
}
NETWORKS = PAPER | BESIDES


@cache
def reasoner(name: str) -> Reasoner:
    return Reasoner(NETWORKS[name].spec, NETWORKS[name].config, key=jax.random.key(1))


def _graph(n: int) -> Graph:
    rng = np.random.default_rng(n)
    return from_matrix(erdos_renyi(rng, n, 0.4), positions=random_positions(rng, n))


SIZES = (6, 4, 5)


@cache
def recordings() -> list[Recording]:
    return [DFS.record(_graph(n)) for n in SIZES]


@cache
def batch(view: str) -> Batch:
    return pad(recordings(), DFS.spec(view), every_pair=True)


def forced(share: float) -> np.ndarray:
    """Which rows of the batch are forced."""
    return np.random.default_rng(0).random((len(SIZES), 3 * max(SIZES))) < share


def one(batch: Batch, place: int) -> Batch:
    """One graph of a batch, without the axis of the batch."""
    return jax.tree.map(lambda array: array[place], batch)


@eqx.filter_jit
def rollout(reasoner: Reasoner, batch: Batch, forced: np.ndarray) -> Rollout:
    """The rollouts of a batch."""
    return jax.vmap(reasoner.rollout)(batch.inputs, batch.hints, batch.row_mask, forced)


def row(spec: Spec, hints: dict[str, np.ndarray], index: int, nodes: int) -> Values:
    """One true row of one graph, as the network holds it."""
    return {field.name: from_truth(field, jax.numpy.asarray(hints[field.name][index]), nodes) for field in spec.hints}


@eqx.filter_jit
def step(reasoner: Reasoner, prepared: Prepared, values: Values, memory: Memory) -> Values:
    """The logits of the next row of one graph."""
    return reasoner.step(prepared, values, memory)[0]


@eqx.filter_jit
def step_and_remember(
    reasoner: Reasoner, prepared: Prepared, values: Values, memory: Memory, op: int
) -> tuple[Values, Memory]:
    """The logits of the next row of one graph, and the memory if that row's op is the given one."""
    logits, known = reasoner.step(prepared, values, memory)
    return logits, reasoner.remember(memory, op, known, prepared.mask)


# Where the nodes are in the values of a field


def node_axes(field: Field, values: Any) -> list[int]:
    """The axes that are nodes, counted from the end, so that there may be others before them."""
    inner = {"node": 1, "edge": 2, "graph": 0}[field.place] + (field.kind in ("category", "pointer"))
    return [axis for axis in range(-inner, 0) if not (field.kind == "category" and axis == -1)]


def relabelled(field: Field, logits: Any, order: np.ndarray) -> np.ndarray:
    """The same logits for nodes in another order."""
    for axis in node_axes(field, logits):
        logits = np.take(logits, order, axis)
    return np.asarray(logits)


def of_nodes(field: Field, logits: Any, n: int) -> np.ndarray:
    """The logits of the first n nodes alone."""
    return relabelled(field, logits, np.arange(n))
