"""Decisions: what each stage of the decoder computes of a situation, and the next row that follows."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from recursor.network.decoders.staged import Stage
from recursor.network.reasoner import Reasoner
from recursor.situations.compute import bits_of, graph_part, in_pieces, node_part, word_of
from recursor.situations.index import Index
from recursor.spec import Field

Features = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray]]
"""The channels of the node, those of the graph, and the processed features of some situations."""


class Decoded(NamedTuple):
    """What the network predicts in some rows."""

    values: dict[str, np.ndarray]  # of graph fields [rows], of node fields [rows, nodes]
    margins: dict[str, np.ndarray]  # in the same shapes: how far each is from another value, or from the given one
    nodes: list[np.ndarray]  # of each stage [rows, nodes]: the numbers in its table
    graphs: list[np.ndarray]  # of each stage [rows]: the numbers in its table for the graph


class StageTable:
    """What one stage of the decoder computes.

    A node's entry has the key (situation, values that the stage is given, which given pointers name the node); the graph's
    has the key (graph's values, values that the stage is given, what all nodes say to the graph).
    """

    def __init__(self, reasoner: Reasoner, stage: Stage, features: Features, combinations: Index) -> None:
        decoder = stage.decoder
        self.reasoner, self.stage, self._features, self._combinations = reasoner, stage, features, combinations
        self.pointers = [field for field in stage.given if field.kind == "pointer"]
        self.others = [field for field in stage.given if field.kind != "pointer"]
        self.nodes, self.graphs, self.pooled = Index(), Index(), Index()
        node = 0 if decoder.node is None else decoder.node.weight.shape[1]
        graph = 0 if decoder.graph is None else decoder.graph.weight.shape[1]
        self.node_logits = np.zeros((0, node), np.float32)
        self.graph_logits = np.zeros((0, graph), np.float32)
        self.word = np.zeros(0, np.int64)
        self.margin = np.zeros(0, np.float32)

    @property
    def decodes_graph(self) -> bool:
        """Whether the stage decodes anything of the graph, from what all nodes say."""
        return self.stage.decoder.graph is not None

    def combination(self, known: dict[str, np.ndarray], rows: int) -> np.ndarray:
        """Returns the values that the stage is given as one number a row: digits in mixed radix, the first lowest."""
        number = np.zeros(rows, np.int64)
        for field in reversed(self.others):
            number = number * (field.categories or 2) + known[field.name]
        return number

    def of_nodes(self, situations: np.ndarray, combination: np.ndarray, flags: np.ndarray) -> np.ndarray:
        """Returns the numbers of entries of nodes; new ones are computed.

        Args:
            situations: The situations, of any shape.
            combination: The values that the stage is given, as `combination` numbers them.
            flags: Which given pointers name the node: a bit each.
        """
        given, _ = self._combinations.add(combination)
        found, new = self.nodes.add((situations << 36) | (given << 16) | flags)
        if len(new):
            node, graph, processed = self._features(new >> 36)
            logits, pooled = in_pieces(
                *(node_part, self.reasoner, self.stage, node, graph, processed),
                *(bits_of(new & 0xFFFF, len(self.pointers)), self.given_channels((new >> 16) & 0xFFFFF)),
            )
            self.node_logits = np.concatenate([self.node_logits, logits])
            self.word = np.concatenate([self.word, word_of(pooled)])
            margin = np.abs(pooled).min(-1) if pooled.shape[1] else np.full(len(new), np.inf, np.float32)
            self.margin = np.concatenate([self.margin, margin])
        return found

    def of_graphs(
        self, which: np.ndarray, combination: np.ndarray, pooled: np.ndarray, channels: Callable[[np.ndarray], np.ndarray]
    ) -> np.ndarray:
        """Returns the numbers of entries of the graph; new ones are computed.

        Args:
            which: The number of the graph's values, [rows].
            combination: The values that the stage is given, as `combination` numbers them, [rows].
            pooled: What all nodes say, united, [rows].
            channels: Returns the channels of the graph's values, given their numbers.
        """
        given, _ = self._combinations.add(combination)
        said, _ = self.pooled.add(pooled)
        found, new = self.graphs.add((which << 48) | (given << 28) | said)
        if len(new):
            words = bits_of(self.pooled.keys[new & 0xFFFFFFF], self.reasoner.config.pooled_bits)
            part = channels(new >> 48), self.given_channels((new >> 28) & 0xFFFFF), words
            self.graph_logits = np.concatenate([self.graph_logits, in_pieces(graph_part, self.reasoner, self.stage, *part)])
        return found

    def given_channels(self, combination: np.ndarray) -> np.ndarray:
        """Returns the channels of the values that the stage is given, by the numbers of their combinations."""
        numbers = self._combinations.keys[combination]
        parts = [np.zeros((len(numbers), 0), np.float32)]
        for field in self.others:
            radix = field.categories or 2
            numbers, digit = np.divmod(numbers, radix)
            if field.kind == "category":
                parts.append((digit[:, None] == np.arange(radix)).astype(np.float32))
            else:
                parts.append(digit[:, None].astype(np.float32))
        return np.concatenate(parts, -1)

    def decide(
        self, nodes: np.ndarray, graphs: np.ndarray, mask: np.ndarray, given: dict[str, np.ndarray] | None
    ) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
        """Returns the values of the stage's fields and their margins.

        Args:
            nodes: The entries of the nodes, [rows, nodes].
            graphs: The entries of the graph, [rows].
            mask: Which nodes are no padding, [rows, nodes].
            given: The true values, from which margins are then measured.
        """
        values: dict[str, np.ndarray] = {}
        margins: dict[str, np.ndarray] = {}
        graph_logits = self.graph_logits[graphs] if len(self.graphs) else np.zeros((len(graphs), 0), np.float32)
        start = 0
        for field in self.stage.decoder.graph_fields:
            part = graph_logits[:, start : start + (field.categories or 1)]
            start += part.shape[1]
            values[field.name], margins[field.name] = decide(field, part, _of(given, field))
        nulls, start = start, 0
        node_logits = self.node_logits[nodes]
        for field in self.stage.decoder.node_fields:
            part = node_logits[..., start : start + (field.categories or 1)]
            start += part.shape[-1]
            if field.kind == "pointer":
                logits = np.where(mask, part[..., 0], -np.inf)
                if field.null:
                    logits = np.concatenate([logits, graph_logits[:, nulls, None]], 1)
                    nulls += 1
                values[field.name], margins[field.name] = _point(field, logits, _of(given, field))
            else:
                value, margin = decide(field, part, _of(given, field))
                values[field.name], margins[field.name] = np.where(mask, value, 0), np.where(mask, margin, np.inf)
        return values, margins


def _of(given: dict[str, np.ndarray] | None, field: Field) -> np.ndarray | None:
    return None if given is None else given[field.name]


def decide(field: Field, logits: np.ndarray, truth: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Returns the value of a mask or category, and its margin: that of the truth, where it is given."""
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
