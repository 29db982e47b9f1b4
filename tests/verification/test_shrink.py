"""A counterexample is made smaller as long as it stays one."""

from collections.abc import Sequence

import numpy as np
import pytest

from recursor.algorithms import find
from recursor.graphs.graph import from_edges
from recursor.recording.rows import Recording
from recursor.verification.examine import Examiner, Wrong
from recursor.verification.shrink import shrink, without_edges, without_nodes


class Picky(Examiner):
    """A network that is wrong on every graph that has an edge between two marked nodes."""

    def __init__(self, key: str) -> None:
        self.key = key

    def examine(self, recordings: Sequence[Recording]) -> tuple[int, list[Wrong]]:
        return len(recordings), [Wrong(recording, 1, "u") for recording in recordings if self.is_wrong(recording)]

    def is_wrong(self, recording: Recording) -> bool:
        graph = recording.graph
        marked = graph.values[self.key] > 0
        return bool((marked[graph.senders] & marked[graph.receivers] & (graph.senders != graph.receivers)).any())


@pytest.mark.parametrize("name", ["dfs", "bridges"])
def test_what_is_left_is_what_makes_it_wrong(name: str) -> None:
    algorithm, rng = find(name), np.random.default_rng(3)
    graph = algorithm.test(rng, 23)
    marks = np.zeros(len(graph))
    marks[[graph.senders[0], graph.receivers[0]]] = 1
    graph = from_edges(graph.senders, graph.receivers, len(graph), values={"mark": marks})
    examiner = Picky("mark")
    recording = algorithm.record(graph)
    assert examiner.is_wrong(recording)
    small = shrink(Wrong(recording, 1, "u"), algorithm, examiner).recording
    assert examiner.is_wrong(small)
    assert len(small.graph) == 2
    assert len(small.graph.senders) == (2 if name == "bridges" else 1)  # an undirected edge is two
    assert not algorithm.unfit(small.graph)


def test_nothing_smaller_that_is_unfit_is_returned() -> None:
    algorithm, rng = find("circuit"), np.random.default_rng(0)

    class Always(Examiner):
        def examine(self, recordings: Sequence[Recording]) -> tuple[int, list[Wrong]]:
            assert all(not algorithm.unfit(recording.graph) for recording in recordings)
            return len(recordings), [Wrong(recording, 1, "u") for recording in recordings]

    found = shrink(Wrong(algorithm.record(algorithm.test(rng, 17)), 1, "u"), algorithm, Always())
    assert len(found.recording.graph) == 1


def test_nodes_and_edges_are_taken_away_with_their_values() -> None:
    graph = from_edges(np.array([0, 1, 2, 3]), np.array([1, 2, 3, 0]), 4, values={"key": np.array([4.0, 3.0, 2.0, 1.0])})
    smaller = without_nodes(graph, [np.array([1])])
    assert (smaller.senders.tolist(), smaller.receivers.tolist()) == ([1, 2], [2, 0])
    assert smaller.values["key"].tolist() == [4.0, 2.0, 1.0]
    fewer = without_edges(graph, [np.array([0, 3])])
    assert (fewer.senders.tolist(), fewer.receivers.tolist()) == ([1, 2], [2, 3])
    assert len(fewer) == 4
