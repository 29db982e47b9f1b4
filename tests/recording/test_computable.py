"""The checker finds what no network can tell apart, and only that."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from recursor.algorithms import ALGORITHMS, find, register, register_file
from recursor.graphs.graph import Graph
from recursor.recording.algorithm import Algorithm
from recursor.recording.computable import describe, find_collision, find_uncollected, find_untrained, without
from recursor.recording.recorder import Recorder
from recursor.spec import Collect, Field

EXAMPLE = Path(__file__).parents[2] / "examples" / "flood_fill.py"


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_row_of_every_algorithm_tells_the_next(name: str) -> None:
    assert find_collision(find(name), "discrete", graphs=60, sizes=(2, 4, 6)) is None


@pytest.mark.parametrize(
    ("name", "hint", "field"),
    [("dfs", "color", "u_v"), ("dfs", "u", "u_pi"), ("merge_sort", "half", "right"), ("topological_sort", "seen", "v")],
)
def test_a_hint_that_was_taken_away_is_missed(name: str, hint: str, field: str) -> None:
    collision = find_collision(without(find(name), "discrete", hint), "discrete", graphs=2000)
    assert collision is not None
    assert collision.field == field
    assert hint not in collision.one.hints
    told = describe(collision)
    assert f"row {collision.row}:" in told
    assert f"row {collision.other_row + 1}:" in told


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_algorithm_collects_what_it_returns(name: str) -> None:
    assert find_uncollected(find(name), "discrete") == ""


def test_what_is_collected_wrongly_is_found_before_anything_is_trained() -> None:
    dfs = find("dfs")
    wrong = replace(dfs, collect=(Collect("pi", at="u", value="u_v"),))
    assert "pi[" in find_uncollected(wrong, "discrete")
    assert "has no rule to collect the output pi" in find_uncollected(replace(dfs, collect=()), "discrete")
    stray = replace(find("circuit"), train=dfs.train)
    assert "its `train` samples other graphs" in find_uncollected(stray, "discrete")
    with pytest.raises(ValueError, match="'dfs' collects 'pi' from 'lost', which is not one of"):
        replace(dfs, collect=(Collect("pi", at="u", value="lost"),))
    with pytest.raises(ValueError, match="'dfs' collects 'lost', which is not one of its outputs"):
        replace(dfs, collect=(Collect("lost", at="u", value="u_pi"),))


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_algorithm_trains_on_the_sorts_of_graphs_that_it_is_verified_on(name: str) -> None:
    assert find_untrained(find(name)) == ""


def test_a_sort_of_graph_that_is_never_drawn_is_found() -> None:
    loose = replace(find("bridges"), unfit=find("dfs").unfit, small_inputs=find("dfs").small_inputs)
    assert "draws undirected graphs only" in find_untrained(loose)
    assert "unfit=not_undirected" in find_untrained(loose)


def test_rows_that_are_alike_go_on_differently() -> None:
    """What is found is what it claims to be: the same values, and another next row."""
    collision = find_collision(without(find("dfs"), "discrete", "color"), "discrete")
    assert collision is not None
    assert collision.one.graph == collision.other.graph
    for values in collision.one.hints.values():
        assert np.array_equal(values[collision.row], values[collision.other_row])
    assert (
        collision.one.hints[collision.field][collision.row + 1]
        != collision.other.hints[collision.field][collision.other_row + 1]
    )


def twice(graph: Graph, record: Recorder) -> dict:
    """Two steps that show the same, and then a call: the second cannot know that it is the second."""

    @record.recursive
    def visit(call, u):
        call.u = u
        record.step()
        record.step()
        if u + 1 < len(graph):
            visit(u + 1)

    visit(0)
    return {"last": len(graph) - 1}


def test_a_step_that_changes_nothing_cannot_be_counted() -> None:
    algorithm = Algorithm(
        name="twice",
        function=twice,
        inputs=("pos", "A", "adj"),
        shared=(),
        call=(Field("u", "graph", "pointer", null=True),),
        outputs=(Field("last", "graph", "pointer"),),
        collect=(Collect("last", at=None, value="u"),),
        views={"discrete": ("u", "stack_op")},
    )
    collision = find_collision(algorithm, "discrete", graphs=10)
    assert collision is not None
    assert (collision.row, collision.other_row) == (0, 1)


def test_scalars_and_unknown_hints_are_refused() -> None:
    with pytest.raises(ValueError, match="scalars"):
        find_collision(find("dfs"), "local")
    with pytest.raises(ValueError, match="has no hint 'shade'; it has u,"):
        without(find("dfs"), "discrete", "shade")


# Algorithms of others


def test_a_file_brings_its_algorithms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recursor.algorithms.ALGORITHMS", dict(ALGORITHMS))
    (found,) = register_file(EXAMPLE)
    assert find("flood_fill") is found
    graph = found.train(np.random.default_rng(3), 12)
    assert found.record(graph).view("discrete").collect()["region"].tolist() == found.run(graph)["region"].tolist()
    with pytest.raises(ValueError, match="already an algorithm 'flood_fill'"):
        register(replace(found))
    empty = tmp_path / "empty.py"
    empty.write_text("x = 1\n")
    with pytest.raises(ValueError, match="defines no algorithm"):
        register_file(empty)
    for wrong in (tmp_path / "none.py", tmp_path):
        with pytest.raises(ValueError, match="is not a Python file"):
            register_file(wrong)


def test_an_unknown_algorithm_is_told_how_to_bring_it() -> None:
    with pytest.raises(ValueError, match="recursor --import"):
        find("flood")
