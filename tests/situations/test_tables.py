"""Tables of situations are the network itself: they predict what it predicts."""

from collections.abc import Iterator
from dataclasses import replace

import jax
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recursor.algorithms import find, known
from recursor.configurations.named import configuration
from recursor.execution.execution import Execution
from recursor.execution.executor import execute
from recursor.network.reasoner import Reasoner
from recursor.situations.hearing import Edges, Relations, edges_of, hear
from recursor.situations.index import Index
from recursor.situations.layout import Layout
from recursor.situations.rows import look_at_rows
from recursor.situations.tables import Tables, why_not_finite
from recursor.training.loading import load
from tests.network.networks import use_quick_programs


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    use_quick_programs(monkeypatch)


def untrained(name: str, seed: int = 3) -> Reasoner:
    config = configuration(f"exact/{name}")
    network = replace(config.network, width=8, message_bits=2, pooled_bits=3)
    return Reasoner(config.spec, network, key=jax.random.key(seed))


class ExecutedRows:
    """The rows of one execution, in the form of `Rows`."""

    def __init__(self, execution: Execution) -> None:
        self._rows = execution.rows
        self.nodes, self.mask = len(execution.graph), np.ones((1, execution.steps), bool)

    def __getitem__(self, name: str) -> np.ndarray:
        return self._rows[name][None]


def predictions(tables: Tables, execution: Execution) -> Iterator[dict[str, np.ndarray]]:
    for seen in look_at_rows(tables, ExecutedRows(execution), [execution.graph], [execution.ops]):
        yield seen.wrong


@pytest.mark.parametrize("name", ["dfs", "tarjan", "quicksort", "circuit"])
def test_tables_predict_what_the_network_predicts_trained_or_not(name: str, rng: np.random.Generator) -> None:
    """On its own rows, so that the rows are of all sorts: an untrained network goes astray at once."""
    reasoner = untrained(name)
    tables, algorithm = Tables(reasoner), find(name)
    for execution in execute(reasoner, [algorithm.train(rng, 6) for _ in range(4)], limit=12):
        for wrong in predictions(tables, execution):
            assert not any(values.any() for values in wrong.values())


def test_every_algorithm_of_ours_has_finitely_many_situations() -> None:
    for name in known():
        config = configuration(f"exact/{name}")
        assert not why_not_finite(Reasoner(config.spec, config.network, key=jax.random.key(0)))


def test_a_network_whose_messages_are_numbers_is_refused() -> None:
    config = configuration("exact/dfs-choice")
    with pytest.raises(ValueError, match="has no list of situations: its messages are real numbers"):
        Tables(Reasoner(config.spec, config.network, key=jax.random.key(0)))


def test_a_copy_of_tables_goes_on_like_the_original(rng: np.random.Generator) -> None:
    reasoner = load("dfs").reasoner
    original, copy, algorithm = Tables(reasoner), Tables(reasoner), find("dfs")
    known_, new = execute(reasoner, [algorithm.test(rng, 3), algorithm.test(rng, 12)])
    assert all(not any(values.any() for values in wrong.values()) for wrong in predictions(original, known_))
    copy.restore(original.arrays())
    before = copy.count
    assert all(not any(values.any() for values in wrong.values()) for wrong in predictions(copy, known_))
    assert copy.count == before
    assert all(not any(values.any() for values in wrong.values()) for wrong in predictions(copy, new))
    assert copy.count != before


@given(st.lists(st.integers(-(2**62), 2**62), max_size=30), st.lists(st.integers(-(2**62), 2**62), max_size=30))
def test_an_index_gives_each_key_one_number(first: list[int], second: list[int]) -> None:
    index = Index()
    numbers = [index.add(np.array(keys, np.int64))[0].tolist() for keys in (first, second)]
    seen = dict(zip(first + second, numbers[0] + numbers[1], strict=True))
    assert sorted(set(seen.values())) == list(range(len(index)))
    assert all(index.keys[number] == key for key, number in seen.items())


@given(st.integers(1, 7), st.integers(0, 1000))
def test_a_list_of_edges_and_a_matrix_are_heard_alike(nodes: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = rng.random((nodes, nodes)) < 0.4
    words, order = rng.integers(0, 2**12, (5, nodes)), rng.integers(0, 3, (5, nodes))
    places = np.where(order > 0, rng.permuted(np.tile(np.arange(1, nodes + 1), (5, 1)), axis=1), 0)
    mask, which = np.ones((1, nodes), bool), np.zeros(5, np.int64)
    edges: Edges = edges_of(*(end.astype(np.int64) for end in np.nonzero(matrix)))
    one, other = (hear(words, Relations(form, mask, which, (places,)), 2) for form in (matrix[None], edges))
    assert np.array_equal(one, other)


@given(st.lists(st.tuples(*[st.integers(0, 2**32 - 1)] * 2), max_size=20))
def test_edges_are_sorted_by_both_ends(pairs: list[tuple[int, int]]) -> None:
    ends = np.array(pairs, np.int64).reshape(-1, 2)
    edges = edges_of(*ends.T)
    assert list(zip(edges.senders, edges.receivers, strict=True)) == sorted(pairs, key=lambda pair: pair[1])
    assert list(zip(edges.starts, edges.back, strict=True)) == sorted(pairs, key=lambda pair: pair[0])


@given(st.integers(0, 200))
def test_channels_of_types_are_the_encoders(seed: int) -> None:
    layout = Layout(untrained("tarjan"))
    rng = np.random.default_rng(seed)
    digits = [rng.integers(0, digit.radix) for digit in layout.node]
    number = 0
    for digit, value in reversed(list(zip(layout.node, digits, strict=True))):
        number = number * digit.radix + int(value)
    assert list(layout.words(layout.node, number).values()) == digits
    assert layout.channels(layout.node, np.array([number])).shape == (1, sum(digit.channels for digit in layout.node))
