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
    plumbing: tuple[int, ...]
    """The places of the lines that only speak to the recorder, such as `record.step()`."""
    instead: tuple[int, ...]
    """For each line the place of the line that is marked for it: itself, or a near one that is no plumbing."""

    def marked(self, line: int) -> int:
        """Returns the number of the line that is marked for a row of a line; 0 if the line is not in this source."""
        place = line - self.first
        return self.first + self.instead[place] if 0 <= place < len(self.instead) else 0

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

    tree = ast.parse(text)
    find(tree)
    plumbing, instead = _without_plumbing(tree, len(lines))
    return Source(first, tuple(lines), tuple(functions), tuple(within), plumbing, instead)


def _without_plumbing(tree: ast.Module, count: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Returns the places of the lines that only speak to the recorder, and for each line the one that is marked for it.

    A line of plumbing is replaced by the statement before it in its block; where there is none, by the head of the block,
    such as the `if` around it; in the body of a function, by the statement after it.
    """
    function = tree.body[0]
    arguments = function.args.args if isinstance(function, ast.FunctionDef) else []
    recorder = arguments[1].arg if len(arguments) > 1 else ""
    plumbing: list[int] = []
    instead = list(range(count))

    def speaks_to_recorder(statement: ast.stmt) -> bool:
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            return _root(statement.value.func) == recorder
        if isinstance(statement, ast.Assign):
            parts = [e for t in statement.targets for e in (t.elts if isinstance(t, ast.Tuple) else [t])]
            return all(isinstance(part, ast.Attribute) and _root(part) == recorder for part in parts)
        return False

    def read(parent: ast.AST) -> None:
        for name in ("body", "orelse", "finalbody"):
            block = getattr(parent, name, None)
            if not isinstance(block, list):
                continue
            before: list[int] = []  # the line of the last step, unless a function was defined since
            for place, statement in enumerate(block):
                if isinstance(statement, ast.FunctionDef):
                    before = []
                elif not speaks_to_recorder(statement):
                    before = [statement.lineno]
                else:
                    after = [s.lineno for s in block[place:] if not speaks_to_recorder(s)]
                    head = [] if isinstance(parent, ast.FunctionDef | ast.Module) else [getattr(parent, "lineno", 0)]
                    target = (before + head + after + [statement.lineno])[0]
                    for line in range(statement.lineno, (statement.end_lineno or statement.lineno) + 1):
                        plumbing.append(line - 1)
                        instead[line - 1] = target - 1
                read(statement)
            for decorated in block:
                for decorator in getattr(decorated, "decorator_list", []):
                    if _root(decorator) == recorder:
                        plumbing.append(decorator.lineno - 1)

    read(tree)
    return tuple(sorted(plumbing)), tuple(instead)


def _root(expression: ast.AST) -> str:
    """Returns the name that an expression such as `record.outermost.v` begins with."""
    while isinstance(expression, ast.Attribute):
        expression = expression.value
    return expression.id if isinstance(expression, ast.Name) else ""
