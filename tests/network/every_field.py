"""A spec with fields of every place and kind as inputs, hints and outputs, and executions with random values."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple, get_args

import numpy as np

from recursor.data.batch import Inputs
from recursor.network.reasoner import Reasoner
from recursor.spec import Field, Kind, Place, Spec, by_name
from tests.network.networks import drawn, small

CATEGORIES = 3
FIELDS = tuple(
    Field(f"{place} {kind}", place, kind, CATEGORIES if kind == "category" else 0)
    for place in get_args(Place)
    for kind in get_args(Kind)
    if kind != "stamp" and (place, kind) != ("edge", "pointer")  # nothing predicts a stamp, and no edge points
)
PREDICTED = tuple(field for field in FIELDS if field.place != "edge")


def _called(prefix: str, fields: Iterable[Field]) -> tuple[Field, ...]:
    return tuple(replace(field, name=f"{prefix} {field.name}") for field in fields)


def spec_of(fields: Sequence[Field]) -> Spec:
    """The spec that has each of these fields as an input and, if it is on no edges, as a hint and as an output."""
    predicted = [field for field in fields if field.place != "edge"]
    return Spec("everything", "all", _called("input", fields), _called("hint", predicted), _called("output", predicted), ())


@cache
def reasoner_of(fields: tuple[Field, ...], decoding: str = "joint") -> Reasoner:
    return drawn(Reasoner, spec_of(fields), small(stack="none", collect=False, decoding=decoding))


def truth(field: Field, n: int, rng: np.random.Generator, *rows: int) -> np.ndarray:
    """Random values as they are recorded."""
    size = *rows, *{"node": (n,), "edge": (n, n), "graph": ()}[field.place]
    if field.kind == "scalar":
        return rng.normal(size=size).astype(np.float32)
    return rng.integers({"mask": 2, "category": CATEGORIES, "pointer": n}[field.kind], size=size, dtype=np.int32)


class Execution(NamedTuple):
    """The inputs and the hints of one graph that has all edges."""

    inputs: Inputs
    hints: dict[str, np.ndarray]


def execution(spec: Spec, n: int, rows: int = 3) -> Execution:
    rng = np.random.default_rng(n)
    senders, receivers = np.divmod(np.arange(n * n, dtype=np.int32), n)
    inputs = {field.name: truth(field, n, rng) for field in spec.inputs}
    fields = {name: values.reshape(-1) if values.ndim == 2 else values for name, values in inputs.items()}
    hints = {field.name: truth(field, n, rng, rows) for field in spec.hints}
    return Execution(Inputs(fields, senders, receivers, np.ones(n, np.int32)), hints)


def padded(spec: Spec, original: Execution, nodes: int) -> Execution:
    """The same with more nodes, which are padding: zero, but for the ends of pairs."""
    n, inputs = len(original.inputs.node_mask), original.inputs
    no_pairs = np.full(nodes, nodes, np.int32)

    def more(field: Field, values: np.ndarray, pairs: bool = False) -> np.ndarray:
        if pairs:
            return np.append(values, np.zeros_like(no_pairs, values.dtype))
        axes = {"node": 1, "edge": 2, "graph": 0}[field.place]
        for axis in range(values.ndim - axes, values.ndim):
            values = np.pad(values, [(0, nodes - n if axis == other else 0) for other in range(values.ndim)])
        return values

    return Execution(
        Inputs(
            {field.name: more(field, inputs.fields[field.name], field.place == "edge") for field in spec.inputs},
            np.append(inputs.senders, no_pairs),
            np.append(inputs.receivers, no_pairs),
            (np.arange(nodes) < n).astype(np.int32),
        ),
        {field.name: more(field, original.hints[field.name]) for field in spec.hints},
    )


def reordered(spec: Spec, original: Execution, order: Sequence[int]) -> Execution:
    """The same with its nodes in another order: what is at place k was at place order[k]."""
    rank, inputs, fields = np.argsort(order).astype(np.int32), original.inputs, by_name((*spec.inputs, *spec.hints))

    def move(name: str, values: np.ndarray, pairs: bool = False) -> np.ndarray:
        values = rank[values] if fields[name].kind == "pointer" else values
        axes = 0 if pairs else {"node": 1, "edge": 2, "graph": 0}[fields[name].place]
        for axis in range(-axes, 0):
            values = values.take(order, axis)
        return values

    return Execution(
        inputs._replace(
            fields={name: move(name, values, fields[name].place == "edge") for name, values in inputs.fields.items()},
            senders=rank[inputs.senders],
            receivers=rank[inputs.receivers],
        ),
        {name: move(name, values) for name, values in original.hints.items()},
    )


def shape(field: Field, n: int) -> tuple[int, ...]:
    """The shape of a field's values and logits, as the network holds them."""
    last = {"scalar": (), "mask": (), "category": (CATEGORIES,), "pointer": (n,)}[field.kind]
    return *{"node": (n,), "edge": (n, n), "graph": ()}[field.place], *last
