from functools import cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recursor.data.batch import Inputs
from recursor.network.decoders import DECODERS
from recursor.network.encode import Values
from recursor.network.reasoner import Reasoner, Rollout
from recursor.spec import Field
from tests.network.every_field import FIELDS, PREDICTED, execution, padded, reasoner_of, reordered, shape
from tests.network.networks import of_nodes, quickly_compiled, relabelled, row

REAL, NODES, ROWS = 4, 6, 3


class Decoded(NamedTuple):
    """Some fields, and the kind of decoding for them as hints."""

    fields: tuple[Field, ...]
    decoding: str

    @property
    def reasoner(self) -> Reasoner:
        return reasoner_of(FIELDS, self.decoding)


DECODED = {name: Decoded(PREDICTED, name) for name in DECODERS}
SINGLE = [(name, field) for name, decoded in DECODED.items() for field in decoded.fields]
every_field = pytest.mark.parametrize(("name", "field"), SINGLE, ids=[f"{name}: {field.name}" for name, field in SINGLE])
all_fields = pytest.mark.parametrize("decoded", DECODED.values(), ids=DECODED)


@quickly_compiled
def execute(reasoner: Reasoner, execution: Any) -> Rollout:
    """All rows from the first, on the network's own predictions."""
    return reasoner.rollout(execution.inputs, execution.hints, jnp.ones(ROWS, jnp.int32), jnp.zeros(ROWS, bool))


@cache
def among_padding(decoded: Decoded) -> Rollout:
    spec = decoded.reasoner.spec
    return execute(decoded.reasoner, padded(spec, execution(spec, REAL), NODES))


def both(field: Field, rollout: Rollout) -> list[Any]:
    """The logits of a field as a hint, in all rows, and as an output."""
    return [rollout.hints[f"hint {field.name}"], rollout.outputs[f"output {field.name}"]]


@every_field
def test_logits_have_the_shape_of_the_values(name: str, field: Field) -> None:
    hint, output = both(field, among_padding(DECODED[name]))
    assert hint.shape == (ROWS - 1, *shape(field, NODES))
    assert output.shape == shape(field, NODES)
    assert hint.dtype == output.dtype == jnp.float32


@all_fields
def test_nothing_points_at_padding(decoded: Decoded) -> None:
    for field in decoded.fields:
        for logits in both(field, among_padding(decoded)) if field.kind == "pointer" else ():
            probabilities = np.asarray(jax.nn.softmax(logits))
            assert (probabilities[..., REAL:] < 1e-30).all()
            np.testing.assert_allclose(probabilities[..., :REAL].sum(-1), 1, rtol=1e-5)


@all_fields
@given(order=st.permutations(range(REAL)))
@settings(max_examples=5)
def test_relabelling_the_nodes_relabels_every_field(decoded: Decoded, order: list[int]) -> None:
    spec = decoded.reasoner.spec
    original = execution(spec, REAL)
    before, after = execute(decoded.reasoner, original), execute(decoded.reasoner, reordered(spec, original, order))
    for field in decoded.fields:
        for expected, found in zip(both(field, before), both(field, after), strict=True):
            expected = relabelled(field, expected, np.array(order))
            np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4, err_msg=field.name)


@all_fields
def test_padding_changes_no_logit_of_a_real_node(decoded: Decoded) -> None:
    alone = execute(decoded.reasoner, execution(decoded.reasoner.spec, REAL))
    for field in decoded.fields:
        for expected, found in zip(both(field, alone), both(field, among_padding(decoded)), strict=True):
            found = of_nodes(field, found, REAL)
            np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4, err_msg=field.name)


# Staged


@quickly_compiled
def next_logits(reasoner: Reasoner, inputs: Inputs, values: Values, given: Values) -> Values:
    """The logits of the next row, each field of it being given what is said here of those before it."""
    prepared, carry = reasoner.prepare(inputs), reasoner.start(REAL, ROWS)
    return reasoner.step(prepared, values, carry, lambda field, _: given[field.name])[0]


def stage(field: Field) -> int:
    """A graph's pointers are decoded first, then its other fields, then those of nodes."""
    return (0 if field.kind == "pointer" else 1) if field.place == "graph" else 2


@pytest.mark.parametrize("given", PREDICTED, ids=lambda field: field.name)
def test_a_field_is_given_those_of_the_stages_before_it_and_no_others(given: Field) -> None:
    reasoner, name = reasoner_of(FIELDS, "staged"), f"hint {given.name}"
    original = execution(reasoner.spec, REAL)
    values, then = (row(reasoner.spec, original.hints, index, REAL) for index in (0, 1))
    other = then | {name: 1 - then[name]}
    before, after = (next_logits(reasoner, original.inputs, values, which) for which in (then, other))
    for field in PREDICTED:
        changed = not np.array_equal(before[f"hint {field.name}"], after[f"hint {field.name}"])
        assert changed == (stage(given) < stage(field)), field.name
