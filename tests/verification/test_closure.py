"""What the kinds of pairs allow has all that occurs, and what is missing is noticed."""

from dataclasses import replace
from itertools import chain

import numpy as np
import pytest

from recursor.algorithms import find
from recursor.algorithms.dfs import GREY, WHITE
from recursor.situations.kinds import Kinds, Relation
from recursor.situations.tables import Tables
from recursor.training.loading import load
from recursor.verification.all_sizes import describe
from recursor.verification.certificate import certificate
from recursor.verification.closure import Closure
from recursor.verification.listing import list_situations
from recursor.verification.meetings import allowed_decisions, met_decisions
from recursor.verification.packing import TooManyError
from recursor.verification.row_kinds import find_standings, row_kinds
from recursor.verification.targets import Targets
from recursor.verification.verify import Verifier, verify, verify_reasoner
from tests.network.networks import use_quick_programs


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    use_quick_programs(monkeypatch)


def collected(name: str, sizes: tuple[int, ...]) -> tuple[Kinds, Tables, Targets]:
    verifier = Verifier(load(name).reasoner)
    assert verifier.by_situation is not None
    assert verifier.tables is not None
    kinds = verifier.by_situation.kinds = Kinds(verifier.tables)
    algorithm, rng = find(name), np.random.default_rng(0)
    for nodes in sizes:  # one by one: inputs of several sizes at once are padded
        verifier.by_situation.examine([algorithm.record(algorithm.train(rng, nodes))])
    return kinds, verifier.tables, verifier.by_situation.targets


@pytest.mark.parametrize("name", ["dfs", "quicksort"])
def test_every_situation_that_was_met_is_allowed(name: str) -> None:
    kinds, tables, _ = collected(name, (1, 2, 3))
    allowed = Closure(kinds, tables).enumerate()
    assert {*map(tuple, tables.heard_in(1).tolist())} <= allowed.first
    assert {*map(tuple, tables.heard_in(2).tolist())} <= allowed.second


@pytest.mark.parametrize("name", ["dfs", "quicksort", "minimum"])
def test_every_decision_that_was_met_is_allowed(name: str) -> None:
    kinds, tables, targets = collected(name, (1, 2, 3, 4))
    closure = Closure(kinds, tables)
    decisions, met = allowed_decisions(closure, closure.enumerate(), targets), met_decisions(tables)
    assert met.nodes <= decisions.nodes
    assert met.graphs <= decisions.graphs


def test_minimum_has_a_certificate_unless_something_is_missing() -> None:
    report, verifier = verify_reasoner(
        load("minimum").reasoner, small_size=4, sizes=(5, 6), draws=1, search=0, all_sizes=True
    )
    assert not report.obstacles
    text = certificate(report, b"weights")
    assert text.startswith("CERTIFICATE of minimum for every size\n")
    assert f"{report.margin:.3g}" in text
    assert report.all_sizes is not None
    for changed in (
        replace(report, passed=False),
        replace(report, contradictions={"i": 1}),
        replace(report, all_sizes=None),
        replace(report, all_sizes=replace(report.all_sizes, undecided="too many")),
        replace(report, all_sizes=replace(report.all_sizes, saturated=6)),
    ):
        assert certificate(changed, b"weights").startswith("no certificate for every size: ")
    assert verifier.tables is not None
    met = met_decisions(verifier.tables)
    assert report.all_sizes.allowed["decisions about the graph"] == len(met.graphs)
    assert report.all_sizes.allowed["decisions about nodes"] == len(met.nodes)


@pytest.mark.slow
def test_depth_first_search_has_a_certificate() -> None:
    report = verify(load("dfs"), small_size=3, sizes=tuple(range(5, 17)), draws=8, search=32_768, all_sizes=True)
    assert not report.obstacles


def test_in_depth_first_search_a_node_that_is_not_seen_comes_after_one_that_is_being_visited() -> None:
    kinds, tables, _ = collected("dfs", (2, 3, 4, 5, 6))
    before = 2  # among the ways: after in-neighbours and out-neighbours
    calls_running = 0
    for row in row_kinds(kinds):
        color = {role: describe(tables, role)["node"]["color"] for role in row.roles}
        white = [role for role in row.roles if color[role] == WHITE and role not in row.landmarks]
        grey = {role for role in row.roles if color[role] == GREY}
        if grey & {*row.landmarks}:
            calls_running += len(white)
            for role in white:
                assert grey in [row.groups[one.group] for one in row.owned(role) if one.way == before]
    assert calls_running


def test_every_way_to_stand_to_the_landmarks_that_was_met_is_allowed() -> None:
    kinds, _, _ = collected("dfs", (4, 5, 6, 7, 8))
    larger = 0
    for (skeleton, _), met in kinds.relations_to_landmarks().items():
        landmarks = kinds.landmarks_of(skeleton)
        allowed = find_standings(landmarks, met, kinds)
        assert {*chain(*(find_standings(landmarks, one[None], kinds) for one in met))} <= allowed
        larger += len(allowed) > len(met)
    assert larger, "each two relations were met, but not all of them together"


@pytest.mark.parametrize("name", ["insertion_sort", "quicksort"])
def test_sorting_has_a_certificate(name: str) -> None:
    report = verify(load(name), small_size=5, sizes=tuple(range(5, 17)), draws=8, search=0, all_sizes=True)
    assert not report.obstacles


def test_with_less_that_is_always_there_more_is_allowed() -> None:
    kinds, tables, targets = collected("quicksort", (1, 2, 3, 4))
    closure = Closure(kinds, tables)
    fewer = allowed_decisions(closure, closure.enumerate(), targets)
    kinds._present = {1: {(skeleton, -1): set() for skeleton in kinds.always()}}
    closure = Closure(kinds, tables)
    more = allowed_decisions(closure, closure.enumerate(), targets)
    assert fewer.nodes <= more.nodes
    assert fewer.graphs < more.graphs


def test_what_was_not_met_is_open() -> None:
    report = verify(load("minimum"), small_size=2, sizes=(), draws=0, search=0, all_sizes=True)
    assert report.all_sizes is not None
    assert report.obstacles


def test_a_kind_of_pair_that_is_missing_is_noticed() -> None:
    kinds, tables, _ = collected("dfs", (1, 2, 3))
    everything = Closure(kinds, tables).enumerate().second
    met = {*map(tuple, tables.heard_in(2).tolist())}
    lost = 0
    keys = kinds.pairs.keys
    for place in range(0, len(keys), max(1, len(keys) // 8)):
        kinds.pairs.keys = np.delete(keys, place)
        fewer = Closure(kinds, tables).enumerate().second
        assert fewer <= everything
        lost += not met <= fewer
    assert lost


def test_relations_tell_who_hears_whom() -> None:
    relation = Relation(bits=2, orders=1)
    assert relation.count == 36
    assert (relation.reverse[relation.reverse] == np.arange(36)).all()
    assert relation.mask[0] == 0b11 << 4  # everyone is heard whatever the relation
    assert relation.mask[1] == 0b11 << 4 | 0b11  # an in-neighbour
    assert relation.mask[4] == 0b11 << 4 | 0b11 << 6  # a node before
    assert relation.mask[12] == 0b11 << 4 | 0b11 << 8  # one before in the further order
    assert relation.mask[24] == 0b11 << 4 | 0b11 << 10  # one after


def test_an_enumeration_that_grows_too_large_says_so() -> None:
    kinds, tables, _ = collected("dfs", (3,))
    with pytest.raises(TooManyError, match="more than 2"):
        Closure(kinds, tables, most=2).enumerate()


def test_situations_are_listed_with_the_rare_ones_first() -> None:
    verifier = Verifier(load("dfs").reasoner)
    assert verifier.by_situation is not None
    algorithm = find("dfs")
    _, wrong = verifier.by_situation.examine([algorithm.record(algorithm.train(np.random.default_rng(0), 3))])
    listed = list_situations(verifier.by_situation)
    assert not wrong
    assert len(listed) == len(verifier.by_situation.met)
    assert [one["met"] for one in listed] == sorted(verifier.by_situation.met)
    assert all({"u", "u_v", "color"} <= {*one["node"]} for one in listed)
    assert all(len(one["heard"]) == 2 and one["decoded"]["color"]["margin"] > 0 for one in listed)
