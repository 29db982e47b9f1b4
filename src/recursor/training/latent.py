r"""Latent training: nobody tells the stack operations; they are found.

Rows are those of the recorded algorithm, without their op. Frames are copies of rows, so for any row m that might have
pushed the frame on top in row t (or none) the likelihood of the next row is one evaluation of the network, and so is the
probability that it gives to each op.

1. *Explore.* The ops are random and know nothing of the rows. The network learns what can be predicted without the stack,
   and what a frame tells if it happens to be the right one.
2. *Search.* An update scores all pairs of rows, and draws a well-nested sequence of ops from the `chart`, with a probability
   that is proportional to the exponential of the sum of

$$ s_{t,m,\mathrm{op}} = w \log p(x^{t+1} \mid x^t, z_m) + b\, \bigl(\log p(\mathrm{op} \mid x^t, z_m, x^{t+1})
   - \log \bar p(\mathrm{op})\bigr) $$

   Then the network learns the rows and the ops of that sequence as if they had been told, by call frames. The weight w of
   the rows is large, so that the ops have to explain them. What counts of an op is how much likelier it is here than in the
   mean row, $\bar p$: with the probability alone the most frequent op becomes ever more frequent, until nothing is pushed at
   all. The weight b of the ops rises from 1 to `op_weight`: likely ops become certain, and the network can foresee
   them.

A network may use the stack now in one way and now in another. Then it never foresees its ops well, and some time after the
search training starts again with other random weights (`restarts`).
"""

import json
from collections.abc import Generator, Mapping, Sequence
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray

from recursor.algorithms import find
from recursor.data.batch import Batch, Inputs
from recursor.data.batches import pad, prefetch
from recursor.network.encode import Values
from recursor.network.reasoner import Prepared, Reasoner
from recursor.network.stacks.call_stack import CopyingStack, Frame
from recursor.network.values import from_truth
from recursor.spec import NOOP, POP, PUSH
from recursor.training import call_frames, update
from recursor.training.call_frames import Chains
from recursor.training.chart import Chart, Operations
from recursor.training.config import TrainConfig
from recursor.training.lessons import Lesson
from recursor.training.losses import element_loss

PIECE = 512  # pairs of rows that are scored at once
SETTLING = 100
"""So many updates after the search, a use of the stack must have settled."""
SETTLED = 0.4
"""It has if the ops of an execution cost fewer nats than this."""


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
    # in larger graphs there are too many pairs of rows
    lessons = [lesson for lesson in lessons if len(lesson.graph) <= max(config.sizes)]

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
    prepared, arrays, frames = _prepare(reasoner, batch.inputs, batch.hints)
    first = first_alike(np.asarray(frames))
    pushed, steps = np.arange(rows), np.arange(rows - 1)[:, None]
    which, at, top = np.nonzero((mask[:, 1:, None] == 1) & (pushed <= steps) & (first == pushed)[:, None])
    likelihood, ops = np.zeros((graphs, rows - 1, rows), np.float32), np.zeros((graphs, rows - 1, rows, 3), np.float32)
    for start in range(0, len(which), PIECE):
        piece = which[start : start + PIECE], at[start : start + PIECE], top[start : start + PIECE]
        padded = [np.pad(part, (0, PIECE - len(part))).astype(np.int32) for part in piece]
        rows_found, ops_found = jax.device_get(_score(reasoner, prepared, arrays, *padded))
        likelihood[piece], ops[piece] = rows_found[: len(piece[0])], ops_found[: len(piece[0])]
    likelihood = np.take_along_axis(likelihood, first[:, None], 2)
    ops = np.take_along_axis(ops, first[:, None, :, None], 2)
    unused = pushed > steps
    likelihood[:, unused], ops[:, unused] = 0.0, 0.0
    return likelihood, ops


def first_alike(frames: np.ndarray) -> np.ndarray:
    """Returns for each row the first row whose frame is the same, so that each frame is scored once.

    Args:
        frames: The packed frames that all rows would push, [batch, rows, numbers].

    Returns:
        Row numbers, [batch, rows]; of row 0, which pushes nothing, 0.
    """
    found = np.zeros(frames.shape[:2], np.int64)
    for place, of_graph in enumerate(frames):
        _, index, inverse = np.unique(of_graph[1:], axis=0, return_index=True, return_inverse=True)
        found[place, 1:] = 1 + index[inverse.reshape(-1)]
    return found


@eqx.filter_jit
def _prepare(reasoner: Reasoner, inputs: Inputs, hints: Values) -> tuple[Prepared, Values, Array]:
    prepared, arrays = jax.vmap(reasoner.prepare)(inputs), jax.tree.map(jnp.asarray, hints)

    def frames(mask: Array, of_graph: Values) -> Array:
        rows = jnp.arange(len(of_graph["stack_op"]))
        return jax.vmap(lambda row: reasoner.stack.pack(_frame(reasoner, of_graph, row, mask)))(rows)

    return prepared, arrays, jax.vmap(frames)(prepared.mask, arrays)


def _row(reasoner: Reasoner, hints: Values, row: Int[Array, ""], nodes: int) -> Values:
    return {field.name: from_truth(field, hints[field.name][row], nodes) for field in reasoner.spec.hints}


def _frame(reasoner: Reasoner, hints: Values, row: Int[Array, ""], mask: Bool[Array, " n"]) -> Frame:
    """The frame that a row pushes."""
    assert isinstance(reasoner.stack, CopyingStack)
    before = _row(reasoner, hints, jnp.maximum(row - 1, 0), len(mask))
    return reasoner.stack.copy(before, _row(reasoner, hints, row, len(mask)), mask)


@eqx.filter_jit
def _score(reasoner: Reasoner, prepared: Prepared, hints: Values, which: Any, at: Any, top: Any) -> tuple[Array, Array]:
    def one(which: Int[Array, ""], at: Int[Array, ""], top: Int[Array, ""]) -> tuple[Float[Array, ""], Float[Array, " ops"]]:
        graph, of_graph = jax.tree.map(lambda values: values[which], (prepared, hints))
        nodes = len(graph.mask)
        now, then = _row(reasoner, of_graph, at, nodes), _row(reasoner, of_graph, at + 1, nodes)
        frame = jax.tree.map(lambda values: jnp.where(top > 0, values, 0.0), _frame(reasoner, of_graph, top, graph.mask))
        logits, _ = reasoner.step_with(frame, graph, now, jnp.zeros((nodes, 0)), lambda field, _: then[field.name])
        loss = jnp.zeros(())
        for field in reasoner.spec.predicted:
            if not field.latent:
                of_field = element_loss(field, logits[field.name], of_graph[field.name][at + 1])
                loss += jnp.where(graph.mask, of_field, 0.0).sum() if field.place == "node" else of_field
        return -loss, jax.nn.log_softmax(logits["stack_op"])

    return jax.vmap(one)(which, at, top)


class Found(NamedTuple):
    """What an update found out before it learnt."""

    operations: Operations
    likelihood: np.ndarray | None = None  # [batch]: the log-likelihood of all rows under them; None if it was not computed
    foresight: np.ndarray | None = None  # [batch]: the log-probability that the network gave to the operations


def find_operations(config: TrainConfig, reasoner: Reasoner, executions: Executions) -> Found:
    """Returns the ops of some executions: random ones while the network explores, then drawn ones, in the end the best."""
    batch, done, _ = executions
    lengths, rows = np.asarray(batch.row_mask).sum(1), np.asarray(batch.row_mask).shape[1]
    rng = np.random.default_rng((config.seed, done, 2))
    if done < config.explore:
        return Found(random_operations(lengths, rows, rng))
    likelihood, ops = score_rows(reasoner, batch)
    usual = np.log(np.exp(ops[ops.any(-1)]).mean(0))
    scores = config.row_weight * likelihood[..., None] + op_weight(config, done) * (ops - usual)
    found = Chart(scores, lengths, temperature=1.0).draw(rng)
    chosen = np.arange(len(lengths))[:, None], np.arange(rows - 1), found.tops[:, :-1]
    real = np.asarray(batch.row_mask)[:, 1:]
    return Found(found, (likelihood[chosen] * real).sum(1), (ops[(*chosen, found.ops[:, 1:])] * real).sum(1))


def op_weight(config: TrainConfig, done: int) -> float:
    """Returns the weight of an op: 1 in the first half of the search, rising to `config.op_weight` in the second."""
    risen = 2 * (done - config.explore) / config.search - 1
    return 1 + (config.op_weight - 1) * min(1.0, max(0.0, risen))


def must_settle(config: TrainConfig, done: int) -> bool:
    """Returns whether some use of the stack must have settled after so many updates."""
    return done == config.explore + config.search + SETTLING


def is_settled(metrics: Sequence[str]) -> bool:
    """Returns whether the network has foreseen the ops of the last updates: the median of what they cost is small. A single
    update with a rare row may cost much more.

    Args:
        metrics: The lines of metrics.jsonl so far.
    """
    costs = [json.loads(line).get("found/ops") for line in metrics[-SETTLING // 2 :]]
    return float(np.median([cost for cost in costs if cost is not None])) < SETTLED


def random_operations(lengths: np.ndarray, rows: int, rng: np.random.Generator) -> Operations:
    """Returns random ops: in every row push, pop and noop are alike, but the empty stack is not popped."""
    ops = rng.integers(0, 3, (len(lengths), rows)).astype(np.int32)
    ops[:, 0] = NOOP
    ops[np.arange(rows) >= lengths[:, None]] = NOOP
    tops = np.zeros_like(ops)
    for place in range(len(lengths)):
        stack = [0]
        for row in range(1, rows):
            if ops[place, row] == PUSH:
                stack.append(row)
            elif ops[place, row] == POP:
                if len(stack) == 1:
                    ops[place, row] = NOOP
                else:
                    stack.pop()
            tops[place, row] = stack[-1]
    return Operations(ops, tops)


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
    figures = {"found/pushes": float((found.operations.ops == PUSH).sum() / rows)}
    if found.likelihood is not None and found.foresight is not None:
        figures |= {"found/rows": float(-found.likelihood.mean()), "found/ops": float(-found.foresight.mean())}
    return figures


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
