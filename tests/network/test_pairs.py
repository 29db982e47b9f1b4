from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from recursor.network import kernels
from recursor.network.pairs import pair_logits, strongest_message
from tests.network.networks import quickly_compiled

NODES, WIDTH, CHANNELS, POINTERS, GRAPHS = 4, 16, 3, 2, 3
PAIRS = jnp.asarray((np.random.default_rng(7).random((NODES, NODES)) < 0.6) | np.eye(NODES, dtype=bool))


def naive_message(sender, receiver, channels, weights) -> jax.Array:
    v, w1, b1, w2, b2 = weights
    first = jax.nn.relu(sender[:, None] + receiver[None] + channels @ v)
    messages = jax.nn.relu(first @ w1 + b1) @ w2 + b2
    return jnp.where(PAIRS[..., None], messages, -jnp.inf).max(0)


def naive_logits(sender, named, channels, weights) -> jax.Array:
    v, w = weights
    pointing = sender[:, None] + jnp.einsum("ijk,kpw->ijpw", channels, v)
    return jnp.einsum("ijpw,pw->ijp", jnp.maximum(named[None], pointing), w)


def message(sender, receiver, channels, weights) -> jax.Array:
    return strongest_message(sender, receiver, channels, PAIRS, weights)


FUNCTIONS = {"strongest message": (message, naive_message), "pair logits": (pair_logits, naive_logits)}


@pytest.fixture(scope="module", autouse=True, params=["kernels", "xla"])
def computed_by(request: pytest.FixtureRequest) -> Iterator[None]:
    """All of it is true of both."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("RECURSOR_KERNELS", "1")
        if request.param == "kernels" and not kernels.ready():
            pytest.skip("there are no kernels here")
        if request.param == "xla":
            jax.clear_caches()  # what was traced for the other
            patched.setattr(kernels, "usable", lambda *arrays: False)
        yield
    jax.clear_caches()


WEIGHTS = {
    "strongest message": ((CHANNELS, WIDTH), (WIDTH, WIDTH), (WIDTH,), (WIDTH, WIDTH), (WIDTH,)),
    "pair logits": ((CHANNELS, POINTERS, WIDTH), (POINTERS, WIDTH)),
}
NODE = {"strongest message": (WIDTH,), "pair logits": (POINTERS, WIDTH)}
functions = pytest.mark.parametrize("name", FUNCTIONS)


def draw(name: str, *, graphs: tuple[int, ...] = (), networks: tuple[int, ...] = ()) -> tuple[Any, ...]:
    """The arrays of a graph (or of several) and the weights (of one network or of several)."""
    rng = np.random.default_rng(3)

    def normal(*shape: int) -> jax.Array:
        return jnp.asarray(rng.normal(size=shape), jnp.float32)

    node = (*graphs, NODES, *NODE[name])
    arrays = normal(*node), normal(*node), normal(*graphs, NODES, NODES, CHANNELS)
    return *arrays, tuple(normal(*networks, *shape) for shape in WEIGHTS[name])


def value_and_gradients(function: Callable, arguments: tuple[Any, ...]) -> tuple[jax.Array, Any]:
    """What a function makes of its arguments, and the gradients of some weighted sum of that in all of them."""
    value, pull = jax.vjp(function, *arguments)
    return value, pull(jnp.cos(jnp.arange(value.size, dtype=jnp.float32)).reshape(value.shape))


def check(transform: Callable[[Callable], Callable], name: str, arguments: tuple[Any, ...]) -> None:
    """Holds what was written by hand against what JAX derives, both transformed in the same way."""
    by_hand, naive = (transform(function)(*arguments) for function in FUNCTIONS[name])
    for one, other in zip(jax.tree.leaves(by_hand), jax.tree.leaves(naive), strict=True):
        assert np.abs(one).max() > 0.01, "else there is nothing to compare"
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


@functions
def test_values_of_one_graph(name: str) -> None:
    check(quickly_compiled, name, draw(name))


@functions
def test_gradients_of_one_graph(name: str) -> None:
    check(lambda function: lambda *arguments: value_and_gradients(function, arguments), name, draw(name))


@functions
def test_gradients_of_one_graph_compiled(name: str) -> None:
    check(lambda function: quickly_compiled(lambda *arguments: value_and_gradients(function, arguments)), name, draw(name))


@functions
def test_gradients_of_one_graph_through_many_rows(name: str) -> None:
    def transform(function: Callable) -> Callable:
        def rows(sender: jax.Array, *others: Any) -> jax.Array:
            def body(sender: jax.Array, _: None) -> tuple[jax.Array, jax.Array]:
                value = function(sender, *others)
                return jnp.sin(sender) + value.mean(), value

            return jax.lax.scan(body, sender, length=3)[1]

        return quickly_compiled(lambda *arguments: value_and_gradients(rows, arguments))

    check(transform, name, draw(name))


@functions
def test_gradients_of_many_graphs_in_one_network(name: str) -> None:
    def transform(function: Callable) -> Callable:
        return quickly_compiled(lambda *arguments: value_and_gradients(jax.vmap(function, (0, 0, 0, None)), arguments))

    check(transform, name, draw(name, graphs=(GRAPHS,)))


@functions
def test_gradients_of_each_of_many_graphs(name: str) -> None:
    def transform(function: Callable) -> Callable:
        return quickly_compiled(jax.vmap(lambda *arguments: value_and_gradients(function, arguments), (0, 0, 0, None)))

    check(transform, name, draw(name, graphs=(GRAPHS,)))


@functions
def test_gradients_of_many_graphs_each_in_its_own_network(name: str) -> None:
    def transform(function: Callable) -> Callable:
        return quickly_compiled(lambda *arguments: value_and_gradients(jax.vmap(function), arguments))

    check(transform, name, draw(name, graphs=(GRAPHS,), networks=(GRAPHS,)))


@functions
def test_gradients_of_one_graph_in_many_networks(name: str) -> None:
    def transform(function: Callable) -> Callable:
        return quickly_compiled(lambda *arguments: value_and_gradients(jax.vmap(function, (None, None, None, 0)), arguments))

    check(transform, name, draw(name, networks=(GRAPHS,)))


@functions
def test_gradients_of_many_graphs_in_each_of_many_networks(name: str) -> None:
    def transform(function: Callable) -> Callable:
        all_graphs = jax.vmap(function, (0, 0, 0, None))
        return quickly_compiled(
            lambda *arguments: value_and_gradients(jax.vmap(all_graphs, (None, None, None, 0)), arguments)
        )

    check(transform, name, draw(name, graphs=(GRAPHS,), networks=(2,)))


@pytest.mark.parametrize("nodes", [32, 33, 70])
def test_gradients_among_more_senders_than_a_word_has_bits(nodes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "NODES", nodes)
    monkeypatch.setitem(globals(), "PAIRS", jnp.ones((nodes, nodes), bool))
    name = "strongest message"
    check(lambda function: quickly_compiled(lambda *x: value_and_gradients(function, x)), name, draw(name))


def test_senders_that_say_the_same_share_the_gradient() -> None:
    sender, receiver, channels, weights = draw("strongest message", graphs=(GRAPHS,))
    sender, channels = (array.at[:, 1].set(array[:, 0]) for array in (sender, channels))

    @quickly_compiled
    @jax.grad
    def gradient(sender: jax.Array, pairs: jax.Array) -> jax.Array:
        heard = jax.vmap(lambda s, r, e: strongest_message(s, r, e, pairs, weights))(sender, receiver, channels)
        return (heard * jnp.cos(jnp.arange(WIDTH))).sum()

    everyone = jnp.ones((NODES, NODES), bool)
    shared, whole = gradient(sender, everyone), gradient(sender, everyone.at[1].set(False))
    assert np.abs(whole[:, 0]).max() > 0.01
    for share in (shared[:, 0], shared[:, 1]):
        np.testing.assert_allclose(share, whole[:, 0] / 2, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(shared[:, 2:], whole[:, 2:], rtol=1e-4, atol=1e-5)


def test_a_draw_between_sender_and_named_loses_no_gradient() -> None:
    """Where both sides of a pair are equal, what they get is one whole gradient together, however they share it."""
    _, _, channels, (v, w) = draw("pair logits", graphs=(GRAPHS,))
    equal = jnp.ones((GRAPHS, NODES, POINTERS, WIDTH))

    def total(sender: jax.Array, named: jax.Array) -> jax.Array:
        return jax.vmap(lambda s, q, e: pair_logits(s, q, e, (v, w)))(sender, named, 0 * channels).sum()

    of_sender, of_named = quickly_compiled(jax.grad(total, (0, 1)))(equal, equal)
    np.testing.assert_allclose(of_sender + of_named, np.broadcast_to(NODES * w, equal.shape), rtol=1e-5)
