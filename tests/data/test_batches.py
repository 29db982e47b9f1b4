import threading
from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recursor.algorithms.dfs import DFS
from recursor.data.batch import Batch
from recursor.data.batches import bucket, pad_views, prefetch, stream
from recursor.graphs.distributions import TRAIN
from tests import strategies


def leaves(batch: Batch) -> list[np.ndarray]:
    inputs = batch.inputs
    return [
        *inputs.fields.values(),
        *(inputs.senders, inputs.receivers, inputs.node_mask),
        *batch.hints.values(),
        *batch.outputs.values(),
        batch.row_mask,
    ]


def same(one: Batch, other: Batch) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(leaves(one), leaves(other), strict=True))


@given(st.integers(1, 10_000))
def test_buckets_are_tight_and_few(size: int) -> None:
    assert size <= bucket(size) <= max(size, size * 9 // 8)
    assert bucket(bucket(size)) == bucket(size)
    assert len({bucket(s) for s in range(1025, 2049)}) == 8


@pytest.mark.parametrize("size", [4, 8, 16, 24, 32, 48, 96, 3 * 24, 3 * 32])
def test_the_papers_sizes_are_not_padded(size: int) -> None:
    assert bucket(size) == size


@given(st.lists(strategies.graphs(), min_size=1, max_size=4), st.booleans())
def test_a_padded_batch_holds_each_trajectory_and_nothing_else(graphs: list, every_pair: bool) -> None:
    recordings = [DFS.record(graph) for graph in graphs]
    batches = pad_views(recordings, list(DFS.specs.values()), every_pair=every_pair)
    for view, batch in zip(DFS.specs, batches, strict=True):
        assert all(leaf.dtype in (np.int32, np.float32) for leaf in leaves(batch))
        for place, recording in enumerate(recordings):
            trajectory, n = recording.view(view), len(recording.graph)
            rows, nodes = batch.row_mask[place] == 1, batch.inputs.node_mask[place] == 1
            assert (rows.sum(), nodes.sum()) == (len(trajectory), n)
            for name, values in trajectory.hints.items():
                kept = batch.hints[name][place][rows]
                np.testing.assert_array_equal(kept[:, nodes] if kept.ndim == 2 else kept, values)
                assert not batch.hints[name][place][~rows].any()
            for name, values in trajectory.outputs.items():
                np.testing.assert_array_equal(batch.outputs[name][place][nodes], values)
            real = batch.inputs.senders[place] < n
            for name in ("A", "adj"):
                dense = np.zeros((n, n))
                pairs = batch.inputs.senders[place][real], batch.inputs.receivers[place][real]
                dense[pairs] = batch.inputs.fields[name][place][real]
                np.testing.assert_array_equal(dense, trajectory.inputs[name])
                assert not batch.inputs.fields[name][place][~real].any()


def dfs_stream(**changes):
    return stream(DFS, DFS.spec("local"), TRAIN, **{"sizes": (4, 8), "graphs": 3, "seed": 5} | changes)


def test_a_stream_is_a_function_of_its_seed_and_can_start_anywhere() -> None:
    first = list(islice(dfs_stream(), 6))
    assert all(map(same, first, islice(dfs_stream(ahead=1), 6)))
    assert all(map(same, first[4:], islice(dfs_stream(start=4), 2)))
    assert not same(first[0], next(dfs_stream(seed=6)))
    assert [batch.inputs.node_mask.shape[1] for batch in first] == [4, 8, 4, 8, 4, 8]


def test_closing_a_stream_ends_its_thread() -> None:
    before = set(threading.enumerate())
    batches = dfs_stream()
    next(batches)
    (thread,) = set(threading.enumerate()) - before
    batches.close()
    thread.join(10)
    assert not thread.is_alive()


def test_an_error_in_the_background_arrives() -> None:
    with pytest.raises(ZeroDivisionError):
        next(prefetch(lambda index: index // 0, 0, 2))
