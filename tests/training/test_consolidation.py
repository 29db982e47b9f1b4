"""Training on situations makes decisions right, gives them a margin, and leaves messages as they are."""

import equinox as eqx
import numpy as np
import pytest

from recursor.algorithms import find
from recursor.network.reasoner import Reasoner
from recursor.situations.rows import look_at
from recursor.situations.tables import Tables
from recursor.training import consolidation
from recursor.training.consolidation import ENOUGH, consolidate, examples_of, joined, margin_of, size
from recursor.training.loading import load
from recursor.verification.targets import Targets
from tests.network.networks import use_quick_programs


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    use_quick_programs(monkeypatch)
    monkeypatch.setattr(consolidation, "SAMPLE", 32)
    monkeypatch.setattr(consolidation, "CHECK", 50)


def look(reasoner: Reasoner, count: int = 2) -> tuple[Tables, Targets, int, np.ndarray]:
    """The tables, what is right in them, the number of wrong rows, and which rows contradict earlier ones."""
    algorithm, rng = find(reasoner.spec.algorithm), np.random.default_rng(5)
    tables = Tables(reasoner)
    targets = Targets(tables)
    (seen,) = look_at(tables, [algorithm.record(algorithm.train(rng, 4)) for _ in range(count)])
    contradictory = targets.add(seen)
    return tables, targets, int(np.stack(list(seen.wrong.values())).any(0).sum()), contradictory


def spoilt(reasoner: Reasoner) -> Reasoner:
    at = lambda reasoner: reasoner.hint_decoder.stages[0].decoder.node.weight  # noqa: E731
    return eqx.tree_at(at, reasoner, 0.1 * np.flip(np.asarray(at(reasoner)), 0))


def test_a_wrong_network_becomes_right_in_the_situations_that_it_met() -> None:
    reasoner = spoilt(load("quicksort").reasoner)
    tables, targets, wrong, contradictory = look(reasoner)
    assert wrong
    assert not contradictory.any()
    examples = examples_of(tables, targets)
    assert margin_of(reasoner, examples) < 0
    better, margin = consolidate(reasoner, examples, 0, 2000)
    assert margin >= ENOUGH
    assert np.isclose(margin, margin_of(better, examples))
    after, now_right, wrong, _ = look(better)
    assert not wrong
    before, now = targets.separation(), now_right.separation()
    assert before is not None
    assert now is not None
    assert before < 0 < now
    for before, now in zip(tables.levels, after.levels, strict=True):  # the same messages, hence the same situations
        assert np.array_equal(before.index.keys, now.index.keys)
        assert np.array_equal(before.word, now.word)


def test_consolidating_what_is_sure_already_changes_nothing() -> None:
    reasoner = load("dfs").reasoner
    tables, targets, *_ = look(reasoner, 1)
    examples = examples_of(tables, targets)
    surer, margin = consolidate(reasoner, examples, 0, 1500)
    assert margin >= ENOUGH
    same, _ = consolidate(surer, joined(examples, examples), 0, 1500)
    assert eqx.tree_equal(surer, same)


def test_two_decisions_in_one_situation_are_a_contradiction() -> None:
    reasoner = load("dfs").reasoner
    algorithm, rng = find("dfs"), np.random.default_rng(5)
    tables = Tables(reasoner)
    targets = Targets(tables)
    (seen,) = look_at(tables, [algorithm.record(algorithm.train(rng, 5))])
    assert not targets.add(seen).any()
    assert not targets.contradictions()
    assert not targets.add(seen).any()
    other = seen.truth | {"stack_op": (seen.truth["stack_op"] + 1) % 3}
    assert targets.add(seen._replace(truth=other)).all()
    assert set(targets.contradictions()) == {"stack_op"}


def test_situations_that_two_verifications_met_are_one_example() -> None:
    reasoner = load("quicksort").reasoner
    first, more = (examples_of(*look(reasoner, count)[:2]) for count in (1, 3))
    assert size(first) < size(more)
    assert size(joined((), first)) == size(joined(first, first)) == size(first)
    assert size(joined(first, more)) == size(joined(more, first)) == size(more), "the three inputs begin with the one"
