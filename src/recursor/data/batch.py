"""The arrays that a network takes: executions of different sizes, padded to one shape."""

from typing import Any, NamedTuple

import numpy as np

from recursor.spec import Field

HostOrDevice = Any
"""An array of NumPy, or of JAX once it is on a device."""


class Inputs(NamedTuple):
    """What graphs alone give, padded to one shape; the batch is the first axis."""

    fields: dict[str, HostOrDevice]  # node fields [batch, nodes], edge fields [batch, pairs]
    senders: HostOrDevice  # [batch, pairs] int32: the support of the graphs,
    receivers: HostOrDevice  # [batch, pairs] int32: sorted by receiver
    node_mask: HostOrDevice  # [batch, nodes] int32


class Batch(NamedTuple):
    """Executions padded to one shape, all int32 or float32; the batch is the first axis, the row the second."""

    inputs: Inputs
    hints: dict[str, HostOrDevice]  # [batch, rows], of node fields [batch, rows, nodes]
    outputs: dict[str, HostOrDevice]  # of node fields [batch, nodes]
    row_mask: HostOrDevice  # [batch, rows] int32


def element_weights(field: Field, batch: Batch, leading: HostOrDevice) -> HostOrDevice:
    """Returns 1 for every element that is not padding. `leading` are the weights of its rows or graphs."""
    if field.place == "graph":
        return leading
    nodes = batch.inputs.node_mask.astype(np.float32)
    return leading[..., None] * nodes.reshape(len(leading), *[1] * (leading.ndim - 1), -1)
