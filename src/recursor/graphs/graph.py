"""Graphs, and the pairs of nodes that a network computes edge features for."""

import dataclasses
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np


@dataclass(frozen=True, eq=False)
class Graph:
    """A directed graph of n nodes 0 … n-1, in the order in which an algorithm visits them.

    The edges are the pairs (senders[k], receivers[k]), each once, sorted by sender, then receiver. An undirected edge is two
    directed ones. `positions` are increasing numbers in [0, 1) that tell a network the order of the nodes. `names` are the
    user's own names of the nodes. `values` are further inputs of an algorithm, one number for each node, such as the keys to
    be sorted.
    """

    senders: np.ndarray  # [edges] int32
    receivers: np.ndarray  # [edges] int32
    positions: np.ndarray  # [nodes] float32
    names: Sequence[Hashable]
    values: Mapping[str, np.ndarray] = dataclasses.field(default_factory=dict)
    parallel: int = 0
    """How many edges of the source were left out because they repeat another edge; self-loops are not counted."""
    given: Mapping[str, Sequence[Any]] = dataclasses.field(default_factory=dict)
    """The values as their owner gave them, for answers: `values` has True as 1, and 2.0 among whole numbers as 2."""

    def __post_init__(self) -> None:
        self._convert_and_check()
        pairs = self.senders.astype(np.int64) * len(self) + self.receivers
        if not (pairs[1:] > pairs[:-1]).all():
            raise ValueError("the edges of a Graph are sorted by sender, then receiver, each once; `from_edges` takes any")

    def _convert_and_check(self) -> None:
        """Converts lists to arrays, and refuses edges and names that do not fit the nodes."""
        for name, kind in (("senders", np.int32), ("receivers", np.int32), ("positions", np.float32)):
            if not isinstance(getattr(self, name), np.ndarray):
                object.__setattr__(self, name, np.asarray(getattr(self, name), kind))
        if any(not isinstance(column, np.ndarray) for column in self.values.values()):
            object.__setattr__(self, "values", {name: np.asarray(column) for name, column in self.values.items()})
        if len(self.names) != len(self):
            raise ValueError(f"a Graph has one name for each node, not {len(self.names)} for {len(self)} positions")
        if len(self.senders) != len(self.receivers):
            raise ValueError(f"a Graph has one receiver for each sender, not {len(self.receivers)} for {len(self.senders)}")
        ends = np.concatenate([self.senders, self.receivers])
        if len(ends) and not 0 <= ends.min() <= ends.max() < len(self):
            raise ValueError(f"the ends of edges are nodes from 0 to {len(self) - 1}, not {ends.min()} or {ends.max()}")

    def __len__(self) -> int:
        return len(self.positions)

    def __repr__(self) -> str:
        values = "".join(f", {name} of every node" for name in self.values)
        return f"<Graph: {len(self)} nodes, {len(self.senders)} directed edges{values}>"

    def value(self, name: str, node: int) -> Any:
        """Returns a value of a node, as the very object that its owner gave.

        Args:
            name: What the value is called.
            node: The node.

        Example:
            >>> keys = from_edges([], [], 2, values={"key": np.array([1, 2])})
            >>> keys.value("key", 1), dataclasses.replace(keys, given={"key": [True, 2.0]}).value("key", 1)
            (2, 2.0)
        """
        number = self.values[name][node].item()
        own = self.given[name][node] if name in self.given else number
        return own if own == number else number  # the values may have been replaced since

    @cached_property
    def successors(self) -> list[list[int]]:
        """The nodes to which each node has an edge, in order."""
        ends = np.searchsorted(self.senders, np.arange(len(self) + 1)).tolist()
        receivers = self.receivers.tolist()
        return [receivers[a:b] for a, b in pairwise(ends)]

    @cached_property
    def predecessors(self) -> list[list[int]]:
        """The nodes from which each node has an edge, in order."""
        found: list[list[int]] = [[] for _ in range(len(self))]
        for sender, receiver in zip(self.senders.tolist(), self.receivers.tolist(), strict=True):
            found[receiver].append(sender)
        return found

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Graph)
            and np.array_equal(self.positions, other.positions)
            and np.array_equal(self.senders, other.senders)
            and np.array_equal(self.receivers, other.receivers)
            and list(self.names) == list(other.names)
            and self.values.keys() == other.values.keys()
            and all(np.array_equal(self.values[name], other.values[name]) for name in self.values)
        )

    # Equal graphs would need equal hashes, and arrays have none.
    __hash__ = None  # pyright: ignore[reportAssignmentType]


def with_distinct(names: Sequence[Hashable], more: Sequence[str]) -> tuple[Hashable, ...]:
    """Returns names and more names after them, of which each that is there already gets a number.

    Example:
        >>> with_distinct(["a", "b"], ["a-b", "a-b", "b"])
        ('a', 'b', 'a-b', 'a-b (2)', 'b (2)')
    """
    there = {str(name) for name in names}
    found: list[Hashable] = list(names)
    numbers: dict[str, int] = {}
    for name in more:
        free = name
        while free in there:
            numbers[name] = numbers.get(name, 1) + 1
            free = f"{name} ({numbers[name]})"
        there.add(free)
        found.append(free)
    return tuple(found)


class Support(NamedTuple):
    """The pairs of nodes for which edge fields have a value: the edges, and each node with itself.

    They are sorted by graph, then by receiver, then by sender.
    """

    graphs: np.ndarray  # [pairs] int32: which of the graphs
    senders: np.ndarray  # [pairs] int32
    receivers: np.ndarray  # [pairs] int32
    edge: np.ndarray  # [pairs] float32: 1 where the pair is an edge of the graph, 0 where it is only a node with itself


def support(graphs: Sequence[Graph]) -> Support:
    """Returns the support of several graphs, whose pairs are sorted all at once."""
    # The nodes of all graphs are numbered one after another: `first` is the first node of each graph.
    first = np.cumsum([0, *map(len, graphs)])
    total = int(first[-1])
    offsets = np.repeat(first[:-1], [len(graph.senders) for graph in graphs])
    senders = np.concatenate([graph.senders for graph in graphs]) + offsets
    receivers = np.concatenate([graph.receivers for graph in graphs]) + offsets
    without_loop = np.ones(total, bool)  # nodes without a self-loop of their own
    without_loop[senders[senders == receivers]] = False
    # A pair is one number, receiver first, so that sorting numbers sorts pairs. The lowest bit is 1 for an edge.
    pairs = np.concatenate([2 * (receivers * total + senders) + 1, 2 * (total + 1) * np.flatnonzero(without_loop)])
    pairs.sort()
    receiver, sender = np.divmod(pairs >> 1, total)
    graph_index = np.repeat(np.arange(len(graphs)), np.diff(first))[receiver]
    graph_start = first[graph_index]
    return Support(
        graph_index.astype(np.int32),
        (sender - graph_start).astype(np.int32),
        (receiver - graph_start).astype(np.int32),
        (pairs & 1).astype(np.float32),
    )


def even(n: int) -> np.ndarray:
    """Returns n evenly spaced positions: i/n for node i."""
    return (np.arange(n) / n).astype(np.float32)


def from_edges(
    senders: np.ndarray,
    receivers: np.ndarray,
    n: int,
    *,
    positions: np.ndarray | None = None,
    names: Sequence[Hashable] | None = None,
    values: Mapping[str, np.ndarray] | None = None,
) -> Graph:
    """Returns a graph of n nodes, given its edges in any order; an edge that is given twice counts once."""
    keys = np.asarray(senders, np.int64) * n + np.asarray(receivers, np.int64)
    if not (keys[1:] > keys[:-1]).all():
        keys = np.sort(keys)  # NumPy's unique would hash, which takes ten times as long for a million
        keys = keys[np.concatenate([[True], keys[1:] > keys[:-1]])]
    return Graph(
        (keys // n).astype(np.int32),
        (keys % n).astype(np.int32),
        even(n) if positions is None else positions,
        range(n) if names is None else names,
        values or {},
    )


def from_ends(ends: Sequence[int] | np.ndarray, names: Sequence[Hashable], *, undirected: bool) -> Graph:
    """Returns the graph with the edges ends[0] → ends[1], ends[2] → ends[3], …, and these names of its nodes.

    An edge that is given twice counts once, but it is noted as parallel. An undirected edge that is given once from each of
    its ends is not.
    """
    senders, receivers = np.asarray(ends, np.int64).reshape(-1, 2).T
    parallel = count_repeated(senders, receivers, len(names))
    if undirected:
        senders, receivers = np.concatenate([senders, receivers]), np.concatenate([receivers, senders])
    return dataclasses.replace(from_edges(senders, receivers, len(names), names=names), parallel=parallel)


def count_repeated(senders: np.ndarray, receivers: np.ndarray, n: int) -> int:
    """Returns how many edges, loops apart, were given before with the same sender and receiver."""
    keys = np.sort((senders.astype(np.int64) * n + receivers)[senders != receivers])
    return int((keys[1:] == keys[:-1]).sum())


def named_graph(
    *edges: str, names: str = "", undirected: bool = False, values: Mapping[str, Sequence[float]] | None = None
) -> Graph:
    """Returns a small graph that is written as strings, for examples.

    Args:
        edges: Each edge as two names with a space between them, sender first.
        names: All names in the order of the nodes; by default the order in which the edges mention them.
        undirected: Whether each edge goes both ways.
        values: Further inputs, one number a node.

    Returns:
        The graph, on even positions.

    Example:
        >>> named_graph("a b", "b c").successors
        [[1], [2], []]
    """
    pairs = [edge.split() for edge in edges]
    index = {name: node for node, name in enumerate(names.split() or dict.fromkeys(name for pair in pairs for name in pair))}
    ends = np.array([[index[name] for name in pair] for pair in pairs], int).reshape(-1, 2)
    if undirected:
        ends = np.concatenate([ends, ends[:, ::-1]])
    arrays = {name: np.array(column) for name, column in (values or {}).items()}
    return from_edges(ends[:, 0], ends[:, 1], len(index), names=tuple(index), values=arrays)


def from_matrix(matrix: np.ndarray, *, positions: np.ndarray | None = None) -> Graph:
    """Returns a graph, given its square adjacency matrix. The matrix is not checked; `reading.as_graph` checks a user's."""
    senders, receivers = np.nonzero(matrix)
    n = len(matrix)
    return Graph(senders.astype(np.int32), receivers.astype(np.int32), even(n) if positions is None else positions, range(n))
