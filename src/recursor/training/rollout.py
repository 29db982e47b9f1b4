"""Training by rollout, as in the paper: the network runs all rows, partly on its own predictions, and learns from all."""

from collections.abc import Generator

import equinox as eqx
import jax
import numpy as np
import optax
from jax.sharding import Mesh
from jaxtyping import Array, Bool, PRNGKeyArray

from recursor.algorithms import find
from recursor.data.batch import Batch
from recursor.data.batches import stream
from recursor.network.reasoner import Reasoner, rollout_batch
from recursor.system.compiling import EACH_CORE_A_DEVICE, FOR_ROLLOUTS
from recursor.training import update
from recursor.training.config import TrainConfig
from recursor.training.losses import Mean, losses, row_losses


def batches(config: TrainConfig, start: int = 0) -> Generator[Batch]:
    """Yields the batch of each update, without end, from update `start` on."""
    return stream(
        algorithm := find(config.algorithm),
        config.spec,
        algorithm.train,
        sizes=config.sizes,
        graphs=config.batch,
        seed=config.seed,
        start=start,
    )


def make_update(config: TrainConfig, transformation: optax.GradientTransformation, mesh: Mesh) -> update.Update:
    """Returns the function of one update. Each row of each graph uses teacher forcing with the probability `forcing`."""

    def rollout_losses(reasoner: Reasoner, examples: tuple[Batch, Bool[Array, "batch rows"]]) -> dict[str, Mean]:
        batch, forced = examples
        return losses(reasoner.spec, rollout_batch(reasoner, batch, forced), batch)

    on_cpu = mesh.devices.flat[0].platform == "cpu"
    options = FOR_ROLLOUTS | (EACH_CORE_A_DEVICE if mesh.size > 1 else {}) if on_cpu else {}
    return update.make_update(
        transformation,
        rollout_losses,
        lambda batch, key: (batch, _forced(config, batch, key)),
        mesh,
        options,
    )


def _forced(config: TrainConfig, batch: Batch, key: PRNGKeyArray) -> Bool[Array, "batch rows"]:
    return jax.random.bernoulli(key, config.forcing, batch.row_mask.shape)


@eqx.filter_jit
def _row_losses(reasoner: Reasoner, batch: Batch, forced: Array) -> dict[str, tuple[Array, Array]]:
    return row_losses(reasoner.spec, rollout_batch(reasoner, batch, forced), batch)


def first_bad(config: TrainConfig, reasoner: Reasoner, batch: Batch, key: PRNGKeyArray) -> str:
    """Says where the loss of an update is first not finite: the row, and the fields in it."""
    rows: dict[int, list[str]] = {}
    for name, (loss, weight) in _row_losses(reasoner, batch, _forced(config, batch, key)).items():
        bad = ~np.isfinite(np.asarray(loss)) & (np.asarray(weight) > 0)
        at = np.flatnonzero(bad.any(axis=tuple(axis for axis in range(bad.ndim) if axis != 1)))
        if len(at):
            rows.setdefault(int(at[0]) + 1, []).append(name)
    if not rows:
        return "in the outputs or the gradient; every hint's loss is finite"
    row = min(rows)
    return f"in row {row}, in the field {', '.join(rows[row])}"
