r"""What is computed for all pairs of nodes, where nearly all the time goes, with gradients written by hand.

For pairs (i, j) with the edge channels $e_{ij}$:

$$ \text{strongest message}_j = \max_i\, (\mathrm{relu}(\mathrm{relu}(s_i + r_j + e_{ij} V)\, W_1 + b_1)\, W_2 + b_2) $$
$$ \text{pair logit}_{ij} = \max(q_j, k_i + e_{ij} V) \cdot w $$

The backward passes keep nothing that is n²·width wide but one bit a message, which sender was the strongest, and make the
hidden layers again: that costs less than writing them to memory and reading them back. A batch of graphs is one call, so
that the gradient of a weight is one matrix product and not one a graph.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from recursor.network.values import NEVER


def _for_one_graph(many: Callable) -> Callable:
    """From a function of batched arrays and shared weights, one of a single graph that `jax.vmap` turns into the former."""

    @jax.custom_batching.custom_vmap
    def one(arrays: tuple, weights: tuple) -> Any:
        return many(*(array[None] for array in arrays), weights)[0]

    @one.def_vmap
    def rule(size: int, batched: Any, arrays: tuple, weights: tuple) -> tuple[Any, bool]:
        if any(jax.tree.leaves(batched[1])):  # a batch of networks: one by one
            axes = jax.tree.map(lambda is_batched: 0 if is_batched else None, tuple(batched))
            return jax.lax.map(lambda index: one(*_pick((arrays, weights), axes, index)), jnp.arange(size)), True
        arrays = tuple(
            array if is_batched else jnp.broadcast_to(array, (size, *array.shape))
            for array, is_batched in zip(arrays, batched[0], strict=True)
        )
        return many(*arrays, weights), True

    return one


def _pick(tree: Any, axes: Any, index: Array) -> Any:
    return jax.tree.map(lambda leaf, axis: leaf if axis is None else leaf[index], tree, axes, is_leaf=lambda x: x is None)


def _both_sums(pairs: Float[Array, "b n n width"]) -> tuple[Float[Array, "b n width"], Float[Array, "b n width"]]:
    """The sums over receivers and over senders, in one pass: on its own, XLA makes the second ten times slower."""
    return jax.lax.optimization_barrier((pairs.sum(2), pairs.sum(1)))


# The strongest message

MessageWeights = tuple[
    Float[Array, "channels width"],  # V
    Float[Array, "width width"],  # W_1
    Float[Array, " width"],  # b_1
    Float[Array, "width width"],  # W_2
    Float[Array, " width"],  # b_2
]


@jax.custom_vjp
def _strongest(
    sender: Float[Array, "b n width"],
    receiver: Float[Array, "b n width"],
    channels: Float[Array, "b n n channels"],
    pairs: Bool[Array, "b n n"],
    weights: MessageWeights,
) -> Float[Array, "b n width"]:
    return _strongest_forward(sender, receiver, channels, pairs, weights)[0]


def _hidden(sender: Any, receiver: Any, channels: Any, weights: MessageWeights) -> tuple[Any, Any]:
    """The two hidden layers, flat: [b·n·n, width]."""
    first = jax.nn.relu(sender[:, :, None] + receiver[:, None] + channels @ weights[0])
    first = first.reshape(-1, first.shape[-1])
    return first, jax.nn.relu(first @ weights[1] + weights[2])


def _strongest_forward(sender: Any, receiver: Any, channels: Any, pairs: Any, weights: MessageWeights) -> tuple[Any, Any]:
    _, second = _hidden(sender, receiver, channels, weights)
    messages = (second @ weights[3] + weights[4]).reshape(*channels.shape[:3], -1)
    messages = jnp.where(pairs[..., None], messages, NEVER)
    strongest = messages.max(1)
    is_strongest = messages == strongest[:, None]
    ties = is_strongest.sum(1, dtype=jnp.float32)
    return strongest, (sender, receiver, channels, weights, is_strongest, ties)


def _strongest_backward(saved: Any, cotangent: Float[Array, "b n width"]) -> tuple[Any, ...]:
    sender, receiver, channels, weights, is_strongest, ties = saved
    v, w1, _, w2, _ = weights
    first, second = _hidden(sender, receiver, channels, weights)
    shared = cotangent / ties  # they share the gradient
    d_message = jnp.where(is_strongest, shared[:, None], 0.0).reshape(second.shape)
    d_second = jnp.where(second > 0, d_message @ w2.T, 0.0)
    d_first = jnp.where(first > 0, d_second @ w1.T, 0.0)
    d_weights = (
        channels.reshape(len(d_first), -1).T @ d_first,
        first.T @ d_second,
        d_second.sum(0),
        second.T @ d_message,
        d_message.sum(0),
    )
    d_pairs = d_first.reshape(is_strongest.shape)
    return *_both_sums(d_pairs), d_pairs @ v.T, None, d_weights


_strongest.defvjp(_strongest_forward, _strongest_backward)
_strongest_of_one = _for_one_graph(_strongest)


def strongest_message(
    sender: Float[Array, "n width"],
    receiver: Float[Array, "n width"],
    channels: Float[Array, "n n channels"],
    pairs: Bool[Array, "n n"],
    weights: MessageWeights,
) -> Float[Array, "n width"]:
    """The maximum over the senders i (first axis of `pairs`) that are allowed for each receiver j (second axis)."""
    return _strongest_of_one((sender, receiver, channels, pairs), weights)


# The logits of all pairs

LogitWeights = tuple[Float[Array, "channels p width"], Float[Array, "p width"]]  # V and w of each of p pointers


@jax.custom_vjp
def _logits(
    sender: Float[Array, "b n p width"],
    named: Float[Array, "b n p width"],
    channels: Float[Array, "b n n channels"],
    weights: LogitWeights,
) -> Float[Array, "b n n p"]:
    v, w = weights
    strongest = jnp.maximum(named[:, None], _pointing(sender, channels, v))
    side_by_side = jax.scipy.linalg.block_diag(*w[..., None])  # one product for all pointers
    return strongest.reshape(*channels.shape[:3], -1) @ side_by_side


def _pointing(sender: Any, channels: Any, v: Any) -> Any:
    """k_i + e_ij V, [b, n, n, p, width], as a sum over the few channels, which needs no room of its own."""
    return sender[:, :, None] + sum(channels[..., k, None, None] * v[k] for k in range(len(v)))


def _logits_forward(sender: Any, named: Any, channels: Any, weights: LogitWeights) -> tuple[Any, Any]:
    return _logits(sender, named, channels, weights), (sender, named, channels, weights)


def _logits_backward(saved: Any, cotangent: Float[Array, "b n n p"]) -> tuple[Any, ...]:
    """With D the cotangent where the sender's side is the larger, all gradients are sums of D: what the sender's side has
    not got, the named side has; and the gradient of w is what each side holds times what it got."""
    sender, named, channels, (v, w) = saved
    got = jnp.where(_pointing(sender, channels, v) > named[:, None], cotangent[..., None], 0.0)
    flat = got.reshape(*channels.shape[:3], -1)
    by_sender, by_named = (part.reshape(sender.shape) for part in _both_sums(flat))
    by_named = cotangent.sum(1)[..., None] - by_named
    pairs = flat.reshape(-1, flat.shape[-1])
    by_channel = (channels.reshape(len(pairs), -1).T @ pairs).reshape(v.shape)
    d_w = (sender * by_sender).sum((0, 1)) + (named * by_named).sum((0, 1)) + (v * by_channel).sum(0)
    d_channels = flat @ (v * w).reshape(len(v), -1).T
    return by_sender * w, by_named * w, d_channels, (by_channel * w, d_w)


_logits.defvjp(_logits_forward, _logits_backward)
_logits_of_one = _for_one_graph(_logits)


def pair_logits(
    sender: Float[Array, "n p width"],
    named: Float[Array, "n p width"],
    channels: Float[Array, "n n channels"],
    weights: LogitWeights,
) -> Float[Array, "n n p"]:
    """The logits of p pointers, of every sender i (first axis) for every named j (second axis)."""
    return _logits_of_one((sender, named, channels), weights)
