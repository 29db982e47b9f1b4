"""Graphs in a file."""

from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from recursor.algorithms import find
from recursor.graphs.dataset import holds_graphs, load_graphs, save_graphs
from recursor.graphs.reading import GraphError, as_graph


def test_graphs_come_back_as_they_were_saved(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    graphs = [find(name).test(rng, nodes) for name in ("dfs", "quicksort") for nodes in (1, 2, 5)]
    graphs.append(as_graph(nx.Graph([("a", "b"), ("b", "b")])))
    save_graphs(tmp_path / "graphs.npz", graphs)
    assert load_graphs(tmp_path / "graphs.npz") == graphs


def test_what_is_no_dataset_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"ends in \.npz"):
        save_graphs(tmp_path / "graphs.txt", [as_graph([[0]])])
    with pytest.raises(ValueError, match="at least one graph"):
        save_graphs(tmp_path / "graphs.npz", [])
    np.savez(tmp_path / "other.npz", a=np.zeros(3))
    (tmp_path / "text.npz").write_text("no archive")
    (tmp_path / "empty.npz").write_bytes(b"")
    np.save(tmp_path / "array.npy", np.zeros(3))
    for name in ("other.npz", "text.npz", "missing.npz", "empty.npz", "array.npy"):
        assert not holds_graphs(tmp_path / name)
        with pytest.raises(GraphError, match=f"{name}: `save_graphs` did not write this file"):
            load_graphs(tmp_path / name)
