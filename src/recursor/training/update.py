"""One update of the weights, for any loss.

The batch is split over all devices that JAX finds. The number of devices changes the losses by rounding only.
"""

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from jaxtyping import Array, Float, PRNGKeyArray

from recursor.network.reasoner import Reasoner
from recursor.system.compiling import cores
from recursor.system.memory import peak_resident_memory
from recursor.training.config import TrainConfig
from recursor.training.losses import Mean, total
from recursor.training.sharing import keep_processors, separate


class State(NamedTuple):
    """The state that an update changes."""

    reasoner: Reasoner
    optimiser: optax.OptState


Losses = Callable[[Reasoner, Any], dict[str, Mean]]
"""Computes the loss of each field from a reasoner and examples. The first axis of the examples is the batch."""
Examples = Callable[[Any, PRNGKeyArray], Any]
"""Makes the examples of an update from a sample and a random key."""
Update = Callable[[State, Any, PRNGKeyArray], tuple[State, dict[str, Float[Array, ""]]]]


def optimiser(config: TrainConfig) -> optax.GradientTransformation:
    """Returns the optimiser: Adam, with gradients clipped by their global norm. A processor that networks share has an Adam
    of its own."""
    rate, updates = config.learning_rate, config.updates
    if config.schedule == "constant":
        schedule = rate
    else:  # with lessons, the rate rises again to a third at the beginning of each phase
        parts = [optax.cosine_decay_schedule(rate, updates, 0.05)]
        parts += [optax.cosine_decay_schedule(rate / 3, config.lesson_updates, 0.1)] * config.lessons
        ends = [updates + phase * config.lesson_updates for phase in range(config.lessons)]
        schedule = optax.join_schedules(parts, ends) if config.lessons else parts[0]
    adam = optax.adam(schedule)
    if config.together:  # every network changes the shared processor in its turn; after the last turn nothing does
        turns = updates * len(config.together)
        until = optax.constant_schedule(rate)
        if config.schedule == "cosine":
            until = optax.cosine_decay_schedule(rate, turns, 0.05)
        shared = optax.join_schedules([until, optax.constant_schedule(0.0)], [turns])
        adam = separate(optax.adam(shared), adam)
    kept = [keep_processors()] if config.keep_processor else []
    return optax.chain(*kept, optax.clip_by_global_norm(config.clip), adam)


def start(reasoner: Reasoner, transformation: optax.GradientTransformation) -> State:
    """Returns the state before the first update."""
    return State(reasoner, transformation.init(eqx.filter(reasoner, eqx.is_inexact_array)))


def use_cores(config: TrainConfig) -> None:
    """Makes every core a JAX device if the trainer is rollout: an update is then split over the cores once, instead of
    operation by operation. It does nothing if JAX is initialised already, or if the number of devices is configured."""
    configured = jax.config.values["jax_num_cpu_devices"] >= 0 or "device_count" in os.environ.get("XLA_FLAGS", "")
    if config.trainer == "rollout" and not configured:
        with suppress(RuntimeError):  # JAX is initialised already
            jax.config.update("jax_num_cpu_devices", len(cores()))


def device_mesh(batch: int) -> Mesh:
    """Returns the largest mesh of the first devices whose number divides the batch."""
    devices = jax.devices()
    while batch % len(devices):
        devices = devices[:-1]
    return Mesh(np.array(devices), ("batch",))


def make_update(
    transformation: optax.GradientTransformation,
    losses: Losses,
    examples: Examples,
    mesh: Mesh,
    options: Mapping[str, str] = MappingProxyType({}),
) -> Update:
    """Returns the function of one update. It maps state, sample and key to the next state and the loss of each field.
    `options` are compiler options of XLA."""
    whole, split = PartitionSpec(), PartitionSpec("batch")

    def update(state: State, sample: Any, key: PRNGKeyArray) -> tuple[State, dict[str, Float[Array, ""]]]:
        parameters, static = eqx.partition(state.reasoner, eqx.is_inexact_array)

        def on_one_device(parameters: Any, batch: Any) -> tuple[dict[str, Mean], Any]:
            def loss(parameters: Any) -> tuple[Float[Array, ""], dict[str, Mean]]:
                parts = losses(eqx.combine(parameters, static), batch)
                weights = jax.lax.psum({name: part.weight for name, part in parts.items()}, "batch")
                parts = {name: Mean(part.total, weights[name]) for name, part in parts.items()}
                return total(parts), {name: jax.lax.stop_gradient(part) for name, part in parts.items()}

            gradient, parts = jax.grad(loss, has_aux=True)(parameters)
            totals = jax.lax.psum({name: part.total for name, part in parts.items()}, "batch")
            parts = {name: Mean(totals[name], part.weight) for name, part in parts.items()}
            return parts, jax.lax.psum(gradient, "batch")

        parts, gradient = jax.shard_map(on_one_device, mesh=mesh, in_specs=(whole, split), out_specs=whole, check_vma=False)(
            parameters, examples(sample, key)
        )
        changes, optimiser_state = transformation.update(gradient, state.optimiser, parameters)
        means = {name: part.value for name, part in parts.items()}
        return State(eqx.apply_updates(state.reasoner, changes), optimiser_state), {"loss": total(parts), **means}

    compiled = eqx.filter_jit(update, compiler_options=dict(options))  # pyright: ignore[reportCallIssue]: passed on to JAX

    def sharded(state: State, sample: Any, key: PRNGKeyArray) -> tuple[State, dict[str, Float[Array, ""]]]:
        arrays, static = eqx.partition((state, key), eqx.is_array)
        state, key = eqx.combine(
            jax.device_put(arrays, NamedSharding(mesh, whole)), static
        )  # no copy if they are there already
        return compiled(state, jax.device_put(sample, NamedSharding(mesh, split)), key)

    return sharded


def unsharded(reasoner: Reasoner) -> Reasoner:
    """Returns a reasoner on one device, as a loaded one is, so that programs compiled for one serve the other."""
    return jax.tree.map(lambda leaf: jnp.asarray(np.asarray(leaf)) if eqx.is_array(leaf) else leaf, reasoner)


def peak_memory() -> int:
    """Returns the peak memory in bytes: of the device if it counts, else the resident size of this process."""
    statistics = jax.devices()[0].memory_stats()
    if statistics and "peak_bytes_in_use" in statistics:
        return int(statistics["peak_bytes_in_use"])
    return peak_resident_memory()
