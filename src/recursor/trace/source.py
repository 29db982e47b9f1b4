"""The source code of an algorithm, and the function that each line belongs to."""

import ast
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from recursor.recording.algorithm import Algorithm


@dataclass(frozen=True)
class Source:
    """The source of an algorithm's function."""

    first: int
    """The number of its first line in the file."""
    lines: tuple[str, ...]
    functions: tuple[tuple[str, tuple[str, ...]], ...]
    """Each function with the names of its parameters."""
    within: tuple[int, ...]
    """For each line the index of the innermost function that contains it."""

    def call(self, line: int) -> tuple[str, tuple[str, ...]]:
        """Returns the name and parameters of the function that contains a line of the file; an empty name if none does."""
        place = line - self.first
        return self.functions[self.within[place]] if 0 <= place < len(self.within) else ("", ())


def source_of(algorithm: Algorithm) -> Source:
    """Returns the source of an algorithm, as it is in its file."""
    return _read(algorithm.function)


@cache
def _read(function: Callable) -> Source:
    text_lines, first = inspect.getsourcelines(function)
    text = textwrap.dedent("".join(text_lines))
    lines = text.rstrip().split("\n")
    functions: list[tuple[str, tuple[str, ...]]] = []
    within = [0] * len(lines)

    def find(parent: ast.AST) -> None:
        for child in ast.iter_child_nodes(parent):
            if isinstance(child, ast.FunctionDef):
                functions.append((child.name, tuple(argument.arg for argument in child.args.args)))
                for line in range(child.lineno, (child.end_lineno or child.lineno) + 1):
                    within[line - 1] = len(functions) - 1
            find(child)

    find(ast.parse(text))
    return Source(first, tuple(lines), tuple(functions), tuple(within))
