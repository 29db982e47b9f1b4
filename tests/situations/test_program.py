"""A compiled network is the network: plain Python that knows nothing but its tables gives the same outputs."""

import json
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from recursor.algorithms import find
from recursor.situations.program import program_of
from recursor.training.loading import load

EXAMPLE = Path(__file__).parents[2] / "examples" / "run_program.py"


def test_the_reader_has_at_most_a_hundred_lines_and_imports_the_standard_library_alone() -> None:
    lines = EXAMPLE.read_text().splitlines()
    assert len(lines) <= 100
    imports = {line.split()[1] for line in lines if line.startswith(("import", "from"))}
    assert imports == {"json", "sys", "functools", "operator"}


@pytest.mark.parametrize("name", ["dfs", "quicksort", "strongly_connected_components", "tarjan", "topological_sort"])
def test_a_program_computes_what_the_algorithm_does(name: str) -> None:
    run, algorithm, rng = load(name), find(name), np.random.default_rng(4)
    assert run.lookup is not None
    program = json.loads(json.dumps(program_of(run.lookup.memory.tables)))
    execute = runpy.run_path(str(EXAMPLE))["run"]
    for nodes in (1, 2, 3, 7):
        graph = algorithm.test(rng, nodes)
        inputs = {key: values.tolist() for key, values in graph.values.items()}
        outputs = execute(program, nodes, zip(graph.senders.tolist(), graph.receivers.tolist(), strict=True), inputs)
        for output, values in algorithm.run(graph).items():
            assert outputs[output] == values.tolist()


def test_a_network_whose_first_row_depends_on_the_input_is_refused() -> None:
    run = load("circuit")
    assert run.lookup is not None
    with pytest.raises(ValueError, match="circuit cannot be compiled: v of its row 0 depends on the input"):
        program_of(run.lookup.memory.tables)


def test_the_command_writes_a_program_that_the_example_runs(tmp_path: Path) -> None:
    def python(*arguments: str) -> str:
        return subprocess.run([sys.executable, *arguments], check=True, capture_output=True, text=True).stdout

    assert "quicksort as" in python("-m", "recursor.cli", "compile", "quicksort", "--out", str(tmp_path / "q.json"))
    assert python("-S", str(EXAMPLE), str(tmp_path / "q.json"), "5", "2", "9", "1").strip() == "{'pred': [1, 3, 0, 3]}"
