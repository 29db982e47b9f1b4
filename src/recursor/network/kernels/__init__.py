"""What `pairs` computes, as kernels in C++ for the CPU, called from XLA's programs.

Nothing depends on them but time and rounding. They are used where the environment variable RECURSOR_KERNELS is 1. Without
it, without a compiler, on another device or on an x86 without AVX2 and FMA, or for a width that is no multiple of 32, XLA
does the same work.

    build.py       makes the library of the C++ files
    call.h         the arrays and threads of a call by XLA
    products.h     matrix products
    message.cc     the strongest message and its gradient
    logits.cc      the logits of all pairs and their gradient
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, UInt32

from recursor.network.kernels.build import ready
from recursor.system.compiling import cores


def usable(*arrays: Any) -> bool:
    """Whether such arrays, of which the first is as wide as the network, are for the kernels."""
    fits = arrays[0].shape[-1] % 32 == 0 and all(leaf.dtype == jnp.float32 for leaf in jax.tree.leaves(arrays))
    return fits and jax.default_backend() == "cpu" and ready()


def _call(kernel: str, results: list[jax.ShapeDtypeStruct], *arrays: Array) -> tuple[Array, ...]:
    """What a kernel makes of these arrays. The devices that work side by side share the cores; how many threads that makes
    for each changes no bit."""
    mesh = jax.sharding.get_abstract_mesh()
    threads = max(1, len(cores()) // (1 if mesh.empty else mesh.size))
    return tuple(jax.ffi.ffi_call(kernel, results, vmap_method="sequential")(*arrays, threads=np.int64(threads)))


def _like(*arrays: Array) -> list[jax.ShapeDtypeStruct]:
    return [jax.ShapeDtypeStruct(array.shape, jnp.float32) for array in arrays]


def strongest(
    sender: Float[Array, "b n width"],
    receiver: Float[Array, "b n width"],
    channels: Float[Array, "b n n channels"],
    pairs: Bool[Array, "b n n"],
    weights: tuple[Float[Array, "..."], ...],
) -> tuple[Float[Array, "b n width"], UInt32[Array, "b words n width"]]:
    """The strongest messages and, 32 bits to a word, which senders they are of."""
    graphs, n, width = sender.shape
    words = jax.ShapeDtypeStruct((graphs, -(-n // 32), n, width), jnp.uint32)
    messages, bits = _call("recursor_strongest", [*_like(sender), words], sender, receiver, channels, pairs, *weights)
    return messages, bits


def strongest_backward(
    sender: Float[Array, "b n width"],
    receiver: Float[Array, "b n width"],
    channels: Float[Array, "b n n channels"],
    weights: tuple[Float[Array, "..."], ...],
    words: UInt32[Array, "b words n width"],
    shared: Float[Array, "b n width"],
) -> tuple[Float[Array, "..."], ...]:
    """The gradients of sender, receiver, channels and of all weights but the last bias, from what each of the strongest
    senders gets."""
    weights = weights[:4]
    results = _like(sender, receiver, channels, *weights)
    *others, d_w2 = _call("recursor_strongest_backward", results, sender, receiver, channels, words, *weights, shared)
    return *others, d_w2.T


def logits(
    sender: Float[Array, "b n p width"],
    named: Float[Array, "b n p width"],
    channels: Float[Array, "b n n channels"],
    weights: tuple[Float[Array, "channels p width"], Float[Array, "p width"]],
) -> Float[Array, "b n n p"]:
    """The logits of all pairs."""
    result = jax.ShapeDtypeStruct((*channels.shape[:3], sender.shape[2]), jnp.float32)
    return _call("recursor_logits", [result], sender, named, channels, *weights)[0]


def got(
    sender: Float[Array, "b n p width"],
    named: Float[Array, "b n p width"],
    channels: Float[Array, "b n n channels"],
    weights: tuple[Float[Array, "channels p width"], Float[Array, "p width"]],
    cotangent: Float[Array, "b n n p"],
) -> tuple[Float[Array, "..."], ...]:
    """What each side has got of the cotangent: by sender, by named and by channel; and the gradient of the channels."""
    results = _like(sender, named, weights[0], channels)
    return _call("recursor_got", results, sender, named, channels, *weights, cotangent)
