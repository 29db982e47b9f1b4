import numpy as np
import pytest

from recursor.algorithms.dfs import DFS
from recursor.data.batches import pad
from recursor.graphs.distributions import path
from tests.network.networks import NETWORKS, logits_after, one, prepare, reasoner, row

NODES = 6


def heard(name: str, speaker: int) -> list[bool]:
    """Which nodes of a path notice, within one row, that one node has another colour, of some that stand out.

    The logits of a node's colour are a function of what that node has heard and of nothing else.
    """
    truth = one(pad([DFS.record(path(NODES))], NETWORKS[name].spec, every_pair=True), 0)
    memory, prepared = reasoner(name).start(NODES, 3 * NODES), prepare(reasoner(name), truth.inputs)
    values = row(NETWORKS[name].spec, truth.hints, 0, NODES)
    before = np.asarray(logits_after(reasoner(name), prepared, values, memory)["color"])
    noticed = np.zeros(NODES, bool)
    for color in 20 * np.concatenate([np.eye(3), -np.eye(3)]):  # a maximum lets only the strongest through
        other = values | {"color": values["color"].at[speaker].set(color)}
        noticed |= (logits_after(reasoner(name), prepared, other, memory)["color"] != before).any(-1)
    return noticed.tolist()


@pytest.mark.parametrize("speaker", range(NODES))
def test_messages_along_edges_reach_the_receivers_of_edges_alone(speaker: int) -> None:
    assert heard("edges", speaker) == [node in (speaker, speaker + 1) for node in range(NODES)]


@pytest.mark.parametrize("speaker", range(NODES))
def test_messages_between_all_pairs_reach_everyone(speaker: int) -> None:
    assert heard("experiment 10", speaker) == [True] * NODES
