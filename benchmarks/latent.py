"""What did the networks find that were never told their stack operations? Compares them with the told network.

    python benchmarks/latent.py dfs runs/latent-dfs-seed1 runs/latent-dfs-seed2 --out results/latent

Both run on the same graphs. A pop of the empty stack does nothing, so it counts as noop. A row *reads* the stack if the
network would predict another next row with the stack empty. A push whose frame no row reads, and its pop, make no difference
to that network; the *needed* ops are the others. The page shows the first run beside the told network, row by row.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import tyro
from jaxtyping import Array

import recursor
from recursor.algorithms import find
from recursor.data.batch import Batch, Inputs
from recursor.data.batches import pad
from recursor.network.encode import Values
from recursor.network.reasoner import Carry, Reasoner
from recursor.network.stacks.choice import ChoiceStack
from recursor.network.values import from_truth, prediction
from recursor.recording.rows import Recording
from recursor.spec import NOOP, POP, PUSH
from recursor.system.files import write_atomically
from recursor.trace.page import write_page
from recursor.trace.trace import trace
from recursor.training.run import Run


@dataclass(frozen=True)
class Stack:
    """How one network uses the stack on some executions."""

    ops: list[np.ndarray]
    """Of each execution the op of each row, noop where it pops the empty stack,"""
    needed: list[np.ndarray]
    """those that make a difference,"""
    reads: list[np.ndarray]
    """and whether the prediction of each row depends on the frame on top in the row before it."""

    def figures(self) -> dict[str, float]:
        """Returns shares of rows, and the mean over executions of the greatest depth."""
        rows = sum(len(ops) - 1 for ops in self.ops)
        return {
            "rows": rows,
            "pushes": sum((ops == PUSH).sum() for ops in self.ops) / rows,
            "pushes_that_are_read": sum((ops == PUSH).sum() for ops in self.needed) / rows,
            "rows_that_read": sum(reads.sum() for reads in self.reads) / rows,
            "depth": float(np.mean([np.cumsum(ops - NOOP).max() for ops in self.ops])),
        }


def without_empty_pops(ops: np.ndarray) -> np.ndarray:
    """Returns ops with noop where the empty stack is popped."""
    kept, depth = ops.copy(), 0
    for row, op in enumerate(ops.tolist()):
        if op == POP and not depth:
            kept[row] = NOOP
        else:
            depth += op - NOOP
    return kept


def without_idle(ops: np.ndarray, reads: np.ndarray) -> np.ndarray:
    """Returns ops without those that make no difference: unread frames, and pops of the empty stack."""
    kept = np.full(len(ops), NOOP)
    stack: list[tuple[int, bool]] = []  # the row that pushed, and whether a row has read the frame
    for row, op in enumerate(ops.tolist()):
        if row and stack and reads[row - 1]:
            stack[-1] = stack[-1][0], True
        if op == PUSH:
            stack.append((row, False))
        elif op == POP and stack:
            pushed, read = stack.pop()
            if read:
                kept[pushed], kept[row] = PUSH, POP
    for pushed, read in stack:
        if read:
            kept[pushed] = PUSH
    return kept


def use_of_stack(run: Run, recordings: list[Recording]) -> Stack:
    """Returns how a network uses the stack on recorded executions; all its rows are the recorded ones."""
    decided, all_reads = map(np.asarray, _follow(run.reasoner, pad(recordings, run.reasoner.spec, every_pair=True)))
    steps = [len(recording) - 1 for recording in recordings]
    ops = [np.append(NOOP, each[:count]) for each, count in zip(decided, steps, strict=True)]
    ops = [without_empty_pops(each) for each in ops]
    reads = [each[:count] for each, count in zip(all_reads, steps, strict=True)]
    return Stack(ops, [without_idle(*each) for each in zip(ops, reads, strict=True)], reads)


@eqx.filter_jit
def _follow(reasoner: Reasoner, batch: Batch) -> tuple[Array, Array]:
    """Follows the recorded rows with the stack that the network's ops make; those of a told network are recorded.

    Returns:
        The op of each row but the first, and whether the prediction of that row depends on the stack: [batch, rows - 1].
    """

    def of_graph(inputs: Inputs, hints: Values) -> tuple[Array, Array]:
        prepared = reasoner.prepare(inputs)
        nodes, rows = len(prepared.mask), len(hints["stack_op"])

        def row(index: Array) -> Values:
            return {field.name: from_truth(field, hints[field.name][index], nodes) for field in reasoner.spec.hints}

        def body(carry: Carry, index: Array) -> tuple[Carry, tuple[Array, Array]]:
            now, then = row(index), row(index + 1)
            choose = lambda field, _: then[field.name]  # noqa: E731 (every stage of the decoder sees the true row)
            logits, features = reasoner.step(prepared, now, carry, choose)
            without, _ = reasoner.step_with(reasoner.stack.empty(nodes), prepared, now, carry.hidden, choose)
            differ = []
            for field in reasoner.spec.predicted:
                other = prediction(field, logits[field.name]) != prediction(field, without[field.name])
                differ.append((other & prepared.mask).any() if field.place == "node" else other)
            op = jnp.argmax(logits["stack_op"]) if reasoner.spec.finds_ops else hints["stack_op"][index + 1]
            carry = reasoner.remember(carry, op, features, now, then, prepared.mask)
            return carry, (op, jnp.stack(differ).any())

        _, found = jax.lax.scan(body, reasoner.start(nodes, rows), jnp.arange(rows - 1))
        return found

    return jax.lax.map(lambda each: of_graph(*each), (batch.inputs, {k: jnp.asarray(v) for k, v in batch.hints.items()}))


def main(
    algorithm: Annotated[str, tyro.conf.Positional],
    runs: Annotated[tuple[str, ...], tyro.conf.Positional],
    /,
    told: str = "",
    nodes: int = 33,
    graphs: int = 16,
    out: Path = Path("results/latent"),
    name: str = "",
) -> None:
    """Compares networks that found their stack operations with the told one.

    Args:
        algorithm: The algorithm.
        runs: Run directories of networks without ops.
        told: The run of the told network. Default: the shipped one.
        nodes: Nodes of each graph.
        graphs: How many graphs of the test distribution.
        out: The directory for found-NAME.json and found-NAME.html. Figures of other runs that are there stay.
        name: The name of these files. Default: that of the algorithm.
    """
    declared, rng = find(algorithm), np.random.default_rng(0)
    recordings = [declared.record(declared.test(rng, nodes)) for _ in range(graphs)]
    teacher = recursor.load(told or algorithm)
    by_teacher = use_of_stack(teacher, recordings)
    found = {"told": by_teacher.figures()}
    for run in runs:
        own = use_of_stack(recursor.load(run), recordings)
        rows = sum(len(ops) - 1 for ops in own.ops)
        equal = {
            "ops_equal": sum((a == b)[1:].sum() for a, b in zip(own.ops, by_teacher.ops, strict=True)) / rows,
            "needed_ops_equal": sum((a == b)[1:].sum() for a, b in zip(own.needed, by_teacher.needed, strict=True)) / rows,
        }
        found[Path(run).name] = own.figures() | equal
    plain: dict[str, dict[str, object]] = {
        run: {key: round(float(value), 4) for key, value in figures.items()} for run, figures in found.items()
    }
    for run in runs:
        if isinstance(stack := recursor.load(run).reasoner.stack, ChoiceStack):
            plain[Path(run).name]["keeps"] = stack.kept
    out.mkdir(parents=True, exist_ok=True)
    figures, page = (out / f"found-{name or algorithm}.{ending}" for ending in ("json", "html"))
    before = json.loads(figures.read_text()) if figures.exists() else {}
    write_atomically(figures, json.dumps(before | plain, indent=2).encode() + b"\n")
    print(json.dumps(plain, indent=2))
    graph = declared.example_graph()
    first = recursor.load(runs[0])
    pages = [trace(run.run(graph), run.reasoner.spec, label) for run, label in ((teacher, "told"), (first, "found"))]
    write_page(page, pages, f"{declared.title}: stack operations, told and found")


if __name__ == "__main__":
    tyro.cli(main)
