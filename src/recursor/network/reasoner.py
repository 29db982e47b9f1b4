r"""The reasoner: one row of one graph, and the rollout of all its rows.

In row t, with the hints $x^t$, the top frame $z^t$ and, where there is a hidden state, what was processed in the row before:

    features     $h_i, h_{ij}, h_g$ = encode(inputs, $x^t$), joined by the top frame
    processed    $p_i$ = process($h_i$, $p_i^{t-1}$, $h_{ij}$, $h_g$), in one round or more
    next row     $x^{t+1}$ = decode($h_i$, $p_i^{t-1}$, $p_i$, $h_{ij}$, $h_g$)
    stack        pushes the frame of this row, pops or leaves the stack alone, as the op in $x^{t+1}$ says
    outputs      output[at] ← value, as $x^{t+1}$ says, where outputs are collected

Everything here is for a single graph; `jax.vmap` adds the batch. Nodes that are padding influence nothing.
"""

from dataclasses import replace
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray

from recursor.data.batch import Batch, Inputs
from recursor.network.config import NetworkConfig
from recursor.network.decode import Decoder, OrderedDecoder, Settle
from recursor.network.encode import Encoder, Values
from recursor.network.frames import NoFrames, Pushed, frames
from recursor.network.linear import Features
from recursor.network.processors.mpnn import MPNN
from recursor.network.processors.order import Neighbours, OrderProcessor, neighbours, ordered
from recursor.network.stack import Stack, StackState
from recursor.network.values import from_logits, from_truth
from recursor.spec import NOOP, Field, Spec


class Prepared(NamedTuple):
    """What the inputs give to every row: their channels, and who hears whom."""

    node: Float[Array, "n channels"]
    edge: Float[Array, "n n channels"] | None  # None: this processor computes nothing for pairs
    graph: Float[Array, " channels"]
    mask: Bool[Array, " n"]
    relations: Bool[Array, "n n"] | Neighbours  # which senders (first axis) each receiver (second axis) hears, or the edges


class Memory(NamedTuple):
    """What the network itself carries from row to row, beside the hints."""

    stack: StackState
    hidden: Float[Array, "n hidden"]  # the processed features of the row before; no width without a hidden state


class Known(NamedTuple):
    """What the decoders see of a row, and the bits that the nodes said for it."""

    node: Features
    edge: Features | None
    graph: Features
    bits: Float[Array, "n bits"]  # of all messages, then of all that was pooled; no width where they are real numbers


class Rollout(NamedTuple):
    """A whole execution: logits of every row but the first, and of the outputs."""

    hints: Values  # rows first: [rows - 1, …]
    outputs: Values
    underflows: Int[Array, ""]


class Reasoner(eqx.Module):
    """The network, for one view of one algorithm."""

    node_encoder: Encoder
    edge_encoder: Encoder | None
    graph_encoder: Encoder
    processors: tuple[MPNN | OrderProcessor, ...]
    frames: NoFrames
    hint_decoder: Decoder | OrderedDecoder
    output_decoder: Decoder | None
    stack: Stack = eqx.field(static=True)
    spec: Spec = eqx.field(static=True)
    config: NetworkConfig = eqx.field(static=True)

    def __init__(self, spec: Spec, config: NetworkConfig, *, key: PRNGKeyArray) -> None:
        config.check(spec)
        self.spec, self.config = spec, config
        width, by_order = config.width, config.processor == "order"
        keys = iter(jax.random.split(key, 8))
        encoded = spec
        if by_order:  # positions are the order of the nodes, and no numbers
            encoded = replace(spec, inputs=tuple(f for f in spec.inputs if (f.place, f.kind) != ("node", "scalar")))
        self.node_encoder = Encoder("node", encoded, width, key=next(keys))
        edge_encoder = Encoder("edge", encoded, width, key=next(keys))
        self.edge_encoder = None if by_order else edge_encoder
        self.graph_encoder = Encoder("graph", encoded, width, key=next(keys))
        self.frames = frames(spec, config, key=next(keys))
        self.stack = Stack(config.stack, self.frames.packed_width, self.frames.of_each_node)
        node_width = width + self.frames.node_width + (width if config.hidden_state else 0)
        graph_width = width + self.frames.graph_width
        known = node_width + width
        orders = len(self.compared) + len(spec.stamps)
        rounds = []
        for round_key, heard in zip(
            jax.random.split(next(keys), config.rounds), [0, *[width] * config.rounds], strict=False
        ):
            if by_order:
                widths = (node_width + heard, graph_width, width, orders, config.message_bits)
                rounds.append(OrderProcessor(*widths, key=round_key))
            else:
                rounds.append(MPNN(node_width + heard, width, graph_width, width, key=round_key))
        self.processors = tuple(rounds)
        if config.decoding == "in order":
            widths = (known, width, graph_width, width, config.pooled_bits)
            self.hint_decoder = OrderedDecoder(spec.predicted, *widths, key=next(keys))
        else:
            self.hint_decoder = Decoder(spec.predicted, known, width, graph_width, key=next(keys))
        self.output_decoder = None if config.collect else Decoder(spec.outputs, known, width, graph_width, key=next(keys))

    @property
    def compared(self) -> tuple[str, ...]:
        """The inputs that the order processor takes as further orders of the nodes."""
        return tuple(field.name for field in self.spec.compared) if self.config.processor == "order" else ()

    def prepare(self, inputs: Inputs) -> Prepared:
        """Encodes the inputs of one graph."""
        n, mask = inputs.node_mask.shape[0], inputs.node_mask == 1
        values = {f.name: self._dense(inputs, f) for f in (*self.node_encoder.inputs, *self.graph_encoder.inputs)}
        node = self.node_encoder.input_channels(values, (n,))
        graph = self.graph_encoder.input_channels(values, ())
        if self.edge_encoder is None:
            senders = jnp.where(inputs.fields["A"] == 1, inputs.senders, n) if "A" in inputs.fields else inputs.senders
            orders = tuple(ordered(jnp.asarray(inputs.fields[name]), mask) for name in self.compared)
            return Prepared(node, None, graph, mask, neighbours(senders, inputs.receivers, mask)._replace(orders=orders))
        values = {field.name: self._dense(inputs, field) for field in self.edge_encoder.inputs}
        pairs = jnp.broadcast_to(mask[:, None], (n, n))
        if self.config.processor == "mpnn-edges":
            support = jnp.zeros((n, n), bool).at[inputs.senders, inputs.receivers].set(True, mode="drop")
            pairs = (pairs & support) | jnp.eye(n, dtype=bool)  # padding hears itself, so that a maximum is over something
        return Prepared(node, self.edge_encoder.input_channels(values, (n, n), mask), graph, mask, pairs)

    def _dense(self, inputs: Inputs, field: Field) -> Float[Array, "..."]:
        values, n = jnp.asarray(inputs.fields[field.name]), inputs.node_mask.shape[0]
        if field.place == "edge":
            values = jnp.zeros((n, n), values.dtype).at[inputs.senders, inputs.receivers].set(values, mode="drop")
        return from_truth(field, values, n)

    def start(self, nodes: int, rows: int) -> Memory:
        """Nothing on the stack, and nothing remembered."""
        return Memory(self.stack.init(nodes, rows), jnp.zeros((nodes, self.config.width if self.config.hidden_state else 0)))

    def step(self, prepared: Prepared, row: Values, memory: Memory, settle: Settle | None = None) -> tuple[Values, Known]:
        """One row: the logits of the next, and what they were decoded from."""
        top = self.frames.unpack(self.stack.top(memory.stack), len(prepared.mask))
        return self.step_with(top, prepared, row, memory.hidden, settle)

    def step_with(
        self,
        top: Any,
        prepared: Prepared,
        row: Values,
        hidden: Float[Array, "n hidden"],
        settle: Settle | None = None,
    ) -> tuple[Values, Known]:
        """The same for a given top frame. `settle` says what fields decoded in order are given of those before them; left
        out, it is their likeliest value."""
        node, graph = self.node_encoder(prepared.node, row), self.graph_encoder(prepared.graph, row)
        edge = None
        if self.edge_encoder is not None and prepared.edge is not None:
            edge = self.edge_encoder(prepared.edge, row, prepared.mask)
        node, graph = self.frames.join(node, graph, top)
        heard = node = node.joined(hidden)
        relations = prepared.relations
        if isinstance(relations, Neighbours):
            stamps = tuple(ordered(row[rule.field.name], row[rule.field.name] > 0) for rule in self.spec.stamps)
            relations = relations._replace(orders=(*relations.orders, *stamps))
        bits = [jnp.zeros((len(prepared.mask), 0))]
        for process in self.processors:
            if isinstance(process, OrderProcessor):
                processed, said = process(heard, edge, graph, relations)  # pyright: ignore[reportArgumentType]
                bits += [said] if process.bits else []
            else:
                processed = process(heard, edge, graph, relations)  # pyright: ignore[reportArgumentType]
            heard = node.joined(processed)
        if isinstance(self.hint_decoder, OrderedDecoder):
            logits, pooled = self.hint_decoder(heard, edge, graph, prepared.mask, settle or likeliest)
            bits += pooled
        else:
            logits = self.hint_decoder(heard, edge, graph, prepared.mask)
        return logits, Known(heard, edge, graph, jnp.concatenate(bits, -1))

    def frame(self, known: Known, row: Values, next_row: Values, mask: Bool[Array, " n"]) -> Any:
        """What a row pushes if the next row's op is push."""
        processed = known.node.rest[:, -self.config.width :]
        return self.frames.make(Pushed(processed, known.graph, row, next_row, mask))

    def remember(
        self, memory: Memory, op: Int[Array, ""], known: Known, row: Values, next_row: Values, mask: Bool[Array, " n"]
    ) -> Memory:
        """The memory for the next row, whose op it is."""
        hidden = known.node.rest[:, -self.config.width :] if self.config.hidden_state else memory.hidden
        frame = self.frames.pack(self.frame(known, row, next_row, mask))
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
            truth = true_row(t + 1)

            def settle(field: Field, logits: Float[Array, "..."]) -> Float[Array, "..."]:
                return jnp.where(forced[t + 1], truth[field.name], likeliest(field, logits))

            logits, known = self.step(prepared, row, memory, settle)
            fed = {
                field.name: jnp.where(forced[t + 1], truth[field.name], from_logits(field, logits[field.name], hard=hard))
                for field in fields
            }
            active = row_mask[t + 1] == 1
            op = jnp.where(active, jnp.argmax(fed["stack_op"]), NOOP) if self.spec.has_ops else jnp.array(NOOP)
            memory = self.remember(memory, op, known, row, fed, prepared.mask)
            for rule in self.spec.collect if self.config.collect else ():
                before, found = collected[rule.output], logits[rule.value]
                if rule.at is None:
                    after = jnp.where(active, found, before)
                else:
                    at = jnp.where(active, jnp.argmax(fed[rule.at]), n)  # n: dropped
                    after = before.at[at].set(found, mode="drop")
                collected = collected | {rule.output: after}
            if last is not None:
                last = jax.tree.map(lambda new, old: jnp.where(active, new, old), _varying(known), last)
            return (fed, memory, collected, last), logits

        collected = {
            rule.output: jnp.zeros((*[n] * (rule.at is not None), *true_row(0)[rule.value].shape))
            for rule in (self.spec.collect if self.config.collect else ())
        }
        memory = self.start(n, rows)
        last = None  # what is known in the last row of this graph, which may not be the last of the batch
        if self.output_decoder is not None:
            last = jax.tree.map(jnp.zeros_like, _varying(jax.eval_shape(self.step, prepared, true_row(0), memory)[1]))
        carry = (true_row(0), memory, collected, last)
        (_, memory, outputs, last), logits = jax.lax.scan(body, carry, jnp.arange(rows - 1))
        if last is not None and self.output_decoder is not None:
            encoders = (self.node_encoder, self.edge_encoder, self.graph_encoder)
            node, edge, graph = (
                None if encoder is None else Features(array, encoder.code, encoder.bias)
                for array, encoder in zip(last, encoders, strict=True)
            )
            assert node is not None
            assert graph is not None
            outputs = self.output_decoder(node, edge, graph, prepared.mask)
        return Rollout(logits, outputs, memory.stack.underflows)


def rollout_batch(reasoner: Reasoner, batch: Batch, forced: Bool[Array, "batch rows"]) -> Rollout:
    """Runs the rollouts of a batch."""
    return jax.vmap(reasoner.rollout)(batch.inputs, batch.hints, batch.row_mask, forced)


def likeliest(field: Field, logits: Float[Array, "..."]) -> Float[Array, "..."]:
    """The value that the logits speak for."""
    return from_logits(field, logits, hard=True)


def _varying(known: Known) -> list[Any]:
    """The features in what is known, as far as they differ from row to row."""
    return [None if features is None else features.array for features in (known.node, known.edge, known.graph)]
