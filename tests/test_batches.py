import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recursor.algorithms.dfs import DFS
from recursor.batches import Batch, bucket, pad_views, prefetch, stream
from recursor.datasets import DatasetConfig, dataset
from recursor.files import DamagedFileError
from recursor.graphs import TRAIN
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
    for view, batch in zip(DFS.views, batches, strict=True):
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


CONFIG = DatasetConfig("dfs", "local", TRAIN, sizes=(4, 6), graphs=5, batch=3, seed=1)


def test_a_dataset_is_made_once_and_read_again(tmp_path: Path) -> None:
    told = []
    made = dataset(CONFIG, tmp_path, lambda done, every: told.append((done, every)))
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]
    files = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    read = dataset(CONFIG, tmp_path, lambda done, every: pytest.fail("it is there already"))
    assert [len(batch.row_mask) for batch in read] == [3, 2, 3, 2]
    assert all(map(same, made, read))
    assert files == {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    assert [path.name for path in tmp_path.iterdir()] == [CONFIG.name]


@pytest.mark.parametrize("damage", ["flip", "truncate", "remove"])
def test_a_damaged_dataset_is_named_and_refused(tmp_path: Path, damage: str) -> None:
    dataset(CONFIG, tmp_path)
    file = sorted(tmp_path.rglob("*.npz"))[1]
    data = bytearray(file.read_bytes())
    if damage == "remove":
        file.unlink()
    else:
        data[len(data) // 2] ^= 1
        file.write_bytes(data if damage == "flip" else data[:-10])
    with pytest.raises(DamagedFileError, match=file.name):
        dataset(CONFIG, tmp_path)


def test_a_dataset_without_its_list_is_refused(tmp_path: Path) -> None:
    dataset(CONFIG, tmp_path)
    (tmp_path / CONFIG.name / "dataset.json").write_text("{")
    with pytest.raises(DamagedFileError, match=r"dataset\.json"):
        dataset(CONFIG, tmp_path)


def test_a_dataset_that_two_want_at_once_is_made_by_one(tmp_path: Path) -> None:
    with ThreadPoolExecutor(1) as other:
        second = None

        def progress(done: int, total: int) -> None:
            nonlocal second
            second = second or other.submit(dataset, CONFIG, tmp_path, lambda *_: pytest.fail("two make it"))

        first = dataset(CONFIG, tmp_path, progress)
        assert second is not None
        assert len(second.result(60)) == len(first)
    assert [path.name for path in tmp_path.iterdir()] == [CONFIG.name]


def test_a_dataset_that_was_left_unfinished_is_made_anew(tmp_path: Path) -> None:
    unfinished = tmp_path / f"{CONFIG.name}.unfinished"
    unfinished.mkdir()
    (unfinished / "n4-000000.npz").write_bytes(b"half a file")
    assert len(dataset(CONFIG, tmp_path)) == 4
    assert not unfinished.exists()
