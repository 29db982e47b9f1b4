"""GraphBench's track: its graphs and, for bridges and spanning trees, its evaluator (`graphbench_side.py`).

Its task of topological order is to predict the place of each node in networkx's own order. Ours is another right order, by
depth-first search, so networkx says whether every edge leads forwards in it.
"""

import json
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
from benchmarks.scoreboard.networks import RESULTS, SHIPPED, execute
from benchmarks.scoreboard.tracks import Entry, judge

from recursor.system.files import write_atomically

SIDE = Path(__file__).with_name("graphbench_side.py")
EDGE_TASKS = {"bridges": "bridges", "mst_prim": "mst", "mst_kruskal": "mst"}
"""The tasks that ask for edges, by network."""
ORDER = "topological_sort"

Arrays = dict[str, np.ndarray]


def race(names: Sequence[str], python: str) -> list[Entry]:
    """Runs networks on GraphBench's graphs, and has them scored.

    Args:
        names: The networks to run; those without a task of GraphBench are left out.
        python: The Python of graphbench-lib's environment.

    Returns:
        The entries for `tracks.json`.
    """
    wanted = [name for name in names if name in SHIPPED and name in (*EDGE_TASKS, ORDER)]
    with tempfile.TemporaryDirectory() as folder:
        drawn = Path(folder) / "graphs.npz"
        subprocess.run([python, str(SIDE), "sample", str(drawn)], check=True)
        with np.load(drawn) as file:
            arrays = {name: file[name] for name in file.files}
    entries = []
    for name in wanted:
        entries += _orders(arrays) if name == ORDER else _edges(name, arrays, python)
    return entries


def _graphs(arrays: Mapping[str, np.ndarray], task: str, kind: type) -> dict[str, nx.Graph]:
    """Returns the graphs of a task by name, with weights where there are any."""
    graphs = {}
    for key in arrays:
        name, _, field = key.rpartition("/")
        if name.startswith(f"{task}/") and field == "edge_index":
            ends = arrays[key].T.tolist()
            weights = arrays.get(f"{name}/edge_attr", np.ones(len(ends))).tolist()
            graphs[name] = kind()
            graphs[name].add_nodes_from(range(int(name.split("/")[1])))
            graphs[name].add_weighted_edges_from((a, b, weight) for (a, b), weight in zip(ends, weights, strict=True))
    return graphs


def _without_weights(graph: nx.Graph) -> nx.Graph:
    plain = type(graph)()
    plain.add_nodes_from(graph)
    plain.add_edges_from(graph.edges)
    return plain


def _edges(name: str, arrays: Arrays, python: str) -> list[Entry]:
    """Runs a network that finds edges, keeps its labels and has GraphBench score them."""
    task = EDGE_TASKS[name]
    graphs = _graphs(arrays, task, nx.Graph)
    executions = execute(name, [graph if task == "mst" else _without_weights(graph) for graph in graphs.values()])
    kept = {field: values for field, values in arrays.items() if field.startswith(f"{task}/")}
    right: dict[int, int] = {}
    for each, execution in zip(graphs, executions, strict=True):
        found = _found(execution.answer) if execution.halted else set()
        labels = np.array([tuple(ends) in found for ends in arrays[f"{each}/edge_index"].T.tolist()], np.int8)
        kept[f"{each}/prediction"] = labels
        nodes = int(each.split("/")[1])
        right[nodes] = right.get(nodes, 0) + bool(execution.halted and np.array_equal(labels, arrays[f"{each}/y"]))
    path = RESULTS / f"graphbench-{name}.npz"
    data = BytesIO()
    np.savez_compressed(data, **kept)  # pyright: ignore[reportArgumentType]
    write_atomically(path, data.getvalue())
    done = subprocess.run([python, str(SIDE), "score", str(path)], check=True, stdout=subprocess.PIPE, text=True)
    scores = json.loads(done.stdout.splitlines()[-1])
    entries = []
    for each in scores["sets"]:
        if each["control"] >= 1:
            raise SystemExit("GraphBench's evaluator did not see a label that was changed")
        nodes = each["nodes"]
        entries.append(
            {
                "algorithm": name,
                "scored_by": scores["scorer"],
                "track": "GraphBench",
                "nodes": [nodes, nodes],
                "graphs": each["graphs"],
                "right": right[nodes],
                "f1": each["f1"],
                "control": each["control"],
            }
        )
        print(f"GraphBench, {name}, {nodes} nodes: F1 {each['f1']:.4f}, control {each['control']:.4f}", flush=True)
    return entries


def _found(answer: Any) -> set[tuple[int, int]]:
    """Returns the edges of an answer, from the smaller node to the larger."""
    return {(min(ends), max(ends)) for ends in (answer.edges if isinstance(answer, nx.Graph) else answer)}


def _orders(arrays: Mapping[str, np.ndarray]) -> list[Entry]:
    graphs = {name: _without_weights(graph) for name, graph in _graphs(arrays, "topologicalorder", nx.DiGraph).items()}
    sizes = dict.fromkeys(int(name.split("/")[1]) for name in graphs)
    return [judge(ORDER, [graph for graph in graphs.values() if len(graph) == n], track="GraphBench") for n in sizes]
