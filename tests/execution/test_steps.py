"""One step at a time: the same as the whole execution."""

from pathlib import Path

import networkx as nx
import numpy as np
import pytest

import recursor


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


def test_a_loaded_network_and_an_execution_say_what_they_are() -> None:
    run = recursor.load("dfs")
    assert "a network that executes dfs (Depth-first search)" in repr(run)
    assert "halted by itself after 9 rows" in repr(run.run(nx.path_graph(3)))


@pytest.mark.parametrize(("nodes", "graphs"), [(0, 1), (-3, 2), (3, 0)])
def test_sizes_below_one_are_refused_in_a_sentence(nodes: int, graphs: int) -> None:
    with pytest.raises(ValueError, match="at least 1 graph of at least 1 node"):
        recursor.load("dfs").evaluate([nodes], graphs)
