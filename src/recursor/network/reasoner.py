r"""The reasoner: one row of one graph, and the rollout of all its rows.

In row t, with the hints $x^t$, the top frame $z^t$ and, where there is a hidden state, the processed features of row t - 1:

    features     $h_i, h_{ij}, h_g$ = encode(inputs, $x^t$), with those of the top frame $z^t$ appended
    processed    $p_i$ = process($h_i$, $p_i^{t-1}$, $h_{ij}$, $h_g$), in one round or more
    next row     $x^{t+1}$ = decode($h_i$, $p_i^{t-1}$, $p_i$, $h_{ij}$, $h_g$)
    stack        pushes the frame of this row, pops or leaves the stack alone, as the op in $x^{t+1}$ says
    outputs      output[at] ← value, as $x^{t+1}$ says, where outputs are collected

Everything here is for a single graph; `jax.vmap` adds the batch. Padding influences nothing.
"""

from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray

from recursor.data.batch import Batch, Inputs
from recursor.network.check import check_network
from recursor.network.collect import SET, collect_values
from recursor.network.config import NetworkConfig
from recursor.network.decoders import DECODERS
from recursor.network.decoders.decoder import ChooseValue, Decoder
from recursor.network.decoders.fields import FieldDecoder
from recursor.network.encode import Encoder, Values
from recursor.network.linear import Features
from recursor.network.processors import PROCESSORS
from recursor.network.processors.processor import Processor, Relations
from recursor.network.stacks import STACKS
from recursor.network.stacks.call_stack import CallStack, Frame, PushContext
from recursor.network.values import argmax_value, from_logits, from_truth
from recursor.spec import NOOP, Field, Spec


class Prepared(NamedTuple):
    """What is computed once for each graph: the channels of the inputs, and what the processor prepares."""

    node: Float[Array, "n channels"]
    edge: Float[Array, "n n channels"] | None  # None: the processor does not encode pairs
    graph: Float[Array, " channels"]
    mask: Bool[Array, " n"]
    relations: Relations


class Carry(NamedTuple):
    """What the network carries from row to row, beside the hints."""

    stack: Any  # the state of the stack's storage
    hidden: Float[Array, "n hidden"]  # the processed features of the row before; of width 0 without a hidden state


class RowFeatures(NamedTuple):
    """The features of a row that the decoders see, and the logits of the bits that the nodes send in it."""

    node: Features
    edge: Features | None
    graph: Features
    bit_logits: Float[
        Array, "n bits"
    ]  # the messages of all rounds, then the pooled bits; of width 0 if messages are real numbers


class Rollout(NamedTuple):
    """A whole execution: logits of every row but the first, and of the outputs."""

    hints: Values  # rows first: [rows - 1, …]
    outputs: Values
    underflows: Int[Array, ""]  # how often a pop found the stack empty


class Reasoner(eqx.Module):
    """The network, for one view of one algorithm."""

    node_encoder: Encoder
    edge_encoder: Encoder | None
    graph_encoder: Encoder
    processors: tuple[Processor, ...]  # one for each round
    stack: CallStack
    hint_decoder: Decoder
    output_decoder: FieldDecoder | None
    spec: Spec = eqx.field(static=True)
    config: NetworkConfig = eqx.field(static=True)

    def __init__(self, spec: Spec, config: NetworkConfig, *, key: PRNGKeyArray) -> None:
        """Makes a reasoner with random weights.

        Args:
            spec: The fields of the view.
            config: The configuration of the network.
            key: The source of randomness.

        Raises:
            ValueError: If the configuration cannot work for the spec.
        """
        check_network(config, spec)
        self.spec, self.config = spec, config
        kind, width = PROCESSORS.find(config.processor), config.width
        keys = iter(jax.random.split(key, 8))  # the order in which they are used decides the weights of a seed
        encoded = kind.encoded(spec)
        node_key, edge_key, graph_key, stack_key = (next(keys) for _ in range(4))
        self.stack = STACKS.find(config.stack)(spec, config, key=stack_key)
        self.node_encoder = Encoder("node", encoded, width, self.stack.encoded, key=node_key)
        edge_encoder = Encoder("edge", encoded, width, key=edge_key)
        self.edge_encoder = edge_encoder if kind.encodes_pairs else None
        self.graph_encoder = Encoder("graph", encoded, width, self.stack.encoded, key=graph_key)
        node_width = width + self.stack.node_width + (width if config.hidden_state else 0)
        graph_width = width + self.stack.graph_width
        self.processors = tuple(
            kind(spec, config, node_width + (width if index else 0), graph_width, key=round_key)
            for index, round_key in enumerate(jax.random.split(next(keys), config.rounds))
        )
        decoded_width = node_width + width
        self.hint_decoder = DECODERS.find(config.decoding)(
            spec.predicted, config, decoded_width, graph_width, key=next(keys)
        )
        self.output_decoder = (
            None if config.collect else FieldDecoder(spec.outputs, decoded_width, width, graph_width, key=next(keys))
        )

    def prepare(self, inputs: Inputs) -> Prepared:
        """Returns what is computed once for each graph.

        Args:
            inputs: The inputs of one graph, without the axis of the batch.
        """
        n, mask = inputs.node_mask.shape[0], inputs.node_mask == 1
        encoders = (self.node_encoder, self.graph_encoder, *(() if self.edge_encoder is None else (self.edge_encoder,)))
        values = {field.name: self._dense(inputs, field) for encoder in encoders for field in encoder.inputs}
        node = self.node_encoder.input_channels(values, (n,))
        graph = self.graph_encoder.input_channels(values, ())
        edge = None if self.edge_encoder is None else self.edge_encoder.input_channels(values, (n, n))
        return Prepared(node, edge, graph, mask, self.processors[0].prepare(self.spec, inputs))

    def _dense(self, inputs: Inputs, field: Field) -> Float[Array, "..."]:
        """Returns an input as the encoders take it; an edge field becomes a matrix, [n, n]."""
        values, n = jnp.asarray(inputs.fields[field.name]), inputs.node_mask.shape[0]
        if field.place == "edge":
            values = jnp.zeros((n, n), values.dtype).at[inputs.senders, inputs.receivers].set(values, mode="drop")
        return from_truth(field, values, n)

    def start(self, nodes: int, capacity: int) -> Carry:
        """Returns the carry of row 0: a stack without frames, with room for `capacity` of them, and a hidden state of 0."""
        hidden = jnp.zeros((nodes, self.config.width if self.config.hidden_state else 0))
        return Carry(self.stack.init(nodes, capacity), hidden)

    def step(
        self, prepared: Prepared, row: Values, carry: Carry, choose: ChooseValue = argmax_value
    ) -> tuple[Values, RowFeatures]:
        """Runs one row.

        Args:
            prepared: The result of `prepare`.
            row: The hints of the row.
            carry: The stack and the hidden state that the rows before left.
            choose: Returns the value of a decoded field, which later stages of the decoder see; by default the argmax.

        Returns:
            The logits of the next row, and the features that they were decoded from.
        """
        top = self.stack.top(carry.stack, len(prepared.mask))
        return self.step_with(top, prepared, row, carry.hidden, choose)

    def step_with(
        self,
        top: Frame,
        prepared: Prepared,
        row: Values,
        hidden: Float[Array, "n hidden"],
        choose: ChooseValue = argmax_value,
    ) -> tuple[Values, RowFeatures]:
        """Runs one row with a given top frame; otherwise like `step`."""
        node, graph = self.node_encoder(prepared.node, row), self.graph_encoder(prepared.graph, row)
        edge = None
        if self.edge_encoder is not None and prepared.edge is not None:
            edge = self.edge_encoder(prepared.edge, row)
        node, graph = self.stack.join(node, graph, top)
        features = node = node.joined(hidden)
        relations = self.processors[0].for_row(self.spec, prepared.relations, row)
        bit_logits = []
        for process in self.processors:
            processed, message_logits = process(features, edge, graph, relations)
            bit_logits.append(message_logits)
            features = node.joined(processed)
        logits, pooled = self.hint_decoder(features, edge, graph, prepared.mask, choose)
        return logits, RowFeatures(features, edge, graph, jnp.concatenate([*bit_logits, pooled], -1))

    def frame(self, features: RowFeatures, row: Values, next_row: Values, mask: Bool[Array, " n"]) -> Frame:
        """Returns the frame that is pushed if the op of the next row is push."""
        processed = features.node.rest[:, -self.config.width :]
        return self.stack.make(PushContext(processed, features.graph, row, next_row, mask))

    def remember(
        self, carry: Carry, op: Int[Array, ""], features: RowFeatures, row: Values, next_row: Values, mask: Bool[Array, " n"]
    ) -> Carry:
        """Returns the carry for the next row, given its op."""
        hidden = features.node.rest[:, -self.config.width :] if self.config.hidden_state else carry.hidden
        frame = self.frame(features, row, next_row, mask)
        return Carry(self.stack.step(carry.stack, op, frame), hidden)

    def rollout(
        self,
        inputs: Inputs,
        hints: dict[str, Array],
        row_mask: Int[Array, " rows"],
        forced: Bool[Array, " rows"],
    ) -> Rollout:
        """Runs all rows of one graph.

        Args:
            inputs: The inputs of the graph.
            hints: The true hints, [rows, …]. Row 0 is given to the network.
            row_mask: 1 for rows that are not padding.
            forced: Which rows use their true hints, the op included; the other rows use the predicted ones.
        """
        n, rows = inputs.node_mask.shape[0], len(row_mask)
        fields = self.spec.hints
        prepared = self.prepare(inputs)
        hard = self.config.feedback == "hard"
        rules = self.spec.collect if self.config.collect else ()

        def true_row(index: int | Array) -> Values:
            return {field.name: from_truth(field, hints[field.name][index], n) for field in fields}

        def body(loop, t):
            row, carry, collected, last = loop
            truth = true_row(t + 1)

            def choose(field: Field, logits: Float[Array, "..."]) -> Float[Array, "..."]:
                return jnp.where(forced[t + 1], truth[field.name], argmax_value(field, logits))

            logits, features = self.step(prepared, row, carry, choose)
            next_row = {
                field.name: jnp.where(forced[t + 1], truth[field.name], from_logits(field, logits[field.name], hard=hard))
                for field in fields
            }
            active = row_mask[t + 1] == 1  # padding changes neither the stack nor the outputs
            op = jnp.where(active, jnp.argmax(next_row["stack_op"]), NOOP) if self.spec.has_ops else jnp.array(NOOP)
            carry = self.remember(carry, op, features, row, next_row, prepared.mask)
            at = {rule.output: jnp.argmax(next_row[rule.at]) for rule in rules if rule.at is not None}
            found = {rule.output: jnp.asarray(SET) if rule.value is None else logits[rule.value] for rule in rules}
            collected = collect_values(collected, at, found, active)
            if last is not None:
                last = jax.tree.map(lambda new, old: jnp.where(active, new, old), _arrays(features), last)
            return (next_row, carry, collected, last), logits

        collected = {
            rule.output: jnp.zeros((*[n] * (rule.at is not None), *(true_row(0)[rule.value].shape if rule.value else ())))
            for rule in rules
        }
        carry = self.start(n, rows)
        last = None  # the features of the last row of this graph, which may not be the last of the batch
        if self.output_decoder is not None:
            last = jax.tree.map(jnp.zeros_like, _arrays(jax.eval_shape(self.step, prepared, true_row(0), carry)[1]))
        loop = (true_row(0), carry, collected, last)
        (_, carry, outputs, last), logits = jax.lax.scan(body, loop, jnp.arange(rows - 1))
        if last is not None and self.output_decoder is not None:
            encoders = (self.node_encoder, self.edge_encoder, self.graph_encoder)
            node, edge, graph = (
                None if encoder is None else Features(array, encoder.code, encoder.bias)
                for array, encoder in zip(last, encoders, strict=True)
            )
            assert node is not None
            assert graph is not None
            outputs = self.output_decoder(node, edge, graph, prepared.mask)
        return Rollout(logits, outputs, self.stack.storage.underflows(carry.stack))


def rollout_batch(reasoner: Reasoner, batch: Batch, forced: Bool[Array, "batch rows"]) -> Rollout:
    """Returns the rollouts of a batch."""
    return jax.vmap(reasoner.rollout)(batch.inputs, batch.hints, batch.row_mask, forced)


def _arrays(features: RowFeatures) -> list[Any]:
    """Returns the arrays of the features, which differ from row to row. The other parts of `Features` are weights of the
    encoders, the same in every row."""
    places = (features.node, features.edge, features.graph)
    return [None if place is None else place.array for place in places]
