"""Verification: runs a network on every small input, on random inputs of many sizes and on inputs that are searched, and
reports what is wrong.

Every input is also run by the algorithm itself. A network passes if it predicts every row right on every input, and if the
outputs that are collected from the rows are the algorithm's own.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from recursor.algorithms import find
from recursor.execution.executor import check_runnable
from recursor.network.reasoner import Reasoner
from recursor.situations.certify import Verified, write_verified
from recursor.situations.kinds import Kinds
from recursor.situations.tables import Tables, why_not_finite
from recursor.verification.all_sizes import examine_all_sizes
from recursor.verification.examine import ByExecution, BySituation, Examiner, Wrong, outputs_right
from recursor.verification.plan import BEYOND, EVERY, Part, random_parts, small_parts
from recursor.verification.report import Counterexample, Growth, Report
from recursor.verification.search import search_parts
from recursor.verification.shrink import shrink

Progress = Callable[[str, int, int], None]
"""A function that is called with the part that was examined last, the number of inputs so far, and how many were wrong."""
SEARCH = 32_768
"""Inputs that are searched, if nothing else is asked for."""
MOST_WRONG = 4096
"""Wrong rows that a verifier keeps, at most; further ones are only counted."""


def examiner_of(reasoner: Reasoner) -> Examiner:
    """Returns the examiner for a reasoner: by situation if its situations are finitely many, otherwise by execution."""
    return ByExecution(reasoner) if why_not_finite(reasoner) else BySituation(Tables(reasoner))


class Verifier:
    """One verification: it examines inputs part by part, and keeps counts and wrong rows for the report and for training."""

    def __init__(self, reasoner: Reasoner) -> None:
        self.reasoner, self.algorithm = reasoner, find(reasoner.spec.algorithm)
        self.examiner = examiner_of(reasoner)
        self.by_situation = self.examiner if isinstance(self.examiner, BySituation) else None
        self.tables = self.by_situation.tables if self.by_situation else None
        self.wrong: list[Wrong] = []
        self.growth: list[Growth] = []
        self.inputs = self.small_inputs = self.searched = self.rows = self.uncollected = self.wrong_inputs = 0

    def examine(self, part: Part) -> None:
        """Records the algorithm on some inputs and examines the rows."""
        recordings = [self.algorithm.record(graph, fit=part.every) for graph in part.graphs]
        rows, wrong = self.examiner.examine(recordings)
        self.inputs += len(recordings)
        self.small_inputs += len(recordings) * part.every
        self.searched += len(recordings) * part.searched
        self.rows += rows
        self.wrong_inputs += len(wrong)
        self.wrong += wrong[: max(0, MOST_WRONG - len(self.wrong))]
        self.uncollected += int((~outputs_right(self.reasoner.spec, recordings)).sum())
        if not part.searched:
            self._grow(part, rows, len(wrong))

    def _grow(self, part: Part, rows: int, wrong: int) -> None:
        """Notes how many situations are known after the inputs of a size. Parts of one size are one line of the report."""
        situations = len(self.tables.levels[-1].index) if self.tables else 0
        inputs, last = len(part.graphs), self.growth[-1] if self.growth else None
        if last and (last.nodes, last.every) == (part.nodes, part.every):
            inputs, rows, wrong = last.inputs + inputs, last.rows + rows, last.wrong + wrong
            self.growth.pop()
        self.growth.append(Growth(part.nodes, part.every, inputs, rows, wrong, situations))

    @cached_property
    def smallest(self) -> Wrong | None:
        """The smallest counterexample: the smallest wrong input that was met, shrunk as far as it stays wrong."""
        smallest = min(self.wrong, key=_size, default=None)
        return shrink(smallest, self.algorithm, examiner_of(self.reasoner)) if smallest else None

    def report(self, small_size: int, largest: int, seconds: float) -> Report:
        """Returns the report on all inputs so far."""
        smallest, situations = self.smallest, self.by_situation
        passed = not self.wrong_inputs and not self.uncollected
        return Report(
            algorithm=self.algorithm.name,
            passed=passed,
            small_size=small_size,
            largest=largest,
            inputs=self.inputs,
            small_inputs=self.small_inputs,
            searched=self.searched,
            small_limits=self.algorithm.full_limits if small_size >= self.algorithm.full_size else "",
            rows=self.rows,
            wrong=self.wrong_inputs,
            uncollected=self.uncollected,
            seconds=round(seconds, 1),
            counterexample=_counterexample(smallest) if smallest else None,
            growth=self.growth,
            situations=self.tables.count if self.tables else {},
            margin=min(situations.margin, situations.bit_margin()) if situations else None,
            unsure=len(situations.unsure) if situations else 0,
            rare=len(situations.rare(1)) if situations else 0,
            separation=situations.targets.separation() if situations else None,
            contradictions=situations.targets.contradictions() if situations else {},
        )


def _size(wrong: Wrong) -> tuple[int, int, int]:
    """Returns the size of a counterexample: nodes, then edges, then the number of the wrong row."""
    graph = wrong.recording.graph
    return len(graph), len(graph.senders), wrong.row


def _counterexample(wrong: Wrong) -> Counterexample:
    graph = wrong.recording.graph
    edges = list(zip(graph.senders.tolist(), graph.receivers.tolist(), strict=True))
    values = {name: np.asarray(numbers).tolist() for name, numbers in graph.values.items()}
    return Counterexample(len(graph), edges, values, wrong.row, wrong.field)


def verify_reasoner(
    reasoner: Reasoner,
    *,
    small_size: int | None = None,
    sizes: tuple[int, ...] | None = None,
    draws: int = 4,
    search: int = SEARCH,
    seed: int = 0,
    all_sizes: bool = False,
    progress: Progress = lambda part, inputs, wrong: None,
) -> tuple[Report, Verifier]:
    """Verifies a network.

    Args:
        reasoner: The network; one that halts by itself.
        small_size: Every input up to this size is tried; by default the algorithm's own `full_size`.
        sizes: The sizes of random inputs; by default 1 to 64 and some beyond.
        draws: How many random inputs of each size are drawn from each of the algorithm's own distributions.
        search: How many inputs are searched that are like those with rare situations; only if there are situations.
        seed: The seed of the random inputs.
        all_sizes: Also list the situations that can occur at any size.
        progress: Is called after each part (`Progress`).

    Raises:
        ValueError: If the network cannot run by itself, or if `all_sizes` is true and its situations are not finitely
            many.

    Returns:
        The report, and the verifier with the tables of situations and the wrong rows.
    """
    if min(small_size or 0, draws, search) < 0 or min(sizes or (1,)) < 1:
        raise ValueError("small_size, draws and search must be at least 0, and sizes at least 1")
    check_runnable(reasoner)
    start = time.monotonic()
    if all_sizes and (why := why_not_finite(reasoner)):
        raise ValueError(f"this network of {reasoner.spec.algorithm} cannot be verified for all sizes: {why}")
    verifier = Verifier(reasoner)
    if all_sizes and verifier.by_situation:
        verifier.by_situation.kinds = Kinds(verifier.by_situation.tables)
    small = verifier.algorithm.full_size if small_size is None else small_size
    sizes = (*range(1, EVERY + 1), *BEYOND) if sizes is None else sizes
    plan = [small_parts(verifier.algorithm, small), random_parts(verifier.algorithm, sizes, draws, seed)]
    if verifier.by_situation:
        plan.append(search_parts(verifier.algorithm, verifier.by_situation, search, seed))
    for part in chain.from_iterable(plan):
        if part.graphs:
            verifier.examine(part)
        progress(part.name, verifier.inputs, verifier.wrong_inputs)
    findings = None
    if all_sizes:
        show_progress = lambda text: progress(text, verifier.inputs, verifier.wrong_inputs)  # noqa: E731
        findings = examine_all_sizes(verifier, show_progress, seed=seed)
    largest = max((size for size in sizes if size <= verifier.algorithm.largest), default=small)
    report = verifier.report(small, largest, time.monotonic() - start)
    return replace(report, all_sizes=findings), verifier


def keep_verified(directory: Path, verifier: Verifier) -> None:
    """Keeps the situations that a verification met beside the weights in a run directory.

    Raises:
        ValueError: If the network has no finite number of situations, or something was wrong.
    """
    if verifier.by_situation is None or verifier.tables is None or verifier.wrong_inputs:
        raise ValueError(f"the situations of {directory} cannot be saved: their number is not finite, or some are wrong")
    weights = (directory / "weights.safetensors").read_bytes()
    write_verified(directory, weights, Verified(verifier.tables))


def verify(
    run: Any,
    *,
    small_size: int | None = None,
    sizes: tuple[int, ...] | None = None,
    draws: int = 4,
    search: int = SEARCH,
    seed: int = 0,
    all_sizes: bool = False,
    progress: Progress = lambda part, inputs, wrong: None,
) -> Report:
    """Verifies a trained network: on every small input, and on random ones of every size.

    Args:
        run: A loaded run, as `recursor.load` returns it.
        small_size: Every input up to this size is tried; by default the algorithm's own `full_size`.
        sizes: The sizes of random inputs; by default 1 to 64, and 65, 97, 100, 127, 128, 129, 300 and 1000.
        draws: How many random inputs of each size are drawn from each of the algorithm's own distributions.
        search: How many inputs are searched that are like those with rare situations; only if there are situations.
        seed: The seed of the random inputs.
        all_sizes: Also list the situations that can occur at any size, and search for those that were not met.
        progress: Is called with the part that was examined, the number of inputs so far, and how many were wrong.

    Returns:
        The report; `report.passed` is the verdict, `report.counterexample` the smallest wrong input, if there is one.

    Raises:
        ValueError: If the network cannot run by itself.

    Example:
        >>> import recursor
        >>> recursor.verify(recursor.load("dfs"), small_size=2, sizes=(5, 9), search=64).passed
        True
    """
    return verify_reasoner(
        run.reasoner,
        small_size=small_size,
        sizes=sizes,
        draws=draws,
        search=search,
        seed=seed,
        all_sizes=all_sizes,
        progress=progress,
    )[0]
