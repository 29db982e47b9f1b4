"""Binary search among sorted keys, written as tail recursion: which key is the first that is not below the target?

The first node has the target as its key; all others are the sorted keys. The target is between `low` and `high`. Two fingers
find the middle: `fast` goes from low to high, and `mid` takes every other of its steps; what they have passed is marked. If
all keys are
below the target, the answer is the last of them, as in CLRS-30. A call needs no frame: the stack stays flat.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from recursor.graphs.adjacency import GraphError
from recursor.graphs.graph import Graph, named_graph
from recursor.graphs.reading import is_vector
from recursor.graphs.values import from_numbers
from recursor.recording.algorithm import Algorithm, Distribution
from recursor.recording.picture import Picture, number_text
from recursor.recording.recorder import Recorder
from recursor.recording.words import Words
from recursor.spec import Collect, Field


def binary_search(graph: Graph, record: Recorder) -> dict:
    key, n = graph.values["key"].tolist(), len(graph)

    @record.recursive
    def search(call, low, high, mid, fast, odd):
        call.low, call.high, call.mid, call.fast, call.odd = low, high, mid, fast, odd
        call.passed, call.half = record.mask(range(fast + 1)), record.mask(range(mid + 1))
        record.step()
        if fast < high:
            return record.tail(search, low, high, mid + odd, fast + 1, 1 - odd)
        if low == high:
            return high
        low, high = (low, mid) if key[0] <= key[mid] else (mid + 1, high)
        return record.tail(search, low, high, low, low, 0)

    first, last = min(1, n - 1), n - 1
    record.outermost.low, record.outermost.high = first, last
    record.step()
    return {"return": search(first, last, first, first, 0)}


def with_target(keys: Sequence[float] | np.ndarray, target: float) -> Graph:
    """Returns the input of a search: the keys in ascending order, and the target as one more key before them.

    Args:
        keys: The sorted keys.
        target: The number that is searched for.

    Returns:
        The graph. Keys are called by their places, counted from 0.

    Example:
        >>> with_target(np.array([1.0, 3.0]), 2.0).values["key"].tolist()
        [2, 1, 3]
    """
    graph = from_numbers([target, *keys], "key", "the target and the keys")
    return replace(graph, names=("target", *range(len(keys))))


def from_keys_and_target(source: Any) -> Graph | None:
    """Returns the graph of a list of keys and a target; None for anything else."""
    if not isinstance(source, tuple) or len(source) != 2 or not is_vector(source[0]) or np.ndim(source[1]):
        return None
    if not len(source[0]):
        raise GraphError("the keys: there must be at least one among which the target is searched")
    return with_target(*source)


def not_ascending(graph: Graph) -> str:
    """All keys but the first, which is the target, ascend."""
    keys = np.asarray(graph.values["key"])[1:]
    return "" if (keys[1:] >= keys[:-1]).all() else "the target as the first key, and after it keys in ascending order"


def all_searches(n: int) -> Iterator[Graph]:
    """All inputs of n nodes: n - 1 ascending keys, ties among them, and every place of a target."""
    for rises in range(1 << max(0, n - 2)):
        keys = 2 * np.cumsum([0, *(rises >> place & 1 for place in range(n - 2))])[: n - 1]
        for target in range(-1, int(keys.max(initial=0)) + 2):
            yield with_target(keys, target)


def _searches(*, few: bool, outside: bool = False) -> Distribution:
    def draw(rng: np.random.Generator, n: int) -> Graph:
        keys = np.sort(rng.integers(0, 3, n - 1) if few else rng.permutation(2 * n)[: n - 1])
        return with_target(keys, int(rng.choice([-1, 2 * n]) if outside else rng.integers(0, 3 if few else 2 * n)))

    return draw


def any_search(rng: np.random.Generator, n: int) -> Graph:
    """Few values or many, and a target anywhere."""
    return _searches(few=bool(rng.random() < 0.3), outside=bool(rng.random() < 0.1))(rng, n)


def picture(graph: Graph, outputs: Mapping[str, np.ndarray]) -> Picture:
    """Returns the picture of the key that is found."""
    node, key = int(outputs["return"]), [number_text(key) for key in graph.values["key"].tolist()]
    below = found(graph, outputs) is None
    sentence = f"all keys are below {key[0]}" if below else f"the first key that is not below {key[0]} is {key[node]}"
    marked, word = (0, "the target") if below else (node, "found")
    return Picture(sentence, nodes=[marked], node_word=word, labels={0: "target"})


def found(graph: Graph, outputs: Mapping[str, np.ndarray]) -> Hashable | None:
    """Returns the name of the first key that is not below the target; None if all are below it.

    The output is the last key then, as in CLRS-30.
    """
    node, key = int(outputs["return"]), graph.values["key"]
    return graph.names[node] if node and key[node] >= key[0] else None


BINARY_SEARCH = Algorithm(
    name="binary_search",
    title="Binary search",
    summary="The first of some sorted keys that is not below a target.",
    function=binary_search,
    inputs=("pos", Field("key", "node", "scalar")),
    shared=(),
    call=(
        *(Field(name, "graph", "pointer", null=True) for name in ("low", "high", "mid", "fast")),
        *(Field(name, "node", "mask") for name in ("passed", "half")),
        Field("odd", "graph", "mask"),
    ),
    returns=(Field("returned", "graph", "pointer", null=True),),
    outputs=(Field("return", "graph", "pointer"),),
    collect=(Collect("return", at=None, value="returned"),),
    views={"discrete": ("low", "high", "mid", "fast", "passed", "half", "odd", "returned", "stack_op")},
    train=any_search,
    test=_searches(few=False),
    unfit=not_ascending,
    from_source=from_keys_and_target,
    words=Words(
        meanings={
            "key": "what is compared; the first is the target, the others are sorted",
            "return": "the first of the sorted keys that is not below the target",
        },
        source="a list of sorted keys and a target",
        answer="the name of that key's node; None if all keys are below the target",
        categories={
            "odd": ("even step", "odd step"),
            "passed": ("after the fast finger", "passed by the fast finger"),
            "half": ("after the middle", "up to the middle"),
        },
        pointers={"low": "search from", "high": "to", "mid": "middle", "fast": "fast finger", "returned": "found"},
    ),
    example=named_graph(names="target a b c d e f g", values={"key": (9, 1, 3, 4, 7, 8, 10, 12)}),
    others={
        "distinct": _searches(few=False),
        "few values": _searches(few=True),
        "outside": _searches(few=False, outside=True),
        "equal": lambda rng, n: with_target(np.zeros(n - 1), int(rng.integers(-1, 2))),
    },
    small_inputs=all_searches,
    small_size=10,
    answer=found,
    picture=picture,
)
