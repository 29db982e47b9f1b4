r"""Tables: the situations that were met, and what the network computes in each.

Let g be the values of the graph fields and $\tau_i$ the type of node i: the values of its own fields, those of the top frame
included. In round r a node sends and hears a *word*: all bits of its messages as one integer.

$$ s_i^0 = (g, \tau_i), \qquad s_i^r = (s_i^{r-1}, \text{heard}_i^r), \qquad \text{sent}_i^{r+1} = f_r(s_i^r) $$

The *situation* of a node is $s_i^R$, after the last round. The decoder sees no more of a node than its situation and the
values that were decoded before. What it decodes for the graph depends on g, on these values and on the bits that the
nodes send to the graph, joined by a bitwise or. So the network computes everything from finitely many cases. The cases are
numbered as they are met (`Index`), and each is computed once.

Every value has a *margin*: how far the logits are from the nearest ones that would give another value. A bit with the logit
x has the margin $|x|$.

The key of a situation packs two numbers into one integer: the situation before the round in the upper 32 bits, and the word
heard in it, by its number, in the lower 32 bits. Before the first round these are the number of g and that of the type.
"""

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from recursor.network.decoders.staged import StagedDecoder
from recursor.network.reasoner import Reasoner
from recursor.network.stacks.fields import FieldsStack
from recursor.situations.compute import bits_of, in_pieces, receive, send, word_of
from recursor.situations.decisions import Decoded, StageTable
from recursor.situations.hearing import Relations, hear
from recursor.situations.index import Index
from recursor.situations.layout import Layout

Array = np.ndarray


def why_not_finite(reasoner: Reasoner) -> str:
    """Returns the reason why the situations of a reasoner are not finitely many; an empty string if they are."""
    config = reasoner.config
    if not config.message_bits or not config.pooled_bits:
        return "its messages are real numbers; train one with message_bits and pooled_bits"
    if not isinstance(reasoner.stack, FieldsStack) or not isinstance(reasoner.hint_decoder, StagedDecoder):
        return "its frames are no copies of fields, or it does not decode in stages"
    if any(field.kind == "scalar" for field in reasoner.spec.hints):
        return "its rows show scalars"
    return ""


class Level:
    """The situations after one round, and the word that a node sends next in each."""

    def __init__(self, width: int) -> None:
        self.index, self.heard = Index(), Index()  # the keys of the situations; the words that are heard in the round
        self.processed = np.zeros((0, width), np.float32)  # may lack the last situations: see `Tables._processed`
        self.word = np.zeros(0, np.int64)  # that a node sends next; empty after the last round
        self.margin = np.zeros(0, np.float32)  # the smallest margin of the bits of that word


class Tables:
    """All situations that a reasoner met. The network computes each once, when it is new."""

    def __init__(self, reasoner: Reasoner) -> None:
        if why := why_not_finite(reasoner):
            raise ValueError(f"this network of {reasoner.spec.algorithm} has no list of situations: {why}")
        assert isinstance(reasoner.hint_decoder, StagedDecoder)
        self.reasoner, self.spec, self.layout = reasoner, reasoner.spec, Layout(reasoner)
        self.bits, self.rounds = reasoner.config.message_bits, len(reasoner.processors)
        self.message_bits = self.bits * (4 + 2 * (len(self.spec.compared) + len(self.spec.stamps)))
        """The number of bits in all messages of a node in one round."""
        self.graphs, self.types, self.combinations = Index(), Index(), Index()
        width = reasoner.config.width
        self.levels = [Level(0 if level == 0 else width) for level in range(self.rounds + 1)]
        self.stages = [
            StageTable(reasoner, stage, lambda numbers: self._features(numbers, self.rounds), self.combinations)
            for stage in reasoner.hint_decoder.stages
        ]

    @cached_property
    def twin(self) -> "Tables":
        """Other tables of the same network, for situations that are only tried and must not count as met."""
        return Tables(self.reasoner)

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
        """Returns the arrays that `restore` needs, by name. Features and margins are left out."""
        found = {name: index.keys for name, index in self._indices().items()}
        found |= {f"level{place}.word": level.word for place, level in enumerate(self.levels)}
        for place, stage in enumerate(self.stages):
            values = {"word": stage.word, "node_logits": stage.node_logits, "graph_logits": stage.graph_logits}
            found |= {f"stage{place}.{name}": array for name, array in values.items()}
        return found

    def restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Fills the tables with what `arrays` returned."""
        for name, index in self._indices().items():
            index.keys = arrays[name]
            index.sort()
        for place, level in enumerate(self.levels):
            level.word = arrays[f"level{place}.word"]
        for place, stage in enumerate(self.stages):
            stage.word, stage.node_logits, stage.graph_logits = (
                arrays[f"stage{place}.{name}"] for name in ("word", "node_logits", "graph_logits")
            )

    @property
    def count(self) -> dict[str, int]:
        """How many situations there are of each kind, for reports."""
        names = ["types", *(f"after round {level}" for level in range(1, self.rounds + 1))]
        found = {name: len(level.index) for name, level in zip(names, self.levels, strict=True)}
        return {"graph": len(self.graphs), **found, "pooled": sum(len(stage.graphs) for stage in self.stages)}

    # Situations of nodes

    def find_situations(self, graph: np.ndarray, types: np.ndarray, relations: Relations) -> tuple[np.ndarray, np.ndarray]:
        """Returns the situation of every node.

        Args:
            graph: The graph's values in each row, [rows], as `Layout` numbers them.
            types: The nodes' types, [rows, nodes].
            relations: Which nodes receive messages of which.

        Returns:
            The number of the graph's values, [rows], and of each node's situation, [rows, nodes].
        """
        which, _ = self.graphs.add(graph)
        kind, _ = self.types.add(types)
        numbers = self.first_situations(np.broadcast_to(which[:, None], kind.shape), kind)
        for round_ in range(self.rounds):
            heard = hear(self.levels[round_].word[numbers], relations, self.bits)
            numbers = self.next_situations(round_ + 1, numbers, heard)
        return which, numbers

    def first_situations(self, which: np.ndarray, kind: np.ndarray) -> np.ndarray:
        """Returns the situations before the first round, given the numbers of the graph's values and of types."""
        numbers, new = self.levels[0].index.add((which << 32) | kind)
        if len(new):
            self._grow_words(0, len(new))
        return numbers

    def next_situations(self, level: int, parents: np.ndarray, heard: np.ndarray) -> np.ndarray:
        """Returns the situations after a round, given those before it and the words that are heard in it."""
        table = self.levels[level]
        number_heard, _ = table.heard.add(heard)
        numbers, new = table.index.add((parents << 32) | number_heard)
        if len(new) and level < self.rounds:
            self._grow_words(level, len(new))
        return numbers

    def copy_types(self) -> "Tables":
        """Returns tables with the same types, by the same numbers, but without any situation after a round."""
        copy = Tables(self.reasoner)
        for name in ("graphs", "types"):
            getattr(copy, name).keys = getattr(self, name).keys
            getattr(copy, name).sort()
        own, other = self.levels[0], copy.levels[0]
        other.index.keys = own.index.keys
        other.index.sort()
        other.processed, other.word, other.margin = own.processed, own.word, own.margin
        return copy

    def heard_in(self, level: int) -> np.ndarray:
        """Returns all situations of a level: the number of the type, and the word heard in each round, [m, 1 + level]."""
        chain = self.ancestors(np.arange(len(self.levels[level].index)), level)
        words = [
            self.levels[at].heard.keys[self.levels[at].index.keys[chain[at]] & 0xFFFFFFFF] for at in range(1, level + 1)
        ]
        return np.stack([chain[0], *words], 1)

    def ancestors(self, numbers: np.ndarray, level: int) -> list[np.ndarray]:
        """Returns what some situations of a level were at each level before, and themselves, from level 0 on."""
        chain = [numbers]
        for below in reversed(range(1, level + 1)):
            chain.append(self.levels[below].index.keys[chain[-1]] >> 32)
        return chain[::-1]

    def graph_of(self, numbers: np.ndarray) -> np.ndarray:
        """Returns the number of the graph's values in some final situations."""
        return self.levels[0].index.keys[self.ancestors(numbers, self.rounds)[0]] >> 32

    def graph_channels(self, numbers: np.ndarray) -> np.ndarray:
        """Returns the channels of the graph's values, given their numbers."""
        return self.layout.channels(self.layout.graph, self.graphs.keys[numbers])

    def _features(self, numbers: np.ndarray, level: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Returns the channels of the node, those of the graph, and the processed features of situations of a level."""
        keys = self.levels[0].index.keys[self.ancestors(numbers, level)[0]]
        node = self.layout.channels(self.layout.node, self.types.keys[keys & 0xFFFFFFFF])
        return node, self.graph_channels(keys >> 32), self._processed(level)[numbers]

    def _processed(self, level: int) -> np.ndarray:
        """Returns the processed features of all situations of a level, and computes those that are missing."""
        table = self.levels[level]
        start, total = len(table.processed), len(table.index)
        if start < total:
            if not level:  # before the first round nothing is processed
                table.processed = np.zeros((total, 0), np.float32)
                return table.processed
            keys = table.index.keys[start:]
            heard = bits_of(table.heard.keys[keys & 0xFFFFFFFF], self.message_bits)
            part = in_pieces(receive, self.reasoner, level - 1, *self._features(keys >> 32, level - 1), heard)
            table.processed = np.concatenate([table.processed, part])
        return table.processed

    def _grow_words(self, level: int, count: int) -> None:
        """Computes the word that a node sends next in the newest situations of a level."""
        table = self.levels[level]
        numbers = np.arange(len(table.index) - count, len(table.index))
        logits = in_pieces(send, self.reasoner, level, *self._features(numbers, level))
        table.word = np.concatenate([table.word, word_of(logits)])
        table.margin = np.concatenate([table.margin, np.abs(logits).min(-1)])

    def node_inputs(
        self, table: StageTable
    ) -> tuple[Array, Array, tuple[Array, ...], Array, Array, tuple[Array, ...], Array]:
        """Returns what the network receives and sends in the situations of nodes in which a stage decides.

        Returns:
            The channels of the node and of the graph, the bits heard in each round, which pointers of earlier stages name
            the node, the graph's values of earlier stages, the bits sent in each round, and the bits sent to the graph.
        """
        keys = table.nodes.keys  # packed by `StageTable.of_nodes`: situation, values of earlier stages, pointers to the node
        chain = self.ancestors(keys >> 36, self.rounds)
        node, graph, _ = self._features(chain[-1], self.rounds)
        heard, sent = [], []
        for below in range(self.rounds):
            above = self.levels[below + 1]
            words = above.heard.keys[above.index.keys[chain[below + 1]] & 0xFFFFFFFF]
            heard.append(bits_of(words, self.message_bits))
            sent.append(bits_of(self.levels[below].word[chain[below]], self.message_bits))
        flags = bits_of(keys & 0xFFFF, len(table.pointers))
        pooled = bits_of(table.word, 0 if table.stage.pool is None else self.reasoner.config.pooled_bits)
        given = table.given_channels((keys >> 16) & 0xFFFFF)
        return node, graph, tuple(heard), flags, given, tuple(sent), pooled

    def graph_inputs(self, table: StageTable) -> tuple[Array, Array, Array]:
        """Returns what the network sees in the situations of the graph in which a stage decides: the channels of the graph,
        those of its values of earlier stages, and the bits that all nodes send to it."""
        keys = table.graphs.keys  # packed by `StageTable.of_graphs`: values, those of earlier stages, word of all nodes
        pooled = bits_of(table.pooled.keys[keys & 0xFFFFFFF], self.reasoner.config.pooled_bits)
        return self.graph_channels(keys >> 48), table.given_channels((keys >> 28) & 0xFFFFF), pooled

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
        every = np.arange(numbers.shape[1])
        for table in self.stages:
            flags = np.zeros_like(numbers)
            for bit, field in enumerate(table.pointers):
                flags |= (known[field.name][:, None] == every).astype(np.int64) << bit
            combination = table.combination(known, len(which))
            # Padding repeats the first node, so that it adds no situation.
            own = np.where(mask, numbers, numbers[:, :1]), combination[:, None], np.where(mask, flags, flags[:, :1])
            nodes, graphs = table.of_nodes(*own), np.zeros(len(which), np.int64)
            if table.decodes_graph:
                pooled = np.bitwise_or.reduce(np.where(mask, table.word[nodes], 0), 1)
                graphs = table.of_graphs(which, combination, pooled, self.graph_channels)
            decided = table.decide(nodes, graphs, mask, given)
            values |= decided[0]
            margins |= decided[1]
            of_nodes.append(nodes)
            of_graphs.append(graphs)
            known |= {f.name: values[f.name] if given is None else given[f.name] for f in table.stage.fields}
        return Decoded(values, margins, of_nodes, of_graphs)
