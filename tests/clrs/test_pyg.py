"""PyTorch Geometric, where it is installed."""

import numpy as np
import pytest

import recursor.clrs
from tests.clrs.golden import TASKS, clrs_samples


@pytest.mark.parametrize("task", TASKS)
def test_data_hold_what_the_samples_hold(task: str) -> None:
    pytest.importorskip("torch_geometric")
    from torch_geometric.loader import DataLoader  # pyright: ignore[reportMissingImports]

    samples = recursor.clrs.record(task, clrs_samples(task, 8).graphs())
    found = recursor.clrs.to_pyg(samples)
    assert len(found) == len(samples)
    for place, data in enumerate(found):
        data.validate()
        senders, receivers = data.edge_index.numpy()
        for name in samples.task.outputs:
            truth = samples.outputs[name][place]
            own = truth[senders, receivers] if samples.task.outputs[name].location == "edge" else truth
            np.testing.assert_array_equal(data[name].numpy(), own)
        for name, field in samples.task.hints.items():
            truth = samples.hints[name][: data.length, place]
            own = truth[:, senders, receivers] if field.location == "edge" else truth
            np.testing.assert_array_equal(data[name].numpy(), own if field.location == "graph" else np.swapaxes(own, 0, 1))
        if "A" in samples.inputs:
            matrix = np.zeros((8, 8))
            matrix[senders, receivers] = data["A"].numpy()
            np.testing.assert_array_equal(matrix, samples.inputs["A"][place])
    if task == "quicksort":  # hints of different lengths do not form a batch
        (batch,) = DataLoader(found, batch_size=len(found))
        assert batch.num_nodes == 8 * len(found)


def test_without_pytorch_geometric_the_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "torch_geometric", None)
    monkeypatch.setitem(sys.modules, "torch_geometric.data", None)
    with pytest.raises(ImportError, match="pip install torch torch_geometric"):
        recursor.clrs.to_pyg(clrs_samples("dfs", 4))
