"""Programs that are exported, and run again without the network."""

import re
import subprocess
import sys
from pathlib import Path

import jax
import numpy as np
import pytest

import recursor
from recursor.algorithms import find
from recursor.execution.exporting import arguments, export


@pytest.mark.parametrize("name", ["dfs", "quicksort"])
def test_an_exported_program_gives_the_outputs_of_the_classical_algorithm(name: str) -> None:
    reasoner, algorithm, rng = recursor.load(name).reasoner, find(name), np.random.default_rng(3)
    program = jax.export.deserialize(bytearray(export(reasoner, 7)))
    for nodes in (1, 2, 5, 7):
        graph = algorithm.test(rng, nodes)
        result = program.call(**arguments(reasoner, graph, 7))
        assert bool(result["halted"])
        assert int(result["steps"]) == algorithm.count_rows(graph)
        for output, values in algorithm.run(graph).items():
            np.testing.assert_array_equal(result["outputs"][output][:nodes], values)
    with pytest.raises(ValueError, match="graphs of up to 7 nodes, not of 8"):
        arguments(reasoner, algorithm.test(rng, 8), 7)


def test_the_example_in_the_docs_runs_without_recursor(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "research.md").read_text("utf-8").partition("## Export a network")[2]
    with_recursor, without = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", page, re.DOTALL)
    (tmp_path / "dfs.stablehlo").write_bytes(export(recursor.load("dfs").reasoner, 16))
    absent = "import sys\nfor name in ('recursor', 'equinox', 'networkx'): sys.modules[name] = None\n"
    for code, printed in (with_recursor, (absent + without[0], without[1])):
        done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
        assert done.stdout == printed


def test_sizes_below_one_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        export(recursor.load("dfs").reasoner, 0)
