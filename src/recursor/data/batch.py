"""The arrays that are the input of a network: executions of different sizes, padded to one shape."""

from typing import Any, NamedTuple

import numpy as np

from recursor.spec import Field

HostOrDevice = Any
"""A NumPy array on the host, or a JAX array on a device."""


class Inputs(NamedTuple):
    """The inputs of several graphs, padded to one shape. The first axis is the batch."""

    fields: dict[str, HostOrDevice]  # node fields [batch, nodes], edge fields [batch, pairs]
    senders: HostOrDevice  # [batch, pairs] int32: the senders of the support of each graph
    receivers: HostOrDevice  # [batch, pairs] int32: the receivers; pairs are sorted by receiver
    node_mask: HostOrDevice  # [batch, nodes] int32


class Batch(NamedTuple):
    """Executions padded to one shape, all int32 or float32. The first axis is the batch, the second of hints the row."""

    inputs: Inputs
    hints: dict[str, HostOrDevice]  # graph fields [batch, rows], node fields [batch, rows, nodes]
    outputs: dict[str, HostOrDevice]  # graph fields [batch], node fields [batch, nodes]
    row_mask: HostOrDevice  # [batch, rows] int32


def element_weights(field: Field, batch: Batch, leading: HostOrDevice) -> HostOrDevice:
    """Returns the weight of every element: 0 for padded nodes, else the weight `leading` of its row or graph."""
    if field.place == "graph":
        return leading
    nodes = batch.inputs.node_mask.astype(np.float32)
    return leading[..., None] * nodes.reshape(len(leading), *[1] * (leading.ndim - 1), -1)
