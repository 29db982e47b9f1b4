"""What is wrong with a command line, in one sentence. The parser prints a box of several lines."""

import io
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr

from recursor.system.nearest import nearest

FRAME = re.compile(r"[│╭╮╰╯]|^\s+$")
RULE = re.compile(r"[─-]{3,}$")


@contextmanager
def mistakes_in_a_sentence() -> Iterator[None]:
    """Replaces the box that the parser prints about a wrong command line by one sentence."""
    text = io.StringIO()
    try:
        with redirect_stderr(text):
            yield
    except SystemExit as end:
        if end.code == 2:
            print(f"recursor: {as_sentence(text.getvalue())}", file=sys.stderr)
            text = io.StringIO()
        raise
    finally:
        sys.stderr.write(text.getvalue())


def as_sentence(box: str) -> str:
    """Returns what the parser says in a box of several lines as one sentence.

    Args:
        box: A title, and below it sections with lines between them.

    Example:
        >>> as_sentence(" Missing argument\\n ---\\n Missing value for argument '--html'. Expected 1 values.\\n ---\\n")
        '--html needs a value after it; --help explains it'
    """
    lines = [FRAME.sub("", line).strip() for line in box.splitlines()]
    sections: list[list[str]] = [[]]
    for line in lines[1:]:
        if RULE.fullmatch(line):
            sections.append([])
        elif line:
            sections[-1].append(line)
    parts = [" ".join(section) for section in sections if section]
    message = parts[0] if parts else "the arguments cannot be understood"
    if found := re.match(r"Missing value for argument '(\S+)'", message):
        return f"{found[1]} needs a value after it; --help explains it"
    if found := re.match(r"Missing from recursor ([^:]+): (.*)", message):
        missing = re.findall(r"(\S+) (.*?)\.?(?: \(required\) ?|$)", found[2])
        return f"{found[1]} needs {' and '.join(f'{name} ({what})' for name, what in missing)}"
    if found := re.match(r"invalid choice '(.*)' for argument '(\S+)'\. Expected one of \((.*)\)\.", message):
        return f"{found[2]} is one of {found[3]}, not {found[1]!r}"
    if found := re.match(r"Unrecognized options: (.*)", message):
        return unknown_arguments(found[1].split(", "), re.findall(r"--[\w.-]+", " ".join(parts[1:])))
    if found := re.match(r"Error parsing (\S+): (.*?)( Got errors:.*)?$", message):
        values = re.findall(r"'([^']*)'", found[2]) or [found[2]]
        kind = "whole numbers" if "arguments: [" in message else "a whole number" if "int" in message.lower() else "a number"
        return f"{found[1]} takes {kind}, not {' '.join(values)!r}"
    return message


def unknown_arguments(words: Sequence[str], options: Iterable[str]) -> str:
    """Returns the sentence about arguments that a command does not have.

    Args:
        words: The arguments.
        options: The options that may have been meant.

    Example:
        >>> unknown_arguments(["--htlm", "page.html"], ["--html", "--json"])
        'unknown arguments: --htlm page.html; did you mean --html? --help lists the options'
    """
    first = next((word.partition("=")[0] for word in words if word.startswith("--")), "")
    near = nearest(first.lstrip("-"), (option.lstrip("-") for option in options)) if first else ""
    return f"unknown arguments: {' '.join(words)}; {f'did you mean --{near}? ' if near else ''}--help lists the options"
