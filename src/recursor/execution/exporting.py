"""A whole execution as one StableHLO program, which JAX runs again without the code of the network.

The program takes the inputs of one graph of up to `nodes` nodes, padded, and row 0. It returns the outputs, whether the
reasoner halted, and after how many rows.
"""

from importlib.util import find_spec
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import export as jax_export

from recursor.algorithms import find
from recursor.data.batch import Inputs
from recursor.data.batches import bucket, pad_inputs
from recursor.execution.executor import check_runnable, next_row
from recursor.graphs.graph import Graph, from_edges
from recursor.network.collect import collect_row, empty_outputs
from recursor.network.reasoner import Reasoner
from recursor.recording.rows import first_rows
from recursor.spec import Field

Arguments = dict[str, dict[str, np.ndarray]]


def export(reasoner: Reasoner, nodes: int, *, limit: int | None = None) -> bytes:
    """Exports a reasoner as a program for graphs of up to so many nodes.

    Args:
        reasoner: A reasoner that halts by itself.
        nodes: The largest number of nodes.
        limit: The number of rows after which an execution is stopped; by default as the algorithm says.

    Returns:
        The program, as `jax.export.deserialize` reads it.

    Raises:
        ValueError: If the reasoner cannot halt by itself, a number is less than 1, or flatbuffers is not installed.
    """
    if nodes < 1 or (limit is not None and limit < 1):
        raise ValueError(f"nodes and limit must be at least 1, not {nodes} and {limit}")
    if find_spec("flatbuffers") is None:
        raise ValueError("exporting needs the package flatbuffers: pip install 'recursor[export]'")
    check_runnable(reasoner)
    algorithm, nodes = find(reasoner.spec.algorithm), bucket(nodes)
    most = algorithm.most_rows(nodes) if limit is None else limit
    shapes = jax.tree.map(lambda array: jax.ShapeDtypeStruct(array.shape, array.dtype), _padded(reasoner, [], nodes))
    dynamic, static = eqx.partition(reasoner, eqx.is_array)

    def program(inputs: dict[str, Any], row: dict[str, Any]) -> dict[str, Any]:
        return _run(eqx.combine(dynamic, static), _inputs(inputs), row, most)

    return bytes(jax_export.export(jax.jit(program))(**shapes).serialize())


def arguments(reasoner: Reasoner, graph: Graph, nodes: int) -> Arguments:
    """Returns the arguments of an exported program for a graph.

    Args:
        reasoner: The reasoner that was exported.
        graph: The graph.
        nodes: The number of nodes that the program was exported for.

    Returns:
        The padded `inputs`, and `row`, which is row 0.

    Raises:
        ValueError: If the graph is larger than that, or not fit for the algorithm.

    Example:
        >>> import jax, recursor
        >>> reasoner, graph = recursor.load("dfs").reasoner, recursor.as_graph([[0, 1], [0, 0]])
        >>> program = jax.export.deserialize(bytearray(export(reasoner, 2)))
        >>> program.call(**arguments(reasoner, graph, 2))["outputs"]["pi"].tolist()
        [0, 0]
    """
    if len(graph) > bucket(nodes):
        raise ValueError(f"this program takes graphs of up to {bucket(nodes)} nodes, not of {len(graph)}")
    return _padded(reasoner, [graph], bucket(nodes))


def _padded(reasoner: Reasoner, graphs: list[Graph], nodes: int) -> Arguments:
    """Returns the arguments for the first graph, or for one that stands for all if there is none."""
    spec, algorithm = reasoner.spec, find(reasoner.spec.algorithm)
    values = {field.name: np.zeros(nodes) for field in algorithm.inputs if isinstance(field, Field)}
    largest = from_edges(np.zeros(0, int), np.zeros(0, int), nodes, values=values)
    padded = pad_inputs([*graphs, largest], spec.inputs, every_pair=True)
    inputs = {f"fields/{name}": np.asarray(array)[0] for name, array in padded.fields.items()}
    inputs |= {name: np.asarray(getattr(padded, name))[0] for name in ("senders", "receivers", "node_mask")}
    if graphs:
        first = first_rows(spec, [algorithm.first_row(graphs[0])], nodes)
        row = {name: np.asarray(values[0]) for name, values in first.items()}
    else:
        row = {field.name: np.zeros((nodes,) * (field.place == "node"), field.dtype) for field in spec.hints}
    return {"inputs": inputs, "row": row}


def _inputs(flat: dict[str, Any]) -> Inputs:
    fields = {name.removeprefix("fields/"): array for name, array in flat.items() if name.startswith("fields/")}
    return Inputs(fields, flat["senders"], flat["receivers"], flat["node_mask"])


def _run(reasoner: Reasoner, inputs: Inputs, row: dict[str, Any], limit: int) -> dict[str, Any]:
    nodes = inputs.node_mask.shape[0]
    prepared = reasoner.prepare(inputs)

    def collected(row: dict[str, Any], outputs: dict[str, Any]) -> dict[str, Any]:
        return collect_row(reasoner.spec, outputs, row, True)

    def body(loop: tuple) -> tuple:
        row, carry, outputs, steps = loop
        row, carry, _, _ = next_row(reasoner, prepared, row, carry, jnp.array(True), steps)
        return row, carry, collected(row, outputs), steps + 1

    def more(loop: tuple) -> Any:
        return (loop[0]["done"] == 0) & (loop[3] < limit)

    row = {name: jnp.asarray(value) for name, value in row.items()}
    outputs = collected(row, empty_outputs(reasoner.spec, nodes))
    loop = (row, reasoner.start(nodes, limit), outputs, jnp.ones((), jnp.int32))
    row, _, outputs, steps = jax.lax.while_loop(more, body, loop)
    return {"outputs": outputs, "halted": row["done"] == 1, "steps": steps}
