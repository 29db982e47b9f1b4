"""Training without ops: nothing reads the recorded ones, and what is scored is what is learnt."""

from contextlib import closing
from dataclasses import replace
from functools import cache
from itertools import islice
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from recursor.algorithms import find, known
from recursor.configurations.named import configuration
from recursor.data.batches import pad_inputs
from recursor.network.reasoner import Reasoner
from recursor.network.values import from_truth, prediction
from recursor.recording.rows import Recording, Rows
from recursor.recording.stack import top_frame_rows
from recursor.situations.rows import look_at, with_own_ops
from recursor.situations.tables import Tables
from recursor.spec import NOOP, STACK_OP
from recursor.training import call_frames, latent
from recursor.training.chart import Operations
from recursor.training.config import TrainConfig
from recursor.training.lessons import Lesson
from recursor.training.loading import new_reasoner
from recursor.verification.examine import ByExecution, BySituation
from tests.network.networks import use_quick_programs


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    use_quick_programs(monkeypatch)


def small(name: str, explore: int = 0, stack: str = "fields") -> TrainConfig:
    config = configuration(f"latent/{name}")
    network = replace(config.network, width=8, message_bits=2, pooled_bits=3, stack=stack)
    return replace(config, network=network, sizes=(2, 5), batch=4, chains=3, explore=explore)


@cache
def network(name: str, stack: str = "fields") -> Reasoner:
    return new_reasoner(small(name, stack=stack))


def updates(config: TrainConfig, start: int = 0, count: int = 2, lessons: tuple = ()) -> list[latent.Executions]:
    with closing(latent.batches(config, start, lessons)) as endless:
        return list(islice(endless, count))


def same(one: Any, other: Any) -> bool:
    return jax.tree.all(jax.tree.map(np.array_equal, one, other))


@pytest.mark.parametrize("name", known())
def test_every_algorithm_has_a_configuration_without_ops(name: str) -> None:
    config = configuration(f"latent/{name}")
    config.check()
    assert STACK_OP not in config.spec.hints
    assert config.spec.finds_ops
    shown = configuration(f"exact/{name}").spec
    assert {field.name for field in config.spec.hints} == {field.name for field in shown.hints}


def test_a_view_without_ops_is_the_view_with_them_but_for_the_op() -> None:
    for name in known():
        algorithm = find(name)
        for view, spec in algorithm.specs.items():
            if STACK_OP in spec.hints:
                without = algorithm.spec(f"{view}-no-op")
                assert without.hints == tuple(field for field in spec.hints if field != STACK_OP)
                assert without.frame == spec.frame


def test_examples_depend_on_the_seed_and_the_update_alone_and_hold_no_ops() -> None:
    config = small("dfs")
    first = updates(config)
    assert same(first, updates(config))
    assert same(first[1:], updates(config, start=1, count=1))
    assert all((executions.batch.hints["stack_op"] == 0).all() for executions in first)


def test_every_other_graph_is_a_lesson() -> None:
    lesson = Lesson(find("dfs").train(np.random.default_rng(0), 3), 2)
    (executions,) = updates(small("dfs"), count=1, lessons=(lesson,))
    assert executions.last == {1: 2, 3: 2}
    rows = latent.as_chains(small("dfs"), executions, no_operations(executions)).rows
    assert (rows[1::2, :2, 1] == 2).all()


def no_operations(executions: latent.Executions) -> Operations:
    shape = executions.batch.row_mask.shape
    return Operations(np.full(shape, NOOP, np.int32), np.zeros(shape, np.int32))


@pytest.mark.parametrize(("name", "stack"), [("dfs", "fields"), ("dfs", "choice"), ("quicksort", "fields")])
def test_the_score_of_a_row_is_the_loss_that_is_learnt(name: str, stack: str) -> None:
    """Of the sequence that was found, the likelihood and the foresight are minus the sums of the losses of its rows."""
    config, reasoner = small(name, stack=stack), network(name, stack)
    (executions,) = updates(config, count=1)
    found = latent.find_operations(config, reasoner, executions)
    rows = np.stack(np.broadcast_arrays(found.operations.tops - 1, np.arange(found.operations.tops.shape[1])), -1)
    told = executions.batch._replace(hints=executions.batch.hints | {"stack_op": found.operations.ops})
    parts = eqx.filter_jit(call_frames.chain_losses)(reasoner, call_frames.Chains(told, rows[:, :-1]))
    real = np.asarray(executions.batch.row_mask)[:, 1:]
    sums = {
        field: (np.where(np.asarray(weight) > 0, loss, 0).reshape(*real.shape, -1).sum(-1) * real).sum(1)
        for field, (loss, weight) in parts.items()
        if "/" not in field  # no likelihood, but a help in learning
    }
    assert found.likelihood is not None
    assert found.foresight is not None
    np.testing.assert_allclose(-found.foresight, sums.pop("stack_op"), rtol=1e-4)
    np.testing.assert_allclose(-found.likelihood, sum(sums.values()), rtol=1e-4)


@pytest.mark.parametrize(("name", "stack"), [("dfs", "fields"), ("dfs", "choice"), ("quicksort", "fields")])
def test_rows_that_push_the_same_frame_are_scored_once_and_alike(
    name: str, stack: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (executions,) = updates(small(name), count=1)
    once = latent.score_rows(network(name, stack), executions.batch)
    monkeypatch.setattr(latent, "first_alike", lambda frames: np.broadcast_to(np.arange(frames.shape[1]), frames.shape[:2]))
    for one, other in zip(once, latent.score_rows(network(name, stack), executions.batch), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5)


def test_the_first_row_with_the_same_frame_is_found() -> None:
    frames = np.array([[[1, 2], [1, 2], [3, 4], [1, 2], [3, 4]]])
    assert latent.first_alike(frames).tolist() == [[0, 1, 2, 1, 2]]


def test_while_it_explores_ops_are_random_and_nothing_is_scored() -> None:
    config = small("dfs", explore=1)
    (executions,) = updates(config, count=1)
    found = latent.find_operations(config, network("dfs"), executions)
    assert found.likelihood is None
    assert found.foresight is None
    lengths = executions.batch.row_mask.sum(1)
    for ops, tops, length in zip(*found.operations, lengths.tolist(), strict=True):
        assert [*tops[:length]] == [top + 1 for top in top_frame_rows(ops[:length].tolist())]
        assert np.cumsum(ops - NOOP).min() >= 0, "the empty stack is not popped"
        assert (ops[length:] == NOOP).all()


def test_random_ops_are_all_alike(rng: np.random.Generator) -> None:
    ops = latent.random_operations(np.full(400, 12), 12, rng).ops
    deep = np.cumsum(ops - NOOP, 1)[:, :-1] > 0
    counts = np.bincount(ops[:, 1:][deep], minlength=3)
    np.testing.assert_allclose(counts / counts.sum(), 1 / 3, atol=0.04)


def test_the_weight_of_an_op_rises_in_the_second_half_of_the_search() -> None:
    most = 7.0
    config = replace(small("dfs", explore=10), search=20, op_weight=most)
    assert [latent.op_weight(config, done) for done in (10, 20, 25, 30, 99)] == [1, 1, (1 + most) / 2, most, most]


def test_lessons_are_no_larger_than_the_graphs_of_training() -> None:
    sizes = (3, 9, 5)
    lessons = tuple(Lesson(find("dfs").train(np.random.default_rng(0), size), 0) for size in sizes)
    (executions,) = updates(small("dfs"), count=1, lessons=lessons)
    assert executions.batch.inputs.node_mask.shape[1] == 5


def test_rows_to_learn_from_have_the_frame_on_top_that_the_operations_leave_there() -> None:
    config = small("dfs")
    (executions,) = updates(config, count=1)
    found = latent.find_operations(config, network("dfs"), executions).operations
    batch, rows = latent.as_chains(config, executions, found)
    for place, ops in enumerate(found.ops.tolist()):
        makers = top_frame_rows(ops)
        assert [makers[row] for row in rows[place, :, 1]] == rows[place, :, 0].tolist()
    assert same(batch.hints["stack_op"], found.ops)


@pytest.mark.parametrize("name", ["dfs", "tarjan", "quicksort"])
def test_the_ops_of_recorded_rows_are_those_that_the_network_decides_on(name: str, rng: np.random.Generator) -> None:
    """Looked up in tables or computed by the network row by row, with its own stack."""
    reasoner = network(name)
    recordings = [find(name).record(find(name).train(rng, size)) for size in (2, 4, 5)]
    found = with_own_ops(Tables(reasoner), Rows(recordings), [recording.graph for recording in recordings])
    for place, recording in enumerate(recordings):
        assert found.ops[place, : len(recording)].tolist() == own_ops(reasoner, recording)


def own_ops(reasoner: Reasoner, recording: Recording) -> list[int]:
    spec, nodes = reasoner.spec, len(recording.graph)
    rows, graphs = Rows([recording]), [recording.graph]
    inputs = jax.tree.map(lambda values: jnp.asarray(values[0]), pad_inputs(graphs, spec.inputs, every_pair=True))
    prepared, carry, ops = reasoner.prepare(inputs), reasoner.start(nodes, len(recording)), [NOOP]

    def values(row: int) -> dict:
        return {field.name: from_truth(field, jnp.asarray(rows[field.name][0, row]), nodes) for field in spec.hints}

    step = eqx.filter_jit(lambda now, then, carry: reasoner.step(prepared, now, carry, lambda field, _: then[field.name]))
    for row in range(len(recording) - 1):
        now, then = values(row), values(row + 1)
        logits, features = step(now, then, carry)
        op = prediction(spec.hint("stack_op"), logits["stack_op"])
        carry = reasoner.remember(carry, op, features, now, then, prepared.mask)
        ops.append(int(op))
    return ops


def test_recorded_ops_make_no_difference_to_a_network_that_finds_its_own(rng: np.random.Generator) -> None:
    reasoner = network("dfs")
    recording = find("dfs").record(find("dfs").train(rng, 5))
    changed = replace(recording, rows=[bytes([NOOP]) + row[1:] for row in recording.rows])
    (one,), (other,) = (list(look_at(Tables(reasoner), [each])) for each in (recording, changed))
    assert same(one.decoded.values, other.decoded.values)
    assert not one.wrong["stack_op"].any(), "its own op is never wrong"


def test_both_ways_to_examine_find_the_same_first_wrong_row(rng: np.random.Generator) -> None:
    reasoner = network("dfs")
    recordings = [find("dfs").record(find("dfs").train(rng, size)) for size in (1, 2, 3, 5)]
    examiners = BySituation(Tables(reasoner)), ByExecution(reasoner)
    wrong = [{id(found.recording): found.row for found in by.examine(recordings)[1]} for by in examiners]
    assert wrong[0] == wrong[1]
