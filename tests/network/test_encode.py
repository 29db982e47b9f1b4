import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from recursor.network.encode import Encoder, Values, channel_place, channels
from recursor.spec import Field
from tests.network.every_field import FIELDS, PREDICTED, execution, reasoner_of, shape, spec_of
from tests.network.networks import drawn, logits_after, node_axes, prepare, quickly_compiled, row

NODES, WIDTH = 4, 8
SPEC = spec_of(FIELDS)
PLACES = {"node": (NODES,), "edge": (NODES, NODES), "graph": ()}
ENCODERS = {place: drawn(Encoder, place, SPEC, WIDTH) for place in PLACES}


@quickly_compiled
def encode(values: Values) -> dict[str, jax.Array]:
    """The features of every place."""
    return {
        place: encoder(encoder.input_channels(values, PLACES[place]), values).dense() for place, encoder in ENCODERS.items()
    }


def draw(seed: int) -> dict[str, np.ndarray]:
    """Any values, not only those that mean something."""
    rng = np.random.default_rng(seed)
    return {field.name: rng.normal(size=shape(field, NODES)).astype(np.float32) for field in (*SPEC.inputs, *SPEC.hints)}


def test_features_have_one_width_in_every_place() -> None:
    features = encode(draw(0))
    assert {place: array.shape for place, array in features.items()} == {
        place: (*nodes, WIDTH) for place, nodes in PLACES.items()
    }


def test_encoders_are_linear() -> None:
    x, y = draw(0), draw(1)
    zero = encode({name: 0 * values for name, values in x.items()})
    of_x, of_y, of_both = encode(x), encode(y), encode({name: 2 * x[name] - 3 * y[name] for name in x})
    for place, found in of_both.items():
        expected = 2 * (of_x[place] - zero[place]) - 3 * (of_y[place] - zero[place])
        np.testing.assert_allclose(found - zero[place], expected, rtol=1e-4, atol=1e-4)
        assert np.abs(expected).max() > 0.1


@pytest.mark.parametrize("field", (*SPEC.inputs, *SPEC.hints), ids=lambda field: field.name)
def test_a_field_is_encoded_in_its_place_and_a_pointer_where_it_points_from_and_to(field: Field) -> None:
    values = draw(0)
    before, after = encode(values), encode(values | {field.name: draw(1)[field.name]})
    changed = {place for place in PLACES if np.abs(before[place] - after[place]).max() > 1e-3}
    pointers = {"graph": "node", "node": "edge"}
    assert changed == {pointers[field.place] if field.kind == "pointer" else field.place}


def test_a_graph_pointer_marks_the_node_it_names_and_a_node_pointer_the_pair() -> None:
    nothing = {name: 0 * values for name, values in draw(0).items()}
    zero = encode(nothing)
    named = np.eye(NODES, dtype=np.float32)[2]
    at = encode(nothing | {"hint graph pointer": named})["node"] - zero["node"]
    assert np.abs(at).any(-1).tolist() == [False, False, True, False]
    pointer = np.eye(NODES, dtype=np.float32)[[2, 0, 1, 1]]
    pairs = encode(nothing | {"hint node pointer": pointer})["edge"] - zero["edge"]
    np.testing.assert_array_equal(np.abs(pairs).any(-1), pointer == 1)


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
@given(seed=st.integers(0, 2**32 - 1), mask=hnp.arrays(np.bool_, NODES).filter(np.any))
@settings(max_examples=10)
def test_padding_changes_no_channel_of_a_real_node(field: Field, seed: int, mask: np.ndarray) -> None:
    values = np.random.default_rng(seed).normal(size=shape(field, NODES)).astype(np.float32)
    among_padding = np.asarray(channels(field, jnp.asarray(values)))
    for axis in node_axes(field):
        values = values.compress(mask, axis)
    for axis in range(len(PLACES[channel_place(field)])):
        among_padding = among_padding.compress(mask, axis)
    np.testing.assert_allclose(among_padding, channels(field, jnp.asarray(values)), rtol=1e-5, atol=1e-6)


REASONER = reasoner_of(FIELDS)
EXECUTION = execution(SPEC, NODES)


@pytest.mark.parametrize(
    ("part", "field"),
    [*(("input", field) for field in FIELDS), *(("hint", field) for field in PREDICTED)],
    ids=lambda part: part if isinstance(part, str) else part.name,
)
def test_the_network_hears_every_field(part: str, field: Field) -> None:
    name = f"{part} {field.name}"
    values, fields = row(SPEC, EXECUTION.hints, 0, NODES), dict(EXECUTION.inputs.fields)
    carry = REASONER.start(NODES, 3)
    before = logits_after(REASONER, prepare(REASONER, EXECUTION.inputs), values, carry)
    if part == "hint":
        values[name] = 1 - values[name]
    else:
        count = {"category": 3, "pointer": NODES}.get(field.kind, 2)
        fields[name] = fields[name] + 1 if field.kind == "scalar" else (fields[name] + 1) % count
    after = logits_after(REASONER, prepare(REASONER, EXECUTION.inputs._replace(fields=fields)), values, carry)
    assert max(np.abs(before[name] - after[name]).max() for name in before) > 1e-3
