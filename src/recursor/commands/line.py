"""The parser of the command line."""

import io
import shutil
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import fields
from itertools import groupby
from pathlib import Path
from typing import Annotated

import tyro

from recursor.algorithms import register_file
from recursor.commands.algorithms import Algorithms
from recursor.commands.check import Check
from recursor.commands.compile import Compile
from recursor.commands.demo import Demo
from recursor.commands.evaluate import Evaluate
from recursor.commands.export import Export
from recursor.commands.mistakes import mistakes_in_a_sentence, unknown_arguments
from recursor.commands.play import Play
from recursor.commands.record import Record
from recursor.commands.report import Report
from recursor.commands.solve import Solve
from recursor.commands.table import Table
from recursor.commands.train import Train
from recursor.commands.verify import Verify
from recursor.system.forced_exit import exit_after_ctrl_c
from recursor.system.nearest import nearest
from recursor.version import __version__

Command = (
    Annotated[Algorithms, tyro.conf.subcommand("algorithms")]
    | Annotated[Record, tyro.conf.subcommand("record")]
    | Annotated[Check, tyro.conf.subcommand("check")]
    | Annotated[Train, tyro.conf.subcommand("train")]
    | Annotated[Evaluate, tyro.conf.subcommand("evaluate")]
    | Annotated[Verify, tyro.conf.subcommand("verify")]
    | Annotated[Compile, tyro.conf.subcommand("compile")]
    | Annotated[Report, tyro.conf.subcommand("report")]
    | Annotated[Solve, tyro.conf.subcommand("solve")]
    | Annotated[Export, tyro.conf.subcommand("export")]
    | Annotated[Play, tyro.conf.subcommand("play")]
    | Annotated[Demo, tyro.conf.subcommand("demo")]
    | Annotated[Table, tyro.conf.subcommand("table")]
)

COMMANDS: dict[str, type] = {part.__metadata__[0].name: part.__origin__ for part in Command.__args__}
"""The commands by name."""

HELP = """Recursor {version}: graph neural networks that execute recursive algorithms.

usage: recursor COMMAND …

{commands}

Examples:
  recursor solve 3 1 2 --algorithm quicksort   sorts numbers
  recursor solve examples/maze.txt --check     solves a graph, checks the answer
  recursor play --open                         draw a graph, and watch
  recursor train exact/dfs                     trains a network

recursor COMMAND --help explains a command, recursor --version prints the
version. recursor --import FILE.py COMMAND … first imports your file; the
algorithms and parts of networks in it are then known to the command."""


def help_text() -> str:
    """Returns the help: what each command does, in one sentence."""
    lines = (f"  {name:<11} {(kind.__doc__ or '').partition(chr(10))[0]}" for name, kind in COMMANDS.items())
    return HELP.format(version=__version__, commands="\n".join(lines))


@contextmanager
def wrapped_help() -> Iterator[None]:
    """Wraps the paragraphs of a help text where the terminal ends; they come wrapped at another width, or within words."""
    text = io.StringIO()
    try:
        with redirect_stdout(text):
            yield
    finally:
        if help_lines := wrap_help(text.getvalue(), min(shutil.get_terminal_size().columns, 100)):
            with suppress(BrokenPipeError):
                print(help_lines, flush=True)


def wrap_help(text: str, width: int) -> str:
    """Returns a help text whose paragraphs have lines of at most some width, with one empty line between two of them.

    Lines that begin with a space stay lines, and so do frames; a line that is too long is wrapped.
    """
    lines: list[str] = []
    for is_paragraph, group in groupby(text.splitlines(), key=lambda line: line[:1].isascii() and line[:1] > " "):
        together = [line.rstrip() for line in group]
        for line in [" ".join(together)] if is_paragraph else together:
            if line or lines[-1:] != [""]:
                indent = " " * (len(line) - len(line.lstrip()) + 4) if line[:1] == " " else ""
                wrapped = len(line) > width and line[0].isascii()
                lines += textwrap.wrap(line, width, subsequent_indent=indent) if wrapped else [line]
    return "\n".join(lines)


USED_UP = "recursor: the memory is used up; choose a smaller graph, or a machine with more"


def run(arguments: list[str]) -> None:
    """Runs one command. A wrong argument or file ends the process with a one-sentence message, without a traceback."""
    try:
        while arguments[:1] == ["--import"]:
            register_file(Path("".join(arguments[1:2])))
            arguments = arguments[2:]
    except (ValueError, OSError) as error:
        sys.exit(f"recursor: {error}")
    if arguments in ([], ["-h"], ["--help"]):
        with wrapped_help():
            print(help_text())
        return
    if arguments in (["--version"], ["-V"]):
        print(f"recursor {__version__}")
        return
    if (name := arguments[0]) not in COMMANDS:
        near = nearest(name, COMMANDS)
        advice = f"did you mean {near}?" if near else f"the commands are {', '.join(COMMANDS)}"
        sys.exit(f"recursor: {name!r} is not a command; {advice}")
    with wrapped_help(), mistakes_in_a_sentence():
        command, rest = tyro.cli(Command, prog="recursor", args=arguments, return_unknown_args=True)
    try:
        if isinstance(command, Train):
            command(rest)
        elif rest:
            options = [f"--{field.name.replace('_', '-')}" for field in fields(command)]
            sys.exit(f"recursor: {unknown_arguments(rest, options)}")
        elif isinstance(command, Table | Demo):  # they train, and save what they have before they end
            command()
        else:
            with exit_after_ctrl_c():
                command()
    except BrokenPipeError:
        sys.exit(1)
    except MemoryError:
        sys.exit(USED_UP)
    except RuntimeError as error:
        if "RESOURCE_EXHAUSTED" not in str(error):  # XLA's word for memory that is used up
            raise
        sys.exit(USED_UP)
    except OSError as error:
        of = f"{error.filename}: " if error.filename is not None else ""
        sys.exit(f"recursor: {of}{error.strerror or error}")
    except (ValueError, ArithmeticError) as error:
        sys.exit(f"recursor: {error}")
