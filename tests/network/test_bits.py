import jax
import jax.numpy as jnp
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from recursor.network.bits import as_bits
from recursor.network.reasoner import Prepared, Reasoner, RowFeatures
from tests.network.networks import NETWORKS, batch, one, prepare, quickly_compiled, reasoner, row

NODES, BITS = 5, 3
numbers = hnp.arrays(np.float32, (NODES, BITS), elements=st.floats(-20, 20, width=32))
masks = hnp.arrays(np.bool_, NODES)


@quickly_compiled
def bits_and_gradient(x: np.ndarray, mask: np.ndarray) -> tuple[jax.Array, jax.Array]:
    found, back = jax.vjp(lambda x: as_bits(x, mask), x)  # pyright: ignore[reportArgumentType]
    return found, back(jnp.ones_like(found))[0]


@given(numbers, masks)
def test_a_bit_is_one_where_its_number_is_positive_and_padding_says_nothing(x: np.ndarray, mask: np.ndarray) -> None:
    np.testing.assert_array_equal(bits_and_gradient(x, mask)[0], (x > 0) & mask[:, None])


@given(numbers, masks)
def test_the_gradient_of_a_bit_is_that_of_a_sigmoid(x: np.ndarray, mask: np.ndarray) -> None:
    sigmoid = 1 / (1 + np.exp(-x.astype(np.float64)))
    expected = np.where(mask[:, None], sigmoid * (1 - sigmoid), 0)
    np.testing.assert_allclose(bits_and_gradient(x, mask)[1], expected, rtol=1e-3, atol=1e-6)


@quickly_compiled
def features_after(reasoner: Reasoner, prepared: Prepared, values: dict) -> RowFeatures:
    return reasoner.step(prepared, values, reasoner.start(len(prepared.mask), 3))[1]


def bit_logits(name: str, place: int) -> np.ndarray:
    """The logits of the bits of one graph of the batch in its third row."""
    truth = one(batch(NETWORKS[name].spec), place)
    nodes = len(truth.inputs.node_mask)
    values = row(NETWORKS[name].spec, truth.hints, 2, nodes)
    return np.asarray(features_after(reasoner(name), prepare(reasoner(name), truth.inputs), values).bit_logits)


def test_a_step_tells_the_bits_of_all_rounds_and_stages() -> None:
    """Four messages a round, and of the stages those with something to decode for the graph."""
    config, stages = NETWORKS["order bits"].config, reasoner("order bits").hint_decoder.stages  # pyright: ignore[reportAttributeAccessIssue]
    pools = sum(stage.pool is not None for stage in stages)
    assert pools >= 1
    for place in range(3):
        bits, mask = bit_logits("order bits", place), batch(NETWORKS["order bits"].spec).inputs.node_mask[place]
        assert bits.shape == (len(mask), 4 * config.rounds * config.message_bits + pools * config.pooled_bits)
        assert (bits > 0).any()
        assert (bits < 0).any()


def test_where_messages_are_numbers_there_are_no_bits() -> None:
    assert bit_logits("order fields", 0).shape[1] == 0


def test_without_bits_a_reasoner_has_no_parameters_for_them() -> None:
    """So that weights from before there were bits can be read."""
    pooling = [".pool." in jax.tree_util.keystr(path) for path, _ in jax.tree.leaves_with_path(reasoner("order fields"))]
    assert not any(pooling)
    first = reasoner("order fields").processors[0]
    assert first.send.weight.shape[1] == NETWORKS["order fields"].config.width  # pyright: ignore[reportAttributeAccessIssue]
