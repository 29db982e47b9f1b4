"""How long a training update takes, beside dm-clrs's own MPNN baseline, in one run on this machine.

The same work for both: DFS with the per-node hints of CLRS-30, 16 nodes, 32 graphs, width 128, teacher forcing 0.5, Adam
with clipping. dm-clrs and our experiments 1 and 10 take turns, since the machine may be busy with something else, and their
medians are compared. Ours run with the kernels that need a compiler and without them, by XLA alone. Then come our
experiments 1, 2 and 10 at 32 nodes. Each runs in a process of its own, so that its peak memory is its own.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

GRAPHS = 32
EXPERIMENTS = {1: "01-per-node-hints", 2: "02-graph-stack", 10: "10-node-stack"}
PAUSE = 1.5
"""Seconds before each turn: dm-clrs works on for a quarter of a second after it has told its time, which is not to fall on
the next."""

PEER_NAME = "dm-clrs MPNN"
PEER = """
import sys, time, clrs, jax
n, graphs = int(sys.argv[1]), int(sys.argv[2])
sampler, spec = clrs.build_sampler("dfs", num_samples=-1, length=n, seed=1)
processor = clrs.get_processor_factory("mpnn", use_ln=True, nb_triplet_fts=0)
model = clrs.models.BaselineModel(
    spec=[spec], dummy_trajectory=[sampler.next(graphs)], processor_factory=processor, hidden_dim=128, encode_hints=True,
    decode_hints=True, encoder_init="xavier_on_scalars", use_lstm=False, learning_rate=1e-3, grad_clip_max_norm=1.0,
    checkpoint_path="", freeze_processor=False, dropout_prob=0.0, hint_teacher_forcing=0.5, hint_repred_mode="soft",
    nb_msg_passing_steps=1)
feedback = sampler.next(graphs)
model.init(feedback.features, 1)
key = jax.random.PRNGKey(0)
start = time.perf_counter()
float(model.feedback(key, feedback))
print(time.perf_counter() - start, flush=True)
for _ in sys.stdin:
    feedback = sampler.next(graphs)
    start = time.perf_counter()
    float(model.feedback(key, feedback))
    print(time.perf_counter() - start, flush=True)
"""


def work(experiment: str, nodes: int) -> None:
    """Trains one of our experiments: prints the seconds of its first update, then of one more for every line it reads, then
    its peak memory in bytes."""
    import jax

    from recursor.configurations.named import configuration
    from recursor.network.reasoner import Reasoner
    from recursor.training.rollout import batches, make_update
    from recursor.training.update import device_mesh, optimiser, start, use_cores

    config = replace(configuration(f"paper/{experiment}"), sizes=(nodes,), batch=GRAPHS)
    use_cores(config)  # as `recursor train` does
    transformation = optimiser(config)
    update = make_update(config, transformation, device_mesh(GRAPHS))
    state = start(Reasoner(config.spec, config.network, key=jax.random.key(0)), transformation)
    for turn, batch in enumerate(batches(config)):
        if turn and not sys.stdin.readline():
            break
        began = time.perf_counter()
        state, losses = update(state, batch, jax.random.key(turn))
        float(losses["loss"])
        print(time.perf_counter() - began, flush=True)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024, flush=True)


class Worker:
    """A process that does one update whenever it is told to."""

    def __init__(self, command: list[str], **environment: str) -> None:
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | environment,
            text=True,
        )
        self.first = self._number()  # compiles
        self.times: list[float] = []

    def _number(self) -> float:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"this did not run: {' '.join(map(str, self.process.args[:1]))} …")  # pyright: ignore
        return float(line)

    def turn(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        self.times.append(self._number())

    @property
    def median(self) -> float:
        return statistics.median(self.times)

    def close(self) -> float | None:
        """Peak memory in bytes, if the process tells."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        rest = self.process.stdout.read().split()
        self.process.wait()
        return float(rest[0]) if rest else None


def ours(number: int, nodes: int) -> dict[str, Worker]:
    """One of our experiments, with the kernels and by XLA alone."""
    command = [sys.executable, str(Path(__file__)), "--experiment", EXPERIMENTS[number], "--nodes", str(nodes)]
    return {
        f"experiment {number}": Worker(command, RECURSOR_KERNELS="1"),
        f"experiment {number}, XLA": Worker(command, RECURSOR_KERNELS="0"),
    }


def compare(workers: dict[str, Worker], nodes: int, turns: int) -> None:
    """Lets them take turns, and prints a line of each, with what it takes of the time of dm-clrs if that is among them."""
    for _ in range(turns):
        for worker in workers.values():
            time.sleep(PAUSE)
            worker.turn()
    peer = workers.get(PEER_NAME)
    for name, worker in workers.items():
        ratio = f"{worker.median / peer.median:.3f}{peer.median / worker.median:>7.1f}x" if peer else ""
        peak = worker.close()
        memory = f"{peak / 1e9:.2f}" if peak else ""
        print(f"{name:<20}{nodes:>6}{worker.median:>9.2f}{ratio:>20}{worker.first:>14.1f}{memory:>9}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clrs-python", help="the Python of an environment that has dm-clrs")
    parser.add_argument("--experiment", help=argparse.SUPPRESS)
    parser.add_argument("--nodes", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.experiment:
        work(arguments.experiment, arguments.nodes)
        return
    print(f"{'':<20}{'nodes':>6}{'seconds':>9}{'of dm-clrs':>12}{'faster':>8}{'first update':>14}{'peak GB':>9}")
    peer = Worker([arguments.clrs_python, "-c", PEER, "16", str(GRAPHS)])
    compare({PEER_NAME: peer, **ours(1, 16), **ours(10, 16)}, 16, turns=9)
    for number in EXPERIMENTS:
        compare(ours(number, 32), 32, turns=3)


if __name__ == "__main__":
    main()
