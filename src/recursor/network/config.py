"""What a reasoner is made of, as plain values."""

from dataclasses import dataclass
from typing import Literal

from recursor.network.pool import Pooling
from recursor.network.stack import StackKind
from recursor.spec import Spec

ProcessorKind = Literal["mpnn", "mpnn-edges"]
ValueKind = Literal["learned", "plain"]
Feedback = Literal["soft", "hard"]


@dataclass(frozen=True)
class NetworkConfig:
    """The switches of the network. The defaults are the paper's."""

    width: int = 128
    """Width of all features."""
    processor: ProcessorKind = "mpnn"
    """mpnn: messages between all pairs of nodes; mpnn-edges: along the graph's edges only."""
    stack: StackKind = "node"
    """none, graph: one frame for the whole graph; node: a frame for each node."""
    frame: int = 64
    """Width of a frame."""
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

    def check(self, spec: Spec) -> None:
        """Refuses what cannot work, in one sentence."""
        if self.width < 1:
            raise ValueError(f"width must be at least 1, not {self.width}")
        if self.stack != "none" and not spec.has_ops:
            raise ValueError(
                f"a {self.stack} stack needs the hint stack_op, which the view {spec.view!r} of {spec.algorithm} does not "
                f"show; choose another view, or stack none"
            )
        if self.stack != "none" and self.frame < 1:
            raise ValueError(f"frame must be at least 1, not {self.frame}")
        if self.stack != "none" and self.value == "plain" and self.frame > self.width:
            raise ValueError(f"a plain frame takes the first {self.frame} entries of {self.width}; choose a smaller frame")
        missing = {field.name for field in spec.outputs} - {rule.output for rule in spec.collect}
        if self.collect and missing:
            raise ValueError(
                f"the output {', '.join(sorted(missing))} of {spec.algorithm} cannot be collected from the view "
                f"{spec.view!r}, which lacks the hints for it; choose another view, or turn collect off"
            )
