"""Samples as PyTorch Geometric's `Data`, where it is installed."""

from typing import Any

import numpy as np

from recursor.clrs.samples import Samples


def to_pyg(samples: Samples) -> list[Any]:
    """Returns one `torch_geometric.data.Data` for each graph.

    `edge_index` has the edges of `adj`, which are those of the graph and each node with itself; for keys it has all pairs.
    Fields of nodes are [n, ...], with the rows of hints as second axis; fields of edges are one value for each edge,
    pointers of nodes are indices. `inputs`, `hints` and `outputs` are the names, `length` the number of rows.

    Args:
        samples: The samples.

    Returns:
        The data, in the order of the samples.

    Raises:
        ImportError: If PyTorch Geometric is not installed.
    """
    try:
        import torch  # pyright: ignore[reportMissingImports]
        from torch_geometric.data import Data  # pyright: ignore[reportMissingImports]
    except ImportError as error:
        raise ImportError("PyTorch Geometric is not installed; `pip install torch torch_geometric` installs it") from error

    task, found = samples.task, []
    for place in range(len(samples)):
        n = samples.nodes
        pairs = np.eye(n) + samples.inputs["A"][place] if "A" in samples.inputs else np.ones((n, n))
        senders, receivers = np.nonzero(pairs)
        data = Data(edge_index=torch.from_numpy(np.stack([senders, receivers])), num_nodes=n)
        for kinds, group in ((task.inputs, samples.inputs), (task.outputs, samples.outputs)):
            for name, values in group.items():
                own = values[place]
                data[name] = torch.as_tensor(own[senders, receivers] if kinds[name].location == "edge" else own)
        length = int(samples.lengths[place]) if samples.lengths is not None else 0
        for name, values in samples.hints.items():
            own = values[:length, place]
            location = task.hints[name].location
            if location == "edge":
                own = own[:, senders, receivers]
            data[name] = torch.as_tensor(np.ascontiguousarray(own if location == "graph" else np.swapaxes(own, 0, 1)))
        data.length = length
        data.inputs, data.hints, data.outputs = (list(group) for group in (samples.inputs, samples.hints, samples.outputs))
        found.append(data)
    return found
