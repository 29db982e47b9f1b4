"""How many DFS executions a second are recorded and batched, beside dm-clrs's own sampler, in one run.

Both make batches of 32 graphs in one process with one thread. Ours is timed for each view alone and for all four together;
the two take turns, and the medians over the turns are compared, since the machine may be busy with something else. Whoever's
turn it is first makes a batch that does not count, since the caches still hold the other's work.
"""

import argparse
import statistics
import subprocess
import sys
import time

import numpy as np

from recursor.algorithms.dfs import DFS
from recursor.data.batches import pad_views, sample
from recursor.graphs.distributions import TRAIN

GRAPHS, TURNS, BATCHES = 32, 9, 10

PEER = """
import sys, time, clrs
n, graphs = int(sys.argv[1]), int(sys.argv[2])
sampler, _ = clrs.build_sampler("dfs", num_samples=-1, length=n, seed=1)
sampler.next(graphs)
print("ready", flush=True)
for _ in sys.stdin:
    sampler.next(graphs)
    start = time.perf_counter()
    sampler.next(graphs)
    print(time.perf_counter() - start, flush=True)
"""


def ours(n: int, views: list[str], rng: np.random.Generator) -> float:
    """Seconds for one batch: draw the graphs, record them, pad the views; the mean of as many as fill the time that the
    peer takes for one."""
    specs = [DFS.spec(view) for view in views]
    pad_views(sample(DFS, TRAIN, n, GRAPHS, rng), specs)
    start = time.perf_counter()
    for _ in range(BATCHES):
        pad_views(sample(DFS, TRAIN, n, GRAPHS, rng), specs)
    return (time.perf_counter() - start) / BATCHES


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clrs-python", required=True, help="the Python of an environment that has dm-clrs")
    arguments = parser.parse_args()
    rng = np.random.default_rng(0)
    choices = {view: [view] for view in DFS.views} | {"all four": list(DFS.views)}
    print(f"{'n':>3}  {'what':<14}{'graphs/s':>10}{'ratio':>8}")
    for n in (16, 32):
        command = [arguments.clrs_python, "-c", PEER, str(n), str(GRAPHS)]
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as peer:
            assert peer.stdin is not None
            assert peer.stdout is not None
            if peer.stdout.readline() != "ready\n":
                sys.exit(f"dm-clrs did not start: {' '.join(command[:1])}")
            times: dict[str, list[float]] = {name: [] for name in ("dm-clrs", *choices)}
            for _ in range(TURNS):
                peer.stdin.write("\n")
                peer.stdin.flush()
                times["dm-clrs"].append(float(peer.stdout.readline()))
                for name, views in choices.items():
                    times[name].append(ours(n, views, rng))
            peer.stdin.close()
        medians = {name: statistics.median(taken) for name, taken in times.items()}
        for name, median in medians.items():
            print(f"{n:>3}  {name:<14}{GRAPHS / median:>10.0f}{medians['dm-clrs'] / median:>7.1f}x")


if __name__ == "__main__":
    main()
