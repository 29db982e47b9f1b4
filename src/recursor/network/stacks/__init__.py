"""Call stacks: one file a kind, and the table of all kinds.

kind      a frame is                                                  packed               joins
none                                                                  [0]                  nothing
graph     the values of all nodes, pooled                             [frame_width]        the graph features
node      a value for every node                                      [n, frame_width]     the node features
fields    the call's own variables, copied from the row that pushes   [fields, n or 1 each] both, each in its place
choice    in each slot the pointer that the network learnt to keep    [frame_width]        the node features
"""

from recursor.network.kinds import Kinds
from recursor.network.stacks.call_stack import CallStack

FILES = (
    "none",
    "graph",
    "node",
    "fields",
    "choice",
)
"""The files of this folder that hold a kind."""

STACKS: Kinds[CallStack] = Kinds.in_files("stack", __name__, FILES)
