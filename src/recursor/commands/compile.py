"""`recursor compile`."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from recursor.commands.console import console
from recursor.commands.options import option
from recursor.system.files import require_writable, write_atomically


@dataclass(frozen=True)
class Compile:
    """Writes a network as tables that plain Python can run.

    The network must have been verified with --keep, as the shipped ones are: the program knows the situations that were
    verified, and stops at any other. examples/run_program.py, in the repository and in the source archive, runs it without
    JAX and NumPy.

    For example:

        recursor compile quicksort --out quicksort.json
    """

    run: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="RUN")]
    """A shipped network, such as dfs, or a run directory, such as runs/mine or ./mine."""
    out: Annotated[Path | None, option("FILE", "NAME.json in this directory")] = None
    """The file."""

    def __call__(self) -> None:
        from recursor.situations.program import program_of  # JAX is slow to import
        from recursor.training.loading import load

        run = load(self.run)
        if run.lookup is None or not run.lookup.memory.verified:
            raise ValueError(
                f"{self.run} has no verified situations, so there is nothing to compile; "
                f"`recursor verify {self.run} --keep` verifies a network whose messages are bits"
            )
        path = self.out or Path(f"{run.directory.name}.json")
        require_writable(path)
        program = program_of(run.lookup.memory.tables)
        write_atomically(path, (json.dumps(program, separators=(",", ":")) + "\n").encode())
        entries = sum(map(len, program["levels"]))
        entries += sum(len(stage["nodes"]) + len(stage["graph"]) for stage in program["stages"])
        console().print(f"wrote {path}: {program['algorithm']} as {entries} table entries", soft_wrap=True)
