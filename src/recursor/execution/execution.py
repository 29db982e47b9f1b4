"""What a reasoner did on one graph."""

import io
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from recursor.graphs.graph import Graph
from recursor.recording.stack import ChangeFrames, last_in_first_out, replay
from recursor.system.files import write_atomically


@dataclass(frozen=True, eq=False)
class Execution:
    """What a reasoner did on one graph.

    `answer` is what a person wants to know, in the person's own names; where there is none, `no_answer` says why. `outputs`
    are the outputs that the answer is made of, `rows` the hints row by row, `ops` and `stack` the call stack after each row,
    `steps` the number of rows. `halted` says whether the reasoner ended by itself, `certified` whether all that it met was
    verified. `save` writes outputs and rows to a file.

    Example:
        >>> import recursor
        >>> execution = recursor.load("bridges").run([[0, 1], [1, 0]])
        >>> execution.answer, execution.outputs["bridge"].tolist(), execution.halted, execution.stack[2]
        ([(0, 1)], [0, 1], True, (2,))
    """

    graph: Graph
    outputs: Mapping[str, np.ndarray]
    rows: Mapping[str, np.ndarray]
    """The hints, row by row from row 0; empty if they were not to be kept."""
    ops: np.ndarray
    """The op of each row; empty if the view shows none."""
    halted: bool
    """Whether the reasoner said that it was done; if not, the step limit stopped it."""
    steps: int
    """How many rows it took, row 0 counted."""
    empty_pops: int
    """Pops that found the stack empty."""
    answer: Any = None
    """What a person wants to know, in the names of the graph's owner; what it is depends on the algorithm. None if there is
    no answer, and where None is the answer: a text that contains another one nowhere."""
    no_answer: str = ""
    """Why there is no answer: the reasoner did not halt, or its outputs contradict each other. Empty if there is one."""
    certified: bool | None = None
    """Whether every situation in it is one that was verified. None if it was not looked at: the network comes without
    verified situations, or the rows would take too much memory."""
    uncertified_row: int | None = None
    """The first row that was not verified."""
    change_frames: ChangeFrames = last_in_first_out
    """How the network keeps its frames: as a stack, unless its storage does otherwise."""

    def save(self, path: Path | str) -> None:
        """Writes the outputs, and the rows if they were kept, to a file that `numpy.load` reads.

        Args:
            path: The file, which ends in .npz. Its arrays are `outputs/NAME`, `rows/NAME`, `halted`, `steps`, and `names`,
                the names of the nodes as strings.

        Raises:
            ValueError: If the name does not end in .npz.
        """
        if Path(path).suffix != ".npz":
            raise ValueError(f"an execution is saved to a file that ends in .npz, not to {path}")
        arrays = {f"outputs/{name}": values for name, values in self.outputs.items()}
        arrays |= {f"rows/{name}": values for name, values in self.rows.items()}
        arrays |= {"halted": np.array(self.halted), "steps": np.array(self.steps)}
        arrays["names"] = np.array([str(name) for name in self.graph.names])
        data = io.BytesIO()
        np.savez_compressed(data, **arrays)  # pyright: ignore[reportArgumentType] (these are arrays)
        write_atomically(Path(path), data.getvalue())

    def __repr__(self) -> str:
        end = f"halted by itself after {self.steps} rows" if self.halted else f"did not halt within {self.steps} rows"
        certified = {None: "", True: ", certified", False: ", not certified"}[self.certified]
        return f"<Execution on {len(self.graph)} nodes: {end}{certified}; .answer, .outputs, .rows, .stack>"

    @cached_property
    def stack(self) -> list[tuple[int, ...]]:
        """For each row the call stack after it, as the rows that pushed its frames. The last one is the top frame."""
        return [tuple(frames) for frames in replay(self.ops.tolist(), self.change_frames)]
