from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recursor.network.reasoner import Reasoner, Rollout
from recursor.spec import Field
from tests.network.every_field import FIELDS, execution, padded, reasoner_of, reordered, shape, spec_of
from tests.network.networks import of_nodes, quickly_compiled, relabelled

REAL, NODES, ROWS = 4, 6, 3
EDGE_POINTER = tuple(field for field in FIELDS if (field.place, field.kind) == ("edge", "pointer"))
OTHERS = tuple(field for field in FIELDS if field not in EDGE_POINTER)


@quickly_compiled
def execute(reasoner: Reasoner, execution: Any) -> Rollout:
    """All rows from the first, on the network's own predictions."""
    return reasoner.rollout(execution.inputs, execution.hints, jnp.ones(ROWS, jnp.int32), jnp.zeros(ROWS, bool))


@cache
def among_padding(fields: tuple[Field, ...]) -> Rollout:
    return execute(reasoner_of(fields), padded(spec_of(fields), execution(spec_of(fields), REAL), NODES))


def both(field: Field, rollout: Rollout) -> list[Any]:
    """The logits of a field as a hint, in all rows, and as an output."""
    return [rollout.hints[f"hint {field.name}"], rollout.outputs[f"output {field.name}"]]


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
def test_logits_have_the_shape_of_the_values(field: Field) -> None:
    hint, output = both(field, among_padding(OTHERS if field in OTHERS else EDGE_POINTER))
    assert hint.shape == (ROWS - 1, *shape(field, NODES))
    assert output.shape == shape(field, NODES)
    assert hint.dtype == output.dtype == jnp.float32


@pytest.mark.parametrize("field", [field for field in FIELDS if field.kind == "pointer"], ids=lambda field: field.name)
def test_nothing_points_at_padding(field: Field) -> None:
    for logits in both(field, among_padding(OTHERS if field in OTHERS else EDGE_POINTER)):
        probabilities = np.asarray(jax.nn.softmax(logits))
        assert (probabilities[..., REAL:] < 1e-30).all()
        np.testing.assert_allclose(probabilities[..., :REAL].sum(-1), 1, rtol=1e-5)


@pytest.mark.parametrize("fields", [OTHERS, EDGE_POINTER], ids=["all but edge pointers", "edge pointers"])
@given(st.permutations(range(REAL)))
@settings(max_examples=5)
def test_relabelling_the_nodes_relabels_every_field(fields: tuple[Field, ...], order: list[int]) -> None:
    spec, reasoner = spec_of(fields), reasoner_of(fields)
    original = execution(spec, REAL)
    before, after = execute(reasoner, original), execute(reasoner, reordered(spec, original, order))
    for field in fields:
        for expected, found in zip(both(field, before), both(field, after), strict=True):
            expected = relabelled(field, expected, np.array(order))
            np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4, err_msg=field.name)


PADDING_COUNTS = pytest.mark.xfail(strict=True, reason="an edge pointer's channels are means that padding is part of")


@pytest.mark.parametrize(
    "fields",
    [pytest.param(OTHERS, id="all but edge pointers"), pytest.param(EDGE_POINTER, id="edge pointers", marks=PADDING_COUNTS)],
)
def test_padding_changes_no_logit_of_a_real_node(fields: tuple[Field, ...]) -> None:
    alone = execute(reasoner_of(fields), execution(spec_of(fields), REAL))
    for field in fields:
        for expected, found in zip(both(field, alone), both(field, among_padding(fields)), strict=True):
            found = of_nodes(field, found, REAL)
            np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4, err_msg=field.name)
