"""The scoreboard: what is kept is what dm-clrs scored, and the tables say it."""

import json
import random
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from benchmarks.scoreboard import clrs_track, run, tables, tracks

import recursor.clrs
from recursor.algorithms import find
from recursor.clrs import find_task

KEPT = sorted(clrs_track.FOLDER.glob("*.npz"))


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
def test_numpy_gives_the_scores_that_dm_clrs_gave(path: Path) -> None:
    with np.load(path) as file:
        kept = {name.removeprefix("test/"): file[name] for name in file.files if name.startswith("test/")}
        task = str(file["task"])
    inputs = {name.removeprefix("input/"): values for name, values in kept.items() if name.startswith("input/")}
    if any(name.startswith("sha256/") for name in kept):
        pytest.skip("its inputs are kept as their hash")
    outputs = {name.removeprefix("output/"): values for name, values in kept.items() if name.startswith("output/")}
    samples = recursor.clrs.record(task, recursor.clrs.from_arrays(task, **inputs).graphs(), hints=False)
    (official,) = [each for each in json.loads(path.with_suffix(".json").read_text())["sets"] if each["set"] == "test"]
    assert recursor.clrs.score(samples, outputs)["score"] == pytest.approx(official["score"])
    assert recursor.clrs.right_graphs(samples, outputs).sum() == official["right"]
    swapped = {name: np.roll(values, 1, 0) for name, values in outputs.items()}
    assert recursor.clrs.score(samples, swapped)["score"] == pytest.approx(official["controls"]["graphs swapped"])
    assert max(official["controls"].values()) < 1


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
def test_the_split_is_the_official_one_and_controls_fail(path: Path) -> None:
    result = json.loads(path.with_suffix(".json").read_text())
    (official,) = [each for each in result["sets"] if each["set"] == "test"]
    many = result["task"] in ("minimum", "quickselect", "binary_search", "naive_string_matcher")  # dm-clrs's multiplier
    assert (official["nodes"], official["graphs"], official["seed"]) == (64, 64 * 32 if many else 32, 3)
    assert all(value < 1 for each in result["sets"] for value in each["controls"].values())
    assert set(official["controls"]) == {"one entry changed", "graphs swapped"}


def test_what_is_kept_is_small() -> None:
    assert KEPT
    assert sum(path.stat().st_size for path in tables.RESULTS.rglob("*") if path.is_file()) < 1_000_000


def test_the_scoreboard_is_of_the_shipped_weights() -> None:
    assert set(tables.clrs_results()) == set(clrs_track.NETWORKS), "`make scoreboard` scores the weights that are shipped"
    entries = json.loads(tables.TRACKS.read_text())
    assert len(tables.track_entries()) == len(entries)
    assert {entry["algorithm"] for entry in entries} == {*tracks.ORACLES} & {*clrs_track.NETWORKS}


def test_a_share_is_100_only_if_nothing_is_wrong() -> None:
    assert tables.percent(1) == "100"
    assert tables.percent(1 - 1e-9) == "99.99"
    assert tables.percent(0.5) == "50.00"


def test_scores_of_other_weights_are_not_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "FOLDER", tmp_path)
    each = {"set": "test", "score": 1.0, "nodes": 64, "graphs": 32, "right": 32, "seed": 3}
    for name, digest in {"dfs": tables.weights_hash("dfs"), "tarjan": "0" * 64}.items():
        result = {"task": name, "weights_sha256": digest, "scorer": "dm-clrs", "sets": [each]}
        (tmp_path / f"{name}.json").write_text(json.dumps(result))
    assert list(tables.clrs_results()) == ["dfs"]
    lines = tables.short_table().splitlines()
    assert {line.count("|") for line in lines} == {len(tables.SHORT) + 1}
    assert "| **100** | 100 |" in next(line for line in lines if line.startswith("| Depth-first search"))
    assert sum("not scored yet" in line for line in lines) == len(clrs_track.NETWORKS) - 1
    assert "| graphs (9) | **100** (1 of 9 scored) |" in tables.summary_table()


def test_every_network_is_of_one_kind() -> None:
    assert sorted(name for names in tables.KINDS.values() for name in names) == sorted(clrs_track.NETWORKS)


def test_the_summary_has_the_lowest_score_and_the_range_of_the_published_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = dict.fromkeys(clrs_track.NETWORKS, 1.0) | {"tarjan": 0.5}
    results = {name: {"sets": [{"set": "test", "score": score}]} for name, score in scores.items()}
    monkeypatch.setattr(tables, "clrs_results", lambda: results)
    cells = {line.split(" | ")[0]: line.split(" | ")[1:3] for line in tables.summary_table().splitlines()}
    published = {name: figure["figure"] for name in clrs_track.NETWORKS if (figure := tables.best(find_task(name).name))}
    of_sorting = [published[name] for name in tables.KINDS["sorting"]]
    assert cells["| graphs (9)"][0] == "**50.00**"
    assert cells["| sorting (3)"] == ["**100**", f"{min(of_sorting):g} to {max(of_sorting):g}"]
    assert cells["| greedy, strings (2)"][1] == "–"


def test_every_published_figure_has_a_source_and_a_task() -> None:
    for entry in (*tables.PUBLISHED["clrs"], *tables.PUBLISHED["means"], *tables.PUBLISHED["salsa"]):
        assert set(tables.SOURCES[entry["source"]]) == {"short", "paper", "read_in"}
    assert {entry["task"] for entry in tables.PUBLISHED["clrs"]} <= set(recursor.clrs.TASKS)


def test_the_pages_have_a_place_for_every_table() -> None:
    text = "".join(page.read_text("utf-8") for page in run.PAGES)
    for mark in tables.TABLES:
        _, found, rest = text.partition(f"<!-- {mark} -->\n")
        assert found
        assert "<!-- end -->\n" in rest


@pytest.mark.parametrize("name", tracks.ORACLES)
def test_networkx_accepts_the_classical_answer_and_no_other(name: str) -> None:
    graph = nx.Graph([(0, 1), (1, 2), (2, 0), (2, 3), (3, 4)])
    if name == "topological_sort":
        graph = tracks.forwards(graph, random.Random(0))
    if name in tracks.WEIGHTED:
        graph = tracks.weighted(graph, random.Random(0))
    algorithm = find(name)
    own = algorithm.graph(graph)
    answer = algorithm.answer(own, algorithm.run(own))
    assert tracks.ORACLES[name](graph, answer)
    if isinstance(answer, nx.Graph):
        wrong = answer.copy()
        wrong.remove_edge(*next(iter(answer.edges)))
    else:
        wrong = list(reversed(answer)) if name == "topological_sort" else list(answer)[:-1]
    assert not tracks.ORACLES[name](graph, wrong)


@pytest.mark.parametrize("n", [16, 80])
@pytest.mark.parametrize("distribution", tracks.SALSA)
def test_graphs_of_salsa_are_connected_and_of_their_size(distribution: str, n: int) -> None:
    one, again = (tracks.SALSA[distribution](n, random.Random(5)) for _ in range(2))
    assert len(one) == n
    assert nx.is_connected(one)
    assert set(one.edges) == set(again.edges)
