"""Poolings: one file a kind, and the table of all kinds."""

from recursor.network.kinds import Kinds
from recursor.network.poolings.pooling import Pooling

FILES = (
    "sum",
    "mean",
    "max",
    "attention",
    "attention_sum",
)
"""The files of this folder that hold a kind."""

POOLINGS: Kinds[Pooling] = Kinds.in_files("pooling", __name__, FILES)
