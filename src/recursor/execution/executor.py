"""Execution: a trained reasoner runs an algorithm on graphs, on its own predictions, until it says that it is done.

Nothing comes from the classical algorithm but row 0, which follows from the inputs. Every field of a row is set to its
argmax before the next row is computed, so a network that is exact row by row is exact to the end. A reasoner that does not
say that it is done is stopped at a step limit, and the result tells.

Rows are computed on the device in pieces that take about half a second. Between two pieces they are copied to the host, so
that memory does not grow with the limit, progress can be shown, and an interrupt is noticed. A full stack grows there too.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
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
from recursor.execution.lookup.compiled import can_compile
from recursor.execution.lookup.executor import LookupExecutor
from recursor.execution.lookup.memory import SituationMemory
from recursor.graphs.graph import Graph
from recursor.network.collect import collect_row, empty_outputs
from recursor.network.encode import Values
from recursor.network.reasoner import Carry, Prepared, Reasoner, RowFeatures
from recursor.network.values import from_truth, prediction
from recursor.recording.algorithm import Algorithm
from recursor.recording.rows import first_rows
from recursor.situations.certify import Verified
from recursor.situations.tables import Tables, why_not_finite
from recursor.spec import NOOP, Field
from recursor.system.compiling import bound_programs
from recursor.system.memory import SMALL, require_memory

PIECE = 256  # rows between two visits to the host, at most
BETWEEN_VISITS = 0.5  # seconds between two visits, about: then progress is shown, and an interrupt is heard
MANY = 8
"""So many graphs together are run faster by XLA than by lookups in plain Python."""

Progress = Callable[[int], None]


def step_limit(algorithm: Algorithm, graph: Graph) -> int:
    """Returns after how many rows a reasoner that has not halted is stopped.

    By default that is ten a node and a hundred more; an algorithm can say otherwise. Depth-first search takes three a node.
    """
    return algorithm.most_rows(len(graph))


class ExecutionState(NamedTuple):
    """A batch of executions after some rows."""

    row: dict[str, Array]  # the newest row, as it is recorded
    carry: Carry
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
    lookup: LookupExecutor | None = None,
) -> list[Execution]:
    """Runs a reasoner on several graphs. One with finitely many situations looks them up; another is run by XLA, on all
    graphs together. The rows are the same.

    Args:
        reasoner: A reasoner that halts by itself.
        graphs: The graphs.
        limit: The number of rows after which an execution is stopped; by default that of `step_limit`.
        keep_rows: Whether the results hold all rows.
        progress: Is called with the number of rows that are done.
        lookup: The executor of this very reasoner that remembers situations from earlier executions; by default a new one.

    Returns:
        One execution for each graph, in their order.

    Raises:
        ValueError: If the reasoner cannot halt by itself, or there is not enough memory.

    Example:
        >>> execute(recursor.load("dfs").reasoner, [as_graph(networkx.path_graph(4))])[0].outputs["pi"]  # doctest: +SKIP
        array([0, 0, 1, 2], dtype=int32)
    """
    check_runnable(reasoner)
    algorithm = find(reasoner.spec.algorithm)
    limits = np.array([step_limit(algorithm, graph) if limit is None else limit for graph in graphs], np.int32)
    if lookup is None and (can_compile() or len(graphs) < MANY):
        lookup = lookup_executor(reasoner)
    if lookup is not None:
        return lookup.execute(graphs, limits.tolist(), keep_rows=keep_rows, progress=progress)
    return _execute_by_network(reasoner, graphs, limits, keep_rows=keep_rows, progress=progress)


def lookup_executor(reasoner: Reasoner, verified: Verified | None = None) -> LookupExecutor | None:
    """Returns an executor that looks situations up; None if the reasoner does not have finitely many.

    Args:
        reasoner: Any reasoner.
        verified: The situations that were verified, if it has such; the executor then certifies.
    """
    if why_not_finite(reasoner):
        return None
    return LookupExecutor(SituationMemory(verified.tables if verified else Tables(reasoner), verified=verified is not None))


def _execute_by_network(
    reasoner: Reasoner, graphs: Sequence[Graph], limits: np.ndarray, *, keep_rows: bool, progress: Progress
) -> list[Execution]:
    """Runs a reasoner on several graphs together, by XLA."""
    check_memory(reasoner, graphs)
    spec, algorithm = reasoner.spec, find(reasoner.spec.algorithm)
    nodes = bucket(max(map(len, graphs)))
    dense = reasoner.processors[0].is_dense(nodes, max(len(graph.senders) for graph in graphs))
    inputs = pad_inputs(graphs, spec.inputs, every_pair=dense)  # then one shape serves all graphs of a size
    row = first_rows(spec, [algorithm.first_row(graph) for graph in graphs], nodes)
    most = max(step_limit(algorithm, graph) for graph in graphs)  # a larger limit costs nothing until it is used
    capacity = bucket(min(int(limits.max()), most)) if not reasoner.stack.grows_with_graph else nodes
    bound_programs((spec, reasoner.config, inputs.node_mask.shape, inputs.senders.shape, capacity, keep_rows))
    prepared, state = _begin(reasoner, inputs, row, capacity)
    pieces = [{name: np.asarray(values)[None] for name, values in row.items()}]
    piece_rows = min(8, PIECE)  # the first piece is short: it is not known yet how long a row takes
    kept = 0
    while True:
        began = time.monotonic()
        state, piece, count = _advance(reasoner, prepared, state, limits, np.array(piece_rows), keep_rows)
        count = int(count)
        if len(pieces) > 1:  # the first piece was compiled too
            piece_rows = max(1, min(PIECE, int(BETWEEN_VISITS * count / (time.monotonic() - began))))
        pieces.append({name: np.asarray(values)[:count].copy() for name, values in piece.items()})
        kept += sum(values.nbytes for values in pieces[-1].values())
        if kept > SMALL:
            what = f"keeping the rows of {len(graphs)} graphs of up to {nodes} nodes"
            require_memory(2 * kept, what, "choose smaller graphs, or do not keep the rows")
        halted, steps = np.asarray(state.halted), np.asarray(state.steps)
        progress(int(steps.max()))
        under_way = ~halted & (steps < limits)
        if not under_way.any():
            break
        if np.asarray(_full(reasoner, state))[under_way].any():
            state = _with_larger_stack(reasoner, state)
    hints = [field for field in spec.hints if keep_rows or field.place == "graph"]
    rows = {field.name: np.concatenate([piece[field.name] for piece in pieces]) for field in hints}
    outputs = {name: np.asarray(values) for name, values in state.outputs.items()}
    pops = np.asarray(jax.vmap(reasoner.stack.storage.underflows)(state.carry.stack))
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
                change_frames=reasoner.stack.storage.change_frames,
            )
        )
    return results


def check_runnable(reasoner: Reasoner) -> None:
    """Raises ValueError for a reasoner that cannot halt by itself."""
    if not reasoner.spec.halts:
        raise ValueError(
            f"this reasoner was not trained to say when {reasoner.spec.algorithm} is done, so it cannot run by itself; "
            "train one with halting on, or score this one with `recursor evaluate`, which tells it the number of rows, as "
            "does `run.steps` in Python"
        )
    if not reasoner.config.collect:
        raise ValueError(
            "this reasoner cannot run by itself, because it does not collect its outputs; train one with collect on"
        )


def memory_needed(reasoner: Reasoner, graphs: Sequence[Graph]) -> float:
    """Returns about how many bytes an execution takes."""
    n, edges, config = max(map(len, graphs)), max(len(graph.senders) for graph in graphs), reasoner.config
    messages = reasoner.processors[0].execution_numbers(config, n, edges)
    frames = reasoner.stack.execution_numbers(n)
    return 4.0 * len(graphs) * (messages + frames + n * (12 * config.width + PIECE))


def check_memory(reasoner: Reasoner, graphs: Sequence[Graph]) -> None:
    """Raises ValueError for graphs that need more memory than there is."""
    what = (
        f"{'a graph' if len(graphs) == 1 else f'{len(graphs)} graphs'} of {max(map(len, graphs))} nodes and "
        f"{max(len(graph.senders) for graph in graphs)} edges with the stack {reasoner.config.stack!r}"
    )
    require_memory(memory_needed(reasoner, graphs), what, "choose a smaller graph")


@eqx.filter_jit
def _begin(reasoner: Reasoner, inputs: Inputs, row: Mapping[str, Any], capacity: int) -> tuple[Prepared, ExecutionState]:
    graphs, nodes = inputs.node_mask.shape
    carry = jax.tree.map(lambda array: jnp.broadcast_to(array, (graphs, *array.shape)), reasoner.start(nodes, capacity))
    row = {name: jnp.asarray(values) for name, values in row.items()}
    outputs = jax.vmap(lambda row: collect_row(reasoner.spec, empty_outputs(reasoner.spec, nodes), row, True))(row)
    state = ExecutionState(row, carry, outputs, jnp.zeros(graphs, bool), jnp.ones(graphs, jnp.int32))
    return jax.vmap(reasoner.prepare)(inputs), state


def _full(reasoner: Reasoner, state: ExecutionState) -> Bool[Array, " batch"]:
    """Returns which executions have no room for another push."""
    return jax.vmap(reasoner.stack.storage.is_full)(state.carry.stack)


def _with_larger_stack(reasoner: Reasoner, state: ExecutionState) -> ExecutionState:
    """Returns the same state with room for twice as many frames."""
    stack = jax.vmap(reasoner.stack.storage.grow)(state.carry.stack)
    return state._replace(carry=state.carry._replace(stack=stack))


def next_row(
    reasoner: Reasoner, prepared: Prepared, row: Mapping[str, Any], carry: Carry, active: Any, number: Any
) -> tuple[dict[str, Array], Carry, Values, RowFeatures]:
    """Runs one row of one graph.

    Args:
        reasoner: The reasoner.
        prepared: The result of its `prepare`.
        row: The hints of the row, as they are recorded.
        carry: What the rows before left.
        active: Whether the execution is under way; if not, the row stays as it is.
        number: How many rows there are so far.

    Returns:
        The next row, the carry, the logits of the next row, and the features that they were decoded from.
    """
    fields, nodes = reasoner.spec.hints, len(prepared.mask)
    now = _values(fields, row, nodes)
    logits, features = reasoner.step(prepared, now, carry)
    then = {field.name: prediction(field, logits[field.name]) for field in reasoner.spec.predicted}
    for rule in reasoner.spec.stamps:
        stamps = row[rule.field.name]
        first = (stamps == 0) & (jnp.arange(nodes) == then[rule.at])
        then[rule.field.name] = jnp.where(first, number + 1, stamps)
    op = jnp.where(active, then["stack_op"], NOOP) if reasoner.spec.has_ops else jnp.array(NOOP)
    carry = reasoner.remember(carry, op, features, now, _values(fields, then, nodes), prepared.mask)
    return {name: jnp.where(active, values, row[name]) for name, values in then.items()}, carry, logits, features


@eqx.filter_jit
def _advance(
    reasoner: Reasoner, prepared: Prepared, state: ExecutionState, limits: Any, most: Any, keep_rows: bool
) -> tuple[ExecutionState, dict[str, Array], Int[Array, ""]]:
    """Runs up to `most` more rows, fewer if all are done or a stack is full.

    Returns:
        The new state, the rows [PIECE, batch, …], and how many of them count.
    """
    kept = [field for field in reasoner.spec.hints if keep_rows or field.place == "graph"]

    def step(
        prepared: Prepared, row: dict[str, Array], carry: Carry, active: Array, number: Array
    ) -> tuple[dict[str, Array], Carry]:
        return next_row(reasoner, prepared, row, carry, active, number)[:2]

    def running(state: ExecutionState) -> Bool[Array, " batch"]:
        return ~state.halted & (state.steps < limits)

    def body(loop: tuple[ExecutionState, dict[str, Array], Array]) -> tuple[ExecutionState, dict[str, Array], Array]:
        state, piece, count = loop
        active = running(state)
        row, carry = jax.vmap(step)(prepared, state.row, state.carry, active, state.steps)
        halted = state.halted | (active & (row["done"] == 1))
        outputs = jax.vmap(partial(collect_row, reasoner.spec))(state.outputs, row, active)
        state = ExecutionState(row, carry, outputs, halted, state.steps + active)
        piece = {name: values.at[count].set(row[name]) for name, values in piece.items()}
        return state, piece, count + 1

    def more(loop: tuple[ExecutionState, dict[str, Array], Array]) -> Bool[Array, ""]:
        state, _, count = loop
        active = running(state)
        room = jnp.all(~(active & _full(reasoner, state)))
        return (count < most) & active.any() & room

    piece = {field.name: jnp.zeros((PIECE, *state.row[field.name].shape), field.dtype) for field in kept}
    return jax.lax.while_loop(more, body, (state, piece, jnp.zeros((), jnp.int32)))


def _values(fields: Sequence[Field], row: Mapping[str, Any], nodes: int) -> Values:
    return {field.name: from_truth(field, row[field.name], nodes) for field in fields}
