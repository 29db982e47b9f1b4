"""Null pointers, stamps, further orders and returned values in the network: executions of random networks keep the rules,
and one update learns from every field."""

from dataclasses import replace

import jax
import numpy as np
import pytest

from recursor.algorithms import ALGORITHMS, find
from recursor.configurations.named import configuration
from recursor.execution.executor import execute
from recursor.network.reasoner import Reasoner
from recursor.training import call_frames
from tests.network.networks import drawn, quickly_compiled, small, use_quick_programs

FAMILY = [name for name in ALGORITHMS if name != "dfs"]
SIZES = (1, 4, 7)


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    use_quick_programs(monkeypatch)


def network(name: str) -> Reasoner:
    spec = find(name).spec("discrete").halting()
    config = small(processor="order", rounds=2, decoding="staged", feedback="hard", stack="fields")
    return drawn(Reasoner, spec, config)


@pytest.mark.parametrize("name", FAMILY)
def test_whatever_a_network_predicts_stamps_and_outputs_follow_from_its_rows(name: str) -> None:
    algorithm, reasoner = find(name), network(name)
    rng = np.random.default_rng(0)
    graphs = [algorithm.train(rng, n) for n in SIZES]
    for execution in execute(reasoner, graphs, limit=12):
        rows, n = execution.rows, len(execution.graph)
        for field in reasoner.spec.predicted:
            if field.kind == "pointer":
                assert (rows[field.name] >= (-1 if field.null else 0)).all()
                assert (rows[field.name] < n).all(), "padding is never named"
        for rule in reasoner.spec.stamps:
            stamps = np.zeros(n, int)
            for row, at in enumerate(rows[rule.at]):
                if at >= 0 and not stamps[at]:
                    stamps[at] = row + 1
                assert rows[rule.field.name][row].tolist() == stamps.tolist()
        for rule in reasoner.spec.collect:
            values = np.ones(len(rows["done"]), int) if rule.value is None else rows[rule.value]
            if rule.at is None:
                np.testing.assert_array_equal(execution.outputs[rule.output], values[-1])
                continue
            collected = np.zeros(n, int)
            for at, value in zip(rows[rule.at], values, strict=True):
                if at >= 0:
                    collected[at] = at if value < 0 else value
            assert execution.outputs[rule.output].tolist() == collected.tolist()


@quickly_compiled
def chain_losses(reasoner: Reasoner, examples: call_frames.Chains) -> dict[str, jax.Array]:
    return {name: part.value for name, part in call_frames.losses(reasoner, examples).items()}


@quickly_compiled
def gradient(reasoner: Reasoner, examples: call_frames.Chains) -> Reasoner:
    return jax.grad(lambda r: sum(part.value for part in call_frames.losses(r, examples).values()))(reasoner)


@pytest.mark.parametrize("name", ["tarjan", "quicksort", "circuit"])
def test_every_weight_learns(name: str) -> None:
    config = replace(configuration(f"exact/{name}"), sizes=(5, 8), batch=8)
    reasoner = network(name)
    batches = call_frames.batches(config)
    examples = next(batches)
    batches.close()
    losses = chain_losses(reasoner, examples)
    assert set(losses) == {field.name for field in reasoner.spec.predicted}
    assert all(np.isfinite(loss) and loss > 0 for loss in losses.values())
    for path, leaf in jax.tree_util.tree_leaves_with_path(gradient(reasoner, examples)):
        assert np.abs(leaf).max() > 0, jax.tree_util.keystr(path)


@pytest.mark.parametrize("name", FAMILY)
def test_each_has_an_exact_configuration(name: str) -> None:
    config = configuration(f"exact/{name}", seed=3)
    config.check()
    assert (config.algorithm, config.seed, config.halting) == (name, 3, True)


def test_what_cannot_be_compared_or_settled_is_refused() -> None:
    config = replace(configuration("exact/tarjan"), silence=0.0)
    network = replace(config.network, processor="mpnn", rounds=1, message_bits=0, pooled_bits=0)
    with pytest.raises(ValueError, match="no other processor compares"):
        replace(config, network=network).check()
    with pytest.raises(ValueError, match="need the trainer call-frames, and halting"):
        replace(config, halting=False, lessons=0).check()
    with pytest.raises(ValueError, match="need the trainer call-frames, and halting"):
        replace(config, trainer="rollout", forcing=0.5, lessons=0).check()
