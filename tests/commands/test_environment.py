"""What the commands do in unusual surroundings."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


def recursor(*arguments: str, **environment: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "recursor.cli", *arguments]
    return subprocess.run(command, env={**os.environ, **environment}, capture_output=True, check=False)


@pytest.fixture
def graph(tmp_path: Path) -> str:
    file = tmp_path / "graph.txt"
    file.write_text("ä b\nb ç\n", "utf-8")
    return str(file)


def test_shipped_weights_run_where_jax_has_64_bits(graph: str) -> None:
    done = recursor("solve", graph, "--check", JAX_ENABLE_X64="1")
    assert done.returncode == 0, done.stderr
    assert b"the same as the classical algorithm's" in done.stdout


@pytest.mark.parametrize("platform", ["tpu", "nonsense"])
def test_a_platform_that_is_not_there_is_told_in_a_sentence(platform: str, graph: str) -> None:
    done = recursor("solve", graph, JAX_PLATFORMS=platform)
    assert done.returncode == 1
    assert f"recursor: JAX cannot use JAX_PLATFORMS={platform}".encode() in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("command", [("record", "dfs", "GRAPH"), ("algorithms",), ("solve", "GRAPH", "--watch")])
def test_a_terminal_that_knows_ascii_only_gets_ascii(command: tuple[str, ...], graph: str) -> None:
    done = recursor(*(graph if word == "GRAPH" else word for word in command), PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    assert done.stdout.isascii()
    assert done.stdout
