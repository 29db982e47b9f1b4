"""Collecting outputs: in every row, `output[at] ← value`, as the rules of the spec say. Everything is for one graph.

`recording/rows.py` collects recorded rows, all at once; here is one row at a time, inside compiled programs.
"""

from collections.abc import Mapping
from typing import Any

import jax.numpy as jnp
from jaxtyping import Array

from recursor.spec import Spec

SET = 10.0
"""The logit of a node that was put into a set; that of all others is 0."""


def empty_outputs(spec: Spec, nodes: int) -> dict[str, Array]:
    """Returns outputs in the form in which they are recorded, all 0, before any row was collected."""
    return {field.name: jnp.zeros((nodes,) * (field.place == "node"), field.dtype) for field in spec.outputs}


def collect_values(
    outputs: Mapping[str, Array], at: Mapping[str, Any], values: Mapping[str, Array], active: Any
) -> dict[str, Array]:
    """Returns the outputs after one row.

    Args:
        outputs: The outputs so far.
        at: For each output that has a rule the node that the row names, or -1 for none. An output that is a copy of a hint
            has no entry here.
        values: For each output that has a rule the value of the row.
        active: Whether the row counts; if not, nothing changes.
    """
    collected = dict(outputs)
    for name, value in values.items():
        before = outputs[name]
        if name in at:
            node = jnp.where(active & (at[name] >= 0), at[name], len(before))  # past the end: dropped
            collected[name] = before.at[node].set(value, mode="drop")
        else:
            collected[name] = jnp.where(active, value, before)
    return collected


def collect_row(spec: Spec, outputs: Mapping[str, Array], row: Mapping[str, Array], active: Any) -> dict[str, Array]:
    """Returns the outputs after a row in the form in which rows are recorded. A null pointer as value means the node itself.

    Args:
        spec: The fields, and the rules of collecting.
        outputs: The outputs so far.
        row: The hints of the row.
        active: Whether the row counts; if not, nothing changes.
    """
    at = {rule.output: row[rule.at] for rule in spec.collect if rule.at is not None}
    values = {rule.output: jnp.ones((), jnp.int32) if rule.value is None else row[rule.value] for rule in spec.collect}
    for rule in spec.collect:
        if rule.output in at and rule.value is not None and spec.hint(rule.value).null:
            values[rule.output] = jnp.where(values[rule.output] < 0, at[rule.output], values[rule.output])
    return collect_values(outputs, at, values, active)
