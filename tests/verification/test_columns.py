"""Columns that stand side by side are united as they are apart."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from recursor.verification.columns import MOST_BITS, side_by_side, width
from recursor.verification.packing import TooManyError

words = hnp.arrays(np.int64, st.tuples(st.integers(1, 4), st.integers(1, 6)), elements=st.integers(0, 2**15 - 1))


@given(words)
def test_columns_come_apart_as_they_were(columns: np.ndarray) -> None:
    packed = side_by_side(list(columns))
    assert np.array_equal(packed.apart(packed.packed), columns)
    assert packed.packed.max() < 2 ** width(list(columns))


@given(words)
def test_the_union_of_packed_rows_is_that_of_each_column(columns: np.ndarray) -> None:
    packed = side_by_side(list(columns))
    union = packed.apart(np.bitwise_or.reduce(packed.packed, keepdims=True))
    assert np.array_equal(np.concatenate(union), np.bitwise_or.reduce(columns, axis=1))


def test_too_many_bits_are_refused() -> None:
    with pytest.raises(TooManyError, match="nodes say 63 bits"):
        side_by_side([np.array([2**MOST_BITS - 1]), np.array([1])])
