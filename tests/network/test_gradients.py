from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from recursor.data.batch import Batch
from recursor.network.reasoner import Reasoner
from recursor.network.stacks import STACKS
from recursor.spec import Field
from recursor.training import call_frames
from recursor.training.call_frames import Chains
from recursor.training.losses import total
from tests.network.networks import (
    NETWORKS,
    OTHER_KINDS,
    PAPER,
    batch,
    forced,
    quickly_compiled,
    reasoner,
    recordings,
    rollouts,
)


def mean_error(field: Field, logits: jax.Array, truth: np.ndarray, mask: np.ndarray) -> jax.Array:
    """Squared error of scalars and cross-entropy of everything else, over what is no padding."""
    if field.kind == "scalar":
        errors = (logits - truth) ** 2
    elif field.kind == "mask":
        errors = jax.nn.softplus(jnp.where(truth == 1, -logits, logits))
    else:
        errors = -(jax.nn.one_hot(truth, logits.shape[-1]) * jax.nn.log_softmax(logits)).sum(-1)
    return jnp.where(mask, errors, 0).sum() / mask.sum()


@quickly_compiled
@eqx.filter_grad
def gradients(reasoner: Reasoner, batch: Batch, forced: Any) -> jax.Array:
    result = rollouts(reasoner, batch, forced)
    nodes, rows = batch.inputs.node_mask == 1, batch.row_mask[:, 1:] == 1
    total = jnp.zeros(())
    for field in reasoner.spec.hints:
        mask = rows if field.place == "graph" else rows[:, :, None] & nodes[:, None]
        total += mean_error(field, result.hints[field.name], batch.hints[field.name][:, 1:], mask)
    for field in reasoner.spec.outputs:
        total += mean_error(field, result.outputs[field.name], batch.outputs[field.name], nodes)
    return total


@quickly_compiled
@eqx.filter_grad
def chain_gradients(reasoner: Reasoner, examples: Chains) -> jax.Array:
    return total(call_frames.losses(reasoner, examples))


LEARN_BY_ROLLOUT = [name for name in OTHER_KINDS if STACKS.find(OTHER_KINDS[name].config.stack).learns_by_rollout]


@pytest.mark.parametrize("name", [*PAPER, *LEARN_BY_ROLLOUT, "rounds", "order node"])
def test_every_parameter_has_a_gradient(name: str) -> None:
    check(gradients(reasoner(name), batch(NETWORKS[name].spec), forced(0.5)))


@pytest.mark.parametrize("name", ["experiment 2", "order fields", "order bits", "order choice", "order node"])
def test_every_parameter_has_a_gradient_from_call_frames(name: str, rng: np.random.Generator) -> None:
    check(chain_gradients(reasoner(name), call_frames.chains(recordings(), NETWORKS[name].spec, 8, 2, rng)))


def check(found: Reasoner) -> None:
    sizes = {jax.tree_util.keystr(path): np.abs(leaf).max() for path, leaf in jax.tree.leaves_with_path(found) if leaf.size}
    rounding = 1e-7 * max(sizes.values())  # what is zero in exact arithmetic need not be zero in ours
    quiet = [path for path, size in sizes.items() if not size > rounding]
    assert not quiet, f"no gradient reaches {', '.join(quiet)}"
