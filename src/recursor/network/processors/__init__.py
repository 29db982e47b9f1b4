"""Processors: one file a kind, and the table of all kinds."""

from recursor.network.kinds import Kinds
from recursor.network.processors.mpnn import MPNN, EdgeMPNN
from recursor.network.processors.order import OrderProcessor
from recursor.network.processors.processor import Processor

PROCESSORS: Kinds[Processor] = Kinds("processor", {"mpnn": MPNN, "mpnn-edges": EdgeMPNN, "order": OrderProcessor})
