"""Rollout training, the paper's way: the network runs all rows, partly on its own predictions, and learns from them all.

The batch is split over all devices that JAX sees; one device and many give the same losses up to rounding.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import equinox as eqx
import jax
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from jaxtyping import Array, Float, PRNGKeyArray

from recursor.batches import Batch
from recursor.network.reasoner import Reasoner, Rollout
from recursor.training.losses import Mean, losses, row_losses, total


class State(NamedTuple):
    """All that training changes."""

    reasoner: Reasoner
    optimiser: optax.OptState


def optimiser(learning_rate: float, clip: float) -> optax.GradientTransformation:
    """Adam on gradients whose norm over all parameters is clipped."""
    return optax.chain(optax.clip_by_global_norm(clip), optax.adam(learning_rate))


def start(reasoner: Reasoner, transformation: optax.GradientTransformation) -> State:
    """The state before the first update."""
    return State(reasoner, transformation.init(eqx.filter(reasoner, eqx.is_inexact_array)))


def run(reasoner: Reasoner, batch: Batch, forced: Array) -> Rollout:
    """The rollouts of a batch; `forced` is [batch, rows]."""
    return jax.vmap(reasoner.rollout)(batch.inputs, batch.hints, batch.row_mask, forced)


def device_mesh(batch: int) -> Mesh:
    """As many of the devices as divide the batch."""
    devices = jax.devices()
    while batch % len(devices):
        devices = devices[:-1]
    return Mesh(np.array(devices), ("batch",))


def make_update(
    transformation: optax.GradientTransformation, forcing: float, mesh: Mesh
) -> Callable[[State, Batch, PRNGKeyArray], tuple[State, dict[str, Float[Array, ""]]]]:
    """The function of one update: state, batch and key to the next state and the losses of all fields.

    Each row of each graph is forced with the probability `forcing`.
    """
    whole, split = PartitionSpec(), PartitionSpec("batch")

    @eqx.filter_jit
    def update(state: State, batch: Batch, key: PRNGKeyArray) -> tuple[State, dict[str, Float[Array, ""]]]:
        forced = jax.random.bernoulli(key, forcing, batch.row_mask.shape)
        parameters, static = eqx.partition(state.reasoner, eqx.is_inexact_array)

        def on_one_device(parameters: Any, batch: Batch, forced: Array) -> tuple[dict[str, Mean], Any]:
            def loss(parameters: Any) -> tuple[Float[Array, ""], dict[str, Mean]]:
                reasoner = eqx.combine(parameters, static)
                parts = losses(reasoner.spec, run(reasoner, batch, forced), batch)
                weights = jax.lax.psum({name: part.weight for name, part in parts.items()}, "batch")
                parts = {name: Mean(part.total, weights[name]) for name, part in parts.items()}
                return total(parts), {name: jax.lax.stop_gradient(part) for name, part in parts.items()}

            gradient, parts = jax.grad(loss, has_aux=True)(parameters)
            totals = jax.lax.psum({name: part.total for name, part in parts.items()}, "batch")
            parts = {name: Mean(totals[name], part.weight) for name, part in parts.items()}
            return parts, jax.lax.psum(gradient, "batch")

        parts, gradient = jax.shard_map(
            on_one_device, mesh=mesh, in_specs=(whole, split, split), out_specs=whole, check_vma=False
        )(parameters, batch, forced)
        changes, optimiser_state = transformation.update(gradient, state.optimiser, parameters)
        means = {name: part.value for name, part in parts.items()}
        return State(eqx.apply_updates(state.reasoner, changes), optimiser_state), {"loss": total(parts), **means}

    def sharded(state: State, batch: Batch, key: PRNGKeyArray) -> tuple[State, dict[str, Float[Array, ""]]]:
        state, key = eqx.filter_shard((state, key), NamedSharding(mesh, whole))
        return update(state, jax.device_put(batch, NamedSharding(mesh, split)), key)

    return sharded


@eqx.filter_jit
def _row_losses(reasoner: Reasoner, batch: Batch, forced: Array) -> dict[str, tuple[Array, Array]]:
    return row_losses(reasoner.spec, run(reasoner, batch, forced), batch)


def first_bad(reasoner: Reasoner, batch: Batch, forcing: float, key: PRNGKeyArray) -> str:
    """Where the loss of an update stopped being a number: the first row, and the fields in it."""
    forced = jax.random.bernoulli(key, forcing, batch.row_mask.shape)
    rows: dict[int, list[str]] = {}
    for name, (loss, weight) in _row_losses(reasoner, batch, forced).items():
        bad = ~np.isfinite(np.asarray(loss)) & (np.asarray(weight) > 0)
        at = np.flatnonzero(bad.any(axis=tuple(axis for axis in range(bad.ndim) if axis != 1)))
        if len(at):
            rows.setdefault(int(at[0]) + 1, []).append(name)
    if not rows:
        return "in the outputs or the gradient; every hint's loss is finite"
    row = min(rows)
    return f"in row {row}, in the field {', '.join(rows[row])}"
