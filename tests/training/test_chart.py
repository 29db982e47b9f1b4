"""The chart knows all well-nested sequences of operations: it agrees with a list of them."""

from itertools import product
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recursor.recording.stack import top_frame_rows
from recursor.spec import NOOP, POP, PUSH
from recursor.training.chart import Chart


class Sequence(NamedTuple):
    score: float
    ops: tuple[int, ...]
    tops: tuple[int, ...]


def every_sequence(scores: np.ndarray, rows: int) -> list[Sequence]:
    """All sequences of ops that leave the stack empty and never pop an empty one, tried one by one."""
    found = []
    for ops in product((POP, NOOP, PUSH), repeat=rows - 1):
        stack, score, tops = [0], 0.0, [0]
        for row, op in enumerate(ops):
            score += scores[row, stack[-1], op]
            stack = [*stack, row + 1] if op == PUSH else stack[:-1] if op == POP else stack
            if not stack:
                break
            tops.append(stack[-1])
        if stack == [0]:
            found.append(Sequence(score, (NOOP, *ops), tuple(tops)))
    return found


@given(st.integers(0, 2**32 - 1), st.lists(st.integers(1, 7), min_size=1, max_size=3), st.floats(0.1, 3))
def test_the_chart_agrees_with_a_list_of_all_sequences(seed: int, lengths: list[int], temperature: float) -> None:
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(len(lengths), 6, 7, 3))
    best, soft = Chart(scores, np.array(lengths)), Chart(scores, np.array(lengths), temperature)
    ops, tops = best.draw(rng)
    for place, length in enumerate(lengths):
        sequences = every_sequence(scores[place], length)
        most = max(sequences)
        assert best.total[place] == pytest.approx(most.score)
        assert (tuple(ops[place, :length]), tuple(tops[place, :length])) == most[1:]
        assert (ops[place, length:] == NOOP).all()
        total = np.logaddexp.reduce([sequence.score / temperature for sequence in sequences])
        assert soft.total[place] == pytest.approx(total)


def test_a_sequence_is_drawn_as_often_as_its_score_says() -> None:
    rng, copies, temperature = np.random.default_rng(1), 4000, 0.7
    scores = np.broadcast_to(rng.normal(size=(4, 5, 3)), (copies, 4, 5, 3))
    chart = Chart(scores, np.full(copies, 5), temperature)
    drawn = [tuple(ops) for ops in chart.draw(rng).ops.tolist()]
    for sequence in every_sequence(scores[0], 5):
        share = np.exp(sequence.score / temperature - chart.total[0])
        assert drawn.count(sequence.ops) / copies == pytest.approx(share, abs=4 * (share / copies) ** 0.5 + 1e-3)


@given(st.integers(0, 2**32 - 1), st.integers(1, 30), st.sampled_from([0.0, 0.5, 5.0]))
def test_what_is_drawn_is_well_nested_and_names_the_frames_on_top(seed: int, rows: int, temperature: float) -> None:
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(2, rows - 1, rows, 3))
    for ops, tops in zip(*Chart(scores, np.full(2, rows), temperature).draw(rng), strict=True):
        depth = np.cumsum(ops - NOOP)
        assert (depth >= 0).all()
        assert depth[-1] == 0
        assert tops.tolist() == [maker + 1 for maker in top_frame_rows(ops.tolist())]
