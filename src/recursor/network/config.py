"""What a reasoner is made of, as plain values."""

from dataclasses import dataclass
from typing import Literal

from recursor.network.encode import channel_place
from recursor.network.pool import Pooling
from recursor.network.stack import StackKind
from recursor.spec import Spec

ProcessorKind = Literal["mpnn", "mpnn-edges", "order"]
Decoding = Literal["at once", "in order"]
ValueKind = Literal["learned", "plain"]
Feedback = Literal["soft", "hard"]


@dataclass(frozen=True)
class NetworkConfig:
    """The switches of the network. The defaults are the paper's."""

    width: int = 128
    """Width of all features."""
    processor: ProcessorKind = "mpnn"
    """mpnn: messages between all pairs of nodes; mpnn-edges: along the graph's edges only; order: along the edges and the
    nodes' order, at a cost that grows with the edges alone."""
    rounds: int = 1
    """Rounds of the processor in a row, each with its own weights."""
    decoding: Decoding = "at once"
    """at once: every field of the next row on its own; in order: pointers, then the other graph fields, then the node
    fields, each given those before it."""
    stack: StackKind = "node"
    """none; graph: one learnt frame for the whole graph; node: one for each node; fields: a copy of the call's variables;
    choice: slots that learn which pointers to keep."""
    frame: int = 64
    """Width of a learnt frame, or number of slots of a choice."""
    value: ValueKind = "learned"
    """What is pushed: learned: a network of two layers; plain: the first entries of the processed features."""
    pooling: Pooling = "sum"
    """How a graph-level frame is made of all nodes."""
    hidden_state: bool = False
    """Whether the processed features of a row are an input of the next."""
    collect: bool = True
    """Whether outputs are tabulated row by row; if not, they are decoded from the last row."""
    feedback: Feedback = "soft"
    """How predicted hints are fed back: soft: as probabilities; hard: as the likeliest value."""
    message_bits: int = 0
    """Bits in each message of the order processor; 0: messages are real numbers."""
    pooled_bits: int = 0
    """Bits of each node that graph fields are decoded from, in order; 0: they are decoded from its real features."""

    def check(self, spec: Spec) -> None:
        """Refuses what cannot work, in one sentence."""
        if self.width < 1 or self.rounds < 1:
            raise ValueError(f"width and rounds must be at least 1, not {self.width} and {self.rounds}")
        if self.message_bits < 0 or self.pooled_bits < 0:
            raise ValueError(
                f"message_bits and pooled_bits must be 0 or more, not {self.message_bits} and {self.pooled_bits}"
            )
        if (self.message_bits or self.pooled_bits) and (self.processor, self.decoding) != ("order", "in order"):
            raise ValueError(
                f"message_bits and pooled_bits need the processor order and decoding in order, not {self.processor} and "
                f"{self.decoding}; choose those, or 0 bits"
            )
        view = f"the view {spec.view!r} of {spec.algorithm}"
        if self.stack != "none" and not spec.has_ops:
            raise ValueError(
                f"a {self.stack} stack needs the hint stack_op, which {view} does not show; choose another view, or stack "
                f"none"
            )
        if self.stack in ("graph", "node", "choice") and self.frame < 1:
            raise ValueError(f"frame must be at least 1, not {self.frame}")
        if self.stack in ("graph", "node") and self.value == "plain" and self.frame > self.width:
            raise ValueError(f"a plain frame takes the first {self.frame} entries of {self.width}; choose a smaller frame")
        if self.stack in ("fields", "choice") and not spec.frame:
            raise ValueError(f"a {self.stack} stack keeps a call's own variables, of which {view} shows none")
        missing = {field.name for field in spec.outputs} - {rule.output for rule in spec.collect}
        if self.collect and missing:
            raise ValueError(
                f"the output {', '.join(sorted(missing))} of {spec.algorithm} cannot be collected from {view}, which lacks "
                f"the hints for it; choose another view, or turn collect off"
            )
        if self.processor != "order" and spec.stamps:
            stamped = ", ".join(rule.field.name for rule in spec.stamps)
            raise ValueError(f"stamps such as {stamped} of {view} are compared, and only the order processor compares")
        decoded = (*spec.hints, *(() if self.collect else spec.outputs))
        on_pairs = [field.name for field in decoded if channel_place(field) == "edge"]
        if self.processor == "order" and on_pairs:
            raise ValueError(
                f"the order processor computes nothing for pairs of nodes, which {', '.join(on_pairs)} of {view} would "
                f"need; choose another view, or the processor mpnn"
            )
