"""CLRS-30's samples to our graphs, and back."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra import numpy as hnp

import recursor.clrs
from recursor.algorithms import find
from recursor.graphs.reading import GraphError
from tests.clrs.golden import TASKS, WITH_HINTS, clrs_hints, clrs_samples


@pytest.mark.parametrize("n", [4, 16])
@pytest.mark.parametrize("task", TASKS)
def test_recording_the_graphs_of_clrs_30_gives_its_inputs_and_outputs(task: str, n: int) -> None:
    samples = clrs_samples(task, n)
    again = recursor.clrs.record(task, samples.graphs(), hints=False)
    assert set(again.inputs) == set(samples.inputs) == set(samples.task.inputs)
    assert set(again.outputs) == set(samples.outputs) == set(samples.task.outputs)
    for name, values in {**samples.inputs, **samples.outputs}.items():
        found = {**again.inputs, **again.outputs}[name]
        np.testing.assert_array_equal(found, values.astype(np.float32) if name == "pos" else values, name)


@pytest.mark.parametrize("task", ["bfs", "mst_prim"])
def test_another_source_gives_the_answer_of_the_relabelled_graph(task: str) -> None:
    samples = clrs_samples(task, 16)
    assert {graph.values["place"][0] for graph in samples.graphs()} != {0}
    rolled = np.roll(np.arange(16), 3)  # node i of the new samples is node rolled[i] of the given ones
    inputs = {"s": samples.inputs["s"][:, rolled], "A": samples.inputs["A"][:, rolled][:, :, rolled]}
    relabelled = recursor.clrs.from_arrays(task, **inputs)
    sources = [graph.values["place"][0] for graph in relabelled.graphs()]
    assert sources == inputs["s"].argmax(1).tolist()
    again = recursor.clrs.record(task, relabelled.graphs(), hints=False)
    np.testing.assert_array_equal(again.inputs["s"], inputs["s"])
    if task == "mst_prim":  # weights differ from each other, so there is one tree; in a search, ties go by the order
        np.testing.assert_array_equal(rolled[again.outputs["pi"]], samples.outputs["pi"][:, rolled])


def test_nodes_out_of_reach_name_themselves_in_prims_tree() -> None:
    weights = np.zeros((1, 5, 5))
    weights[0, 1, 4] = weights[0, 4, 1] = 0.3
    weights[0, 0, 2] = weights[0, 2, 0] = 0.2
    samples = recursor.clrs.from_arrays("mst_prim", A=weights, s=[[0, 0, 0, 0, 1]])
    found = recursor.clrs.record("mst_prim", samples.graphs(), hints=False)
    assert found.outputs["pi"].tolist() == [[0, 4, 2, 3, 4]]  # the tree of 0 and 2 is not the source's


@pytest.mark.parametrize(("task", "n"), [("dfs", 4), ("dfs", 8), *((task, n) for task in WITH_HINTS for n in (2, 4, 7))])
def test_hints_are_those_of_clrs_30(task: str, n: int) -> None:
    given_samples, hints, lengths = clrs_hints(task, n)
    samples = recursor.clrs.record(task, given_samples.graphs())
    assert samples.lengths is not None
    np.testing.assert_array_equal(samples.lengths, lengths)
    assert set(samples.hints) == set(hints) == set(samples.task.hints)
    for name, values in hints.items():
        np.testing.assert_array_equal(samples.hints[name], values.astype(np.float32), name)


@pytest.mark.parametrize("task", ["quicksort", "insertion_sort", "minimum"])
def test_loops_that_clrs_30_writes_otherwise_have_no_hints(task: str) -> None:
    samples = recursor.clrs.record(task, [[3, 1, 2]])
    assert not samples.hints
    assert samples.lengths is None


@pytest.mark.parametrize("algorithm", ["tarjan", "merge_sort"])
def test_other_algorithms_give_the_outputs_of_the_same_task(algorithm: str) -> None:
    task = recursor.clrs.find_task(algorithm)
    samples = clrs_samples(task.name, 16)
    executions: Any = [SimpleNamespace(graph=graph, outputs=find(algorithm).run(graph)) for graph in samples.graphs()]
    assert recursor.clrs.score(samples, recursor.clrs.outputs(algorithm, executions))["score"] == 1


@pytest.mark.parametrize("task", TASKS)
def test_a_saved_file_is_read_again(task: str, tmp_path: Path) -> None:
    samples = recursor.clrs.record(task, clrs_samples(task, 4).graphs())
    samples.save(tmp_path / "samples.npz")
    again = recursor.clrs.read(tmp_path / "samples.npz")
    assert again.task is samples.task
    for name in ("inputs", "hints", "outputs"):
        one, other = getattr(samples, name), getattr(again, name)
        assert set(one) == set(other)
        for field in one:
            np.testing.assert_array_equal(one[field], other[field])
    np.testing.assert_array_equal(again.lengths, samples.lengths)


@pytest.mark.parametrize("name", ["A", "input/A", "input_A"])
def test_a_file_of_another_source_needs_nothing_but_its_matrices(name: str, tmp_path: Path) -> None:
    arrays: dict[str, Any] = {name: np.ones((32, 9, 9))}
    np.savez(tmp_path / "batch.npz", **arrays)
    samples = recursor.clrs.read(tmp_path / "batch.npz", "dfs")
    assert len(samples) == 32
    assert samples.nodes == 9
    assert not samples.outputs
    arrays[name] = arrays[name][0]
    np.savez(tmp_path / "one.npz", **arrays)
    assert len(recursor.clrs.read(tmp_path / "one.npz", "dfs")) == 1


def test_a_bare_array_is_refused_in_a_sentence(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.ones((2, 3, 3)))
    with pytest.raises(ValueError, match=r"is not an \.npz file of plain arrays"):
        recursor.clrs.read(tmp_path / "a.npy", "dfs")


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({}, "needs the input 'A'"),
        ({"B": np.ones((2, 3, 3))}, "needs the input 'A'; there are only B"),
        ({"A": np.ones((2, 3, 4))}, "must be of the shape [samples, nodes, nodes]"),
        ({"A": np.ones((0, 3, 3))}, "must be of the shape"),
        ({"A": np.ones((2, 3, 3)), "pi": np.ones((2, 4))}, "'pi' must be of the shape [2, 3]"),
        ({"A": np.ones((2, 3, 3)), "pi": np.full((2, 3), "a")}, "'pi' must hold numbers"),
        ({"A": np.ones((2, 3, 3)), "task": "bridges"}, "holds samples of bridges, not of dfs"),
        ({"A": np.array([{}], object)}, "is not an .npz file of plain arrays"),
    ],
)
def test_a_bad_file_is_refused_in_one_sentence(arrays: dict, words: str, tmp_path: Path) -> None:
    np.savez(tmp_path / "bad.npz", **arrays)
    with pytest.raises(ValueError, match=r"bad\.npz") as refused:
        recursor.clrs.read(tmp_path / "bad.npz", "dfs")
    assert words in str(refused.value)


def test_bad_samples_are_refused_by_number() -> None:
    matrices = np.zeros((3, 4, 4))
    matrices[1, 2, 3] = 0.5
    with pytest.raises(GraphError, match="sample 1, row 2, column 3"):
        recursor.clrs.from_arrays("dfs", A=matrices).graphs()
    with pytest.raises(GraphError, match=r"sample 0: the positions `pos` must increase"):
        recursor.clrs.from_arrays("dfs", A=np.zeros((1, 2, 2)), pos=[[0.5, 0.1]]).graphs()
    with pytest.raises(GraphError, match="finite"):
        recursor.clrs.from_arrays("quicksort", key=[[0.5, np.nan]]).graphs()
    with pytest.raises(ValueError, match="must have the same size"):
        recursor.clrs.record("quicksort", [[1, 2], [3]])
    with pytest.raises(GraphError, match="sample 0: `A` must be symmetric"):
        recursor.clrs.from_arrays("mst_kruskal", A=[[[0, 1], [0, 0]]]).graphs()
    with pytest.raises(GraphError, match="sample 0: `s` must be 1 at one node"):
        recursor.clrs.from_arrays("bfs", A=np.zeros((1, 2, 2)), s=[[1, 1]]).graphs()
    with pytest.raises(GraphError, match="sample 0: every letter of `key` must be one-hot"):
        recursor.clrs.from_arrays("naive_string_matcher", string=[[0, 1]], key=np.ones((1, 2, 4))).graphs()
    with pytest.raises(ValueError, match="only weights above 0"):
        recursor.clrs.record("mst_prim", [nx.Graph([(0, 1, {"weight": -1})])])
    with pytest.raises(ValueError, match="binary_search needs the input 'target'"):
        recursor.clrs.from_arrays("binary_search", key=np.zeros((2, 3)))
    with pytest.raises(ValueError, match="is not a CLRS-30 task that is available here"):
        recursor.clrs.find_task("heapsort")


@given(hnp.arrays(np.float64, (1, 5), elements={"min_value": 0, "max_value": 1e-300}))
def test_keys_that_single_precision_merges_keep_their_order(keys: np.ndarray) -> None:
    (graph,) = recursor.clrs.from_arrays("quicksort", key=keys).graphs()
    find("quicksort").check(graph)
    np.testing.assert_array_equal(np.argsort(graph.values["key"], kind="stable"), np.argsort(keys[0], kind="stable"))


def test_it_imports_no_framework() -> None:
    code = "import sys, recursor.clrs; assert not {'jax', 'tensorflow', 'torch', 'clrs'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def feedback_of(samples: recursor.clrs.Samples, hints: dict, outputs: dict, types: dict[str, str]) -> SimpleNamespace:
    """Returns something of the form of dm-clrs's `Feedback`."""

    class Features(tuple):
        lengths = np.full(len(samples), 12.0)

    points = [
        [SimpleNamespace(name=name, type_=types.get(name), data=values) for name, values in group.items()]
        for group in (samples.inputs, hints, outputs)
    ]
    return SimpleNamespace(features=Features(points[:2]), outputs=points[2])


def test_a_permutation_becomes_a_linked_list_again() -> None:
    samples = clrs_samples("quicksort", 16)
    pointers, first = recursor.clrs.permutation(samples.outputs["pred"])
    types = {"pred": "permutation_pointer", "pred_mask": "mask_one"}
    feedback = feedback_of(samples, {}, {"pred": pointers, "pred_mask": first}, types)
    again = recursor.clrs.from_feedback("quicksort", feedback)
    np.testing.assert_array_equal(again.outputs["pred"], samples.outputs["pred"])


def test_a_feedback_becomes_samples() -> None:
    hints = clrs_samples("dfs", 4)
    samples = recursor.clrs.from_feedback("dfs", feedback_of(hints, hints.hints, hints.outputs, types={"pi": "pointer"}))
    assert set(samples.hints) == set(samples.task.hints)
    np.testing.assert_array_equal(samples.outputs["pi"], hints.outputs["pi"])
    assert samples.lengths is not None
    assert samples.lengths.tolist() == [12] * len(hints)
