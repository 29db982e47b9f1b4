"""Small networks, and the small batch they are run on, which is the same for all, so that each compiles once."""

from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple, TypeVar, cast

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from recursor.algorithms.dfs import DFS
from recursor.data.batch import Batch, Inputs
from recursor.data.batches import pad
from recursor.execution import executor
from recursor.graphs.distributions import erdos_renyi, random_positions
from recursor.graphs.graph import Graph, from_matrix
from recursor.network.check import check_network
from recursor.network.config import NetworkConfig
from recursor.network.decoders import DECODERS
from recursor.network.encode import Values
from recursor.network.poolings import POOLINGS
from recursor.network.processors import PROCESSORS
from recursor.network.reasoner import Carry, Prepared, Reasoner, Rollout
from recursor.network.stacks import STACKS
from recursor.network.values import from_truth
from recursor.recording.rows import Recording
from recursor.spec import NOOP, Field, Spec

T = TypeVar("T")


def _quickest() -> dict[str, Any]:
    """Options by which XLA compiles the networks four times faster, and they, being small, run as fast."""
    options = {
        "xla_backend_optimization_level": 0,
        "xla_llvm_disable_expensive_passes": True,
        "xla_cpu_use_fusion_emitters": False,
    }
    try:
        jax.jit(lambda: 0, compiler_options=options)()
    except jax.errors.JaxRuntimeError:  # options of XLA come and go
        return {}
    return options


OPTIONS = _quickest()


def quickly_compiled(function: Callable[..., T]) -> Callable[..., T]:
    """A decorator."""
    return cast(Any, eqx.filter_jit)(function, compiler_options=OPTIONS)


def use_quick_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Has that done to what Recursor itself compiles for updates and executions, too."""
    jit = partial(cast(Any, eqx.filter_jit), compiler_options=OPTIONS)
    monkeypatch.setattr(eqx, "filter_jit", jit)  # updates are compiled later
    monkeypatch.setattr(executor, "_begin", BEGIN)
    monkeypatch.setattr(executor, "_advance", ADVANCE)


BEGIN, ADVANCE = (quickly_compiled(cast(Any, program).__wrapped__) for program in (executor._begin, executor._advance))


def drawn(make: Callable[..., T], *arguments: Any) -> T:
    """A module with random weights, drawn without compiling a generator for each shape; here no bias is zero."""
    rng = np.random.default_rng(1)

    def draw(leaf: jax.ShapeDtypeStruct) -> jax.Array:
        return jnp.asarray(rng.normal(size=leaf.shape) / max(1, leaf.shape[0]) ** 0.5, leaf.dtype)

    shapes = eqx.filter(make(*arguments, key=jax.random.key(0)), eqx.is_array)
    return jax.tree.map(draw, shapes)


class Network(NamedTuple):
    """A network of the paper, or near it, or one that halts by itself."""

    view: str
    config: NetworkConfig
    halting: bool = False

    @property
    def spec(self) -> Spec:
        spec = DFS.spec(self.view)
        return spec.halting() if self.halting else spec


def small(**changes: Any) -> NetworkConfig:
    settings: dict[str, Any] = {"width": 16, "frame_width": 6} | changes
    return NetworkConfig(**settings)


def _halting(**changes: Any) -> Network:
    return Network("discrete", small(**{"rounds": 2, "decoding": "staged", "feedback": "hard"} | changes), halting=True)


PAPER = {
    "experiment 1": Network("clrs", small(stack="none", hidden_state=True, collect=False)),
    "experiment 2": Network("local", small(stack="graph")),
    "experiment 3": Network("local-no-op", small(stack="none")),
    "experiment 4": Network("local", small(stack="graph", hidden_state=True)),
    "experiment 5": Network("local-no-op", small(stack="none", hidden_state=True)),
    "experiment 6": Network("local", small(stack="graph", collect=False)),
    "experiment 7": Network("local", small(stack="graph")),  # experiment 2, but trained without teacher forcing
    "experiment 8": Network("local", small(stack="graph", value="plain")),
    "experiment 9": Network("local", small(stack="graph", pooling="attention-sum")),
    "experiment 10": Network("local", small(stack="node")),
    "experiment 11": Network("local", small(stack="node", hidden_state=True)),
}
BESIDES = {
    "edges": Network("local", small(stack="node", processor="mpnn-edges")),
    "hard": Network("local", small(stack="node", feedback="hard")),
    "rounds": _halting(stack="fields"),
    "order fields": _halting(stack="fields", processor="order"),
    "order bits": _halting(stack="fields", processor="order", message_bits=3, pooled_bits=5),
    "order choice": _halting(stack="choice", processor="order"),
    "order node": _halting(stack="node", processor="order"),
}
KINDS = {"processor": PROCESSORS, "decoding": DECODERS, "stack": STACKS, "pooling": POOLINGS}


def _with_kind(setting: str, name: str) -> Network:
    """A network with a kind that no network above has: the first of these that the kind accepts."""
    changes = {setting: name} if setting in ("stack", "pooling") else {setting: name, "stack": "node"}
    paper = Network("local", small(**{"stack": "graph"} | changes))
    try:
        check_network(paper.config, paper.spec)
    except ValueError:
        return _halting(**{"stack": "fields", "processor": "order"} | changes)
    return paper


def _uncovered() -> dict[str, Network]:
    """A network for each kind in the tables that none of the networks above has."""
    networks = [*PAPER.values(), *BESIDES.values()]
    return {
        f"{setting} {name}": _with_kind(setting, name)
        for setting, table in KINDS.items()
        for name in table
        if all(getattr(network.config, setting) != name for network in networks)
    }


OTHER_KINDS = _uncovered()
NETWORKS = PAPER | BESIDES | OTHER_KINDS


@cache
def reasoner(name: str) -> Reasoner:
    return drawn(Reasoner, NETWORKS[name].spec, NETWORKS[name].config)


def _graph(n: int) -> Graph:
    rng = np.random.default_rng(n)
    return from_matrix(erdos_renyi(rng, n, 0.4), positions=random_positions(rng, n))


SIZES = (6, 4, 5)


@cache
def recordings() -> list[Recording]:
    return [DFS.record(_graph(n)) for n in SIZES]


@cache
def batch(spec: Spec) -> Batch:
    return pad(recordings(), spec, every_pair=True)


def forced(share: float) -> np.ndarray:
    """Which rows of the batch are forced."""
    return np.random.default_rng(0).random((len(SIZES), 3 * max(SIZES))) < share


def one(batch: T, place: int) -> T:
    """One graph of a batch, without the axis of the batch."""
    return jax.tree.map(lambda array: array[place], batch)


def rollouts(reasoner: Reasoner, batch: Batch, forced: Any) -> Rollout:
    """Of a batch, to be compiled."""
    return jax.vmap(reasoner.rollout)(batch.inputs, batch.hints, batch.row_mask, forced)


rollout = quickly_compiled(rollouts)


def row(spec: Spec, hints: dict[str, np.ndarray], index: int, nodes: int) -> Values:
    """One true row of one graph, as the network holds it."""
    return {field.name: from_truth(field, jnp.asarray(hints[field.name][index]), nodes) for field in spec.hints}


@quickly_compiled
def prepare(reasoner: Reasoner, inputs: Inputs) -> Prepared:
    """The inputs of one graph, encoded."""
    return reasoner.prepare(inputs)


@quickly_compiled
def step(
    reasoner: Reasoner, prepared: Prepared, values: Values, carry: Carry, then: Values, op: Any
) -> tuple[Values, Carry]:
    """The logits of the next row of one graph, and the carry after it, if it is forced to be the one given and has the
    given op."""
    logits, features = reasoner.step(prepared, values, carry, lambda field, _: then[field.name])
    return logits, reasoner.remember(carry, op, features, values, then, prepared.mask)


def logits_after(reasoner: Reasoner, prepared: Prepared, values: Values, carry: Carry) -> Values:
    """The logits of the next row, if it is forced to be the same."""
    return step(reasoner, prepared, values, carry, values, jnp.array(NOOP))[0]


# Where the nodes are in the values of a field


def node_axes(field: Field) -> list[int]:
    """The axes that are nodes, counted from the end, so that there may be others before them."""
    inner = {"node": 1, "edge": 2, "graph": 0}[field.place] + (field.kind in ("category", "pointer"))
    return [axis for axis in range(-inner, 0) if not (field.kind == "category" and axis == -1)]


def relabelled(field: Field, logits: Any, order: np.ndarray) -> np.ndarray:
    """The same logits for nodes in another order."""
    logits = np.asarray(logits)
    for axis in node_axes(field):
        logits = logits.take(order, axis)
    return logits


def of_nodes(field: Field, logits: Any, n: int) -> np.ndarray:
    """The logits of the first n nodes alone."""
    return relabelled(field, logits, np.arange(n))
