"""The parser of the command line."""

import sys
from pathlib import Path
from typing import Annotated

import tyro

from recursor.algorithms import register_file
from recursor.commands.algorithms import Algorithms
from recursor.commands.check import Check
from recursor.commands.demo import Demo
from recursor.commands.evaluate import Evaluate
from recursor.commands.play import Play
from recursor.commands.record import Record
from recursor.commands.report import Report
from recursor.commands.solve import Solve
from recursor.commands.table import Table
from recursor.commands.train import Train
from recursor.commands.verify import Verify

Command = (
    Annotated[Algorithms, tyro.conf.subcommand("algorithms")]
    | Annotated[Record, tyro.conf.subcommand("record")]
    | Annotated[Check, tyro.conf.subcommand("check")]
    | Annotated[Train, tyro.conf.subcommand("train")]
    | Annotated[Evaluate, tyro.conf.subcommand("evaluate")]
    | Annotated[Verify, tyro.conf.subcommand("verify")]
    | Annotated[Report, tyro.conf.subcommand("report")]
    | Annotated[Solve, tyro.conf.subcommand("solve")]
    | Annotated[Play, tyro.conf.subcommand("play")]
    | Annotated[Demo, tyro.conf.subcommand("demo")]
    | Annotated[Table, tyro.conf.subcommand("table")]
)

DESCRIPTION = """Graph neural networks that execute recursive algorithms with a call stack.

`recursor --import FILE.py COMMAND …` first imports your file; the algorithms in it are then known to every command."""


USED_UP = "recursor: the memory is used up; choose a smaller graph, or a machine with more"


def run(arguments: list[str]) -> None:
    """Runs one command. A wrong argument or file ends the process with a one-sentence message, without a traceback."""
    try:
        while arguments[:1] == ["--import"]:
            register_file(Path("".join(arguments[1:2])))
            arguments = arguments[2:]
    except (ValueError, OSError) as error:
        sys.exit(f"recursor: {error}")
    command, rest = tyro.cli(Command, prog="recursor", description=DESCRIPTION, args=arguments, return_unknown_args=True)
    try:
        if isinstance(command, Train):
            command(rest)
        elif rest:
            sys.exit(f"recursor: unknown arguments: {' '.join(rest)}; --help lists the options")
        else:
            command()
    except BrokenPipeError:
        sys.exit(1)
    except MemoryError:
        sys.exit(USED_UP)
    except RuntimeError as error:
        if "RESOURCE_EXHAUSTED" not in str(error):  # XLA's word for memory that is used up
            raise
        sys.exit(USED_UP)
    except (ValueError, ArithmeticError, OSError) as error:
        sys.exit(f"recursor: {error}")
