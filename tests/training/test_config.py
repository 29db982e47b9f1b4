import json
from dataclasses import replace
from typing import NamedTuple

import pytest

from recursor import algorithms
from recursor.algorithms.dfs import DFS
from recursor.configurations.exact import EXACT
from recursor.configurations.named import configuration
from recursor.configurations.paper import BUDGETS, CALL_FRAMES, PAPER, VARIATIONS
from recursor.network.config import NetworkConfig
from recursor.network.stacks import STACKS
from recursor.recording.algorithm import Algorithm
from recursor.training.config import RETIRED, TrainConfig, from_json

NAMED = [
    *((f"paper/{row}", budget) for row in PAPER for budget in BUDGETS),
    *((f"call-frames/{row}", budget) for row in CALL_FRAMES for budget in BUDGETS),
    *((f"variations/{row}", budget) for row in VARIATIONS for budget in BUDGETS),
    *((f"exact/{row}", None) for row in EXACT),
]


@pytest.mark.parametrize(("name", "budget"), NAMED)
def test_every_row_can_be_trained_and_survives_json(name: str, budget: str | None) -> None:
    config = configuration(name, budget=budget, seed=3)
    config.check()
    assert config.seed == 3
    assert from_json(config.to_json(), "it") == config


def test_the_rows_are_eleven_and_differ() -> None:
    assert len(PAPER) == len(set(PAPER.values())) == 11
    assert [row[:2] for row in PAPER] == [f"{k:02}" for k in range(1, 12)]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"colour": 1}, "it: unknown field colour; there are algorithm, view"),
        ({"batch": "many"}, "it: batch must be int, not 'many'"),
        ({"batch": True}, "it: batch must be int, not True"),
        ({"sizes": 3}, "it: sizes must be a list, not 3"),
        ({"sizes": [4, 2.5]}, "it: sizes must be int, not 2.5"),
        ({"network": {"stack": "heap"}}, f"it: network: stack must be one of {', '.join(STACKS)}, not 'heap'"),
        ({"network": {"depth": 2}}, "it: network: unknown field depth"),
        ({"network": 7}, "it: network: expected an object of named values, not 7"),
    ],
)
def test_a_bad_file_is_told_which_value_is_bad(changes: dict, message: str) -> None:
    data = json.loads(TrainConfig().to_json())
    network = changes.pop("network", {})
    data |= changes | {"network": network if isinstance(network, int) else data["network"] | network}
    with pytest.raises(ValueError, match=message):
        from_json(json.dumps(data), "it")


CHOICE = NetworkConfig(stack="choice")


def test_what_is_no_json_is_told_so() -> None:
    with pytest.raises(ValueError, match="it is not JSON"):
        from_json("{", "it")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"batch": 0}, "batch must be greater than 0"),
        ({"updates": -1}, "updates must be greater than 0"),
        ({"learning_rate": float("nan")}, "learning_rate must be greater than 0"),
        ({"sizes": ()}, "sizes must be one or more numbers of nodes"),
        ({"sizes": (4, 0)}, "sizes must be one or more numbers of nodes"),
        ({"forcing": 1.5}, "forcing is a probability"),
        ({"silence": -0.1}, "silence must be 0 or more, not -0.1"),
        ({"silence": float("inf")}, "silence must be 0 or more"),
        (
            {"silence": 0.1},
            "silence is a penalty on bits: it needs the trainer call-frames, and message_bits or pooled_bits",
        ),
        ({"silence": 0.1, "trainer": "call-frames", "forcing": 1}, "silence is a penalty on bits"),
        ({"seed": -1}, "seed must be 0 or more"),
        ({"algorithm": "dijkstra"}, "no algorithm is called 'dijkstra'"),
        ({"view": "global"}, "'dfs' has no view 'global'"),
        ({"view": "clrs"}, "a node stack needs the hint stack_op"),
        (
            {"trainer": "rollout", "view": "discrete", "network": CHOICE},
            "a choice stack needs the trainer call-frames",
        ),
        (
            {"trainer": "call-frames"},
            "the trainer call-frames learns from single rows: it needs .*, not False, 0.5 and True",
        ),
        ({"trainer": "call-frames", "forcing": 0.9}, "it needs hidden_state off, forcing 1 .*, not False, 0.9 and True"),
        ({"trainer": "call-frames", "forcing": 1, "network": NetworkConfig(hidden_state=True)}, "not True, 1 and True"),
        ({"trainer": "call-frames", "forcing": 1, "network": NetworkConfig(collect=False)}, "not False, 1 and False"),
        (
            {"trainer": "latent", "forcing": 1, "view": "discrete"},
            "must find the ops itself, but the view 'discrete' shows them: choose discrete-no-op",
        ),
        ({"trainer": "latent", "forcing": 1, "view": "discrete-no-op"}, "needs frames that are copies of rows"),
        (
            {"trainer": "latent", "forcing": 1, "view": "discrete-no-op", "links": 1, "network": CHOICE, "search": 0},
            "explore must be 0 or more, and search at least 1, not 200 and 0",
        ),
        ({"halting": True, "network": NetworkConfig(collect=False)}, "turn collect on, or halting off"),
        ({"links": 0}, "links must be greater than 0"),
        ({"chains": 0}, "chains must be greater than 0"),
        ({"sizes": (4, 5000)}, "would take about .* GB, and there are .* GB; choose smaller sizes, a smaller batch"),
    ],
)
def test_what_cannot_work_is_refused_before_any_work(changes: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message) as refusal:
        replace(TrainConfig(), **changes).check()
    assert "\n" not in str(refusal.value)
    assert ". " not in str(refusal.value)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("latent/bridge", "latent/bridges"),
        ("exact/scc", "exact/strongly_connected_components"),
        ("exact/BRIDGE", "exact/bridges"),
        ("bridge", "exact/bridges"),
        ("paper/10-node-stak", "paper/10-node-stack"),
        ("latnt/dfs", "latent/dfs"),
    ],
)
def test_the_configuration_that_was_probably_meant_is_named(name: str, meant: str) -> None:
    with pytest.raises(ValueError, match=f"no configuration is called '{name}'; did you mean {meant}\\?"):
        configuration(name)


def test_unknown_names_are_answered_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="no configuration is called 'paper/12'; there are paper/01-per-node-hints"):
        configuration("paper/12")
    with pytest.raises(ValueError, match="no budget is called 'gpu'; there are paper, paper-sizes, small, small-long"):
        configuration("paper/10-node-stack", budget="gpu")


class PlugIn(NamedTuple):
    """An entry point of an installed package."""

    name: str
    value: str
    algorithm: Algorithm | None

    def load(self) -> Algorithm:
        if self.algorithm is None:
            raise ImportError("no such module")
        return self.algorithm


def test_the_algorithm_of_an_installed_package_has_a_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    plug_in = PlugIn("search", "package:SEARCH", replace(DFS, name="search"))
    monkeypatch.setattr(algorithms, "ALGORITHMS", dict(algorithms.ALGORITHMS))
    monkeypatch.setattr(algorithms, "entry_points", lambda group: [plug_in])
    assert configuration("exact/search").algorithm == "search"
    assert "search" in algorithms.known()


def test_a_broken_plug_in_is_named_once_and_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = [PlugIn("search", "package:SEARCH", None), PlugIn("other", "package:OTHER", 7)]  # pyright: ignore
    monkeypatch.setattr(algorithms, "BROKEN", [])
    monkeypatch.setattr(algorithms, "entry_points", lambda group: broken)
    with pytest.warns(UserWarning) as warned:
        assert algorithms.find("dfs").name in algorithms.known()
    assert [str(one.message) for one in warned] == [
        "the plug-in search (package:SEARCH) is left out, since it fails: no such module",
        "the plug-in other (package:OTHER) is left out, since it fails: 7 is not a recursor.Algorithm",
    ]
    assert "dfs" in algorithms.known()


def test_what_is_exact_has_its_own_budget() -> None:
    with pytest.raises(ValueError, match="exact/dfs has its own sizes and updates; a budget is for the paper's"):
        configuration("exact/dfs", budget="small")


def test_names_that_earlier_versions_wrote_are_ignored() -> None:
    written = json.loads(TrainConfig().to_json()) | dict.fromkeys(RETIRED, 1)
    assert from_json(json.dumps(written), "a file") == TrainConfig()
