"""How long it takes from a fresh process to exactness, in training updates of dm-clrs, in one run on this machine.

Ours: a new Python process with an empty compilation cache trains depth-first search from scratch and runs 256 graphs of 96
nodes by itself. dm-clrs: one update of its DFS baseline (MPNN, 16 nodes, 32 graphs). The two take turns, since the machine
may be busy with something else; the bar is ten updates. A last process finds the compiled programs in the cache.

Then one sparse graph of 800 nodes and one of 1600, with the shipped weights: milliseconds a row, compilation apart, and the
process's peak memory.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from training import GRAPHS, PEER, Worker

NODES, TESTED = 96, 256


def work(seed: int) -> None:
    """Trains and evaluates; prints the share of graphs that are right."""
    from recursor.configurations.named import configuration
    from recursor.training.loop import train

    with tempfile.TemporaryDirectory() as directory:
        run = train(configuration("exact/dfs", seed=seed), Path(directory) / "run", progress=False)
        (scores,) = run.evaluate([NODES], TESTED)
        print(scores.graph_accuracy)


def work_large() -> None:
    """Runs two large sparse graphs; prints how long a row takes and the peak memory."""
    import numpy as np

    from recursor.execution.executor import PIECE
    from recursor.graphs.distributions import sparse
    from recursor.training.loading import load

    run, rng = load("dfs"), np.random.default_rng(0)
    for nodes in (800, 1600):
        graph = sparse(rng, nodes, 15)
        times: list[float] = []
        run.run(graph, keep_rows=False, progress=lambda rows, times=times: times.append(time.perf_counter()))
        rows = sorted(np.diff(times)[:-1] / PIECE * 1000)  # the last piece may be shorter
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        print(
            f"{nodes:>5} nodes{len(graph.senders):>8} edges{rows[len(rows) // 2]:>8.2f} ms a row{peak / 1e9:>7.2f} GB",
            flush=True,
        )


def ours(seed: int, cache: str) -> tuple[float, float]:
    """Seconds of a whole process, and the share of graphs that are right."""
    began = time.perf_counter()
    command = [sys.executable, __file__, "--seed", str(seed)]
    done = subprocess.run(command, env={**os.environ, "XDG_CACHE_HOME": cache}, capture_output=True, text=True, check=True)
    return time.perf_counter() - began, float(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clrs-python", help="the Python of an environment that has dm-clrs")
    parser.add_argument("--seed", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--large", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.seed is not None:
        return work(arguments.seed)
    if arguments.large:
        return work_large()
    peer = Worker([arguments.clrs_python, "-c", PEER, "16", str(GRAPHS)])
    print(f"{'':<24}{'seconds':>9}{'updates of dm-clrs':>20}{'graphs right':>14}")
    for seed in (1, 2, 3):
        for _ in range(3):
            peer.turn()
        with tempfile.TemporaryDirectory() as cache:
            seconds, right = ours(seed, cache)
            around = sorted(peer.times[-3:])[1]
            print(f"{f'seed {seed}':<24}{seconds:>9.1f}{seconds / around:>20.1f}{right:>14.2%}", flush=True)
            if seed == 3:
                seconds, right = ours(seed, cache)
                print(f"{'seed 3, compiled before':<24}{seconds:>9.1f}{seconds / around:>20.1f}{right:>14.2%}", flush=True)
    print(f"{'one update of dm-clrs':<24}{peer.median:>9.1f}")
    peer.close()
    print(flush=True)
    subprocess.run([sys.executable, __file__, "--large"], check=True)
    return None


if __name__ == "__main__":
    main()
