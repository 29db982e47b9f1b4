r"""The chart: the best, or a random, well-nested sequence of stack operations, given a score for each of them.

The op of row t + 1 is push, pop or noop. With the frame that row m pushed on top in row t (m = 0: none), it has the score
$s_{t,m,\mathrm{op}}$. A push in row p puts the frame of row p on top, and the pop that belongs to it brings the frame below
back. Let $A_{m,l}$ be the total of all ways from row m, which pushed, to row l with its frame on top again:

$$ A_{m,m} = 1, \qquad A_{m,l} = A_{m,l-1} \otimes s_{l-1,m,\mathrm{noop}} \;\oplus\;
   \bigoplus_{m<p<l} \underbrace{A_{m,p-1} \otimes s_{p-1,m,\mathrm{push}}}_{\text{up to the push in row } p} \otimes
   \underbrace{A_{p,l-1} \otimes s_{l-1,p,\mathrm{pop}}}_{\text{the call, and its pop in row } l} $$

The total of all sequences that end with an empty stack in the last row L is $A_{0,L}$: T² entries of T terms each. With
$\oplus = \max$ and $\otimes = +$ it is the score of the best sequence (Viterbi). With $\oplus$ the logarithm of a sum of
exponentials it is that of all sequences (the inside algorithm), from which sequences are drawn with probability
$\propto \exp(\text{score} / \text{temperature})$.
"""

from typing import NamedTuple

import numpy as np

from recursor.spec import NOOP, POP, PUSH

IMPOSSIBLE = -1e30


class Operations(NamedTuple):
    """Well-nested sequences of stack operations, padded with noops."""

    ops: np.ndarray  # [batch, rows] int32: the op of each row; that of row 0 is noop
    tops: np.ndarray  # [batch, rows] int32: the row that pushed the frame on top in each row; 0: the stack is empty


class Chart:
    """The totals $A_{m,l}$ of a batch."""

    def __init__(self, scores: np.ndarray, lengths: np.ndarray, temperature: float = 0.0) -> None:
        """Fills the chart.

        Args:
            scores: [batch, rows - 1, rows, 3]: of row t, the row m whose frame is on top in it (0: none), and the op of row
                t + 1, in the order of `OPS`. Those of m > t are not used.
            lengths: [batch]: the number of rows of each.
            temperature: 0: the best sequence counts; above, every sequence, the more alike the higher it is.
        """
        batch, steps, rows, _ = scores.shape
        self.temperature, self.lengths = temperature, lengths
        self.scores = scores = scores.astype(np.float64) / (temperature or 1.0)
        self.before = np.full((batch, rows, rows), IMPOSSIBLE)  # [m, p]: up to the push in row p, with m on top before it
        self.totals = np.full((batch, rows, rows), IMPOSSIBLE)  # [m, l]
        self.totals[:, 0, 0] = 0.0
        for row in range(1, rows):
            last = row - 1
            without = self.totals[:, :, last] + scores[:, last, :, NOOP]
            calls = self.before + self._calls(row)[:, None, :]
            self.totals[:, :, row] = self._unite(np.concatenate([without[..., None], calls], -1))
            self.before[:, :, row] = self.totals[:, :, last] + scores[:, last, :, PUSH]
            self.totals[:, row, row] = 0.0
        assert steps == rows - 1

    @property
    def total(self) -> np.ndarray:
        """The score of the best sequence; above temperature 0, the logarithm of the sum over all of
        exp(score / temperature). [batch]"""
        return self.totals[np.arange(len(self.lengths)), 0, self.lengths - 1]

    def draw(self, rng: np.random.Generator) -> Operations:
        """Returns the best sequence of each; above temperature 0, a random one."""
        batch, rows, _ = self.totals.shape
        ops, tops = np.full((batch, rows), NOOP, np.int32), np.zeros((batch, rows), np.int32)
        for place, length in enumerate(self.lengths.tolist()):
            spans = [(0, length - 1)]
            while spans:
                m, row = spans.pop()
                while True:
                    tops[place, row] = m
                    if row == m:
                        break
                    push = self._choose(place, m, row, rng)
                    if push:
                        ops[place, push], ops[place, row] = PUSH, POP
                        spans.append((push, row - 1))
                    row = (push or row) - 1
        return Operations(ops, tops)

    def _calls(self, row: int) -> np.ndarray:
        """[batch, p]: the calls that row p pushes and this row pops."""
        return self.totals[:, :, row - 1] + self.scores[:, row - 1, :, POP]

    def _choose(self, place: int, m: int, row: int, rng: np.random.Generator) -> int:
        """The row that pushed the call that this row pops, at the level of m; 0: this row's op is noop."""
        without = self.totals[place, m, row - 1] + self.scores[place, row - 1, m, NOOP]
        calls = self.before[place, m] + self.totals[place, :, row - 1] + self.scores[place, row - 1, :, POP]
        options = np.concatenate([[without], calls[m + 1 : row]])
        if self.temperature:
            weights = np.exp(options - options.max())
            choice = int(rng.choice(len(options), p=weights / weights.sum()))
        else:
            choice = int(options.argmax())
        return m + choice if choice else 0

    def _unite(self, options: np.ndarray) -> np.ndarray:
        most = options.max(-1)
        if not self.temperature:
            return np.maximum(most, IMPOSSIBLE)
        total = most + np.log(np.exp(options - most[..., None]).sum(-1))
        return np.where(most <= IMPOSSIBLE / 2, IMPOSSIBLE, total)
