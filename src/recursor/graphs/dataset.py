"""Graphs in a file: one `.npz` for any number of graphs, without pickle."""

import io
import json
import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from recursor.graphs.adjacency import GraphError
from recursor.graphs.graph import Graph, from_edges
from recursor.system.files import write_atomically


def save_graphs(path: Path | str, graphs: Sequence[Graph]) -> None:
    """Writes graphs to a file.

    Args:
        path: The file, which ends in .npz.
        graphs: The graphs. Names of nodes are kept as strings, unless they are 0, 1, ….

    Raises:
        ValueError: If the name does not end in .npz, or there is no graph.
    """
    path = Path(path)
    if path.suffix != ".npz" or not graphs:
        raise ValueError(f"save_graphs needs at least one graph and a file that ends in .npz, not {len(graphs)} and {path}")
    arrays: dict[str, np.ndarray] = {}
    names = []
    for place, graph in enumerate(graphs):
        arrays |= {f"{place}/{name}": getattr(graph, name) for name in ("senders", "receivers", "positions")}
        arrays |= {f"{place}/values/{name}": np.asarray(values) for name, values in graph.values.items()}
        names.append(None if list(graph.names) == list(range(len(graph))) else [str(name) for name in graph.names])
    arrays["names"] = np.frombuffer(json.dumps(names).encode(), np.uint8)
    data = io.BytesIO()
    np.savez_compressed(data, **arrays)  # pyright: ignore[reportArgumentType] (these are arrays)
    write_atomically(path, data.getvalue())


def holds_graphs(path: Path | str) -> bool:
    """Returns whether `save_graphs` wrote a file. Anything else, such as a file that is not there, is none of its files."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            return {"names", "0/senders"} <= set(arrays.files)
    except (OSError, EOFError, ValueError, TypeError, zipfile.BadZipFile):  # a bare array is no context manager
        return False


def load_graphs(path: Path | str) -> list[Graph]:
    """Reads the graphs that `save_graphs` wrote.

    Args:
        path: The file.

    Returns:
        The graphs, in their order.

    Raises:
        GraphError: If the file holds something else.
    """
    try:
        with np.load(path, allow_pickle=False) as arrays:
            names = json.loads(arrays["names"].tobytes())
            graphs = []
            for place, words in enumerate(names):
                before = f"{place}/values/"
                positions = arrays[f"{place}/positions"]
                values = {name.removeprefix(before): arrays[name] for name in arrays.files if name.startswith(before)}
                ends = arrays[f"{place}/senders"], arrays[f"{place}/receivers"]
                graphs.append(from_edges(*ends, len(positions), positions=positions, names=words, values=values))
    except (OSError, EOFError, KeyError, ValueError, TypeError, zipfile.BadZipFile) as error:
        raise GraphError(f"{path}: `save_graphs` did not write this file, or it is damaged ({error})") from error
    return graphs
