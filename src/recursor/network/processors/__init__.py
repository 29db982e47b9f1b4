"""Processors: one file a kind, and the table of all kinds."""

from recursor.network.kinds import Kinds
from recursor.network.processors.processor import Processor

FILES = (
    "mpnn",
    "order",
)
"""The files of this folder that hold a kind."""

PROCESSORS: Kinds[Processor] = Kinds.in_files("processor", __name__, FILES)
