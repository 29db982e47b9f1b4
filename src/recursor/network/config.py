"""The configuration of a network, as plain values. `check` says which of them can work."""

from dataclasses import dataclass
from typing import Literal

ValueKind = Literal["learned", "plain"]
Feedback = Literal["soft", "hard"]


@dataclass(frozen=True)
class NetworkConfig:
    """The switches of the network. The defaults are the paper's.

    `processor`, `decoding`, `stack` and `pooling` are names in the tables `PROCESSORS`, `DECODERS`, `STACKS` and `POOLINGS`.
    """

    width: int = 128
    """Width of all features."""
    processor: str = "mpnn"
    """mpnn: messages between all pairs of nodes; mpnn-edges: along the graph's edges only; order: along the edges and the
    nodes' order, at a cost that grows with the edges alone."""
    rounds: int = 1
    """Rounds of the processor in a row, each with its own weights."""
    decoding: str = "joint"
    """joint: every field of the next row independently; staged: pointers, then the other graph fields, then the node fields,
    each given the fields of the stages before it."""
    stack: str = "node"
    """none; graph: one learnt frame for the whole graph; node: one for each node; fields: a copy of the call's variables;
    choice: slots that learn which pointers to keep."""
    frame_width: int = 64
    """Width of a learnt frame, or number of slots of a choice."""
    value: ValueKind = "learned"
    """What is pushed: learned: a network of two layers; plain: the first entries of the processed features."""
    pooling: str = "sum"
    """How a graph stack pools the values of all nodes: sum, mean, max, attention (weights that sum to one), attention-sum
    (any weights)."""
    hidden_state: bool = False
    """Whether the processed features of a row are an input of the next."""
    collect: bool = True
    """Whether outputs are tabulated row by row; if not, they are decoded from the last row."""
    feedback: Feedback = "soft"
    """How predicted hints are fed back: soft: as probabilities; hard: as the argmax."""
    message_bits: int = 0
    """Bits in each message of the order processor; 0: messages are real numbers."""
    encode_frame: bool = False
    """Whether the top frame is encoded like the other fields. The processor's shape then does not depend on what a frame
    holds."""
    orders: int = 0
    """Further orders, of keys or stamps, that the order processor has messages for. An algorithm with fewer of them uses the
    first ones, and one with more has its own number."""
    pooled_bits: int = 0
    """Bits of each node that graph fields are decoded from in staged decoding; 0: they are decoded from real features."""
