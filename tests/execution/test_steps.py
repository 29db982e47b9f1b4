"""One step at a time: the same as the whole execution."""

from pathlib import Path

import jax
import jax.numpy as jnp
import networkx as nx
import numpy as np
import pytest

import recursor
from recursor.algorithms import find
from recursor.data.batches import pad
from recursor.execution.steps import steps
from recursor.network.config import Feedback, NetworkConfig
from recursor.network.reasoner import Reasoner, rollout_batch


@pytest.mark.parametrize(("name", "source"), [("dfs", nx.path_graph(17)), ("quicksort", [3, 1, 2])])
def test_steps_make_the_rows_of_the_execution(name: str, source: object, tmp_path: Path) -> None:
    run = recursor.load(name)
    execution = run.run(source)
    found = list(run.steps(source))
    assert len(found) == execution.steps - 1
    for step in found:
        for field in run.reasoner.spec.hints:
            np.testing.assert_array_equal(step.row[field.name], execution.rows[field.name][step.number])
            np.testing.assert_array_equal(step.next_row[field.name], execution.rows[field.name][step.number + 1])
        for field in run.reasoner.spec.predicted:
            if field.kind == "pointer":
                nodes = len(execution.graph)
                assert step.logits[field.name].shape == (nodes + field.null,)
                best = int(step.logits[field.name].argmax())
                assert (-1 if best == nodes else best) == step.next_row[field.name]
        assert len(step.features["node"]) == len(execution.graph)
    execution.save(tmp_path / "execution.npz")
    with np.load(tmp_path / "execution.npz") as arrays:
        for output, values in execution.outputs.items():
            np.testing.assert_array_equal(arrays[f"outputs/{output}"], values)
    with pytest.raises(ValueError, match=r"ends in \.npz"):
        execution.save(tmp_path / "execution.txt")


@pytest.mark.parametrize("feedback", ["soft", "hard"])
def test_a_network_that_cannot_halt_makes_the_steps_of_its_rollout(feedback: Feedback) -> None:
    dfs = find("dfs")
    config = NetworkConfig(width=8, stack="graph", frame_width=4, hidden_state=True, feedback=feedback)
    reasoner = Reasoner(dfs.spec("local"), config, key=jax.random.key(1))
    graph = dfs.test(np.random.default_rng(2), 5)
    batch = pad([dfs.record(graph)], reasoner.spec, every_pair=True)
    rollout = rollout_batch(reasoner, batch, jnp.zeros(batch.row_mask.shape, bool))
    found = list(steps(reasoner, graph))
    assert len(found) == dfs.count_rows(graph) - 1
    for step in found:
        for name, logits in rollout.hints.items():
            np.testing.assert_allclose(step.logits[name], np.asarray(logits)[0, step.number], rtol=1e-4, atol=1e-5)
    assert len(list(steps(reasoner, graph, limit=3))) == 2


def test_a_loaded_network_and_an_execution_say_what_they_are() -> None:
    run = recursor.load("dfs")
    assert "a network that executes dfs (Depth-first search)" in repr(run)
    assert "halted by itself after 9 rows" in repr(run.run(nx.path_graph(3)))


@pytest.mark.parametrize(("nodes", "graphs"), [(0, 1), (-3, 2), (3, 0)])
def test_sizes_below_one_are_refused_in_a_sentence(nodes: int, graphs: int) -> None:
    with pytest.raises(ValueError, match="at least 1 graph of at least 1 node"):
        recursor.load("dfs").evaluate([nodes], graphs)
