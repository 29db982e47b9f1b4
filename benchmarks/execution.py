"""How fast are executions that look situations up? Beside the executor that computes every row by the network, by XLA.

    python benchmarks/execution.py                         all parts; fills the tables of README and docs
    python benchmarks/execution.py --parts speed growth    these alone; the others stay as they were
    python benchmarks/execution.py --small --out some.json all parts with small graphs, to see that they work
    python benchmarks/execution.py --only-report           fills the tables from what is kept

Each part runs in a process of its own, which has one core. Times are seconds of this core, as the system accounts them to
the process; the load of the machine is kept beside them. What a part found is written to results/benchmarks/execution.json
as soon as it is over.
"""

import argparse
import json
import os
import platform
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np

from recursor import evaluation
from recursor.algorithms import find
from recursor.data.batches import sample
from recursor.execution import executor
from recursor.execution.execution import Execution
from recursor.execution.lookup.compiled import can_compile
from recursor.graphs.distributions import sparse
from recursor.graphs.graph import Graph
from recursor.graphs.reading import read_graph
from recursor.report.markdown import put_tables
from recursor.system.compiling import keep_compiled_programs
from recursor.system.files import write_atomically
from recursor.training.loading import load
from recursor.training.run import Run

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "results" / "benchmarks" / "execution.json"
PAGES = ROOT / "docs" / "large-graphs.md", ROOT / "README.md"
TURNS = 3
SOME_ROWS = 256
"""Rows that the network computes in one turn; the lookup runs to the end."""
OTHERS = ("topological_sort", "strongly_connected_components", "tarjan", "articulation_points", "bridges", "quicksort")
"""The algorithms that are run beside depth-first search."""

Figures = dict[str, Any]


@dataclass(frozen=True)
class Sizes:
    """How large the graphs are."""

    speed: tuple[int, int] = (1600, 24_000)  # nodes, edges
    growth: tuple[int, ...] = (1600, 16_000, 100_000)
    large: int = 100_000
    million: int = 1_000_000
    others: int = 10_000
    plain: int = 10_000
    graphs: int = 256


SMALL = Sizes((160, 2400), (100, 300, 1000), 1000, 5000, 200, 300, 64)


def seconds(function: Callable[[], Any]) -> tuple[float, Any]:
    """Returns how long a function takes on one core, and what it returns."""
    start = time.process_time()
    result = function()
    return time.process_time() - start, result


def peak_memory() -> float:
    """Returns the most memory that this process had, in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e9 if sys.platform == "darwin" else 1e6)


def directed(n: int, edges: int, seed: int) -> Graph:
    """A random directed graph."""
    return sparse(np.random.default_rng((seed, n)), n, edges / n)


def compile_first(run: Run) -> None:
    """Compiles what is compiled at first use, so that it is not measured."""
    run.run(directed(20, 60, 0), keep_rows=False)


def facts(execution: Execution, algorithm: str) -> Figures:
    """Returns what an execution came to."""
    truth = find(algorithm).run(execution.graph)
    exact = all(np.array_equal(execution.outputs[name], values) for name, values in truth.items())
    return {
        "nodes": len(execution.graph),
        "edges": len(execution.graph.senders),
        "rows": execution.steps,
        "exact": exact,
        "halted": execution.halted,
        "certified": execution.certified,
    }


def by_lookup(run: Run, graph: Graph) -> int:
    """Runs to the end by lookup; returns the number of rows."""
    (found,) = executor.execute(run.reasoner, [graph], keep_rows=False, lookup=run.lookup)
    return found.steps


def speed(sizes: Sizes) -> Figures:
    """Rows a second by the network and by lookup."""
    run, graph = load("dfs"), directed(*sizes.speed, 0)
    few = np.array([SOME_ROWS], np.int32)

    def by_network() -> int:
        (found,) = executor._execute_by_network(run.reasoner, [graph], few, keep_rows=False, progress=lambda rows: None)
        return found.steps

    rates: dict[str, list[float]] = {"network": [], "lookup": []}
    for turn in range(TURNS + 1):
        for name, function in (("network", by_network), ("lookup", lambda: by_lookup(run, graph))):
            took, rows = seconds(function)
            if turn:  # the first compiles
                rates[name].append(rows / took)
    medians = {name: statistics.median(found) for name, found in rates.items()}
    return {"nodes": len(graph), "edges": len(graph.senders), **medians, "times": medians["lookup"] / medians["network"]}


def growth(sizes: Sizes) -> Figures:
    """Rows a second as graphs grow, and the exponent of the time of a row."""
    run, rates = load("dfs"), []
    compile_first(run)
    for n in sizes.growth:
        graph = directed(n, 5 * n, 1)
        turns = [seconds(lambda graph=graph: by_lookup(run, graph)) for _ in range(TURNS if n < 50_000 else 1)]
        rates.append(statistics.median(rows / took for took, rows in turns))
    exponent = -np.polyfit(np.log(sizes.growth), np.log(rates), 1)[0]
    return {"nodes": list(sizes.growth), "rates": rates, "exponent": float(exponent)}


def networkx_search(graph: Graph) -> float:
    """Returns how long networkx's own depth-first search takes."""
    other = nx.DiGraph()
    other.add_nodes_from(range(len(graph)))
    other.add_edges_from(zip(graph.senders.tolist(), graph.receivers.tolist(), strict=True))
    return seconds(lambda: list(nx.dfs_edges(other)))[0]


def large(sizes: Sizes) -> Figures:
    """Depth-first search on 100 000 nodes and 500 000 edges, beside networkx."""
    graph, run = directed(sizes.large, 5 * sizes.large, 2), load("dfs")
    compile_first(run)
    took, execution = seconds(lambda: run.run(graph, keep_rows=False))
    memory = peak_memory()
    return {**facts(execution, "dfs"), "seconds": took, "memory": memory, "networkx": networkx_search(graph)}


def million(sizes: Sizes) -> Figures:
    """The same on a million nodes, read from a file."""
    run, graph = load("dfs"), directed(sizes.million, 5 * sizes.million, 2)
    compile_first(run)
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "edges.txt"
        with path.open("w") as file:
            file.writelines(f"{a} {b}\n" for a, b in zip(graph.senders.tolist(), graph.receivers.tolist(), strict=True))
        reading, graph = seconds(lambda: read_graph(path))
    took, execution = seconds(lambda: run.run(graph, keep_rows=False))
    memory = peak_memory()
    found = {**facts(execution, "dfs"), "seconds": took, "memory": memory}
    return {**found, "reading": reading / len(graph.senders) * 1e6, "networkx": networkx_search(graph)}


def others(sizes: Sizes) -> Figures:
    """The other algorithms at 10 000 nodes."""
    found = {}
    for name in OTHERS:
        run, graph = load(name), large_input(name, sizes.others)
        took, execution = seconds(lambda run=run, graph=graph: run.run(graph, keep_rows=False))
        found[name] = {**facts(execution, name), "seconds": took, "lookup": run.lookup is not None}
        print(f"  {name}: {found[name]}", file=sys.stderr, flush=True)
    return found


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
    """Evaluation in which every row is computed by XLA, 64 graphs at once."""
    before = evaluation.can_compile, executor.can_compile
    evaluation.can_compile = executor.can_compile = lambda: False
    try:
        yield
    finally:
        evaluation.can_compile, executor.can_compile = before


def evaluating(sizes: Sizes) -> Figures:
    """Evaluating 256 graphs of 96 nodes: by the network, by lookup, and by lookup with a network that was never run."""
    run, algorithm = load("dfs"), find("dfs")
    recordings = sample(algorithm, algorithm.test, 96, sizes.graphs, np.random.default_rng(0))

    def network(part: slice) -> evaluation.Scores:
        with by_the_network():
            return evaluation.score(run.reasoner, recordings[part])

    ways = {
        "network": network,
        "lookup": lambda part: evaluation.score(run.reasoner, recordings[part], lookup=run.lookup),
        "new": lambda part: evaluation.score(run.reasoner, recordings[part]),
    }
    times: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(TURNS):
        for name, way in ways.items():
            took, scores = seconds(lambda way=way, turn=turn: way(slice(None) if turn else slice(64)))
            if turn:  # the first compiles
                times[name].append(took)
            assert scores.graph_accuracy == 1.0
    medians = {name: statistics.median(found) for name, found in times.items()}
    return {"graphs": sizes.graphs, "nodes": 96, **medians, "ratio": medians["lookup"] / medians["network"]}


def plain(sizes: Sizes) -> Figures:
    """What works after `pip install` alone: the same lookups in plain Python, without Numba."""
    if can_compile():
        raise RuntimeError("this part runs with NUMBA_DISABLE_JIT=1")
    run, graph = load("dfs"), directed(*sizes.speed, 0)
    compile_first(run)
    took, rows = seconds(lambda: by_lookup(run, graph))
    graph = directed(sizes.plain, 5 * sizes.plain, 2)
    longer, execution = seconds(lambda: run.run(graph, keep_rows=False))
    return {"rate": rows / took, "seconds": took, "large": {**facts(execution, "dfs"), "seconds": longer}}


PARTS: Mapping[str, Callable[[Sizes], Figures]] = {
    "speed": speed,
    "evaluating": evaluating,
    "growth": growth,
    "large": large,
    "plain": plain,
    "others": others,
    "million": million,
}


def run_part(name: str, *, small: bool) -> Figures:
    """Runs a part in a process of its own and returns what it found."""
    load_average = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    environment = os.environ | ({"NUMBA_DISABLE_JIT": "1"} if name == "plain" else {})
    command = [sys.executable, __file__, "--inside", name, *(["--small"] if small else [])]
    start = time.monotonic()
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment)
    return {**json.loads(done.stdout.splitlines()[-1]), "load": load_average, "clock": time.monotonic() - start}


def run_inside(name: str, *, small: bool) -> None:
    """Runs a part in this process, on one core, and prints what it found."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1])
    keep_compiled_programs()
    print(json.dumps(PARTS[name](SMALL if small else Sizes())))


def number(value: float) -> str:
    """A number with its thousands apart."""
    return f"{value:,.0f}".replace(",", " ")


def time_of(took: float) -> str:
    """Seconds, as precisely as they matter."""
    return f"{took:.2g} s" if took < 1 else f"{took:.1f} s"


def outcome(found: Figures) -> str:
    """Says whether an execution is right."""
    words = ["every node right" if found["exact"] else "**not right**"]
    words.append("halted by itself" if found["halted"] else "**did not halt**")
    words.append("certified" if found["certified"] else "not certified")
    return ", ".join(words)


def table(results: Mapping[str, Any]) -> str:
    """Returns the table of all figures in Markdown."""
    lines: list[tuple[str, str]] = []
    if found := results.get("speed"):
        where = f"{number(found['nodes'])} nodes, {number(found['edges'])} edges"
        lines.append((f"{where}: by the network, row by row", f"{number(found['network'])} rows a second"))
        lines.append(
            ("the same by lookup", f"{number(found['lookup'])} rows a second, **{found['times']:.0f} times as many**")
        )
    if found := results.get("plain"):
        lines.append(("the same by lookup without Numba", f"{number(found['rate'])} rows a second"))
    if found := results.get("growth"):
        for n, rate in zip(found["nodes"], found["rates"], strict=True):
            lines.append((f"mean degree 5: {number(n)} nodes", f"{number(rate)} rows a second"))
        lines.append(("time of a row, as a power of the nodes", f"{found['exponent']:.2f}"))
    for part in ("large", "million"):
        if found := results.get(part):
            where = f"{number(found['nodes'])} nodes, {number(found['edges'])} edges, {number(found['rows'])} rows"
            lines.append((where, f"{time_of(found['seconds'])}, {found['memory']:.2g} GB, {outcome(found)}"))
            lines.append(("networkx's own search on that graph", time_of(found["networkx"])))
            if "reading" in found:
                lines.append(("reading that graph from an edge list", f"{time_of(found['reading'])} for a million lines"))
    if found := results.get("plain"):
        one = found["large"]
        where = f"without Numba: {number(one['nodes'])} nodes, {number(one['edges'])} edges"
        lines.append((where, f"{time_of(one['seconds'])}, {outcome(one)}"))
    if found := results.get("evaluating"):
        where = f"evaluating {found['graphs']} graphs of {found['nodes']} nodes: by the network, by lookup"
        lines.append((where, f"{time_of(found['network'])}, {time_of(found['lookup'])}: {found['ratio']:.2f} of the time"))
        lines.append(("the same with a network that was never run before", time_of(found["new"])))
    if found := results.get("others"):
        for name in OTHERS:
            one = found[name]
            where = f"`{name}`: {number(one['nodes'])} nodes, {number(one['rows'])} rows"
            lines.append((where, f"{time_of(one['seconds'])}, {outcome(one)}"))
    loads = [results[part]["load"] for part in PARTS if "load" in results.get(part, {})]
    if loads:
        lines.append(("load of the machine when the parts began", f"{min(loads):.1f} to {max(loads):.1f}"))
    return "\n".join(["| | |", "| --- | --- |", *(f"| {left} | {right} |" for left, right in lines)]) + "\n"


def sentence(results: Mapping[str, Any]) -> str:
    """Returns the sentence of the README, about the largest graph."""
    found = results.get("million") or results["large"]
    where = f"{number(found['nodes'])} nodes and {number(found['edges'])} edges"
    took = f"{time_of(found['seconds'])} of one core ({outcome(found)}); networkx takes {time_of(found['networkx'])}"
    text = f"Depth-first search on {where} takes {took} (`make bench-execution`).\n"
    return re.sub(r"(?<=\d) (?=\d|s\b)", "\u00a0", text)  # a number is not cut off at the end of a line


def report(results: Mapping[str, Any]) -> None:
    """Fills the tables of the documents."""
    for page in PAGES:
        put_tables(page, {"execution/table": table(results), "execution/sentence": sentence(results)})


def main() -> None:
    """Runs the parts that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--small", action="store_true", help="small graphs, to see that it works; the documents stay")
    parser.add_argument("--out", type=Path, default=None, help="where the figures are kept")
    parser.add_argument("--only-report", action="store_true", help="fill the tables from what is kept, and measure nothing")
    parser.add_argument("--inside", choices=PARTS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.small and not options.out and not options.inside:
        parser.error("--small needs --out FILE, because its figures are not those of the documents")
    if options.inside:
        return run_inside(options.inside, small=options.small)
    out = options.out or RESULTS
    results = json.loads(out.read_text()) if out.exists() else {}
    for name in [] if options.only_report else options.parts:
        print(f"{name} …", flush=True)
        results["machine"] = f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores, one is used"
        results[name] = run_part(name, small=options.small)
        print(f"  {json.dumps(results[name])}", flush=True)
        out.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(out, (json.dumps(results, indent=1) + "\n").encode())
    print(table(results), end="")
    if out == RESULTS and not options.small:
        report(results)
    return None


if __name__ == "__main__":
    main()
