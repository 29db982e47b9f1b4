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

import numpy as np
import tyro

import recursor
from recursor.algorithms import find
from recursor.recording.rows import Recording, Rows
from recursor.situations.rows import look_at_rows, with_own_ops
from recursor.situations.tables import Tables
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
    """Returns how a network uses the stack on recorded executions, all of whose rows it predicts."""
    tables = Tables(run.reasoner)
    graphs = [recording.graph for recording in recordings]
    rows = Rows(recordings)
    ops = [recording.ops for recording in recordings]
    if run.reasoner.spec.finds_ops:
        rows = with_own_ops(tables, rows, graphs)
        ops = [found[: len(recording)] for found, recording in zip(rows.ops, recordings, strict=True)]
    reads = [np.zeros(len(recording) - 1, bool) for recording in recordings]
    empty = [np.full_like(each, NOOP) for each in ops]
    for own, without in zip(*(look_at_rows(tables, rows, graphs, each) for each in (ops, empty)), strict=True):
        differ = np.zeros(len(own.row), bool)
        for name, values in own.decoded.values.items():
            other = values != without.decoded.values[name]
            differ |= (other & own.mask).any(1) if other.ndim == 2 else other
        for recording, row in zip(own.recording[differ].tolist(), own.row[differ].tolist(), strict=True):
            reads[recording][row] = True
    ops = [without_empty_pops(each) for each in ops]
    return Stack(ops, [without_idle(*each) for each in zip(ops, reads, strict=True)], reads)


def main(
    algorithm: Annotated[str, tyro.conf.Positional],
    runs: Annotated[tuple[str, ...], tyro.conf.Positional],
    /,
    told: str = "",
    nodes: int = 33,
    graphs: int = 16,
    out: Path = Path("results/latent"),
) -> None:
    """Compares networks that found their stack operations with the told one.

    Args:
        algorithm: The algorithm.
        runs: Run directories of networks without ops.
        told: The run of the told network. Default: the shipped one.
        nodes: Nodes of each graph.
        graphs: How many graphs of the test distribution.
        out: The directory for found-ALGORITHM.json and found-ALGORITHM.html.
    """
    declared, rng = find(algorithm), np.random.default_rng(0)
    recordings = [declared.record(declared.test(rng, nodes)) for _ in range(graphs)]
    teacher = recursor.load(told or algorithm)
    by_teacher = use_of_stack(teacher, recordings)
    found = {"told": by_teacher.figures()}
    for name in runs:
        own = use_of_stack(recursor.load(name), recordings)
        rows = sum(len(ops) - 1 for ops in own.ops)
        equal = {
            "ops_equal": sum((a == b)[1:].sum() for a, b in zip(own.ops, by_teacher.ops, strict=True)) / rows,
            "needed_ops_equal": sum((a == b)[1:].sum() for a, b in zip(own.needed, by_teacher.needed, strict=True)) / rows,
        }
        found[Path(name).name] = own.figures() | equal
    plain = {name: {key: round(float(value), 4) for key, value in figures.items()} for name, figures in found.items()}
    out.mkdir(parents=True, exist_ok=True)
    write_atomically(out / f"found-{algorithm}.json", json.dumps(plain, indent=2).encode() + b"\n")
    print(json.dumps(plain, indent=2))
    graph = declared.example_graph()
    first = recursor.load(runs[0])
    pages = [trace(run.run(graph), run.reasoner.spec, label) for run, label in ((teacher, "told"), (first, "found"))]
    write_page(out / f"found-{algorithm}.html", pages, f"{declared.title}: stack operations, told and found")


if __name__ == "__main__":
    tyro.cli(main)
