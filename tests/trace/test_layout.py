from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recursor.graphs.activities import as_activities
from recursor.graphs.distributions import TEST, complete, grid, path, star
from recursor.graphs.graph import Graph
from recursor.graphs.letters import as_text
from recursor.trace.layout import WIDE, layout
from tests.strategies import graphs


@given(graphs())
def test_every_node_has_a_place_of_its_own_on_the_page(graph: Graph) -> None:
    places = layout(graph)
    assert places.shape == (len(graph), 2)
    assert np.isfinite(places).all()
    assert (places >= -1e-9).all()
    assert (places <= np.array([WIDE, 1]) + 1e-9).all()
    assert len(np.unique(places.round(3), axis=0)) == len(graph)


@pytest.mark.parametrize(
    "graph",
    [grid(96), path(96), star(96), complete(40), TEST(np.random.default_rng(3), 96), TEST(np.random.default_rng(4), 96)],
)
def test_nodes_of_larger_graphs_are_not_on_top_of_each_other(graph: Graph) -> None:
    places = layout(graph)
    distance = np.linalg.norm(places[:, None] - places[None], axis=-1) + np.eye(len(graph))
    assert distance.min() > 0.15 / len(graph) ** 0.5
    assert np.array_equal(places, layout(graph)), "the same graph, the same places"


@given(st.text("ACGT", max_size=60), st.text("ACGT", min_size=1, max_size=20))
def test_a_text_is_written_in_lines_and_the_needle_begins_a_new_one(text: str, needle: str) -> None:
    graph = as_text(text, needle)
    places = layout(graph, "text")
    assert (places >= 0).all()
    assert (places <= np.array([WIDE, 1])).all()
    after = np.diff(places, axis=0)
    assert ((after[:, 1] > 0) | ((after[:, 1] == 0) & (after[:, 0] > 0))).all(), "it is read from left to right"
    assert set(places[: len(text), 1]).isdisjoint(places[len(text) :, 1])


@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(1, 10**6)), min_size=1, max_size=20))
def test_activities_are_on_lines_of_their_own_and_later_times_further_right(times: list[tuple[int, int]]) -> None:
    graph = as_activities({f"activity {k}": (start, start + long) for k, (start, long) in enumerate(times)})
    places, key = layout(graph, "times"), graph.values["key"]
    assert (places >= 0).all()
    assert (places <= np.array([WIDE, 1]) + 1e-9).all()
    assert (np.sign(np.subtract.outer(places[:, 0], places[:, 0])) == np.sign(np.subtract.outer(key, key))).all()
    assert np.array_equal(places[graph.senders, 1], places[graph.receivers, 1])
    assert len(np.unique(places[:, 1])) == len(times)


def test_activities_are_drawn_by_their_times_whatever_else_their_owner_knows_of_them() -> None:
    graph = as_activities({"swim": (8, 10), "talk": (9, 11)})
    more = replace(graph, values={"price": -graph.values["key"], **graph.values})
    assert np.array_equal(layout(more, "times"), layout(graph, "times"))


def test_a_grid_lies_straight() -> None:
    graph = grid(36)
    places = layout(graph)
    along = np.abs(places[graph.senders] - places[graph.receivers])
    assert (along.min(1) < 0.3 * along.max(1)).all()
