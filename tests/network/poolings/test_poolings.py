from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.special
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from recursor.network.poolings import POOLINGS
from tests.network.networks import drawn, quickly_compiled

NODES, WIDTH, GRAPH = 5, 4, 3
POOLS: dict[str, Any] = {name: drawn(pooling, WIDTH, GRAPH, 8) for name, pooling in POOLINGS.items()}
POOL = {pooling: quickly_compiled(pool.__call__) for pooling, pool in POOLS.items()}
WEIGHTS = {pooling: quickly_compiled(POOLS[pooling].weights) for pooling in ("attention", "attention-sum")}

every_pooling = pytest.mark.parametrize("pooling", POOLS)
masks = hnp.arrays(np.bool_, NODES).filter(np.any)
seeds = st.integers(0, 2**32 - 1)


def draw(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The values that are pooled, and the node and graph features that may say how."""
    rng = np.random.default_rng(seed)
    values, node, graph = (rng.normal(size=shape).astype(np.float32) for shape in ((NODES, 2), (NODES, WIDTH), (GRAPH,)))
    return values, node, graph


@given(seeds, masks)
@settings(max_examples=20)
def test_attention_is_a_distribution_over_the_real_nodes(seed: int, mask: np.ndarray) -> None:
    _, node, graph = draw(seed)
    weights = np.asarray(WEIGHTS["attention"](node, graph, mask))
    assert (weights[mask] > 0).all()
    assert (weights[~mask] == 0).all()
    assert weights.sum() == pytest.approx(1, abs=1e-6)


@given(seeds, masks)
@settings(max_examples=20)
def test_attention_looks_at_the_nodes(seed: int, mask: np.ndarray) -> None:
    assume(mask.sum() > 1)
    _, node, graph = draw(seed)
    weights = np.asarray(WEIGHTS["attention"](node, graph, mask))[mask]
    assert np.ptp(weights) > 1e-6
    same = np.asarray(WEIGHTS["attention"](np.ones_like(node), graph, mask))[mask]
    np.testing.assert_allclose(same, 1 / mask.sum(), rtol=1e-5)


@pytest.mark.parametrize(("pooling", "function"), [("sum", np.sum), ("mean", np.mean), ("max", np.max)])
@given(seed=seeds, mask=masks)
@settings(max_examples=20)
def test_pooling_is_what_numpy_makes_of_the_real_nodes(
    pooling: str, function: Callable[..., np.ndarray], seed: int, mask: np.ndarray
) -> None:
    values, node, graph = draw(seed)
    np.testing.assert_allclose(POOL[pooling](values, node, graph, mask), function(values[mask], axis=0), atol=1e-5)


@pytest.mark.parametrize("pooling", WEIGHTS)
@given(seed=seeds, mask=masks)
@settings(max_examples=20)
def test_attention_is_a_weighted_sum_of_the_real_nodes(pooling: str, seed: int, mask: np.ndarray) -> None:
    values, node, graph = draw(seed)
    expected = np.asarray(WEIGHTS[pooling](node, graph, mask))[mask] @ values[mask]
    np.testing.assert_allclose(POOL[pooling](values, node, graph, mask), expected, atol=1e-5)


@every_pooling
@given(seed=seeds, mask=masks)
@settings(max_examples=20)
def test_padding_counts_for_nothing(pooling: str, seed: int, mask: np.ndarray) -> None:
    values, node, graph = draw(seed)
    pooled = POOL[pooling](values, node, graph, mask)
    values[~mask], node[~mask] = 100, 100
    np.testing.assert_array_equal(POOL[pooling](values, node, graph, mask), pooled)


@every_pooling
@given(seed=seeds, mask=masks, order=st.permutations(range(NODES)))
@settings(max_examples=20)
def test_the_order_of_the_nodes_does_not_matter(pooling: str, seed: int, mask: np.ndarray, order: list[int]) -> None:
    values, node, graph = draw(seed)
    pooled = POOL[pooling](values, node, graph, mask)
    np.testing.assert_allclose(POOL[pooling](values[order], node[order], graph, mask[order]), pooled, atol=1e-5)


@given(seeds, masks)
@settings(max_examples=20)
def test_attention_with_a_softmax_over_the_one_score_of_each_node_is_the_sum(seed: int, mask: np.ndarray) -> None:
    """As the reference implementation has it: whatever the scores are, all weights are one."""
    values, node, graph = draw(seed)
    scores = np.asarray(WEIGHTS["attention-sum"](node, graph, mask))[:, None]
    weights = scipy.special.softmax(scores, axis=-1)[:, 0]
    np.testing.assert_allclose((weights * mask) @ values, POOL["sum"](values, node, graph, mask), atol=1e-5)
