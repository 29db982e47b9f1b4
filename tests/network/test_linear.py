import jax
import jax.numpy as jnp
import numpy as np
import pytest

from recursor.network.linear import Features, Linear, TwoLayers
from tests.network.networks import drawn


def test_weights_start_with_the_size_that_keeps_the_size_of_what_goes_through() -> None:
    layer = Linear(16, 500, key=jax.random.key(0))
    assert np.abs(layer.weight).max() <= 2 / 16**0.5
    assert np.std(layer.weight) == pytest.approx(
        0.88 / 16**0.5, rel=0.03
    )  # 0.88: of a normal cut off at twice its deviation
    assert layer.bias is not None
    assert not layer.bias.any()


def test_the_key_is_the_only_source_of_weights() -> None:
    one, same, other = (Linear(16, 500, key=jax.random.key(seed)).weight for seed in (3, 3, 4))
    np.testing.assert_array_equal(one, same)
    assert (np.asarray(one) != np.asarray(other)).mean() > 0.9


def test_weights_are_the_same_where_jax_traces() -> None:
    def weight(key: jax.Array) -> jax.Array:
        return Linear(16, 5, key=key).weight

    np.testing.assert_array_equal(weight(jax.random.key(3)), jax.jit(weight)(jax.random.key(3)))


@pytest.mark.parametrize("place", [(), (3, 2)])
def test_layers_take_any_leading_axes(place: tuple[int, ...], rng: np.random.Generator) -> None:
    x = jnp.asarray(rng.normal(size=(*place, 4)), np.float32)
    layers = drawn(TwoLayers, 4, 5, 2)
    assert layers.first.bias is not None
    assert layers.second.bias is not None
    hidden = np.maximum(x @ np.asarray(layers.first.weight) + np.asarray(layers.first.bias), 0)
    expected = hidden @ np.asarray(layers.second.weight) + np.asarray(layers.second.bias)
    np.testing.assert_allclose(layers(x), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("place", [(), (3, 3)])
@pytest.mark.parametrize("channels", [0, 2])
def test_a_layer_takes_features_as_if_they_were_written_out(
    place: tuple[int, ...], channels: int, rng: np.random.Generator
) -> None:
    def normal(*shape: int) -> jax.Array:
        return jnp.asarray(rng.normal(size=shape), np.float32)

    features = Features(normal(*place, channels + 1), normal(channels, 4), normal(4))
    features = features.joined(normal(*place, 2), normal(*place, 0))
    assert features.dense().shape == (*place, features.width)
    assert features.width == 4 + 1 + 2
    layer = drawn(Linear, features.width, 5)
    np.testing.assert_allclose(layer(features), layer(features.dense()), rtol=1e-4, atol=1e-5)
