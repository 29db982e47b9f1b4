"""`recursor export`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from recursor.commands.console import console, say_loaded
from recursor.commands.options import option
from recursor.system.files import require_writable, write_atomically


@dataclass(frozen=True)
class Export:
    """Writes a network as a StableHLO program.

    The program runs without Recursor. It executes the algorithm on one graph of at most --nodes nodes, until the network
    halts. It is read by jax.export.deserialize, and by other tools for StableHLO.
    `recursor.execution.exporting.arguments` makes its inputs.

    For example:

        recursor export dfs --nodes 16 --out dfs.stablehlo
    """

    run: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="RUN")]
    """A shipped network, such as dfs, or a run directory, such as runs/mine or ./mine."""
    nodes: int = 16
    """The largest number of nodes of a graph."""
    out: Annotated[Path | None, option("FILE", "RUN.stablehlo")] = None
    """The file of the program."""

    def __call__(self) -> None:
        from recursor.execution.exporting import export  # JAX is slow to import
        from recursor.training.loading import load

        run = load(self.run)
        say_loaded(run)
        out = self.out or Path(f"{run.directory.name}.stablehlo")
        require_writable(out)
        program = export(run.reasoner, self.nodes)
        write_atomically(out, program)
        console().print(f"wrote {out}: {run.config.algorithm}, graphs of up to {self.nodes} nodes, {len(program)} bytes")
