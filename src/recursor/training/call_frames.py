r"""Call-frame training: without a hidden state, rows need no unrolling.

Row t depends on its hints and on the top frame. The hints are known under full teacher forcing. The frame was made by one
earlier row, the one before the push of the caller. That row depends on its own top frame, which a still earlier row made.
An example is therefore a *chain* of calls, drawn from a random place of a random execution:

    … → caller's caller → caller → current row

Each link is run on its true hints with the frame that the link before it made, and learns the row that follows it. If frames
are learnt, the top frame of the first link is not known. The loss then leaves this link out, unless the stack was empty
there. If frames are copies of the rows' own fields (the stacks *fields* and *choice*), it is known, and a chain of one link
is a complete example.

If nodes send bits, with logits x, the *silence* s adds a loss for bits that are 1 or nearly so: $s \max(0, 1 + x)$, the mean
over all bits of all nodes that are not padding. Bits that do not help become 0. A pointer with logits x whose true node is y
is then also learnt as a yes or no of each node,

$$ -\log \sigma(x_y) - \sum_{i \ne y} \log \sigma(-x_i) $$

so that a node can tell by itself whether it is named. With the softmax alone it may depend on which other nodes compete.
"""

from collections.abc import Generator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh
from jaxtyping import Array, Float, Int, PRNGKeyArray

from recursor.algorithms import find
from recursor.data.batch import Batch, HostOrDevice, Inputs, element_weights
from recursor.data.batches import pad, prefetch
from recursor.graphs.graph import Graph
from recursor.network.encode import Values
from recursor.network.reasoner import Reasoner
from recursor.network.stacks import STACKS
from recursor.network.stacks.call_stack import CopyingStack
from recursor.network.values import from_truth
from recursor.recording.algorithm import Algorithm
from recursor.recording.rows import Recording
from recursor.recording.stack import ChangeFrames, last_in_first_out, top_frame_rows
from recursor.spec import Field, Spec
from recursor.system.compiling import FOR_CALL_FRAMES
from recursor.training import update
from recursor.training.config import TrainConfig
from recursor.training.lessons import Lesson
from recursor.training.losses import Mean, element_loss


class Chains(NamedTuple):
    """Executions, and chains of calls in them."""

    batch: Batch
    rows: HostOrDevice  # [batch, chains, links + 1] int32: row numbers, the current row last; -1: the stack was empty


def chains(
    recordings: Sequence[Recording],
    spec: Spec,
    count: int,
    links: int,
    rng: np.random.Generator,
    change: ChangeFrames = last_in_first_out,
    last: Mapping[int, int] = MappingProxyType({}),
) -> Chains:
    """Returns `count` random chains of each execution.

    Args:
        recordings: The executions.
        spec: The fields of the view.
        count: Chains from each execution.
        links: Rows in a chain, the current one counted.
        rng: The source of randomness.
        change: How frames are kept: `change_frames` of the stack's storage.
        last: For some executions, by their index: the row in which half of the chains end (the row of a lesson).
    """
    rows = np.empty((len(recordings), count, links + 1), np.int32)
    for place, recording in enumerate(recordings):
        # The row that made the top frame of each row. The last entry is found at index -1: below an empty stack is nothing.
        frame_rows = np.array([*top_frame_rows(recording.ops.tolist(), change), -1], np.int32)
        rows[place, :, links] = draw_rows(len(recording), count, rng, last.get(place))
        for link in reversed(range(links)):
            rows[place, :, link] = frame_rows[rows[place, :, link + 1]]
    return Chains(pad(recordings, spec, every_pair=True), rows)


def used_rows(examples: Chains) -> Chains:
    """Returns the examples without the rows that no chain uses. Their shape then does not depend on the length of the
    executions, so that one program serves all updates."""
    batch, rows = examples
    used = np.maximum(rows, 0).reshape(len(rows), -1)
    used = np.stack([used, used + 1], -1).reshape(len(rows), -1)  # each with the row after it
    used = np.minimum(used, batch.row_mask.shape[1] - 1)  # an execution of one row has none after it

    def take_used(values: np.ndarray) -> np.ndarray:
        return np.asarray(values)[np.arange(len(rows))[:, None], used]

    # The chains count in the new rows: each used row is followed by the row after it, so they are the even ones.
    places = np.arange(0, used.shape[1], 2, dtype=np.int32).reshape(rows.shape[1:])
    hints = {name: take_used(values) for name, values in batch.hints.items()}
    batch = batch._replace(hints=hints, row_mask=take_used(batch.row_mask))
    return Chains(batch, np.where(rows >= 0, places, np.int32(-1)))


def draw_rows(length: int, count: int, rng: np.random.Generator, last: int | None) -> np.ndarray:
    """Returns random rows of an execution that have one after them; half of them are the row `last`, if there is one."""
    rows = rng.integers(0, max(1, length - 1), count)
    if last is not None:
        rows[: (count + 1) // 2] = min(last, max(0, length - 2))
    return rows


def draw_graphs(
    algorithm: Algorithm, config: TrainConfig, rng: np.random.Generator, lessons: Sequence[Lesson]
) -> tuple[list[Graph], dict[int, int]]:
    """Returns graphs of all sizes, and the rows of the lessons by the index of their graph. If there are lessons, every
    other graph is that of a lesson."""
    sizes = [config.sizes[place % len(config.sizes)] for place in range(config.batch)]
    chosen = {place: lessons[int(rng.integers(len(lessons)))] for place in range(1, config.batch, 2) if lessons}
    graphs = [chosen[place].graph if place in chosen else algorithm.train(rng, size) for place, size in enumerate(sizes)]
    return graphs, {place: lesson.row for place, lesson in chosen.items()}


def batches(config: TrainConfig, start: int = 0, lessons: Sequence[Lesson] = ()) -> Generator[Chains]:
    """Yields the examples of each update without end, from update `start` on. Every update has graphs of all sizes, so that
    all have one shape. If there are lessons, every other graph is that of a lesson, and half of its chains end in
    its row."""
    algorithm, spec = find(config.algorithm), config.spec
    change = STACKS.find(config.network.stack).storage.change_frames

    def make(index: int) -> Chains:
        rng = np.random.default_rng((config.seed, index))
        graphs, last = draw_graphs(algorithm, config, rng, lessons)
        recordings = [algorithm.record(graph) for graph in graphs]
        return chains(recordings, spec, config.chains, config.links, rng, change, last)

    return prefetch(make, start, ahead=4)


def run(
    reasoner: Reasoner, inputs: Inputs, hints: Values, rows: Int[Array, " links_and_below"]
) -> tuple[Values, Float[Array, "links n bits"]]:
    """Runs one chain. Returns the logits of the row after each link, [links, …], and those of the bits that nodes send."""
    prepared = reasoner.prepare(inputs)
    nodes = len(prepared.mask)
    hidden = jnp.zeros((nodes, 0))

    def row(index: Int[Array, ""]) -> Values:
        at = jnp.maximum(index, 0)
        return {field.name: from_truth(field, hints[field.name][at], nodes) for field in reasoner.spec.hints}

    def zero_if_empty(frame: Any, index: Int[Array, ""]) -> Any:
        """Returns the frame that a row made; zeros if there is no such row, because the stack was empty."""
        return jax.tree.map(lambda values: jnp.where(index >= 0, values, 0.0), frame)

    top = reasoner.stack.empty(nodes)
    if isinstance(reasoner.stack, CopyingStack):
        top = zero_if_empty(reasoner.stack.copy(row(rows[0]), row(rows[0] + 1), prepared.mask), rows[0])
    links = []
    for index in rows[1:]:
        hints_now, hints_next = row(index), row(index + 1)
        choose = lambda field, _, hints_next=hints_next: hints_next[field.name]  # noqa: E731 (teacher forcing in the row)
        logits, features = reasoner.step_with(top, prepared, hints_now, hidden, choose)
        top = zero_if_empty(reasoner.frame(features, hints_now, hints_next, prepared.mask), index)
        links.append((logits, features.bit_logits))
    return jax.tree.map(lambda *parts: jnp.stack(parts), *links)


def chain_losses(reasoner: Reasoner, examples: Chains, silence: float = 0.0) -> dict[str, tuple[Array, Array]]:
    """Returns the losses of all links and their weights, [batch, chains, links, …], for each hint, and for silence if it is
    not 0."""
    batch, rows = examples
    of_graph = jax.vmap(lambda inputs, hints, rows: run(reasoner, inputs, hints, rows), (None, None, 0))
    logits, bits = jax.vmap(of_graph)(batch.inputs, batch.hints, rows)
    link_weight = (rows[..., 1:] >= 0).astype(jnp.float32)
    if not reasoner.stack.copies:  # the first link counts only if the stack was empty
        link_weight = link_weight.at[..., 0].multiply(rows[..., 0] < 0)
    parts = {}
    for field in reasoner.spec.predicted:
        truth = jax.vmap(lambda values, index: values[index])(batch.hints[field.name], jnp.maximum(rows[..., 1:], 0) + 1)
        parts[field.name] = (element_loss(field, logits[field.name], truth), element_weights(field, batch, link_weight))
        if reasoner.config.message_bits and field.kind == "pointer" and field.place == "graph":
            is_named = (truth[..., None] == jnp.arange(batch.inputs.node_mask.shape[1])).astype(jnp.float32)
            of_nodes = logits[field.name][..., : is_named.shape[-1]]
            loss = optax.sigmoid_binary_cross_entropy(of_nodes, is_named) * batch.inputs.node_mask[:, None, None, :]
            parts[f"{field.name}/named"] = (loss.sum(-1), element_weights(field, batch, link_weight))
    if silence:
        weight = jnp.broadcast_to(element_weights(_BIT, batch, link_weight)[..., None], bits.shape)
        parts["silence"] = (silence * jax.nn.relu(1.0 + bits), weight)
    return parts


_BIT = Field("bit", "node", "mask")  # the bits of messages are weighted like a mask of the nodes


def losses(reasoner: Reasoner, examples: Chains, silence: float = 0.0) -> dict[str, Mean]:
    """Returns the loss of each hint, and that of silence."""
    parts = chain_losses(reasoner, examples, silence)
    return {name: Mean(jnp.where(weight > 0, loss, 0.0).sum(), weight.sum()) for name, (loss, weight) in parts.items()}


def make_update(config: TrainConfig, transformation: optax.GradientTransformation, mesh: Mesh) -> update.Update:
    """Returns the function that makes one update."""
    learn = update.make_update(
        transformation, partial(losses, silence=config.silence), lambda sample, key: sample, mesh, FOR_CALL_FRAMES
    )
    return lambda state, sample, key: learn(state, used_rows(sample), key)


_chain_losses = eqx.filter_jit(chain_losses)


def first_bad(config: TrainConfig, reasoner: Reasoner, examples: Chains, key: PRNGKeyArray) -> str:
    """Returns in words where the loss of an update is not finite: the first such row, and the fields in it."""
    rows: dict[int, list[str]] = {}
    for name, (loss, weight) in _chain_losses(reasoner, examples, config.silence).items():
        bad = np.argwhere(~np.isfinite(np.asarray(loss)) & (np.asarray(weight) > 0))
        if len(bad):
            place, chain, link = bad[0][:3]
            rows.setdefault(int(examples.rows[place, chain, link + 1]) + 1, []).append(name)
    if not rows:
        return "in the gradient; every hint's loss is finite"
    row = min(rows)
    return f"in row {row}, in the field {', '.join(rows[row])}"
