"""Networks with random weights do odd things, and so many of them do everything that an execution can meet."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, cast

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from recursor.algorithms.dfs import DFS
from recursor.data.batch import Batch
from recursor.data.batches import pad_inputs
from recursor.execution import executor as module
from recursor.execution.execution import Execution
from recursor.execution.executor import check_memory, check_runnable, execute, step_limit
from recursor.graphs.distributions import complete, path
from recursor.graphs.graph import from_matrix
from recursor.network.reasoner import Reasoner
from recursor.network.values import prediction
from recursor.recording.rows import Rows
from recursor.spec import POP, PUSH
from tests.network.networks import (
    NETWORKS,
    SIZES,
    batch,
    drawn,
    forced,
    quickly_compiled,
    reasoner,
    recordings,
    rollout,
    small,
    use_quick_programs,
)

GRAPHS = [recording.graph for recording in recordings()]
LIMIT = 3 * max(SIZES)
SEEDS = range(20)
networks = pytest.mark.parametrize("name", ["order fields", "order choice", "order node", "rounds"])


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    use_quick_programs(monkeypatch)


def lively(name: str, seed: int) -> Reasoner:
    """Random weights, balanced so that all ops are as likely in true rows, and done is rare."""
    rng = np.random.default_rng(seed)

    def draw(leaf: jax.Array) -> jax.Array:
        return jnp.asarray(2 * rng.normal(size=leaf.shape) / max(1, leaf.shape[0]) ** 0.5, leaf.dtype)

    network = jax.tree.map(draw, reasoner(name))
    logits = rollout(network, batch(NETWORKS[name].spec), forced(1)).hints
    typical = [*np.median(logits["stack_op"], (0, 1)), np.quantile(logits["done"], 0.95)]
    return biased(network, -np.array(typical, np.float32))


def biased(network: Reasoner, bias: Sequence[float] | np.ndarray) -> Reasoner:
    """The same with so much more for pop, noop, push and done."""
    return eqx.tree_at(_bias, network, _bias(network) + np.asarray(bias, np.float32))


def _bias(network: Reasoner) -> jax.Array:
    stage = cast(Any, network.hint_decoder).stages[1]
    assert [field.name for field in stage.fields] == ["stack_op", "done"]
    return stage.decoder.graph_of_nodes.bias


ENDLESS = (0, 0, 0, -1e6)  # never done


@cache
def executions(name: str, seed: int) -> list[Execution]:
    return execute(lively(name, seed), GRAPHS, limit=LIMIT)


def same(one: Execution, other: Execution) -> bool:
    """Whether they agree in everything but the rows."""
    facts, others = ((which.halted, which.steps, which.empty_pops, which.ops.tolist()) for which in (one, other))
    return facts == others and equal(one.outputs, other.outputs)


def equal(one: Mapping[str, np.ndarray], other: Mapping[str, np.ndarray]) -> bool:
    return one.keys() == other.keys() and all(np.array_equal(values, other[name]) for name, values in one.items())


# What an execution is


def check_like_rollouts(network: Reasoner, executed: Sequence[Execution], rows: int) -> None:
    """Against a rollout that is fed what it predicts, over as many rows as were executed."""
    graphs, spec = [execution.graph for execution in executed], network.spec
    inputs = pad_inputs(graphs, spec.inputs, every_pair=True)
    first = Rows([DFS.first_row(graph) for graph in graphs], length=rows, nodes=inputs.node_mask.shape[1])
    hints = {field.name: first[field.name] for field in spec.hints} | {"done": np.zeros((len(graphs), rows), np.int32)}
    mask = np.arange(rows) < np.array([execution.steps for execution in executed])[:, None]
    result = rollout(network, Batch(inputs, hints, {}, mask.astype(np.int32)), np.zeros_like(mask))
    rows_but_first = {field.name: np.asarray(prediction(field, result.hints[field.name])) for field in spec.hints}
    outputs = {field.name: np.asarray(prediction(field, result.outputs[field.name])) for field in spec.outputs}
    for place, execution in enumerate(executed):
        n = len(execution.graph)
        for field in spec.hints:
            expected = np.concatenate([hints[field.name][place, :1], rows_but_first[field.name][place]])[: execution.steps]
            np.testing.assert_array_equal(
                execution.rows[field.name], expected if field.place == "graph" else expected[:, :n]
            )
        for name, values in outputs.items():
            np.testing.assert_array_equal(execution.outputs[name], values[place, :n])
        assert execution.empty_pops == result.underflows[place]


@networks
def test_executing_is_a_rollout_on_what_it_predicts_until_it_is_done(name: str) -> None:
    seen = set()
    for seed in SEEDS:
        check_like_rollouts(lively(name, seed), executions(name, seed), LIMIT)
        for execution in executions(name, seed):
            seen |= {("halted", execution.halted), *execution.ops.tolist(), ("empty", execution.empty_pops > 0)}
            done = execution.rows["done"]
            assert not done[:-1].any()
            assert done[-1] == execution.halted
            assert execution.halted or execution.steps == LIMIT
    assert len(seen) == 7, "everything happened"


@networks
def test_the_stack_is_a_replay_of_the_ops(name: str) -> None:
    for seed in SEEDS:
        for execution in executions(name, seed):
            stack, empty = [], 0
            for row, op in enumerate(execution.ops):
                if op == PUSH:
                    stack.append(row)
                elif op == POP:
                    empty += not stack
                    stack = stack[:-1]
                assert execution.stack[row] == tuple(stack)
            assert len(execution.stack) == execution.steps
            assert execution.empty_pops == empty


@networks
def test_outputs_are_collected_from_the_rows(name: str) -> None:
    for seed in SEEDS:
        for execution in executions(name, seed):
            pi = np.zeros(len(execution.graph), int)
            for u, u_pi in zip(execution.rows["u"], execution.rows["u_pi"], strict=True):
                pi[u] = u_pi
            np.testing.assert_array_equal(execution.outputs["pi"], pi)


# What it does not depend on


@pytest.mark.parametrize("name", ["order fields", "order node"])
def test_a_batch_of_graphs_of_different_sizes_is_executed_like_each_alone(name: str) -> None:
    for seed in SEEDS[:5]:
        for place in (1, 2):
            (alone,) = execute(lively(name, seed), [GRAPHS[place]], limit=LIMIT)
            assert same(alone, executions(name, seed)[place])
            assert equal(alone.rows, executions(name, seed)[place].rows)


def test_rows_that_are_not_kept_change_nothing_else() -> None:
    for seed in SEEDS[:10]:
        without = execute(lively("order fields", seed), GRAPHS, limit=LIMIT, keep_rows=False)
        for execution, kept in zip(without, executions("order fields", seed), strict=True):
            assert execution.rows == {}
            assert same(execution, kept)


def test_rows_come_in_pieces_of_any_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PIECE", 5)
    advance = cast(Any, module._advance).__wrapped__
    monkeypatch.setattr(module, "_advance", quickly_compiled(lambda *arguments: advance(*arguments)))  # is compiled anew
    for seed in SEEDS[:5]:
        told: list[int] = []
        found = execute(lively("order fields", seed), GRAPHS, limit=LIMIT, progress=told.append)
        for execution, expected in zip(found, executions("order fields", seed), strict=True):
            assert same(execution, expected)
            assert equal(execution.rows, expected.rows)
        last = max(execution.steps for execution in found)
        assert told[-1] == last
        assert all(0 < done <= 5 for done in np.diff([1, *told]))


def test_a_stack_of_nodes_may_become_deeper_than_there_are_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    """At first there is room for as many frames as nodes, which is all that depth-first search needs."""
    deepened, original = [], module._with_larger_stack
    monkeypatch.setattr(module, "_with_larger_stack", lambda *state: deepened.append(state) or original(*state))
    graphs = [from_matrix(np.zeros((n, n))) for n in (1, 2)] + [complete(2)]
    for seed in SEEDS[:3]:
        network = biased(lively("order node", seed), (0, 0, 1e6, -1e6))  # pushes for ever
        executed = execute(network, graphs, limit=LIMIT)
        check_like_rollouts(network, executed, LIMIT)
        assert all(len(execution.stack[-1]) == LIMIT - 1 for execution in executed)
    assert len(deepened) >= 3


# When it ends


@networks
def test_who_never_says_that_it_is_done_is_stopped_at_the_limit(name: str) -> None:
    network = biased(reasoner(name), ENDLESS)
    limits = (1, 2, LIMIT, 300) if name == "order node" else (LIMIT,)  # of the others each is compiled
    for limit in limits:
        for execution in execute(network, GRAPHS, limit=limit):
            assert (execution.halted, execution.steps, len(execution.ops)) == (False, limit, limit)
            assert {len(values) for values in execution.rows.values()} == {limit}


def test_left_out_the_limit_depends_on_each_graph() -> None:
    executed = execute(biased(reasoner("order node"), ENDLESS), GRAPHS)
    assert [execution.steps for execution in executed] == [step_limit(DFS, graph) for graph in GRAPHS] == [160, 140, 150]


def test_a_limit_cuts_an_execution_short_and_changes_no_row() -> None:
    network = biased(lively("order node", 5), ENDLESS)
    for short, long in zip(execute(network, GRAPHS, limit=7), execute(network, GRAPHS, limit=300), strict=True):
        for name, values in short.rows.items():
            np.testing.assert_array_equal(values, long.rows[name][:7])


# What is refused


def test_who_cannot_halt_is_refused_in_one_sentence() -> None:
    with pytest.raises(ValueError, match=r"was not trained to say when dfs is done, .*; train one with halting on, or"):
        execute(reasoner("experiment 10"), GRAPHS)
    uncollected = drawn(Reasoner, DFS.spec("discrete").halting(), small(stack="node", collect=False))
    with pytest.raises(ValueError, match="cannot run by itself, because it does not collect its outputs"):
        check_runnable(uncollected)


def test_a_graph_for_which_there_is_no_room_is_refused_before_any_work() -> None:
    large = path(300_000)
    words = r"300000 nodes and 299999 edges with the stack 'node' would take about .* GB, and there are .* GB"
    with pytest.raises(ValueError, match=words):
        execute(reasoner("order node"), [large])
    check_memory(reasoner("order fields"), [large])  # which keeps no frame as large as the graph


def test_there_is_less_room_for_more(monkeypatch: pytest.MonkeyPatch) -> None:
    graphs = [path(n) for n in (1, 10, 100)]
    for name in ("order fields", "order node", "rounds"):
        need = [module.memory_needed(reasoner(name), graphs[:k]) for k in (1, 2, 3)]
        assert need == sorted(set(need))
    monkeypatch.setattr(module, "memory_needed", lambda reasoner, graphs: 1e18)
    with pytest.raises(ValueError, match=r"3 graphs of 6 nodes and \d+ edges .* would take about 1,000,000,000 GB"):
        execute(reasoner("order fields"), GRAPHS)
