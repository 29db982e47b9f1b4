"""How fast are executions that look situations up? Beside the executor that computes every row by the network, by XLA.

    python benchmarks/execution.py            all parts
    python benchmarks/execution.py --parts speed growth

Times are seconds of one core, as the system accounts them to this process, so that they mean something on a busy machine;
both executors have one core, and take turns. What is printed is also written to results/benchmarks/execution.txt.
"""

import argparse
import os
import platform
import resource
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np

from recursor import evaluation
from recursor.algorithms import find
from recursor.data.batches import sample
from recursor.execution import executor
from recursor.execution.lookup.compiled import COMPILED
from recursor.graphs.distributions import sparse
from recursor.graphs.graph import Graph
from recursor.system.compiling import keep_compiled_programs
from recursor.system.files import write_atomically
from recursor.training.run import load

RESULTS = Path(__file__).parents[1] / "results" / "benchmarks" / "execution.txt"
TURNS = 3
SOME_ROWS = 256
"""Rows that the network computes in one turn; the lookup runs to the end."""
lines: list[str] = []


def say(line: str) -> None:
    """Prints a line and keeps it for the file."""
    print(line, flush=True)
    lines.append(line)


def seconds(function: Callable[[], Any]) -> tuple[float, Any]:
    """Returns how long a function takes on one core, and what it returns."""
    start = time.process_time()
    result = function()
    return time.process_time() - start, result


def directed(n: int, edges: int, seed: int) -> Graph:
    """A random directed graph."""
    return sparse(np.random.default_rng((seed, n)), n, edges / n)


def speed() -> None:
    """Rows a second at 1 600 nodes and 24 000 edges, beside the network's."""
    run, graph = load("dfs"), directed(1600, 24_000, 0)
    few = np.array([SOME_ROWS], np.int32)

    def by_network() -> int:
        (found,) = executor._execute_by_network(run.reasoner, [graph], few, keep_rows=False, progress=lambda rows: None)
        return found.steps

    def by_lookup() -> int:
        (found,) = executor.execute(run.reasoner, [graph], keep_rows=False, lookup=run.lookup)
        return found.steps

    for function in (by_network, by_lookup):  # compile
        function()
    network, lookup = [], []
    for _ in range(TURNS):
        for rates, function in ((network, by_network), (lookup, by_lookup)):
            took, rows = seconds(function)
            rates.append(rows / took)
    slow, fast = statistics.median(network), statistics.median(lookup)
    say(f"1 600 nodes, {len(graph.senders)} edges, depth-first search, median of {TURNS} turns:")
    say(f"  network {slow:9.0f} rows/s    lookup {fast:9.0f} rows/s    {fast / slow:.0f} times as many (bar: 20, goal: 500)")


def growth() -> None:
    """Rows a second as graphs grow, and the exponent of the time of a row."""
    sizes, rates = (1600, 16_000, 100_000), []
    run = load("dfs")
    run.run(directed(100, 500, 0), keep_rows=False)  # compile
    say("mean degree 5, depth-first search:")
    for n in sizes:
        graph = directed(n, 5 * n, 1)
        took, execution = seconds(lambda graph=graph: run.run(graph, keep_rows=False))
        rates.append(execution.steps / took)
        say(f"  {n:7} nodes {rates[-1]:9.0f} rows/s ({took:.2f} s in all, reading the graph into tables included)")
    exponent = -np.polyfit(np.log(sizes), np.log(rates), 1)[0]
    say(f"  a row takes nodes^{exponent:.2f} (bar: 0.5)")


def large() -> None:
    """Depth-first search on 100 000 nodes and 500 000 edges, beside networkx."""
    graph, run = directed(100_000, 500_000, 2), load("dfs")
    wall = time.monotonic()
    took, execution = seconds(lambda: run.run(graph, keep_rows=False))
    wall = time.monotonic() - wall
    exact = np.array_equal(execution.outputs["pi"], find("dfs").run(graph)["pi"])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    say(f"depth-first search on 100 000 nodes and {len(graph.senders)} edges:")
    say(f"  {took:.1f} s of one core ({wall:.1f} s on the clock), {execution.steps} rows, peak memory {peak:.2f} GB")
    say(f"  exact {exact}, halted {execution.halted}, certified {execution.certified} ({execution.uncertified_row})")
    other = nx.DiGraph()
    other.add_nodes_from(range(len(graph)))
    other.add_edges_from(zip(graph.senders.tolist(), graph.receivers.tolist(), strict=True))
    took, _ = seconds(lambda: list(nx.dfs_edges(other)))
    say(f"  networkx.dfs_edges on the same graph: {took:.2f} s")


OTHERS = ("topological_sort", "strongly_connected_components", "tarjan", "articulation_points", "bridges", "quicksort")
"""The algorithms that are run on 10 000 nodes."""


def others() -> None:
    """The other algorithms at 10 000 nodes."""
    say("10 000 nodes:")
    for name in OTHERS:
        run, algorithm, n = load(name), find(name), 10_000
        if run.lookup is None:
            say(f"  {name}: its messages are no bits, so it is run by the network")
            continue
        graph = large_input(name, n)
        took, execution = seconds(lambda run=run, graph=graph: run.run(graph, keep_rows=False))
        exact = all(np.array_equal(execution.outputs[key], value) for key, value in algorithm.run(graph).items())
        say(
            f"  {name}: {took:.1f} s, {execution.steps} rows, exact {exact}, halted {execution.halted}, "
            f"certified {execution.certified}"
        )


def large_input(name: str, n: int) -> Graph:
    """An input of n nodes that the algorithm accepts: mean degree 5 where it has edges."""
    algorithm, rng = find(name), np.random.default_rng(3)
    if "A" not in algorithm.inputs:
        return algorithm.test(rng, n)
    graph = directed(n, 5 * n, 3)
    senders, receivers = graph.senders, graph.receivers
    for keep in (senders >= 0, senders < receivers):
        try:
            one = nx.DiGraph(zip(senders[keep].tolist(), receivers[keep].tolist(), strict=True))
            one.add_nodes_from(range(n))
            return algorithm.graph(one)
        except ValueError:
            pass
    both = nx.Graph(zip(senders.tolist(), receivers.tolist(), strict=True))
    both.add_nodes_from(range(n))
    both.remove_edges_from(list(nx.selfloop_edges(both)))
    return algorithm.graph(both)


@contextmanager
def by_the_network() -> Iterator[None]:
    """Evaluation as it was: every row computed by XLA, 64 graphs at once."""
    before = evaluation.COMPILED, executor.COMPILED
    evaluation.COMPILED = executor.COMPILED = False
    try:
        yield
    finally:
        evaluation.COMPILED, executor.COMPILED = before


def evaluating() -> None:
    """Evaluating 256 graphs of 96 nodes."""
    run, algorithm = load("dfs"), find("dfs")
    recordings = sample(algorithm, algorithm.test, 96, 256, np.random.default_rng(0))

    def score() -> evaluation.Scores:
        return evaluation.score(run.reasoner, recordings)

    def as_before() -> evaluation.Scores:
        with by_the_network():
            return score()

    evaluation.score(run.reasoner, recordings[:64])  # compile
    with by_the_network():
        evaluation.score(run.reasoner, recordings[:64])
    slow, fast = [], []
    for _ in range(2):
        for times, function in ((slow, as_before), (fast, score)):
            took, scores = seconds(function)
            times.append(took)
            assert scores.graph_accuracy == 1.0
    before, now = statistics.median(slow), statistics.median(fast)
    say("evaluating 256 graphs of 96 nodes, all right:")
    say(f"  network {before:.1f} s    lookup {now:.1f} s    {now / before:.2f} of the time (bar: 0.2)")


PARTS = {"growth": growth, "large": large, "speed": speed, "evaluating": evaluating, "others": others}


def main() -> None:
    """Runs the parts that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    arguments = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1])
    keep_compiled_programs()
    load_average = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    say(f"Python {platform.python_version()}, {'Numba' if COMPILED else 'plain Python'}, one core, load {load_average:.1f}")
    for part in arguments.parts:
        PARTS[part]()
        if len(arguments.parts) == len(PARTS):
            RESULTS.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(RESULTS, ("\n".join(lines) + "\n").encode())


if __name__ == "__main__":
    main()
