"""GraphBench's track: its graphs and, for bridges, its evaluator (`graphbench_side.py`).

Its task of topological order is to predict the place of each node in networkx's own order. Ours is another right order, by
depth-first search, so networkx says whether every edge leads forwards in it.
"""

import json
import subprocess
import tempfile
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import networkx as nx
import numpy as np
from benchmarks.scoreboard.networks import RESULTS, execute, weights_hash
from benchmarks.scoreboard.tracks import Entry, judge

from recursor.system.files import write_atomically

FILE = RESULTS / "graphbench.npz"
SIDE = Path(__file__).with_name("graphbench_side.py")


def race(names: Sequence[str], python: str) -> list[Entry]:
    """Runs the networks for bridges and topological order on GraphBench's graphs, and has them scored.

    Args:
        names: The networks to run; others than these two are left out.
        python: The Python of graphbench-lib's environment.

    Returns:
        The entries for `tracks.json`.
    """
    with tempfile.TemporaryDirectory() as folder:
        drawn = Path(folder) / "graphs.npz"
        subprocess.run([python, str(SIDE), "sample", str(drawn)], check=True)
        with np.load(drawn) as file:
            arrays = {name: file[name] for name in file.files}
    return [
        *(_bridges(arrays, python) if "bridges" in names else []),
        *(_orders(arrays) if "topological_sort" in names else []),
    ]


def _graphs(arrays: dict[str, np.ndarray], task: str, kind: type) -> dict[str, nx.Graph]:
    graphs = {}
    for key, edges in arrays.items():
        if key.startswith(task) and key.endswith("/edge_index"):
            name = key.removesuffix("/edge_index")
            graph = kind()
            graph.add_nodes_from(range(int(name.split("/")[2])))
            graph.add_edges_from(edges.T.tolist())
            graphs[name] = graph
    return graphs


def _bridges(arrays: dict[str, np.ndarray], python: str) -> list[Entry]:
    graphs = _graphs(arrays, "bridges", nx.Graph)
    executions = execute("bridges", list(graphs.values()))
    kept = {name: values for name, values in arrays.items() if name.startswith("bridges")}
    right: dict[str, int] = {}
    for name, execution in zip(graphs, executions, strict=True):
        found = {(min(ends), max(ends)) for ends in execution.answer} if execution.halted else set()
        labels = [int(tuple(ends) in found) for ends in arrays[f"{name}/edge_index"].T.tolist()]
        kept[f"{name}/prediction"] = np.array(labels, np.int8)
        group = name.rpartition("/")[0]
        same = execution.halted and np.array_equal(labels, arrays[f"{name}/y"])
        right[group] = right.get(group, 0) + bool(same)
    data = BytesIO()
    np.savez_compressed(data, **kept)  # pyright: ignore[reportArgumentType]
    write_atomically(FILE, data.getvalue())
    done = subprocess.run([python, str(SIDE), "score", str(FILE)], check=True, stdout=subprocess.PIPE, text=True)
    scores = json.loads(done.stdout.splitlines()[-1])
    entries = []
    for each in scores["sets"]:
        if each["control"] >= 1:
            raise SystemExit("GraphBench's evaluator did not see a label that was changed")
        group = f"bridges/{each['difficulty']}/{each['nodes']}"
        entries.append(
            {
                "algorithm": "bridges",
                "scored_by": scores["scorer"],
                "track": "GraphBench",
                "distribution": each["difficulty"],
                "nodes": [each["nodes"], each["nodes"]],
                "graphs": each["graphs"],
                "right": right[group],
                "f1": each["f1"],
                "control": each["control"],
                "weights_sha256": weights_hash("bridges"),
            }
        )
        print(f"GraphBench, bridges, {group}: F1 {each['f1']:.4f}, control {each['control']:.4f}", flush=True)
    return entries


def _orders(arrays: dict[str, np.ndarray]) -> list[Entry]:
    graphs = _graphs(arrays, "topologicalorder", nx.DiGraph)
    entries = []
    for group in dict.fromkeys(name.rpartition("/")[0] for name in graphs):
        own = [graph for name, graph in graphs.items() if name.rpartition("/")[0] == group]
        entries.append(judge("topological_sort", own, track="GraphBench", distribution=group.split("/")[1]))
    return entries
