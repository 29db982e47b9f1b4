r"""Tables: the situations that were met, and what the network computes in each.

With the graph's values g and the node's type $\tau_i$, and with the words that nodes say and hear in round r,

$$ s_i^0 = (g, \tau_i), \qquad s_i^r = (s_i^{r-1}, \text{heard}_i^r), \qquad \text{said}_i^{r+1} = f_r(s_i^r) $$

The *situation* of a node is $s_i^R$, after the last round. The decoder sees no more of a node than its situation and the
values that were decoded before. What it decodes for the graph depends on g, on these values and on the bits that all nodes
say to it, united. So everything the network computes is a function of a small integer: it is computed once and kept.

Beside every value its *margin* is kept: how far the nearest number that decides it is from deciding otherwise. A bit has the
margin $|x|$ of what it is made of.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from recursor.network.decoders.staged import Stage, StagedDecoder
from recursor.network.linear import Features
from recursor.network.processors.order import OrderProcessor
from recursor.network.reasoner import Reasoner
from recursor.network.stacks.fields import FieldsStack
from recursor.situations.hearing import Relations, hear
from recursor.situations.index import Index
from recursor.situations.layout import Layout
from recursor.spec import Field

Array = np.ndarray
PIECE = 4096  # situations that the network computes at once, at most


def why_not(reasoner: Reasoner) -> str:
    """Returns why a reasoner has no finite number of situations, in words; nothing if it has."""
    config = reasoner.config
    if not config.message_bits or not config.pooled_bits:
        return "its messages are real numbers; train one with message_bits and pooled_bits"
    if not isinstance(reasoner.stack, FieldsStack) or not isinstance(reasoner.hint_decoder, StagedDecoder):
        return "its frames are no copies of fields, or it does not decode in stages"
    if any(field.kind == "scalar" for field in reasoner.spec.hints):
        return "its rows show scalars"
    return ""


class Level:
    """The situations after one round, and what nodes say next in each."""

    def __init__(self, width: int) -> None:
        self.index, self.heard = Index(), Index()
        self.parent = np.zeros(0, np.int64)
        self.processed = np.zeros((0, width), np.float32)
        self.word = np.zeros(0, np.int64)
        self.margin = np.zeros(0, np.float32)


class Decoded(NamedTuple):
    """What the network predicts in some rows."""

    values: dict[str, np.ndarray]  # of graph fields [rows], of node fields [rows, nodes]
    margins: dict[str, np.ndarray]  # in the same shapes: how far each is from another value, or from the given one
    nodes: list[np.ndarray]  # of each stage [rows, nodes]: the numbers in its table
    graphs: list[np.ndarray]  # of each stage [rows]: the numbers in its table for the graph


class StageTable:
    """What one stage of the decoder computes."""

    def __init__(self, stage: Stage) -> None:
        decoder = stage.decoder
        self.stage = stage
        self.pointers = [field for field in stage.given if field.kind == "pointer"]
        self.others = [field for field in stage.given if field.kind != "pointer"]
        self.nodes, self.graphs, self.pooled = Index(), Index(), Index()
        node = 0 if decoder.node is None else decoder.node.weight.shape[1]
        graph = 0 if decoder.graph is None else decoder.graph.weight.shape[1]
        self.node_logits = np.zeros((0, node), np.float32)
        self.graph_logits = np.zeros((0, graph), np.float32)
        self.word = np.zeros(0, np.int64)
        self.margin = np.zeros(0, np.float32)


class Tables:
    """All situations that a reasoner met.

    Tables that are *frozen* do not grow: `missing` then says in which rows something was met that is not in them.
    """

    def __init__(self, reasoner: Reasoner) -> None:
        if why := why_not(reasoner):
            raise ValueError(f"this network of {reasoner.spec.algorithm} cannot be looked at situation by situation: {why}")
        assert isinstance(reasoner.hint_decoder, StagedDecoder)
        self.reasoner, self.spec, self.layout = reasoner, reasoner.spec, Layout(reasoner)
        self.bits, self.rounds = reasoner.config.message_bits, len(reasoner.processors)
        self.message_bits = self.bits * (4 + 2 * (len(self.spec.compared) + len(self.spec.stamps)))
        """Bits of all messages of a node in one round."""
        self.graphs, self.types, self.combinations = Index(), Index(), Index()
        width = reasoner.config.width
        self.levels = [Level(0 if level == 0 else width) for level in range(self.rounds + 1)]
        self.stages = [StageTable(stage) for stage in reasoner.hint_decoder.stages]
        self.frozen = False
        self.missing = np.zeros(0, bool)

    def _indices(self) -> dict[str, Index]:
        """All indices by name."""
        found = {"graphs": self.graphs, "types": self.types, "combinations": self.combinations}
        for place, level in enumerate(self.levels):
            found |= {f"level{place}": level.index, f"level{place}.heard": level.heard}
        for place, stage in enumerate(self.stages):
            names = {"nodes": stage.nodes, "graphs": stage.graphs, "pooled": stage.pooled}
            found |= {f"stage{place}.{name}": index for name, index in names.items()}
        return found

    def arrays(self) -> dict[str, np.ndarray]:
        """Returns all that a frozen copy needs, by name."""
        found = {name: index.keys for name, index in self._indices().items()}
        found |= {f"level{place}.word": level.word for place, level in enumerate(self.levels)}
        for place, stage in enumerate(self.stages):
            values = {"word": stage.word, "node_logits": stage.node_logits, "graph_logits": stage.graph_logits}
            found |= {f"stage{place}.{name}": array for name, array in values.items()}
        return found

    def restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Takes what `arrays` returned, and freezes."""
        for name, index in self._indices().items():
            index.keys = arrays[name]
            index.sort()
        for place, level in enumerate(self.levels):
            level.word = arrays[f"level{place}.word"]
        for place, stage in enumerate(self.stages):
            stage.word, stage.node_logits, stage.graph_logits = (
                arrays[f"stage{place}.{name}"] for name in ("word", "node_logits", "graph_logits")
            )
        self.frozen = True

    def _add(self, index: Index, keys: np.ndarray, mask: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """The numbers of keys, [rows] or [rows, nodes], and those that are new. If frozen, an unknown key is noted in
        `missing`, unless it is of a node that is padding, and gets the number 0."""
        if not self.frozen:
            return index.add(keys)
        numbers = index.find(keys)
        unknown = (numbers < 0) if mask is None else (numbers < 0) & mask
        self.missing |= unknown if unknown.ndim == 1 else unknown.any(1)
        return np.maximum(numbers, 0), keys[:0].reshape(-1)

    @property
    def count(self) -> dict[str, int]:
        """How many there are of everything."""
        names = ["types", *(f"after round {level}" for level in range(1, self.rounds + 1))]
        found = {name: len(level.index) for name, level in zip(names, self.levels, strict=True)}
        return {"graph": len(self.graphs), **found, "pooled": sum(len(stage.graphs) for stage in self.stages)}

    # Situations of nodes

    def look(self, graph: np.ndarray, types: np.ndarray, relations: Relations) -> tuple[np.ndarray, np.ndarray]:
        """Returns the situation of every node.

        Args:
            graph: The graph's values in each row, [rows], as `Layout` numbers them.
            types: The nodes' types, [rows, nodes].
            relations: Who hears whom.

        Returns:
            The number of the graph's values, [rows], and of each node's situation, [rows, nodes].
        """
        self.missing = np.zeros(len(graph), bool)
        mask = relations.mask[relations.graph]
        which, _ = self._add(self.graphs, graph)
        kind, _ = self._add(self.types, types, mask)
        numbers, new = self._add(self.levels[0].index, (which[:, None] << 32) | kind, mask)
        self._grow(0, new >> 32, np.zeros(len(new), np.int64))
        for round_ in range(self.rounds):
            heard = hear(self.levels[round_].word[numbers], relations, self.bits)
            level = self.levels[round_ + 1]
            number_heard, _ = self._add(level.heard, heard, mask)
            numbers, new = self._add(level.index, (numbers << 32) | number_heard, mask)
            self._grow(round_ + 1, new >> 32, level.heard.keys[new & 0xFFFFFFFF] if len(new) else new)
        return which, numbers

    def ancestors(self, numbers: np.ndarray, level: int) -> list[np.ndarray]:
        """Returns the numbers of situations at all levels up to theirs."""
        chain = [numbers]
        for below in reversed(range(1, level + 1)):
            chain.append(self.levels[below].index.keys[chain[-1]] >> 32)
        return chain[::-1]

    def graph_of(self, numbers: np.ndarray) -> np.ndarray:
        """Returns the number of the graph's values in some final situations."""
        return self.levels[0].index.keys[self.ancestors(numbers, self.rounds)[0]] >> 32

    def _features(self, numbers: np.ndarray, level: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The channels of the node, those of the graph, and the processed features of situations of a level."""
        keys = self.levels[0].index.keys[self.ancestors(numbers, level)[0]]
        node = self.layout.channels(self.layout.node, self.types.keys[keys & 0xFFFFFFFF])
        graph = self.layout.channels(self.layout.graph, self.graphs.keys[keys >> 32])
        return node, graph, self.levels[level].processed[numbers]

    def _grow(self, level: int, parent: np.ndarray, heard: np.ndarray) -> None:
        """Computes what follows in the newest situations of a level."""
        count = len(parent)
        if not count:
            return
        table = self.levels[level]
        if level:
            node, graph, processed = self._features(parent, level - 1)
            bits = _spread(heard, np.arange(self.message_bits))
            table.processed = np.concatenate(
                [table.processed, _in_pieces(_receive, self.reasoner, level - 1, node, graph, processed, bits)]
            )
        else:
            table.processed = np.zeros((len(table.index), 0), np.float32)
        if level < self.rounds:
            numbers = np.arange(len(table.index) - count, len(table.index))
            logits = _in_pieces(_send, self.reasoner, level, *self._features(numbers, level))
            table.word = np.concatenate([table.word, _word(logits)])
            table.margin = np.concatenate([table.margin, np.abs(logits).min(-1)])

    # Predictions

    def decode(
        self, which: np.ndarray, numbers: np.ndarray, mask: np.ndarray, given: dict[str, np.ndarray] | None = None
    ) -> Decoded:
        """Returns the next row.

        Args:
            which: The number of the graph's values in each row, [rows].
            numbers: The situation of every node, [rows, nodes].
            mask: Which nodes are no padding, [rows, nodes].
            given: The true next rows, whose values later stages are given (teacher forcing); by default they are given
                what was decoded.
        """
        values: dict[str, np.ndarray] = {}
        margins: dict[str, np.ndarray] = {}
        known: dict[str, np.ndarray] = {}
        of_nodes, of_graphs = [], []
        for table in self.stages:
            nodes, graphs = self._stage(table, which, numbers, mask, known)
            of_nodes.append(nodes)
            of_graphs.append(graphs)
            decoder = table.stage.decoder
            node_logits = table.node_logits[nodes]
            graph_logits = table.graph_logits[graphs] if len(table.graphs) else np.zeros((len(which), 0), np.float32)
            start = 0
            for field in decoder.graph_fields:
                part = graph_logits[:, start : start + (field.categories or 1)]
                start += part.shape[1]
                values[field.name], margins[field.name] = _decide(field, part, _of(given, field))
            nulls = start
            start = 0
            for field in decoder.node_fields:
                part = node_logits[..., start : start + (field.categories or 1)]
                start += part.shape[-1]
                if field.kind == "pointer":
                    logits = np.where(mask, part[..., 0], -np.inf)
                    if field.null:
                        logits = np.concatenate([logits, graph_logits[:, nulls, None]], 1)
                        nulls += 1
                    values[field.name], margins[field.name] = _point(field, logits, _of(given, field))
                else:
                    value, margin = _decide(field, part, _of(given, field))
                    values[field.name], margins[field.name] = np.where(mask, value, 0), np.where(mask, margin, np.inf)
            known |= {f.name: values[f.name] if given is None else given[f.name] for f in table.stage.fields}
        return Decoded(values, margins, of_nodes, of_graphs)

    def _stage(
        self, table: StageTable, which: np.ndarray, numbers: np.ndarray, mask: np.ndarray, known: dict[str, np.ndarray]
    ) -> tuple[np.ndarray, np.ndarray]:
        """The numbers of nodes and graphs in the tables of a stage."""
        nodes = numbers.shape[1]
        flags = np.zeros_like(numbers)
        for bit, field in enumerate(table.pointers):
            flags |= (known[field.name][:, None] == np.arange(nodes)).astype(np.int64) << bit
        combination = np.zeros(len(which), np.int64)
        for field in reversed(table.others):
            combination = combination * (field.categories or 2) + known[field.name]
        combination, _ = self._add(self.combinations, combination)
        key = (numbers << 36) | (combination[:, None] << 16) | flags
        found, new = self._add(table.nodes, np.where(mask, key, key[:, :1]), mask)  # padding repeats the first node
        self._grow_stage(table, new)
        if table.stage.decoder.graph is None:
            return found, np.zeros(len(which), np.int64)
        pooled = np.bitwise_or.reduce(np.where(mask, table.word[found], 0), 1)
        number_pooled, _ = self._add(table.pooled, pooled)
        graphs, new = self._add(table.graphs, (which << 48) | (combination << 28) | number_pooled)
        self._grow_graphs(table, new)
        return found, graphs

    def _given(self, table: StageTable, combination: np.ndarray) -> np.ndarray:
        """The channels of the graph's values that a stage is given."""
        numbers = self.combinations.keys[combination]
        parts = [np.zeros((len(numbers), 0), np.float32)]
        for field in table.others:
            radix = field.categories or 2
            numbers, digit = np.divmod(numbers, radix)
            if field.kind == "category":
                parts.append((digit[:, None] == np.arange(radix)).astype(np.float32))
            else:
                parts.append(digit[:, None].astype(np.float32))
        return np.concatenate(parts, -1)

    def _grow_stage(self, table: StageTable, new: np.ndarray) -> None:
        if not len(new):
            return
        node, graph, processed = self._features(new >> 36, self.rounds)
        flags = _spread(new & 0xFFFF, np.arange(len(table.pointers)))
        given = self._given(table, (new >> 16) & 0xFFFFF)
        logits, pooled = _in_pieces(node_part, self.reasoner, table.stage, node, graph, processed, flags, given)
        table.node_logits = np.concatenate([table.node_logits, logits])
        table.word = np.concatenate([table.word, _word(pooled)])
        margin = np.abs(pooled).min(-1) if pooled.shape[1] else np.full(len(new), np.inf, np.float32)
        table.margin = np.concatenate([table.margin, margin])

    def node_inputs(
        self, table: StageTable
    ) -> tuple[Array, Array, tuple[Array, ...], Array, Array, tuple[Array, ...], Array]:
        """Returns what the network sees and says in the situations of nodes in which a stage decides.

        Returns:
            The channels of the node and of the graph, the bits heard in each round, which pointers of earlier stages name
            the node, the graph's values of earlier stages, the bits sent in each round, and the bits sent to the graph.
        """
        keys, bits = table.nodes.keys, np.arange(self.message_bits)
        chain = self.ancestors(keys >> 36, self.rounds)
        node, graph, _ = self._features(chain[-1], self.rounds)
        heard, sent = [], []
        for below in range(self.rounds):
            above = self.levels[below + 1]
            words = above.heard.keys[above.index.keys[chain[below + 1]] & 0xFFFFFFFF]
            heard.append(_spread(words, bits))
            sent.append(_spread(self.levels[below].word[chain[below]], bits))
        flags = _spread(keys & 0xFFFF, np.arange(len(table.pointers)))
        pooled = _spread(table.word, np.arange(0 if table.stage.pool is None else self.reasoner.config.pooled_bits))
        return node, graph, tuple(heard), flags, self._given(table, (keys >> 16) & 0xFFFFF), tuple(sent), pooled

    def graph_inputs(self, table: StageTable) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Returns what the network sees in the situations of the graph in which a stage decides: the channels of the graph,
        those of its values of earlier stages, and the bits that all nodes say to it."""
        keys = table.graphs.keys
        graph = self.layout.channels(self.layout.graph, self.graphs.keys[keys >> 48])
        pooled = _spread(table.pooled.keys[keys & 0xFFFFFFF], np.arange(self.reasoner.config.pooled_bits))
        return graph, self._given(table, (keys >> 28) & 0xFFFFF), pooled

    def _grow_graphs(self, table: StageTable, new: np.ndarray) -> None:
        if not len(new):
            return
        graph = self.layout.channels(self.layout.graph, self.graphs.keys[new >> 48])
        given = self._given(table, (new >> 28) & 0xFFFFF)
        pooled = _spread(table.pooled.keys[new & 0xFFFFFFF], np.arange(self.reasoner.config.pooled_bits))
        logits = _in_pieces(graph_part, self.reasoner, table.stage, graph, given, pooled)
        table.graph_logits = np.concatenate([table.graph_logits, logits])


def _of(given: dict[str, np.ndarray] | None, field: Field) -> np.ndarray | None:
    return None if given is None else given[field.name]


def _decide(field: Field, logits: np.ndarray, truth: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """The value of a mask or category, and its margin: of the truth, where it is known."""
    if field.kind == "mask":
        value = (logits[..., 0] > 0).astype(np.int64)
        sign = 2 * (value if truth is None else truth) - 1
        return value, logits[..., 0] * sign
    value = logits.argmax(-1)
    at = value if truth is None else truth
    own = np.take_along_axis(logits, at[..., None], -1)[..., 0]
    others = np.where(np.arange(logits.shape[-1]) == at[..., None], -np.inf, logits).max(-1)
    return value, own - others


def _point(field: Field, logits: np.ndarray, truth: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """The node that a pointer names, and its margin; the last logit stands for none, if the pointer may be null."""
    place = logits.argmax(-1)
    at = place if truth is None else np.where(truth < 0, logits.shape[1] - 1, truth) if field.null else truth
    own = np.take_along_axis(logits, at[:, None], -1)[:, 0]
    others = np.where(np.arange(logits.shape[1]) == at[:, None], -np.inf, logits).max(-1)
    value = np.where(place == logits.shape[1] - 1, -1, place) if field.null else place
    return value, own - others


def _word(logits: np.ndarray) -> np.ndarray:
    """The bits of logits, as integers: [m, bits] to [m]."""
    return ((logits > 0).astype(np.int64) << np.arange(logits.shape[1])).sum(-1)


def _spread(words: np.ndarray, bits: np.ndarray) -> np.ndarray:
    """The bits of words, as numbers: [m] to [m, bits]."""
    return ((words[:, None] >> bits) & 1).astype(np.float32)


def _in_pieces(function: Any, reasoner: Reasoner, part: Any, *arrays: np.ndarray) -> Any:
    """Calls a compiled function on pieces of a few fixed lengths, so that few programs are compiled."""
    results = []
    for start in range(0, len(arrays[0]), PIECE):
        piece = [array[start : start + PIECE] for array in arrays]
        count = len(piece[0])
        length = max(64, 1 << (count - 1).bit_length())
        padded = [np.pad(array, ((0, length - count), *[(0, 0)] * (array.ndim - 1))) for array in piece]
        found = function(reasoner, part, *padded)
        results.append(jax.tree.map(lambda array, count=count: np.asarray(array)[:count], found))
    return jax.tree.map(lambda *pieces: np.concatenate(pieces), *results)


def _node(reasoner: Reasoner, *parts: Any) -> Features:
    """The features of one node."""
    return Features(jnp.concatenate(parts)[None], reasoner.node_encoder.code, reasoner.node_encoder.bias)


def _graph(reasoner: Reasoner, *parts: Any) -> Features:
    return Features(jnp.concatenate(parts), reasoner.graph_encoder.code, reasoner.graph_encoder.bias)


def run_rounds(reasoner: Reasoner, node: Any, graph: Any, heard: Sequence[Any]) -> tuple[list[Any], Any]:
    """Runs all rounds in some situations.

    Args:
        reasoner: The network.
        node: The channels of the node, [m, channels].
        graph: Those of the graph, [m, channels].
        heard: Of each round the bits that the node hears, [m, bits].

    Returns:
        Of each round the logits of the bits that the node says, and the processed features after the last round.
    """
    processed, logits = jnp.zeros((len(node), 0)), []
    for round_, bits in enumerate(heard):
        logits.append(_send(reasoner, round_, node, graph, processed))
        processed = _receive(reasoner, round_, node, graph, processed, bits)
    return logits, processed


@eqx.filter_jit
def _send(reasoner: Reasoner, round_: int, node: Any, graph: Any, processed: Any) -> Any:
    process: OrderProcessor = reasoner.processors[round_]  # pyright: ignore[reportAssignmentType]

    def one(node: Any, graph: Any, processed: Any) -> Any:
        return process.send_logits(_node(reasoner, node, processed), _graph(reasoner, graph))[0]

    return jax.vmap(one)(node, graph, processed)


@eqx.filter_jit
def _receive(reasoner: Reasoner, round_: int, node: Any, graph: Any, processed: Any, heard: Any) -> Any:
    process: OrderProcessor = reasoner.processors[round_]  # pyright: ignore[reportAssignmentType]

    def one(node: Any, graph: Any, processed: Any, heard: Any) -> Any:
        return process.receive(_node(reasoner, node, processed), _graph(reasoner, graph), heard[None])[0]

    return jax.vmap(one)(node, graph, processed, heard)


@eqx.filter_jit
def node_part(
    reasoner: Reasoner, stage: Stage, node: Any, graph: Any, processed: Any, flags: Any, given: Any
) -> tuple[Any, Any]:
    """Returns the logits of a stage's node fields and of the bits sent to the graph, in some situations of nodes."""

    def one(node: Any, graph: Any, processed: Any, flags: Any, given: Any) -> tuple[Any, Any]:
        features = _node(reasoner, node, processed, flags), _graph(reasoner, graph, given)
        hidden = jax.nn.relu(stage.hidden(features[0]) + stage.graph(features[1]))[0]
        logits = jnp.zeros(0) if stage.decoder.node is None else stage.decoder.node(hidden)
        return logits, jnp.zeros(0) if stage.pool is None else stage.pool(hidden)

    return jax.vmap(one)(node, graph, processed, flags, given)


@eqx.filter_jit
def graph_part(reasoner: Reasoner, stage: Stage, graph: Any, given: Any, pooled: Any) -> Any:
    """Returns the logits of a stage's graph fields, and of its null pointers, in some situations of the graph."""

    def one(graph: Any, given: Any, pooled: Any) -> Any:
        decoder = stage.decoder
        assert decoder.graph is not None
        assert decoder.graph_of_nodes is not None
        return decoder.graph_of_nodes(stage.scale(pooled)) + decoder.graph(_graph(reasoner, graph, given))

    return jax.vmap(one)(graph, given, pooled)
