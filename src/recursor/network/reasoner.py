r"""The reasoner: one row of one graph, and the rollout of all its rows.

In row t, with the hints $x^t$, the top frame $z^t$ and, where there is a hidden state, what was processed in the row before:

    features     $h_i, h_{ij}, h_g$ = encode(inputs, $x^t$); the top frame joins $h_i$ (node-wise) or $h_g$ (graph-level)
    processed    $p_i$ = process($h_i$, $p_i^{t-1}$, $h_{ij}$, $h_g$)
    next row     $x^{t+1}$ = decode($h_i$, $p_i^{t-1}$, $p_i$, $h_{ij}$, $h_g$)
    stack        pushes $\phi(p_i)$, pops or leaves the stack alone, as the op in $x^{t+1}$ says
    outputs      output[at] ← value, as $x^{t+1}$ says, where outputs are collected

Everything here is for a single graph; `jax.vmap` adds the batch. Nodes that are padding influence nothing.
"""

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray

from recursor.batches import Inputs
from recursor.network.config import NetworkConfig
from recursor.network.decode import Decoder
from recursor.network.encode import Encoder, Values
from recursor.network.linear import Features, TwoLayers
from recursor.network.pool import Pool
from recursor.network.process import MPNN
from recursor.network.stack import Stack, StackState
from recursor.network.values import from_logits, from_truth
from recursor.spec import NOOP, Spec


class Prepared(NamedTuple):
    """What the inputs give to every row: their channels, and who hears whom."""

    node: Float[Array, "n channels"]
    edge: Float[Array, "n n channels"]
    graph: Float[Array, " channels"]
    mask: Bool[Array, " n"]
    pairs: Bool[Array, "n n"]  # which senders (first axis) each receiver (second axis) hears


class Memory(NamedTuple):
    """What the network itself carries from row to row, beside the hints."""

    stack: StackState
    hidden: Float[Array, "n hidden"]  # the processed features of the row before; no width without a hidden state


class Known(NamedTuple):
    """What the decoders see of a row."""

    node: Features
    edge: Features
    graph: Features


class Rollout(NamedTuple):
    """A whole execution: logits of every row but the first, and of the outputs."""

    hints: Values  # rows first: [rows - 1, …]
    outputs: Values
    underflows: Int[Array, ""]


class Reasoner(eqx.Module):
    """The network, for one view of one algorithm."""

    node_encoder: Encoder
    edge_encoder: Encoder
    graph_encoder: Encoder
    processor: MPNN
    value: TwoLayers | None
    pool: Pool | None
    hint_decoder: Decoder
    output_decoder: Decoder | None
    stack: Stack = eqx.field(static=True)
    spec: Spec = eqx.field(static=True)
    config: NetworkConfig = eqx.field(static=True)

    def __init__(self, spec: Spec, config: NetworkConfig, *, key: PRNGKeyArray) -> None:
        config.check(spec)
        self.spec, self.config = spec, config
        self.stack = Stack(config.stack, config.frame)
        width = config.width
        keys = iter(jax.random.split(key, 8))
        self.node_encoder, self.edge_encoder, self.graph_encoder = (
            Encoder(place, spec, width, key=next(keys)) for place in ("node", "edge", "graph")
        )
        node_width = width + (config.frame if config.stack == "node" else 0) + (width if config.hidden_state else 0)
        graph_width = width + (config.frame if config.stack == "graph" else 0)
        self.processor = MPNN(node_width, width, graph_width, width, key=next(keys))
        learns = config.stack != "none" and config.value == "learned"
        self.value = TwoLayers(width, width, config.frame, key=next(keys)) if learns else None
        pools = config.stack == "graph"
        self.pool = Pool(config.pooling, width, graph_width, width, key=next(keys)) if pools else None
        known = node_width + width
        self.hint_decoder = Decoder(spec.hints, known, width, graph_width, key=next(keys))
        self.output_decoder = None if config.collect else Decoder(spec.outputs, known, width, graph_width, key=next(keys))

    def prepare(self, inputs: Inputs) -> Prepared:
        """Encodes the inputs of one graph."""
        n = inputs.node_mask.shape[0]
        values = {field.name: self._dense(inputs, field) for field in self.spec.inputs}
        mask = inputs.node_mask == 1
        pairs = jnp.broadcast_to(mask[:, None], (n, n))
        if self.config.processor == "mpnn-edges":
            support = jnp.zeros((n, n), bool).at[inputs.senders, inputs.receivers].set(True, mode="drop")
            pairs = (pairs & support) | jnp.eye(n, dtype=bool)  # padding hears itself, so that a maximum is over something
        return Prepared(
            self.node_encoder.input_channels(values, (n,)),
            self.edge_encoder.input_channels(values, (n, n)),
            self.graph_encoder.input_channels(values, ()),
            mask,
            pairs,
        )

    def _dense(self, inputs: Inputs, field) -> Float[Array, "..."]:
        values, n = jnp.asarray(inputs.fields[field.name]), inputs.node_mask.shape[0]
        if field.place == "edge":
            values = jnp.zeros((n, n), values.dtype).at[inputs.senders, inputs.receivers].set(values, mode="drop")
        return from_truth(field, values, n)

    def start(self, nodes: int, rows: int) -> Memory:
        """Nothing on the stack, and nothing remembered."""
        return Memory(self.stack.init(nodes, rows), jnp.zeros((nodes, self.config.width if self.config.hidden_state else 0)))

    def step(self, prepared: Prepared, row: Values, memory: Memory) -> tuple[Values, Known]:
        """One row: the logits of the next, and what they were decoded from."""
        top = self.stack.top(memory.stack)
        node = self.node_encoder(prepared.node, row)
        edge = self.edge_encoder(prepared.edge, row)
        graph = self.graph_encoder(prepared.graph, row)
        if self.stack.kind == "node":
            node = node.joined(top)
        if self.stack.kind == "graph":
            graph = graph.joined(top)
        node = node.joined(memory.hidden)
        known = Known(node.joined(self.processor(node, edge, graph, prepared.pairs)), edge, graph)
        return self.hint_decoder(known.node, known.edge, known.graph, prepared.mask), known

    def remember(self, memory: Memory, op: Int[Array, ""], known: Known, mask: Bool[Array, " n"]) -> Memory:
        """The memory for the next row, whose op it is."""
        processed = known.node.rest[:, -self.config.width :]
        hidden = processed if self.config.hidden_state else memory.hidden
        if self.stack.kind == "none":
            return Memory(memory.stack, hidden)
        frame = processed[:, : self.config.frame] if self.value is None else self.value(processed)
        if self.pool is not None:
            frame = self.pool(frame, processed, known.graph.dense(), mask)
        return Memory(self.stack.step(memory.stack, op, frame), hidden)

    def rollout(
        self,
        inputs: Inputs,
        hints: dict[str, Array],
        row_mask: Int[Array, " rows"],
        forced: Bool[Array, " rows"],
    ) -> Rollout:
        """Runs all rows of one graph. Row 0 is given; a later row is fed its true hints where it is forced, else the
        predicted ones. With a row its op is forced."""
        n, rows = inputs.node_mask.shape[0], len(row_mask)
        fields = self.spec.hints
        prepared = self.prepare(inputs)
        hard = self.config.feedback == "hard"

        def true_row(index: int | Array) -> Values:
            return {field.name: from_truth(field, hints[field.name][index], n) for field in fields}

        def body(carry, t):
            row, memory, collected, last = carry
            logits, known = self.step(prepared, row, memory)
            truth = true_row(t + 1)
            fed = {
                field.name: jnp.where(forced[t + 1], truth[field.name], from_logits(field, logits[field.name], hard=hard))
                for field in fields
            }
            active = row_mask[t + 1] == 1
            op = jnp.where(active, jnp.argmax(fed["stack_op"]), NOOP) if self.spec.has_ops else jnp.array(NOOP)
            memory = self.remember(memory, op, known, prepared.mask)
            for rule in self.spec.collect if self.config.collect else ():
                at = jnp.where(active, jnp.argmax(fed[rule.at]), n)  # n: dropped
                collected = collected | {rule.output: collected[rule.output].at[at].set(logits[rule.value], mode="drop")}
            if last is not None:
                last = jax.tree.map(lambda new, old: jnp.where(active, new, old), _varying(known), last)
            return (fed, memory, collected, last), logits

        collected = {
            rule.output: jnp.zeros((n, *true_row(0)[rule.value].shape)) for rule in self.spec.collect if self.config.collect
        }
        memory = self.start(n, rows)
        last = None  # what is known in the last row of this graph, which may not be the last of the batch
        if self.output_decoder is not None:
            last = jax.tree.map(jnp.zeros_like, _varying(jax.eval_shape(self.step, prepared, true_row(0), memory)[1]))
        carry = (true_row(0), memory, collected, last)
        (_, memory, outputs, last), logits = jax.lax.scan(body, carry, jnp.arange(rows - 1))
        if last is not None and self.output_decoder is not None:
            encoders = (self.node_encoder, self.edge_encoder, self.graph_encoder)
            known = Known(
                *(Features(x, encoder.code, encoder.bias, y) for (x, y), encoder in zip(last, encoders, strict=True))
            )
            outputs = self.output_decoder(known.node, known.edge, known.graph, prepared.mask)
        return Rollout(logits, outputs, memory.stack.underflows)


def _varying(known: Known) -> list[tuple[Array, Array]]:
    """The parts of what is known that differ from row to row."""
    return [(features.channels, features.rest) for features in known]
