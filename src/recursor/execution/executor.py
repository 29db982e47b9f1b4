"""Execution: a trained reasoner runs an algorithm on graphs, on its own predictions, until it says that it is done.

Nothing comes from the classical algorithm but row 0, which follows from the inputs. Every row is settled, each field at its
likeliest value, before the next is computed, so what is exact row by row is exact to the end. A reasoner that does not say
that it is done is stopped at a step limit, and the result tells.

Rows are computed in pieces of a fixed number on the device; in between they are brought to the host, so memory does not grow
with the limit, progress can be shown, and an interrupt is heard. The stack keeps frames only as deep as it has ever been.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int

from recursor.algorithms import find
from recursor.data.batch import Inputs
from recursor.data.batches import bucket, pad_inputs
from recursor.execution.execution import Execution
from recursor.graphs.graph import Graph
from recursor.network.encode import Values
from recursor.network.processors.order import is_dense
from recursor.network.reasoner import Memory, Prepared, Reasoner
from recursor.network.values import from_truth, prediction
from recursor.recording.algorithm import Algorithm
from recursor.recording.rows import Rows
from recursor.spec import NOOP, Field
from recursor.system.memory import physical_memory

PIECE = 256  # rows between two visits to the host

Progress = Callable[[int], None]


def step_limit(algorithm: Algorithm, graph: Graph) -> int:
    """After how many rows a reasoner that has not halted is stopped: if the algorithm does not say otherwise, ten a node and
    a hundred more. Depth-first search takes three a node."""
    return algorithm.most_rows(len(graph))


class Going(NamedTuple):
    """A batch of executions under way."""

    row: dict[str, Array]  # as it is recorded
    memory: Memory
    outputs: dict[str, Array]
    halted: Bool[Array, " batch"]
    steps: Int[Array, " batch"]


def execute(
    reasoner: Reasoner,
    graphs: Sequence[Graph],
    *,
    limit: int | None = None,
    keep_rows: bool = True,
    progress: Progress = lambda rows: None,
) -> list[Execution]:
    """Runs a reasoner on several graphs at once; `progress` is told how many rows are done. Results come in the graphs'
    order."""
    check_runnable(reasoner)
    check_memory(reasoner, graphs)
    spec, algorithm = reasoner.spec, find(reasoner.spec.algorithm)
    nodes = bucket(max(map(len, graphs)))
    dense = reasoner.config.processor != "order" or is_dense(nodes, max(len(graph.senders) for graph in graphs))
    inputs = pad_inputs(graphs, spec.inputs, every_pair=dense)  # then one shape serves all graphs of a size
    first = Rows([algorithm.first_row(graph) for graph in graphs], length=1, nodes=nodes)
    limits = np.array([step_limit(algorithm, graph) if limit is None else limit for graph in graphs], np.int32)
    capacity = bucket(int(limits.max())) if not reasoner.stack.grows else nodes
    row = {field.name: first[field.name][:, 0] for field in spec.hints if field.name != "done"}
    row["done"] = np.zeros(len(graphs), np.int32)
    prepared, going = _begin(reasoner, inputs, row, capacity)
    pieces = [{name: np.asarray(values)[None] for name, values in row.items()}]
    while True:
        going, piece, count = _advance(reasoner, prepared, going, limits, keep_rows)
        count = int(count)
        pieces.append({name: np.asarray(values[:count]) for name, values in piece.items()})
        halted, steps, depth = (np.asarray(x) for x in (going.halted, going.steps, going.memory.stack.depth))
        progress(int(steps.max()))
        under_way = ~halted & (steps < limits)
        if not under_way.any():
            break
        if (depth[under_way] >= capacity).any():
            going, capacity = _deepened(going), 2 * capacity
    hints = [field for field in spec.hints if keep_rows or field.place == "graph"]
    rows = {field.name: np.concatenate([piece[field.name] for piece in pieces]) for field in hints}
    outputs = {name: np.asarray(values) for name, values in going.outputs.items()}
    pops = np.asarray(going.memory.stack.underflows)
    results = []
    for place, graph in enumerate(graphs):
        n, length = len(graph), int(steps[place])
        own = {f.name: rows[f.name][(slice(length), place, *[slice(n)] * (f.place == "node"))] for f in hints}
        results.append(
            Execution(
                graph,
                {f.name: outputs[f.name][(place, *[slice(n)] * (f.place == "node"))] for f in spec.outputs},
                own if keep_rows else {},
                own.get("stack_op", np.zeros(0, np.int32)),
                bool(halted[place]),
                length,
                int(pops[place]),
            )
        )
    return results


def check_runnable(reasoner: Reasoner) -> None:
    """Refuses a reasoner that cannot stop by itself."""
    if not reasoner.spec.halts:
        raise ValueError(
            f"this reasoner was not trained to say when {reasoner.spec.algorithm} is done, so it cannot run by itself; "
            "train one with halting on, or score this one with `recursor evaluate`, which tells it the number of rows"
        )
    if not reasoner.config.collect:
        raise ValueError("this reasoner decodes its outputs from the last row; to run by itself it must collect them")


def memory_needed(reasoner: Reasoner, graphs: Sequence[Graph]) -> float:
    """About how many bytes an execution takes."""
    n, edges, width = max(map(len, graphs)), max(len(graph.senders) for graph in graphs), reasoner.config.width
    pairs = edges + n if reasoner.config.processor == "order" else 8 * n * n
    of_each_node = reasoner.frames.packed_width if reasoner.stack.kind == "node" else reasoner.stack.of_each_node
    frames = n * n * of_each_node
    return 4.0 * len(graphs) * (pairs * width + frames + n * (12 * width + PIECE))


def check_memory(reasoner: Reasoner, graphs: Sequence[Graph]) -> None:
    """Refuses graphs for which there is no room."""
    need, have = memory_needed(reasoner, graphs), physical_memory()
    if need > have:
        raise ValueError(
            f"{'a graph' if len(graphs) == 1 else f'{len(graphs)} graphs'} of {max(map(len, graphs))} nodes and "
            f"{max(len(graph.senders) for graph in graphs)} edges would take about {need / 1e9:.0f} GB with the stack "
            f"{reasoner.stack.kind!r}, and this machine has {have / 1e9:.0f}; choose a smaller graph"
        )


@eqx.filter_jit
def _begin(reasoner: Reasoner, inputs: Inputs, row: Mapping[str, Any], capacity: int) -> tuple[Prepared, Going]:
    graphs, nodes = inputs.node_mask.shape
    memory = jax.tree.map(lambda array: jnp.broadcast_to(array, (graphs, *array.shape)), reasoner.start(nodes, capacity))
    outputs = {
        field.name: jnp.zeros((graphs, nodes) if field.place == "node" else graphs, field.dtype)
        for field in reasoner.spec.outputs
    }
    row = {name: jnp.asarray(values) for name, values in row.items()}
    going = Going(row, memory, outputs, jnp.zeros(graphs, bool), jnp.ones(graphs, jnp.int32))
    return jax.vmap(reasoner.prepare)(inputs), going._replace(outputs=_collected(reasoner, going, jnp.ones(graphs, bool)))


def _deepened(going: Going) -> Going:
    """The same with a stack twice as deep."""
    stack = going.memory.stack
    frames = jnp.concatenate([stack.frames, jnp.zeros_like(stack.frames[:, 1:])], 1)
    return going._replace(memory=going.memory._replace(stack=stack._replace(frames=frames)))


def _collected(reasoner: Reasoner, going: Going, active: Bool[Array, " batch"]) -> dict[str, Array]:
    outputs = dict(going.outputs)
    for rule in reasoner.spec.collect:
        values, found = outputs[rule.output], going.row[rule.value]
        if rule.at is None:
            outputs[rule.output] = jnp.where(active.reshape(-1, *[1] * (found.ndim - 1)), found, values)
            continue
        at = going.row[rule.at]
        if reasoner.spec.hint(rule.value).null:
            found = jnp.where(found < 0, at, found)
        at = jnp.where(active & (at >= 0), at, values.shape[1])  # past the end: dropped
        outputs[rule.output] = values.at[jnp.arange(len(values)), at].set(found, mode="drop")
    return outputs


@eqx.filter_jit
def _advance(
    reasoner: Reasoner, prepared: Prepared, going: Going, limits: Any, keep_rows: bool
) -> tuple[Going, dict[str, Array], Int[Array, ""]]:
    """Up to PIECE more rows, fewer if all are done or a stack is full; the rows, and how many."""
    fields, nodes = reasoner.spec.hints, prepared.mask.shape[1]
    capacity = going.memory.stack.frames.shape[1] - 1
    kept = [field for field in fields if keep_rows or field.place == "graph"]

    def step(
        prepared: Prepared, row: dict[str, Array], memory: Memory, active: Array, number: Array
    ) -> tuple[dict[str, Array], Memory]:
        now = _values(fields, row, nodes)
        logits, known = reasoner.step(prepared, now, memory)
        then = {field.name: prediction(field, logits[field.name]) for field in reasoner.spec.predicted}
        for rule in reasoner.spec.stamps:
            stamps = row[rule.field.name]
            first = (stamps == 0) & (jnp.arange(nodes) == then[rule.at])
            then[rule.field.name] = jnp.where(first, number + 1, stamps)
        op = jnp.where(active, then["stack_op"], NOOP) if reasoner.spec.has_ops else jnp.array(NOOP)
        memory = reasoner.remember(memory, op, known, now, _values(fields, then, nodes), prepared.mask)
        return {name: jnp.where(active, values, row[name]) for name, values in then.items()}, memory

    def running(going: Going) -> Bool[Array, " batch"]:
        return ~going.halted & (going.steps < limits)

    def body(carry: tuple[Going, dict[str, Array], Array]) -> tuple[Going, dict[str, Array], Array]:
        going, piece, count = carry
        active = running(going)
        row, memory = jax.vmap(step)(prepared, going.row, going.memory, active, going.steps)
        going = Going(row, memory, going.outputs, going.halted | (active & (row["done"] == 1)), going.steps + active)
        going = going._replace(outputs=_collected(reasoner, going, active))
        piece = {name: values.at[count].set(row[name]) for name, values in piece.items()}
        return going, piece, count + 1

    def more(carry: tuple[Going, dict[str, Array], Array]) -> Bool[Array, ""]:
        going, _, count = carry
        active = running(going)
        room = jnp.all(~active | (going.memory.stack.depth < capacity)) | (reasoner.stack.kind == "none")
        return (count < PIECE) & active.any() & room

    piece = {field.name: jnp.zeros((PIECE, *going.row[field.name].shape), field.dtype) for field in kept}
    return jax.lax.while_loop(more, body, (going, piece, jnp.zeros((), jnp.int32)))


def _values(fields: Sequence[Field], row: Mapping[str, Any], nodes: int) -> Values:
    return {field.name: from_truth(field, row[field.name], nodes) for field in fields}
