from contextlib import closing
from dataclasses import replace
from itertools import islice
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recursor.algorithms.dfs import DFS
from recursor.configurations.exact import EXACT
from recursor.data.batches import pad
from recursor.network.encode import Values
from recursor.network.reasoner import Reasoner
from recursor.recording.stack import top_frame_rows
from recursor.spec import NOOP, POP, PUSH
from recursor.training import call_frames
from recursor.training.call_frames import Chains, chains
from tests import strategies
from tests.network.networks import NETWORKS, SIZES, batch, forced, quickly_compiled, reasoner, recordings, rollout

ROWS = 3 * max(SIZES)
MAKERS = [top_frame_rows(recording.ops.tolist()) for recording in recordings()]


# Chains


@given(st.lists(st.sampled_from([POP, NOOP, PUSH])))
def test_the_maker_of_a_frame_is_the_row_before_the_push_that_a_replay_finds_on_top(ops: list[int]) -> None:
    for t, maker in enumerate(top_frame_rows(ops)):
        stack = []
        for row in range(t + 1):
            if ops[row] == PUSH:
                stack.append(row)
            elif ops[row] == POP:
                stack = stack[:-1]
        assert maker == (stack[-1] - 1 if stack else -1)


@given(st.lists(strategies.graphs(), min_size=1, max_size=3), st.integers(1, 4), st.integers(0, 99))
@settings(max_examples=30)
def test_a_chain_is_a_row_and_the_makers_beneath_it(graphs: list, links: int, seed: int) -> None:
    executions = [DFS.record(graph) for graph in graphs]
    batch, rows = chains(executions, DFS.spec("discrete"), 5, links, np.random.default_rng(seed))
    assert rows.shape == (len(graphs), 5, links + 1)
    expected = pad(executions, DFS.spec("discrete"), every_pair=True)
    assert jax.tree.all(jax.tree.map(np.array_equal, batch, expected))
    for execution, its_chains in zip(executions, rows.tolist(), strict=True):
        maker = top_frame_rows(execution.ops.tolist())
        for chain in its_chains:
            assert 0 <= chain[-1] < len(execution) - 1, "there is a row after it to learn"
            assert chain[:-1] == [maker[above] if above >= 0 else -1 for above in chain[1:]]


def test_every_row_that_has_one_after_it_is_drawn(rng: np.random.Generator) -> None:
    _, rows = chains(recordings(), DFS.spec("discrete"), 500, 1, rng)
    for recording, its_chains in zip(recordings(), rows, strict=True):
        assert set(its_chains[:, -1].tolist()) == set(range(len(recording) - 1))


SMALL = replace(EXACT["dfs"], sizes=(4, 6), batch=3, chains=2)


def updates(start: int = 0, count: int = 3, **changes: Any) -> list[Chains]:
    with closing(call_frames.batches(replace(SMALL, **changes), start)) as endless:
        return list(islice(endless, count))


def same(one: Any, other: Any) -> bool:
    return jax.tree.all(jax.tree.map(np.array_equal, one, other))


def test_chains_depend_on_the_seed_and_the_update_alone() -> None:
    first = updates()
    assert same(first, updates())
    assert same(first[2:], updates(start=2, count=1))
    assert not same(first[:1], updates(count=1, seed=2))
    assert not same(first[0], first[1])


def test_all_updates_have_one_shape() -> None:
    """So that one program is compiled for graphs of all sizes."""
    shapes = [jax.tree.map(np.shape, update) for update in updates()]
    assert shapes[0] == shapes[1] == shapes[2]
    assert {int(mask.sum()) for mask in updates(count=1)[0].batch.inputs.node_mask} == {4, 6}


def test_updates_have_one_shape_however_long_executions_are() -> None:
    found = updates(algorithm="minimum", sizes=(2, 5)) + updates(algorithm="minimum", sizes=(5, 5))
    longer = updates(algorithm="insertion_sort", sizes=(2, 5), count=8)
    assert len({update.batch.row_mask.shape for update in longer}) > 1
    for examples in (found, longer):
        shapes = [jax.tree.map(np.shape, call_frames.used_rows(update)) for update in examples]
        assert all(shape == shapes[0] for shape in shapes)


@pytest.mark.parametrize("links", [1, 3])
def test_rows_that_no_chain_uses_change_no_loss(links: int, rng: np.random.Generator) -> None:
    examples = chains(recordings(), NETWORKS["order node"].spec, 8, links, rng)
    used = call_frames.used_rows(examples)
    assert (used.rows < 0).tolist() == (examples.rows < 0).tolist()
    expected, found = (chain_losses(reasoner("order node"), each) for each in (examples, used))
    for name, (loss, weight) in expected.items():
        np.testing.assert_array_equal(weight, found[name][1])
        np.testing.assert_allclose(np.where(weight > 0, loss, 0), np.where(weight > 0, found[name][0], 0), atol=1e-6)


# Rows need no unrolling


@quickly_compiled
def run(reasoner: Reasoner, examples: Chains) -> Values:
    """The logits of all chains: [batch, chains, links, …]."""
    of_graph = jax.vmap(lambda *chain: call_frames.run(reasoner, *chain), (None, None, 0))
    return jax.vmap(of_graph)(examples.batch.inputs, examples.batch.hints, examples.rows)[0]


def whole(maker: list[int], row: int, links: int) -> list[int]:
    """The chain down to the bottom of the stack, and nothing beneath it."""
    chain = [row]
    while len(chain) <= links:
        chain.append(maker[chain[-1]] if chain[-1] >= 0 else -1)
    assert chain[-1] == -1
    return chain[::-1]


DEEPEST = max(len({*whole(maker, row, ROWS)}) - 1 for maker in MAKERS for row in range(len(maker)))


def every_row(name: str, links: int) -> Chains:
    """A chain for every row that has one after it; those of a smaller graph begin again."""
    rows = [[whole(maker, t % (len(maker) - 1), DEEPEST)[-links - 1 :] for t in range(ROWS - 1)] for maker in MAKERS]
    return Chains(batch(NETWORKS[name].spec), np.array(rows, np.int32))


def check_like_rollouts(name: str, links: int) -> None:
    expected = rollout(reasoner(name), batch(NETWORKS[name].spec), forced(1)).hints
    found = run(reasoner(name), every_row(name, links))
    for place, n in enumerate(SIZES):
        for field, logits in expected.items():
            last = found[field][place, : 3 * n - 1, -1]
            np.testing.assert_allclose(last, logits[place, : 3 * n - 1], rtol=1e-4, atol=1e-4, err_msg=field)


@pytest.mark.parametrize("name", ["experiment 2", "experiment 10", "order node", "order fields"])
def test_a_whole_chain_predicts_what_a_forced_rollout_predicts(name: str) -> None:
    assert DEEPEST > 3, "there is something to remember"
    check_like_rollouts(name, DEEPEST)


@pytest.mark.parametrize("name", ["rounds", "order fields", "order bits", "order choice"])
def test_where_frames_are_copies_one_link_is_a_whole_chain(name: str) -> None:
    check_like_rollouts(name, 1)


def test_where_frames_are_learnt_one_link_is_not() -> None:
    expected = rollout(reasoner("order node"), batch(NETWORKS["order node"].spec), forced(1)).hints["color"]
    found = run(reasoner("order node"), every_row("order node", 1))["color"][:, :, -1]
    empty = np.array(MAKERS[0][: ROWS - 1]) < 0
    differs = np.abs(found[0] - expected[0]).max((1, 2)) > 1e-3
    np.testing.assert_array_equal(differs, ~empty)


# What is learnt from


@pytest.mark.parametrize("name", ["order node", "order fields"])
def test_a_link_counts_unless_it_is_none_or_its_frame_is_not_known(name: str, rng: np.random.Generator) -> None:
    examples = chains(recordings(), NETWORKS[name].spec, 8, 2, rng)
    parts = chain_losses(reasoner(name), examples)
    counts = examples.rows[..., 1:] >= 0
    if name == "order node":
        counts[..., 0] &= examples.rows[..., 0] < 0
    nodes = examples.batch.inputs.node_mask[:, None, None] == 1
    np.testing.assert_array_equal(parts["u"][1], counts)
    np.testing.assert_array_equal(parts["color"][1], counts[..., None] & nodes)
    assert 0 < counts.mean() < 1


chain_losses = quickly_compiled(call_frames.chain_losses)


def test_the_loss_is_that_of_the_row_after_the_link() -> None:
    """Of all rows together it is the mean of what a forced rollout has."""
    name, place = "order fields", SIZES.index(max(SIZES))  # of which every row is there once
    spec = NETWORKS[name].spec
    loss, _ = chain_losses(reasoner(name), every_row(name, 1))["u_v"]
    logits = rollout(reasoner(name), batch(spec), forced(1)).hints["u_v"][place]
    truth = batch(spec).hints["u_v"][place, 1:]
    expected = -jax.nn.log_softmax(logits)[np.arange(ROWS - 1), truth]
    np.testing.assert_allclose(loss[place, :, -1], expected, rtol=1e-3, atol=1e-4)


def test_silence_is_a_price_of_the_bits_of_real_nodes_in_links_that_count(rng: np.random.Generator) -> None:
    examples = chains(recordings(), NETWORKS["order bits"].spec, 8, 2, rng)
    free = chain_losses(reasoner("order bits"), examples)
    parts = chain_losses(reasoner("order bits"), examples, 0.5)
    loss, weight = parts.pop("silence")
    assert jax.tree.all(jax.tree.map(np.array_equal, parts, free)), "what hints cost is the same"
    counts = (examples.rows[..., 1:] >= 0)[..., None] & (examples.batch.inputs.node_mask[:, None, None] == 1)
    np.testing.assert_array_equal(weight, np.broadcast_to(counts[..., None], loss.shape))
    assert (np.asarray(loss) >= 0).all()
    assert (np.asarray(loss) == 0).any()


def test_silence_makes_bits_disappear(rng: np.random.Generator) -> None:
    """A step against its gradient lowers it."""
    examples, network = chains(recordings(), NETWORKS["order bits"].spec, 8, 1, rng), reasoner("order bits")
    before, gradient = silences(network, examples)
    quieter = eqx.apply_updates(network, jax.tree.map(lambda part: -30 * part, gradient))
    assert silences(quieter, examples)[0] < before


@quickly_compiled
@eqx.filter_value_and_grad
def silences(reasoner: Reasoner, examples: Chains) -> jax.Array:
    return call_frames.losses(reasoner, examples, 1.0)["silence"].value


def test_a_loss_that_is_no_number_is_found(rng: np.random.Generator) -> None:
    examples, network = chains(recordings(), NETWORKS["order fields"].spec, 8, 1, rng), reasoner("order fields")
    key = jax.random.key(0)
    assert call_frames.first_bad(SMALL, network, examples, key) == "in the gradient; every hint's loss is finite"
    bad = eqx.tree_at(lambda network: network.node_encoder.bias, network, replace_fn=lambda bias: jnp.nan * bias)
    where, _, fields = call_frames.first_bad(SMALL, bad, examples, key).partition(", in the field ")
    assert where == f"in row {examples.rows[0, 0, 1] + 1}"
    assert set(fields.split(", ")) == {field.name for field in network.spec.hints}
