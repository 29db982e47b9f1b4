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


PLUG_IN = """
import importlib.metadata, sys
from recursor import cli
from importlib.metadata import EntryPoint

entry_points = importlib.metadata.entry_points
broken = EntryPoint("search", "no.such.module:SEARCH", "recursor.algorithms")
importlib.metadata.entry_points = lambda **asked: [broken] if asked.get("group") == broken.group else entry_points(**asked)
sys.argv = ["recursor", "solve", sys.argv[1], "--model", "dfs", "--check"]
cli.main()
"""


def test_solve_works_beside_a_broken_plug_in(graph: str) -> None:
    done = subprocess.run([sys.executable, "-c", PLUG_IN, graph], capture_output=True, check=False, text=True)
    assert done.returncode == 0, done.stderr
    assert "the plug-in search (no.such.module:SEARCH) is left out, since it fails: No module named 'no'" in done.stderr
    assert "the same as the classical algorithm's" in done.stdout


def test_solve_works_without_a_home(graph: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()  # root can write everywhere, but nobody below a file
    done = recursor("solve", graph, "--check", HOME=str(tmp_path / "file"), XDG_CACHE_HOME=str(tmp_path / "file" / "cache"))
    assert done.returncode == 0, done.stderr
    assert b"the same as the classical algorithm's" in done.stdout
    assert b"Traceback" not in done.stderr


UNIX_ONLY = """
import importlib, os, pkgutil, signal, sys
import jax, jaxlib, equinox, optax, numpy, scipy.sparse, networkx, rich.progress, tyro, safetensors.numpy  # as they come
import matplotlib, subprocess, multiprocessing, http.server, concurrent.futures, tempfile, webbrowser

missing = {"fcntl", "resource", "termios", "tty", "pty", "pwd", "grp", "curses"}
for name in missing:
    sys.modules[name] = None  # importing it is an ImportError
for name in ("sched_getaffinity", "getuid", "geteuid", "sysconf", "fork", "setsid", "nice", "getpriority", "killpg"):
    if hasattr(os, name):
        delattr(os, name)
for name in ("SIGKILL", "SIGALRM", "SIGSTOP", "SIGCONT", "SIGHUP", "SIGUSR1", "setitimer", "alarm"):
    if hasattr(signal, name):
        delattr(signal, name)
import recursor

for module in pkgutil.walk_packages(recursor.__path__, "recursor."):
    importlib.import_module(module.name)
from recursor.cli import main
sys.argv = ["recursor", "solve", sys.argv[1], "--check"]
main()
"""


def test_every_module_imports_and_solve_works_without_what_only_unix_has(graph: str) -> None:
    done = subprocess.run([sys.executable, "-c", UNIX_ONLY, graph], capture_output=True, check=False, text=True)
    assert done.returncode == 0, done.stderr
    assert "the same as the classical algorithm's" in done.stdout


@pytest.mark.parametrize("limit", ["0", "-1", "99999999999"])
def test_a_limit_past_the_range_is_told_in_a_sentence(limit: str, graph: str) -> None:
    done = recursor("solve", graph, "--limit", limit)
    assert done.returncode == 1
    assert b"recursor: the limit must be from 1 to 2147483647 rows, not " + limit.encode() in done.stderr


def test_the_largest_limit_takes_no_memory(graph: str) -> None:
    done = recursor("solve", graph, "--check", "--limit", "2147483647")
    assert done.returncode == 0, done.stderr
