"""CLRS-30's scores in NumPy."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import recursor.clrs
from tests.clrs.golden import TASKS, clrs_samples


@pytest.mark.parametrize("task", TASKS)
def test_the_truth_scores_1_and_anything_else_less(task: str) -> None:
    samples = clrs_samples(task, 16)
    assert recursor.clrs.score(samples, samples.outputs)["score"] == 1
    assert recursor.clrs.right_graphs(samples, samples.outputs).all()
    swapped = {name: np.roll(values, 1, 0) for name, values in samples.outputs.items()}
    assert recursor.clrs.score(samples, swapped)["score"] < 1
    for name, values in samples.outputs.items():
        changed = values.copy()
        place = (3, *np.argwhere(values[3] != -1)[0])
        changed[place] = 1 - values[place]
        if samples.task.outputs[name].type == "mask_one":
            changed[3] = np.roll(values[3], 1)
        outputs = {**samples.outputs, name: changed}
        assert recursor.clrs.score(samples, outputs)["score"] < 1
        assert np.flatnonzero(~recursor.clrs.right_graphs(samples, outputs)).tolist() == [3]


@given(st.permutations(range(6)))
def test_a_permutation_is_one(order: list[int]) -> None:
    pred = np.empty(6, int)
    pred[order] = [order[0], *order[:-1]]
    pointers, first = recursor.clrs.permutation(pred)
    assert (pointers.sum(-1) == 1).all()
    assert (pointers.sum(-2) == 1).all()
    assert first.argmax() == order[0]
    assert pointers[order[0], order[-1]] == 1


def test_predictions_have_the_type_of_the_truth() -> None:
    class Point(SimpleNamespace):
        def __init__(self, **values: Any) -> None:
            super().__init__(**values)

    truth = [
        Point(name="pred", location="node", type_="permutation_pointer", data=None),
        Point(name="pred_mask", location="node", type_="mask_one", data=None),
    ]
    made = recursor.clrs.predictions(SimpleNamespace(outputs=truth), {"pred": np.array([[2, 1, 1]])})
    assert made["pred"].data.argmax(-1).tolist() == [[2, 0, 1]]
    assert made["pred_mask"].data.tolist() == [[0, 1, 0]]
    assert made["pred"].type_ == "permutation_pointer"


def test_a_missing_output_is_named() -> None:
    samples = clrs_samples("topological_sort", 4)
    with pytest.raises(ValueError, match="the values have no output 'topo_head'"):
        recursor.clrs.score(samples, {"topo": samples.outputs["topo"]})
