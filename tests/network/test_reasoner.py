from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recursor.algorithms.dfs import DFS
from recursor.data.batch import Batch
from recursor.data.batches import pad
from recursor.network.reasoner import Carry, Reasoner, Rollout
from recursor.network.values import prediction
from recursor.spec import POP, PUSH, Field, Spec, by_name
from tests.network.networks import (
    NETWORKS,
    OTHER_KINDS,
    SIZES,
    batch,
    forced,
    logits_after,
    of_nodes,
    one,
    prepare,
    quickly_compiled,
    reasoner,
    recordings,
    relabelled,
    rollout,
    row,
    step,
)

NODES, ROWS = max(SIZES), 3 * max(SIZES)
TYPICAL = ["experiment 1", "experiment 2", "experiment 10", "edges", "rounds"]
ORDERS = [name for name, network in NETWORKS.items() if network.config.processor == "order"]
LOCAL = DFS.spec("local")


def true_ops(place: int) -> np.ndarray:
    """The ops of one graph of the batch, nothing in its padding."""
    truth = one(batch(LOCAL), place)
    return np.where(truth.row_mask == 1, truth.hints["stack_op"], -1)


# Names and padding of nodes mean nothing


def relabelled_batch(spec: Spec, orders: list[np.ndarray]) -> Batch:
    """The batch with its nodes in other orders: what is at place k was at place order[k]."""
    original = batch(spec)
    fields = by_name((*spec.inputs, *spec.hints))
    ranks = [np.append(np.argsort(order), NODES).astype(np.int32) for order in orders]  # padded pairs stay padded

    def rename(nodes: np.ndarray) -> np.ndarray:
        return np.stack([rank[part] for rank, part in zip(ranks, nodes, strict=True)])

    def move(field: Field, values: np.ndarray) -> np.ndarray:
        values = rename(values) if field.kind == "pointer" else values
        if field.place != "node":
            return values
        return np.stack([part[..., order] for order, part in zip(orders, values, strict=True)])

    inputs = original.inputs
    return original._replace(
        inputs=inputs._replace(
            fields={name: move(fields[name], values) for name, values in inputs.fields.items()},
            senders=rename(inputs.senders),
            receivers=rename(inputs.receivers),
        ),
        hints={name: move(fields[name], values) for name, values in original.hints.items()},
    )


permutations = st.tuples(*(st.permutations(range(n)) for n in SIZES))


@pytest.mark.parametrize("name", TYPICAL)
@given(permutations)
@settings(max_examples=5)
def test_relabelling_the_nodes_relabels_the_prediction(name: str, permutations: tuple[list[int], ...]) -> None:
    orders = [np.array([*order, *range(len(order), NODES)]) for order in permutations]
    network, free = NETWORKS[name], forced(0)
    expected = rollout(reasoner(name), batch(network.spec), free)
    found = rollout(reasoner(name), relabelled_batch(network.spec, orders), free)
    for place, order in enumerate(orders):
        for field in network.spec.hints:
            before = relabelled(field, expected.hints[field.name][place], order)
            np.testing.assert_allclose(found.hints[field.name][place], before, rtol=1e-4, atol=1e-4, err_msg=field.name)
        for field in network.spec.outputs:
            before = relabelled(field, expected.outputs[field.name][place], order)
            np.testing.assert_allclose(found.outputs[field.name][place], before, rtol=1e-4, atol=1e-4, err_msg=field.name)
    np.testing.assert_array_equal(found.underflows, expected.underflows)


@pytest.mark.parametrize("name", ORDERS)
def test_by_order_positions_are_no_numbers(name: str) -> None:
    original = batch(NETWORKS[name].spec)
    expected = rollout(reasoner(name), original, forced(0.5))
    for change in (np.zeros_like, np.square, lambda positions: -positions):  # not even the order of the numbers counts
        fields = original.inputs.fields | {"pos": change(original.inputs.fields["pos"])}
        inputs = original.inputs._replace(fields=fields)
        found = rollout(reasoner(name), original._replace(inputs=inputs), forced(0.5))
        assert jax.tree.all(jax.tree.map(np.array_equal, found, expected))


@quickly_compiled
def rollout_alone(reasoner: Reasoner, batch: Batch, forced: Any) -> Rollout:
    return reasoner.rollout(batch.inputs, batch.hints, batch.row_mask, forced)


@pytest.mark.parametrize("name", dict.fromkeys([*TYPICAL, *ORDERS, *OTHER_KINDS]))
def test_a_graph_alone_is_the_same_graph_in_a_batch_of_larger_ones(name: str) -> None:
    network, place, fed = NETWORKS[name], SIZES.index(min(SIZES)), forced(0.5)
    n = SIZES[place]
    alone = one(pad([recordings()[place]], network.spec), 0)
    assert alone.inputs.node_mask.shape == (n,)
    assert alone.row_mask.shape == (3 * n,)
    expected = rollout_alone(reasoner(name), alone, fed[place, : 3 * n])
    found = one(rollout(reasoner(name), batch(network.spec), fed), place)
    for field in network.spec.hints:
        real = of_nodes(field, found.hints[field.name][: 3 * n - 1], n)
        np.testing.assert_allclose(real, expected.hints[field.name], rtol=1e-4, atol=1e-4, err_msg=field.name)
    for field in network.spec.outputs:
        real = of_nodes(field, found.outputs[field.name], n)
        np.testing.assert_allclose(real, expected.outputs[field.name], rtol=1e-4, atol=1e-4, err_msg=field.name)
    assert found.underflows == expected.underflows


# What a row depends on


def carry_with(name: str, *frames: np.ndarray) -> Carry:
    """A carry with these frames, the last one on top."""
    carry = reasoner(name).start(NODES, ROWS)
    for frame in frames:
        stack = reasoner(name).stack.storage.step(carry.stack, jnp.array(PUSH), jnp.asarray(frame))
        carry = carry._replace(stack=stack)
    return carry


def different(one: dict[str, jax.Array], other: dict[str, jax.Array]) -> bool:
    return any(np.abs(one[name] - other[name]).max() > 1e-3 for name in one)


def identical(one: dict[str, jax.Array], other: dict[str, jax.Array]) -> bool:
    return all(np.array_equal(one[name], other[name]) for name in one)


@pytest.mark.parametrize("name", ["experiment 2", "experiment 10", "rounds", *ORDERS])
def test_a_row_depends_on_the_top_frame_and_on_nothing_below(name: str, rng: np.random.Generator) -> None:
    network = NETWORKS[name]
    shape = 3, *reasoner(name).stack.packed_shape(NODES)
    copies = reasoner(name).stack.copies  # of nodes, which the stack keeps as their numbers, from 1 on
    a, b, top = (rng.integers(1, NODES, shape) if copies else rng.normal(size=shape)).astype(np.float32)
    truth = one(batch(network.spec), 0)
    prepared = prepare(reasoner(name), truth.inputs)
    values = row(network.spec, truth.hints, 2, NODES)
    expected = logits_after(reasoner(name), prepared, values, carry_with(name, top))
    assert identical(expected, logits_after(reasoner(name), prepared, values, carry_with(name, a, b, top)))
    assert different(expected, logits_after(reasoner(name), prepared, values, carry_with(name, top, a)))
    assert different(expected, logits_after(reasoner(name), prepared, values, carry_with(name)))


@pytest.mark.parametrize("name", [name for name, network in NETWORKS.items() if not network.config.hidden_state])
def test_without_a_hidden_state_there_is_nothing_to_hide_in(name: str) -> None:
    assert reasoner(name).start(NODES, ROWS).hidden.shape == (NODES, 0)


def test_with_a_hidden_state_a_row_depends_on_the_one_before(rng: np.random.Generator) -> None:
    network, truth = NETWORKS["experiment 1"], one(batch(NETWORKS["experiment 1"].spec), 0)
    prepared = prepare(reasoner("experiment 1"), truth.inputs)
    values = row(network.spec, truth.hints, 2, NODES)
    carry = reasoner("experiment 1").start(NODES, ROWS)
    other = carry._replace(hidden=jnp.asarray(rng.normal(size=carry.hidden.shape), jnp.float32))
    expected = logits_after(reasoner("experiment 1"), prepared, values, carry)
    assert identical(expected, logits_after(reasoner("experiment 1"), prepared, values, carry))
    assert different(expected, logits_after(reasoner("experiment 1"), prepared, values, other))


# Teacher forcing


@pytest.mark.parametrize("name", ["experiment 1", "experiment 2", "experiment 10", "rounds", *ORDERS])
def test_a_forced_rollout_is_a_loop_over_the_true_rows(name: str) -> None:
    network, place = NETWORKS[name], 1
    found = one(rollout(reasoner(name), batch(network.spec), forced(1)), place)
    truth, ops = one(batch(network.spec), place), true_ops(place)
    prepared, carry = prepare(reasoner(name), truth.inputs), reasoner(name).start(NODES, ROWS)
    for t in range(3 * SIZES[place] - 1):
        values, then = (row(network.spec, truth.hints, index, NODES) for index in (t, t + 1))
        logits, carry = step(reasoner(name), prepared, values, carry, then, jnp.asarray(ops[t + 1]))
        for field in network.spec.hints:
            np.testing.assert_allclose(found.hints[field.name][t], logits[field.name], rtol=1e-4, atol=1e-4)


def test_without_carry_a_forced_row_depends_on_the_true_row_before_it_alone() -> None:
    network = NETWORKS["experiment 3"]
    found = one(rollout(reasoner("experiment 3"), batch(network.spec), forced(1)), 0)
    truth, nothing = one(batch(network.spec), 0), reasoner("experiment 3").start(NODES, ROWS)
    prepared = prepare(reasoner("experiment 3"), truth.inputs)
    for t in range(ROWS - 1):
        logits = logits_after(reasoner("experiment 3"), prepared, row(network.spec, truth.hints, t, NODES), nothing)
        for field in network.spec.hints:
            np.testing.assert_allclose(found.hints[field.name][t], logits[field.name], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", ["experiment 3", "rounds", "order fields", "order choice"])
def test_changing_a_forced_row_changes_only_the_prediction_of_the_next(name: str) -> None:
    """If it is in no frame: there is no stack, or one that keeps no colours."""
    original, t = batch(NETWORKS[name].spec), 5
    hints = {name: values.copy() for name, values in original.hints.items()}
    hints["color"][:, t] = (hints["color"][:, t] + 1) % 3
    before, after = (rollout(reasoner(name), which, forced(1)).hints for which in (original, original._replace(hints=hints)))
    for field, logits in before.items():
        changed = np.abs(logits - after[field]).reshape(len(SIZES), ROWS - 1, -1).max(-1) > 0
        assert not np.delete(changed, t, 1).any(), field
    assert (np.abs(before["color"] - after["color"])[:, t] > 1e-3).any((1, 2)).all()


def test_forced_rows_are_fed_and_others_are_not() -> None:
    original, network = batch(LOCAL), NETWORKS["experiment 10"]
    hints = {name: values.copy() for name, values in original.hints.items()}
    unfed = ~forced(0.5)
    unfed[:, 0] = False  # row 0 is given
    for values in hints.values():
        values[unfed] = 0
    before, after = (
        rollout(reasoner("experiment 10"), which, forced(0.5)) for which in (original, original._replace(hints=hints))
    )
    for field in network.spec.hints:
        np.testing.assert_array_equal(before.hints[field.name], after.hints[field.name])
    free = rollout(reasoner("experiment 10"), original, forced(0))
    assert different(before.hints, free.hints)


@pytest.mark.parametrize("name", ["hard", "rounds", *ORDERS])
def test_hard_execution_is_being_forced_along_ones_own_predictions(name: str) -> None:
    network, original = NETWORKS[name], batch(NETWORKS[name].spec)
    free = rollout(reasoner(name), original, forced(0))
    hints = {
        field.name: np.concatenate([original.hints[field.name][:, :1], prediction(field, free.hints[field.name])], 1)
        for field in network.spec.hints
    }
    again = rollout(reasoner(name), original._replace(hints=hints), forced(1))
    for field, logits in free.hints.items():
        np.testing.assert_array_equal(again.hints[field], logits)
    np.testing.assert_array_equal(again.outputs["pi"], free.outputs["pi"])
    np.testing.assert_array_equal(again.underflows, free.underflows)


def test_underflows_are_the_pops_that_find_the_stack_empty() -> None:
    result = rollout(reasoner("experiment 10"), batch(LOCAL), forced(1))
    for place in range(len(SIZES)):
        depth = underflows = 0
        for op in true_ops(place)[1:]:
            underflows += op == POP and depth == 0
            depth = max(0, depth + (op == PUSH) - (op == POP))
        assert result.underflows[place] == underflows > 0


# Outputs


@pytest.mark.parametrize(
    ("name", "share"), [("experiment 2", 0.5), ("experiment 3", 1), ("experiment 10", 0), ("order choice", 0.5)]
)
def test_collected_outputs_are_a_replay_of_the_rows(name: str, share: float) -> None:
    network, fed = NETWORKS[name], forced(share)
    truth, result = batch(network.spec), rollout(reasoner(name), batch(network.spec), fed)
    for place, n in enumerate(SIZES):
        expected = np.zeros((NODES, NODES))
        for t in range(1, 3 * n):
            predicted = int(result.hints["u"][place, t - 1].argmax())
            at = truth.hints["u"][place, t] if fed[place, t] else predicted
            expected[at] = result.hints["u_pi"][place, t - 1]
        np.testing.assert_array_equal(result.outputs["pi"][place], expected)


@pytest.mark.parametrize("name", ["experiment 1", "experiment 6"])
def test_decoded_outputs_depend_on_the_last_row_of_each_graph(name: str) -> None:
    """That is the last one that was predicted, from the row before it; what follows in the batch is padding."""
    network, fed = NETWORKS[name], forced(1)
    original = batch(network.spec)
    hints = {field: values.copy() for field, values in original.hints.items()}
    for place, n in enumerate(SIZES):
        for values in hints.values():
            values[place, 3 * n - 1 :] = 1  # fed, but nothing is predicted from it
    before, after = (rollout(reasoner(name), which, fed) for which in (original, original._replace(hints=hints)))
    np.testing.assert_array_equal(before.outputs["pi"], after.outputs["pi"])
    for place, n in enumerate(SIZES):
        for values in hints.values():
            values[place, 3 * n - 2] = 1
    changed = rollout(reasoner(name), original._replace(hints=hints), fed).outputs["pi"]
    assert (np.abs(before.outputs["pi"] - changed) > 1e-3).any((1, 2)).all()
