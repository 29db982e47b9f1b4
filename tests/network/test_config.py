from dataclasses import replace

import jax
import pytest

from recursor.algorithms.dfs import DFS
from recursor.network.check import check_network
from recursor.network.config import NetworkConfig
from recursor.network.decoders import DECODERS
from recursor.network.poolings import POOLINGS
from recursor.network.processors import PROCESSORS
from recursor.network.reasoner import Reasoner
from recursor.network.stacks import STACKS
from recursor.spec import Field
from tests.network.networks import NETWORKS, small


@pytest.mark.parametrize("name", NETWORKS)
def test_the_networks_of_the_paper_and_those_near_it_are_accepted(name: str) -> None:
    check_network(NETWORKS[name].config, NETWORKS[name].spec)


REFUSED = {
    "width": ("local", small(width=0), "width and rounds must be at least 1, not 0 and 1"),
    "rounds": ("local", small(rounds=0), "width and rounds must be at least 1, not 16 and 0"),
    "fewer than no bits": ("local", small(message_bits=-1), "message_bits and pooled_bits must be 0 or more, not -1 and 0"),
    "bits between all pairs": (
        "discrete",
        small(message_bits=4, decoding="staged"),
        "message_bits and pooled_bits need the processor order.* and decoding staged.*, not mpnn and staged; .* 0 bits",
    ),
    "bits decoded jointly": (
        "discrete",
        small(pooled_bits=4, processor="order"),
        "need .*, not order and joint; .* 0 bits",
    ),
    "frame": ("local", small(frame_width=0), "frame_width must be at least 1, not 0"),
    "slots": ("discrete", small(stack="choice", frame_width=0), "frame_width must be at least 1, not 0"),
    "graph stack without ops": ("local-no-op", small(stack="graph"), "a graph stack needs .*stack_op.*'local-no-op' of dfs"),
    "node stack without ops": ("clrs", small(stack="node", collect=False), "a node stack needs .*stack_op.*'clrs' of dfs"),
    "fields stack without ops": ("clrs", small(stack="fields", collect=False), "a fields stack needs .*stack_op.*'clrs'"),
    "choice stack without ops": ("local-no-op", small(stack="choice"), "a choice stack needs .*stack_op.*'local-no-op'"),
    "order with pairs to decode": (
        "clrs",
        small(stack="none", processor="order", collect=False),
        "order processor computes nothing for pairs of nodes, which pi_h, s_prev, pi of the view 'clrs' .*processor mpnn",
    ),
    "nothing to collect from": ("clrs", small(stack="none"), "output pi of dfs cannot be collected .*'clrs'.*collect off"),
    "too wide a frame": (
        "local",
        small(value="plain", width=8, frame_width=9),
        "plain frame .* 9 .* of 8.* smaller frame_width",
    ),
}


@pytest.mark.parametrize(("view", "config", "words"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_work_is_refused_in_one_sentence(view: str, config: NetworkConfig, words: str) -> None:
    with pytest.raises(ValueError, match=words) as refusal:
        check_network(config, DFS.spec(view))
    sentence = str(refusal.value)
    assert "\n" not in sentence
    assert ". " not in sentence
    with pytest.raises(ValueError, match=words):
        Reasoner(DFS.spec(view), config, key=jax.random.key(0))


@pytest.mark.parametrize("stack", ["fields", "choice"])
def test_a_view_without_a_calls_own_variables_has_nothing_to_keep(stack: str) -> None:
    spec = replace(DFS.spec("discrete"), frame=())
    with pytest.raises(
        ValueError, match=f"a {stack} stack keeps a call's own variables, of which .*'discrete'.* shows none"
    ):
        check_network(small(stack=stack), spec)


def test_what_is_not_used_is_not_refused() -> None:
    check_network(small(stack="none", frame_width=0), DFS.spec("local"))
    check_network(small(stack="none", value="plain", frame_width=99), DFS.spec("local"))
    check_network(small(stack="none", collect=False), DFS.spec("clrs"))
    check_network(small(stack="fields", value="plain", frame_width=0), DFS.spec("discrete"))
    check_network(small(stack="choice", value="plain", frame_width=99), DFS.spec("discrete"))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"processor": "triplet"}, f"processor must be one of {', '.join(PROCESSORS)}, not 'triplet'"),
        ({"decoding": "in order"}, f"decoding must be one of {', '.join(DECODERS)}, not 'in order'"),
        ({"stack": "heap"}, f"stack must be one of {', '.join(STACKS)}, not 'heap'"),
        ({"pooling": "median"}, f"pooling must be one of {', '.join(POOLINGS)}, not 'median'"),
    ],
)
def test_an_unknown_kind_is_answered_with_the_known_ones(changes: dict[str, str], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        check_network(small(**changes), DFS.spec("local"))


def test_only_inputs_can_be_on_edges() -> None:
    spec = DFS.spec("local")
    spec = replace(spec, hints=(*spec.hints, Field("flow", "edge", "scalar")))
    with pytest.raises(
        ValueError, match="flow of the view 'local' of dfs is an edge field, and only inputs can be on edges"
    ):
        check_network(small(), spec)
