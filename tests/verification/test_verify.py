"""Verification finds what is wrong, and certifies only what it has seen."""

from dataclasses import replace
from pathlib import Path
from shutil import copytree

import equinox as eqx
import numpy as np
import pytest

from recursor.algorithms import find
from recursor.situations.certify import FILE as SITUATIONS
from recursor.situations.certify import read_verified
from recursor.training.lessons import Lesson, read_lessons, write_lessons
from recursor.training.loading import SHIPPED, load, shipped_names
from recursor.training.run import Run
from recursor.verification.examine import ByExecution, BySituation, outputs_right
from recursor.verification.verify import keep_verified, verify, verify_reasoner
from tests.network.networks import use_quick_programs


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    use_quick_programs(monkeypatch)


VERIFIED = [name for name in shipped_names() if (SHIPPED / name / SITUATIONS).exists()]


@pytest.mark.parametrize("name", VERIFIED)
def test_every_network_that_comes_with_verified_situations_is_right_on_the_smallest_inputs(name: str) -> None:
    report = verify(load(name), small_size=2, sizes=(3, 7), draws=1, search=0)
    assert report.passed
    assert report.verdict().startswith(f"{name}: right on all ")


def spoilt(run: Run) -> Run:
    """The same with wrong weights: of the logits with which the first pointer names a node, all have the other sign."""
    at = lambda reasoner: reasoner.hint_decoder.stages[0].decoder.node.weight  # noqa: E731
    return replace(run, reasoner=eqx.tree_at(at, run.reasoner, at(run.reasoner).at[:, 0].multiply(-1)))


@pytest.mark.parametrize("by", [BySituation, ByExecution])
def test_wrong_weights_are_caught_with_a_small_counterexample(by: type) -> None:
    run = spoilt(load("dfs"))
    report, verifier = verify_reasoner(run.reasoner, small_size=2, sizes=(), draws=0, search=0)
    assert isinstance(verifier.examiner, BySituation)
    assert not report.passed
    found = report.counterexample
    assert found is not None
    assert found.nodes <= 2
    execution, recording = run.run(found.graph()), find("dfs").record(found.graph())
    truth = recording.view("discrete").hints
    same = [np.array_equal(execution.rows[name][found.row], values[found.row]) for name, values in truth.items()]
    assert execution.steps <= found.row or not all(same)
    if by is ByExecution:
        wrong = {id(one.recording) for one in ByExecution(run.reasoner).examine([recording])[1]}
        assert wrong == {id(recording)}


def test_one_wrong_weight_is_caught_with_a_small_counterexample() -> None:
    """Of the weights by which depth-first search hears of all nodes that it is done, the largest gets the other sign."""
    run = load("dfs")
    at = lambda reasoner: reasoner.hint_decoder.stages[1].decoder.graph_of_nodes.weight  # noqa: E731
    weights = np.asarray(at(run.reasoner))
    place = np.unravel_index(np.abs(weights).argmax(), weights.shape)
    changed = eqx.tree_at(at, run.reasoner, at(run.reasoner).at[place].multiply(-1))
    assert (np.asarray(at(changed)) != weights).sum() == 1
    report, _ = verify_reasoner(changed, small_size=2, sizes=(), draws=0, search=0)
    assert not report.passed
    assert report.counterexample is not None
    assert report.counterexample.nodes <= 2


FEW_SIZES = Path(__file__).with_name("few_sizes")
"""`recursor train exact/merge_sort --sizes 4 8 16 --network.width 32 --updates 700 --validate-nodes 16 --lessons 0` gave
these weights. Its validation was at 100 %."""


def test_a_network_that_was_trained_on_powers_of_two_is_right_there_and_is_caught() -> None:
    run = load(FEW_SIZES)
    assert verify(run, small_size=0, sizes=(4, 8, 16), draws=2, search=0).passed
    report = verify(run, small_size=3, sizes=(), draws=0, search=0)
    assert {part.nodes: part.wrong for part in report.growth} == {1: 1, 2: 0, 3: 13}
    assert report.counterexample is not None
    assert report.counterexample.nodes == 1


def test_both_ways_to_examine_find_the_same_first_wrong_rows() -> None:
    run = spoilt(load("dfs"))
    _, verifier = verify_reasoner(run.reasoner, small_size=0, sizes=(5,), draws=3, search=0)
    assert verifier.by_situation is not None
    algorithm, rng = find("dfs"), np.random.default_rng(0)
    recordings = [algorithm.record(algorithm.train(rng, 5)) for _ in range(6)]
    found = [
        {recordings.index(one.recording): one.row for one in examiner.examine(recordings)[1]}
        for examiner in (verifier.by_situation, ByExecution(run.reasoner))
    ]
    assert found[0] == found[1] != {}


def test_an_execution_is_certified_if_all_it_met_was_verified(tmp_path: Path) -> None:
    directory = copytree(load("dfs").directory, tmp_path / "dfs", ignore=lambda *_: ["situations.npz"])
    assert load(directory).run([[0, 1], [0, 0]]).certified is None
    _, verifier = verify_reasoner(load(directory).reasoner, small_size=2, sizes=(), draws=0, search=0)
    keep_verified(directory, verifier)
    run = load(directory)
    small, large = run.run([[0, 1], [0, 0]]), run.run(find("dfs").test(np.random.default_rng(1), 9))
    assert (small.certified, small.uncertified_row) == (True, None)
    assert large.certified is False
    assert large.uncertified_row is not None
    assert read_verified(directory, b"other weights", run.reasoner) is None


def test_outputs_are_collected_as_the_algorithm_returns_them() -> None:
    for name in shipped_names():
        algorithm, rng = find(name), np.random.default_rng(0)
        recordings = [algorithm.record(algorithm.train(rng, size)) for size in (1, 4, 4, 7)]
        spec = algorithm.spec(algorithm.exact_view)
        assert outputs_right(spec, recordings).all()
        output = spec.outputs[0].name
        values = np.array(recordings[3].outputs[output])
        changed = dict(recordings[3].outputs) | {output: (values + 1) % max(2, len(recordings[3].graph))}
        assert outputs_right(spec, [*recordings[:3], replace(recordings[3], outputs=changed)]).tolist() == [True] * 3 + [
            False
        ]


def test_lessons_are_read_as_they_were_written(tmp_path: Path, rng: np.random.Generator) -> None:
    phases = [[Lesson(find(name).train(rng, 5), 3) for name in ("dfs", "quicksort", "circuit")], []]
    write_lessons(tmp_path, phases)
    found = read_lessons(tmp_path)
    assert [[lesson.row for lesson in phase] for phase in found] == [[3, 3, 3], []]
    for written, read in zip(phases[0], found[0], strict=True):
        assert np.array_equal(written.graph.senders, read.graph.senders)
        assert {name: values.tolist() for name, values in written.graph.values.items()} == {
            name: values.tolist() for name, values in read.graph.values.items()
        }
