r"""What is computed for all pairs of nodes, where nearly all the time goes, with gradients written by hand.

For pairs (i, j) with the edge channels $e_{ij}$:

$$ \text{strongest message}_j = \max_i\, (\mathrm{relu}(\mathrm{relu}(s_i + r_j + e_{ij} V)\, W_1 + b_1)\, W_2 + b_2) $$
$$ \text{pair logit}_{ij} = \max(q_j, k_i + e_{ij} V) \cdot w $$

The backward passes keep nothing that is n²·width wide but one bit a message, which sender was the strongest, and make the
hidden layers again: that costs less than writing them to memory and reading them back. A batch of graphs is one call, so
that the gradient of a weight is one matrix product and not one a graph. Reverse mode works with `jax.vmap` inside, outside
and without it; forward mode does not.

What is written here for XLA, `kernels` has in C++ for a CPU.
"""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir
from jaxtyping import Array, Bool, Float, UInt32

from recursor.network import kernels
from recursor.network.values import NEVER


def _for_one_graph(name: str, many: Callable, arrays: int) -> Callable:
    """From a function of so many batched arrays and shared weights, one of a single graph that `jax.vmap` turns into the
    former.

    It is a primitive of its own, since `custom_vmap` has no reverse mode where no vmap is around it, and since a backward
    pass that is batched by hand cannot tell one gradient for all graphs (the gradient of a vmap) from one for each (the
    vmap of a gradient). Here whichever of the two comes first finds `many`, which JAX can batch and differentiate further.
    """

    def one(*operands: Array) -> Array:
        return many(*(array[None] for array in operands[:arrays]), operands[arrays:])[0]

    def batch(operands: Sequence[Array], axes: Sequence[int | None]) -> tuple[Array, int]:
        if any(axis is not None for axis in axes[arrays:]):  # a batch of networks
            return jax.vmap(one, axes)(*operands), 0
        size = next(array.shape[axis] for array, axis in zip(operands, axes, strict=True) if axis is not None)
        graphs = (
            jnp.broadcast_to(array, (size, *array.shape)) if axis is None else jnp.moveaxis(array, axis, 0)
            for array, axis in zip(operands[:arrays], axes[:arrays], strict=True)
        )
        return many(*graphs, operands[arrays:]), 0

    def differentiate(operands: Sequence[Array], tangents: Sequence[Any]) -> tuple[Array, Array]:
        moving = [place for place, tangent in enumerate(tangents) if not isinstance(tangent, ad.Zero)]

        def of_moving(*moved: Array) -> Array:
            changes = dict(zip(moving, moved, strict=True))
            return one(*(changes.get(place, operand) for place, operand in enumerate(operands)))

        return jax.jvp(of_moving, [operands[place] for place in moving], [tangents[place] for place in moving])

    primitive = Primitive(name)
    primitive.def_impl(one)
    primitive.def_abstract_eval(lambda *operands: jax.make_jaxpr(one)(*operands).out_avals[0])
    batching.primitive_batchers[primitive] = batch
    ad.primitive_jvps[primitive] = differentiate
    mlir.register_lowering(primitive, mlir.lower_fun(one, multiple_results=False))
    return primitive.bind


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


def _packed(bits: Bool[Array, "b n k width"]) -> UInt32[Array, "b words k width"]:
    """The bits along the axis of n, 32 to a word. It is written out, since XLA makes a sum along that axis five times
    slower."""
    shifted = [bits[:, i].astype(jnp.uint32) << i % 32 for i in range(bits.shape[1])]
    return jnp.stack([sum(shifted[start + 1 : start + 32], shifted[start]) for start in range(0, len(shifted), 32)], 1)


def _unpacked(words: UInt32[Array, "b words k width"], n: int) -> Bool[Array, "b n k width"]:
    """The bits of n again."""
    index = jnp.arange(n, dtype=jnp.uint32)
    return ((words[:, index // 32] >> (index % 32)[:, None, None]) & 1) == 1


def _strongest_forward(sender: Any, receiver: Any, channels: Any, pairs: Any, weights: MessageWeights) -> tuple[Any, Any]:
    if kernels.usable(sender, receiver, channels, weights):
        strongest, words = kernels.strongest(sender, receiver, channels, pairs, weights)
        return strongest, (sender, receiver, channels, weights, words)
    _, second = _hidden(sender, receiver, channels, weights)
    messages = (second @ weights[3] + weights[4]).reshape(*channels.shape[:3], -1)
    messages = jnp.where(pairs[..., None], messages, NEVER)
    strongest = messages.max(1)
    return strongest, (sender, receiver, channels, weights, _packed(messages == strongest[:, None]))


def _strongest_backward(saved: Any, cotangent: Float[Array, "b n width"]) -> tuple[Any, ...]:
    sender, receiver, channels, weights, words = saved
    v, w1, _, w2, _ = weights
    shared = cotangent / jax.lax.population_count(words).sum(1)  # ties share the gradient
    if kernels.usable(sender, receiver, channels, weights):
        *of_arrays, d_v, d_w1, d_b1, d_w2 = kernels.strongest_backward(sender, receiver, channels, weights, words, shared)
        return *of_arrays, None, (d_v, d_w1, d_b1, d_w2, cotangent.sum((0, 1)))
    first, second = _hidden(sender, receiver, channels, weights)
    is_strongest = _unpacked(words, channels.shape[1])
    d_message = jnp.where(is_strongest, shared[:, None], 0.0).reshape(second.shape)
    d_second = jnp.where(second > 0, d_message @ w2.T, 0.0)
    d_first = jnp.where(first > 0, d_second @ w1.T, 0.0)
    d_weights = (
        channels.reshape(len(d_first), -1).T @ d_first,
        first.T @ d_second,
        d_second.sum(0),
        second.T @ d_message,
        cotangent.sum((0, 1)),
    )
    d_pairs = d_first.reshape(is_strongest.shape)
    return *_both_sums(d_pairs), d_pairs @ v.T, None, d_weights


_strongest.defvjp(_strongest_forward, _strongest_backward)
_strongest_of_one = _for_one_graph("strongest_message", _strongest, arrays=4)


def strongest_message(
    sender: Float[Array, "n width"],
    receiver: Float[Array, "n width"],
    channels: Float[Array, "n n channels"],
    pairs: Bool[Array, "n n"],
    weights: MessageWeights,
) -> Float[Array, "n width"]:
    """The maximum over the senders i (first axis of `pairs`) that are allowed for each receiver j (second axis), of which
    there must be one at least."""
    return _strongest_of_one(sender, receiver, channels, pairs, *weights)


# The logits of all pairs

LogitWeights = tuple[Float[Array, "channels p width"], Float[Array, "p width"]]  # V and w of each of p pointers


@jax.custom_vjp
def _logits(
    sender: Float[Array, "b n p width"],
    named: Float[Array, "b n p width"],
    channels: Float[Array, "b n n channels"],
    weights: LogitWeights,
) -> Float[Array, "b n n p"]:
    if kernels.usable(sender, named, channels, weights):
        return kernels.logits(sender, named, channels, weights)
    v, w = weights
    strongest = jnp.maximum(named[:, None], _pointing(sender, channels, v))
    side_by_side = jax.scipy.linalg.block_diag(*w[..., None])  # one product for all pointers
    return strongest.reshape(*channels.shape[:3], -1) @ side_by_side


def _pointing(sender: Any, channels: Any, v: Any) -> Any:
    """k_i + e_ij V, [b, n, n, p, width], as a sum over the few channels, which needs no room of its own."""
    return sender[:, :, None] + sum(channels[..., k, None, None] * v[k] for k in range(len(v)))


def _logits_forward(sender: Any, named: Any, channels: Any, weights: LogitWeights) -> tuple[Any, Any]:
    return _logits(sender, named, channels, weights), (sender, named, channels, weights)


def _got(sender: Any, named: Any, channels: Any, weights: LogitWeights, cotangent: Any) -> tuple[Any, ...]:
    """The cotangent where the sender's side is the larger, summed by sender and by channel; the rest of it summed by named;
    and the gradient of the channels."""
    if kernels.usable(sender, named, channels, weights):
        return kernels.got(sender, named, channels, weights, cotangent)
    v, w = weights
    got = jnp.where(_pointing(sender, channels, v) > named[:, None], cotangent[..., None], 0.0)
    flat = jax.lax.optimization_barrier(got.reshape(*channels.shape[:3], -1))  # else XLA makes it twice
    by_sender, by_named = (part.reshape(sender.shape) for part in _both_sums(flat))
    pairs = flat.reshape(-1, flat.shape[-1])
    by_channel = (channels.reshape(len(pairs), -1).T @ pairs).reshape(v.shape)
    return by_sender, cotangent.sum(1)[..., None] - by_named, by_channel, flat @ (v * w).reshape(len(v), -1).T


def _logits_backward(saved: Any, cotangent: Float[Array, "b n n p"]) -> tuple[Any, ...]:
    """All gradients are sums of what each side has got: the sender's if it is the larger, else the named one's. The gradient
    of w is what each side holds times what it got."""
    sender, named, channels, (v, w) = saved
    by_sender, by_named, by_channel, d_channels = _got(sender, named, channels, (v, w), cotangent)
    d_w = (sender * by_sender).sum((0, 1)) + (named * by_named).sum((0, 1)) + (v * by_channel).sum(0)
    return by_sender * w, by_named * w, d_channels, (by_channel * w, d_w)


_logits.defvjp(_logits_forward, _logits_backward)
_logits_of_one = _for_one_graph("pair_logits", _logits, arrays=3)


def pair_logits(
    sender: Float[Array, "n p width"],
    named: Float[Array, "n p width"],
    channels: Float[Array, "n n channels"],
    weights: LogitWeights,
) -> Float[Array, "n n p"]:
    """The logits of p pointers, of every sender i (first axis) for every named j (second axis)."""
    return _logits_of_one(sender, named, channels, *weights)
