from typing import get_args

import numpy as np
import pytest
import scipy.special
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from recursor.network.config import Pooling
from recursor.network.stacks.pool import Pool
from tests.network.networks import drawn, quickly_compiled

NODES, WIDTH, GRAPH = 5, 4, 3
POOLS = {pooling: drawn(Pool, pooling, WIDTH, GRAPH, 8) for pooling in get_args(Pooling)}
POOL = {pooling: quickly_compiled(pool.__call__) for pooling, pool in POOLS.items()}
WEIGHTS = {pooling: quickly_compiled(pool.weights) for pooling, pool in POOLS.items()}

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


@every_pooling
@given(seed=seeds, mask=masks)
@settings(max_examples=20)
def test_pooling_is_what_numpy_makes_of_the_real_nodes(pooling: Pooling, seed: int, mask: np.ndarray) -> None:
    values, node, graph = draw(seed)
    if pooling in ("attention", "attention-sum"):
        expected = np.asarray(WEIGHTS[pooling](node, graph, mask))[mask] @ values[mask]
    else:
        expected = {"sum": np.sum, "mean": np.mean, "max": np.max}[pooling](values[mask], axis=0)
    np.testing.assert_allclose(POOL[pooling](values, node, graph, mask), expected, atol=1e-5)


@every_pooling
@given(seed=seeds, mask=masks)
@settings(max_examples=20)
def test_padding_counts_for_nothing(pooling: Pooling, seed: int, mask: np.ndarray) -> None:
    values, node, graph = draw(seed)
    pooled, weights = POOL[pooling](values, node, graph, mask), WEIGHTS[pooling](node, graph, mask)
    values[~mask], node[~mask] = 100, 100
    assert (np.asarray(weights)[~mask] == 0).all()
    np.testing.assert_array_equal(POOL[pooling](values, node, graph, mask), pooled)
    np.testing.assert_array_equal(WEIGHTS[pooling](node, graph, mask), weights)


@every_pooling
@given(seed=seeds, mask=masks, order=st.permutations(range(NODES)))
@settings(max_examples=20)
def test_the_order_of_the_nodes_does_not_matter(pooling: Pooling, seed: int, mask: np.ndarray, order: list[int]) -> None:
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
