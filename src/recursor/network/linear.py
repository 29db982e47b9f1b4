r"""Linear layers, and features in factored form, which a linear layer takes without expanding them."""

from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Float, PRNGKeyArray


class Features(eqx.Module):
    r"""Features $h = [x E + c,\ y]$ of which the first part is a linear code of a few channels x.

    A linear map of them is $h W = x\,(E W_1) + c W_1 + y W_2$: for ten channels and a width of 128 that is a twelfth of the
    work on the first part, and for edge features, of which there are n², most of it. x and y are one array, so that a
    backward pass keeps it once, whatever number of layers take it.
    """

    array: Float[Array, "*place numbers"]  # x and y
    code: Float[Array, "channels width"]
    bias: Float[Array, " width"]

    @property
    def channels(self) -> Float[Array, "*place channels"]:
        """x."""
        return self.array[..., : len(self.code)]

    @property
    def rest(self) -> Float[Array, "*place rest"]:
        """y."""
        return self.array[..., len(self.code) :]

    @property
    def width(self) -> int:
        """The width of h."""
        return self.code.shape[1] + self.array.shape[-1] - len(self.code)

    def through(self, weight: Float[Array, "width out"]) -> Float[Array, "*place out"]:
        """h W."""
        first, second = weight[: self.code.shape[1]], weight[self.code.shape[1] :]
        return self.array @ jnp.concatenate([self.code @ first, second]) + self.bias @ first

    def dense(self) -> Float[Array, "*place width"]:
        """h itself."""
        return jnp.concatenate([self.channels @ self.code + self.bias, self.rest], -1)

    def joined(self, *parts: Float[Array, "*place _"]) -> "Features":
        """Returns these features with more of them appended to y."""
        return Features(jnp.concatenate([self.array, *parts], -1), self.code, self.bias)


def plain(features: Float[Array, "*place rest"]) -> Features:
    """Returns features that are all y, without channels."""
    return Features(features, jnp.zeros((0, 0)), jnp.zeros(0))


def by_numpy(
    function: Callable[..., np.ndarray], shape: tuple[int, ...], *arrays: Array | np.ndarray
) -> Float[Array, "*shape"]:
    """Returns what NumPy computes, because XLA would compile a program for every shape first.

    Args:
        function: Takes arrays of NumPy, and returns one of `shape`.
        shape: The shape of the result. Where JAX traces, as for the shapes of a reasoner alone, nothing else is known.
        arrays: The arguments.
    """
    if any(isinstance(array, Tracer) for array in arrays):
        return jax.pure_callback(lambda *a: function(*map(np.asarray, a)), jax.ShapeDtypeStruct(shape, np.float32), *arrays)
    return jax.device_put(function(*map(np.asarray, arrays)))


def truncated_normal(key: PRNGKeyArray, shape: tuple[int, ...], deviation: float) -> Float[Array, "*shape"]:
    """Returns draws from a normal of standard deviation `deviation` that is truncated at two standard deviations."""

    def draw(words: np.ndarray) -> np.ndarray:
        rng = np.random.default_rng(words)
        values = rng.standard_normal(shape)
        while (outside := np.abs(values) > 2).any():
            values[outside] = rng.standard_normal(outside.sum())
        return (deviation * values).astype(np.float32)

    return by_numpy(draw, shape, jax.random.key_data(key))


class Linear(eqx.Module):
    """x W + b for x with any leading axes. Initially W is a truncated normal of standard deviation 1/√in, and b is zero."""

    weight: Float[Array, "in out"]
    bias: Float[Array, " out"] | None

    def __init__(self, inputs: int, outputs: int, *, bias: bool = True, key: PRNGKeyArray) -> None:
        self.weight = truncated_normal(key, (inputs, outputs), inputs**-0.5)
        self.bias = jnp.asarray(np.zeros(outputs, np.float32)) if bias else None

    @property
    def parts(self) -> tuple[Float[Array, "in out"], Float[Array, " out"]]:
        """W and b."""
        assert self.bias is not None
        return self.weight, self.bias

    def __call__(self, x: Float[Array, "*batch in"] | Features) -> Float[Array, "*batch out"]:
        y = x.through(self.weight) if isinstance(x, Features) else x @ self.weight
        return y if self.bias is None else y + self.bias


class TwoLayers(eqx.Module):
    """relu(x W_1 + b_1) W_2 + b_2."""

    first: Linear
    second: Linear

    def __init__(self, inputs: int, hidden: int, outputs: int, *, key: PRNGKeyArray) -> None:
        one, two = jax.random.split(key)
        self.first = Linear(inputs, hidden, key=one)
        self.second = Linear(hidden, outputs, key=two)

    def __call__(self, x: Float[Array, "*batch in"]) -> Float[Array, "*batch out"]:
        return self.second(jax.nn.relu(self.first(x)))
