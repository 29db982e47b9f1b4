r"""Latent training: nobody tells the stack operations; they are found.

Rows are those of the recorded algorithm, without their op. Frames are copies of rows, so for any row m that might have
pushed the frame on top in row t (or none) the likelihood of the next row is one evaluation of the network, and so is the
probability that it gives to each op:

$$ s_{t,m,\mathrm{op}} = \log p(x^{t+1} \mid x^t, z_m) + b\, \bigl(\log p(\mathrm{op} \mid x^t, z_m, x^{t+1})
   - \log \bar p(\mathrm{op})\bigr) - b\,c\,[\mathrm{op} = \mathrm{push}] $$

An update first scores all pairs of rows, and draws a well-nested sequence of ops from the `chart`, at a temperature that
falls to 0 (then it is the best one). Then the network learns the rows and the ops of that sequence as if they had been told,
by call frames. The weight b of the network's own op rises from 0 to 1 afterwards: at first ops are found that explain the
rows, later on those that the network can foresee. What counts is how much likelier an op is here than in the mean row,
$\bar p$: with the probability alone the op that is most frequent becomes ever more frequent, until nothing is pushed at all.
The price c of a push keeps the network from pushing what nobody needs.
"""

from collections.abc import Generator, Mapping, Sequence
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh
from jaxtyping import Array, Float, Int, PRNGKeyArray

from recursor.algorithms import find
from recursor.data.batch import Batch, Inputs
from recursor.data.batches import pad, prefetch
from recursor.network.encode import Values
from recursor.network.reasoner import Prepared, Reasoner
from recursor.network.stacks.call_stack import CopyingStack
from recursor.network.values import from_truth
from recursor.spec import PUSH
from recursor.training import call_frames, update
from recursor.training.call_frames import Chains
from recursor.training.chart import Chart, Operations
from recursor.training.config import TrainConfig
from recursor.training.lessons import Lesson
from recursor.training.losses import element_loss

PIECE = 512  # pairs of rows that are scored at once


class Executions(NamedTuple):
    """The executions of one update, without their ops."""

    batch: Batch
    done: int
    """The number of updates before this one."""
    last: Mapping[int, int]
    """The row of the lesson, in executions that are lessons."""


def batches(config: TrainConfig, start: int = 0, lessons: Sequence[Lesson] = ()) -> Generator[Executions]:
    """Yields what each update is made of, without end, from update `start` on; where there are lessons, every other graph is
    one of them."""
    algorithm, spec = find(config.algorithm), config.spec

    def make(index: int) -> Executions:
        rng = np.random.default_rng((config.seed, index))
        graphs, last = call_frames.draw_graphs(algorithm, config, rng, lessons)
        batch = pad([algorithm.record(graph) for graph in graphs], spec, every_pair=True)
        return Executions(_without_ops(batch), index, last)

    return prefetch(make, start, ahead=4)


def _without_ops(batch: Batch) -> Batch:
    return batch._replace(hints=batch.hints | {"stack_op": np.zeros_like(batch.hints["stack_op"])})


def score_rows(reasoner: Reasoner, batch: Batch) -> tuple[np.ndarray, np.ndarray]:
    """Scores every row under every frame that might be on top in it.

    Args:
        reasoner: A network whose frames are copies of rows.
        batch: Some executions; their ops are not looked at.

    Returns:
        For each execution, row t and row m ≤ t whose frame is on top (0: none): the log-likelihood of row t + 1, [batch,
        rows - 1, rows], and the log-probability of each op, [batch, rows - 1, rows, 3]. Of all others, 0.
    """
    mask = np.asarray(batch.row_mask)
    graphs, rows = mask.shape
    which, at, top = np.nonzero((mask[:, 1:, None] == 1) & (np.arange(rows) <= np.arange(rows - 1)[:, None]))
    likelihood, ops = np.zeros((graphs, rows - 1, rows), np.float32), np.zeros((graphs, rows - 1, rows, 3), np.float32)
    prepared, arrays = _prepare(reasoner, batch.inputs, batch.hints)
    for start in range(0, len(which), PIECE):
        piece = which[start : start + PIECE], at[start : start + PIECE], top[start : start + PIECE]
        padded = [np.pad(part, (0, PIECE - len(part))).astype(np.int32) for part in piece]
        rows_found, ops_found = jax.device_get(_score(reasoner, prepared, arrays, *padded))
        likelihood[piece], ops[piece] = rows_found[: len(piece[0])], ops_found[: len(piece[0])]
    return likelihood, ops


@eqx.filter_jit
def _prepare(reasoner: Reasoner, inputs: Inputs, hints: Values) -> tuple[Prepared, Values]:
    return jax.vmap(reasoner.prepare)(inputs), jax.tree.map(jnp.asarray, hints)


@eqx.filter_jit
def _score(reasoner: Reasoner, prepared: Prepared, hints: Values, which: Any, at: Any, top: Any) -> tuple[Array, Array]:
    def one(which: Int[Array, ""], at: Int[Array, ""], top: Int[Array, ""]) -> tuple[Float[Array, ""], Float[Array, " ops"]]:
        graph = jax.tree.map(lambda values: values[which], prepared)
        nodes, stack = len(graph.mask), reasoner.stack
        assert isinstance(stack, CopyingStack)

        def row(index: Int[Array, ""]) -> Values:
            fields = reasoner.spec.hints
            return {field.name: from_truth(field, hints[field.name][which, index], nodes) for field in fields}

        now, then = row(at), row(at + 1)
        frame = stack.copy(row(jnp.maximum(top - 1, 0)), row(top), graph.mask)
        frame = jax.tree.map(lambda values: jnp.where(top > 0, values, 0.0), frame)
        logits, _ = reasoner.step_with(frame, graph, now, jnp.zeros((nodes, 0)), lambda field, _: then[field.name])
        loss = jnp.zeros(())
        for field in reasoner.spec.predicted:
            if not field.latent:
                of_field = element_loss(field, logits[field.name], hints[field.name][which, at + 1])
                loss += jnp.where(graph.mask, of_field, 0.0).sum() if field.place == "node" else of_field
        return -loss, jax.nn.log_softmax(logits["stack_op"])

    return jax.vmap(one)(which, at, top)


class Found(NamedTuple):
    """What an update found out before it learnt."""

    operations: Operations
    likelihood: np.ndarray  # [batch]: the log-likelihood of all rows under the operations
    foresight: np.ndarray  # [batch]: the log-probability that the network gave to the operations


def find_operations(config: TrainConfig, reasoner: Reasoner, executions: Executions) -> Found:
    """Returns the ops of some executions: the best ones, or before the end of the search, random ones."""
    batch, done, _ = executions
    likelihood, ops = score_rows(reasoner, batch)
    temperature = config.temperature * max(0.0, 1 - done / config.search)
    weight = min(1.0, max(0.0, done - config.search) / config.foresight)
    usual = np.log(np.exp(ops[ops.any(-1)]).mean(0)) if config.relative_ops else 0.0
    scores = likelihood[..., None] + weight * (ops - usual)
    scores[..., PUSH] -= weight * config.push_price
    lengths = np.asarray(batch.row_mask).sum(1)
    rng = np.random.default_rng((config.seed, done, 2))
    found = Chart(scores, lengths, temperature).draw(rng)
    every, steps = np.arange(len(lengths))[:, None], np.arange(likelihood.shape[1])
    real = np.asarray(batch.row_mask)[:, 1:]
    chosen = every, steps, found.tops[:, :-1]
    return Found(found, (likelihood[chosen] * real).sum(1), (ops[(*chosen, found.ops[:, 1:])] * real).sum(1))


def make_update(config: TrainConfig, transformation: optax.GradientTransformation, mesh: Mesh) -> update.Update:
    """Returns the function of one update."""
    learn = call_frames.make_update(config, transformation, mesh)

    def find_and_learn(state: update.State, sample: Executions, key: PRNGKeyArray) -> tuple[update.State, dict[str, Any]]:
        found = find_operations(config, state.reasoner, sample)
        state, means = learn(state, as_chains(config, sample, found.operations), key)
        return state, means | _figures(sample.batch, found)

    return find_and_learn


def _figures(batch: Batch, found: Found) -> dict[str, float]:
    """What is logged of the operations that were found: nats an execution, and the share of rows that push."""
    rows = np.asarray(batch.row_mask)[:, 1:].sum()
    return {
        "found/rows": float(-found.likelihood.mean()),
        "found/ops": float(-found.foresight.mean()),
        "found/pushes": float((found.operations.ops == PUSH).sum() / rows),
    }


def as_chains(config: TrainConfig, executions: Executions, found: Operations) -> Chains:
    """Returns rows to learn from, with the operations as if they had been told."""
    batch, done, last = executions
    rng = np.random.default_rng((config.seed, done, 3))
    rows = np.empty((len(found.ops), config.chains, 2), np.int32)
    for place, length in enumerate(np.asarray(batch.row_mask).sum(1).tolist()):
        rows[place, :, 1] = call_frames.draw_rows(length, config.chains, rng, last.get(place))
        rows[place, :, 0] = found.tops[place, rows[place, :, 1]] - 1
    return Chains(batch._replace(hints=batch.hints | {"stack_op": found.ops}), rows)


def first_bad(config: TrainConfig, reasoner: Reasoner, executions: Executions, key: PRNGKeyArray) -> str:
    """Where the loss of an update stopped being a number: a row, and the fields in it."""
    found = find_operations(config, reasoner, executions)
    return call_frames.first_bad(config, reasoner, as_chains(config, executions, found.operations), key)
