"""The graph that the words of a command line name: a file, or numbers."""

import re
import sys
from pathlib import Path

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from recursor.algorithms import known
from recursor.graphs.graph import Graph
from recursor.recording.algorithm import Algorithm
from recursor.system.files import is_there

SPACES = re.compile(r"[,;\s]+")
"""What stands between numbers that are one word of the command line."""


def read_words(algorithm: Algorithm, words: tuple[str, ...], *, pattern: bool = False) -> Graph:
    """Returns the graph that the command line names.

    Args:
        algorithm: The algorithm that is to run on it.
        words: One file, or numbers, or a text of the algorithm's own kind.
        pattern: Whether to ignore weights.

    Returns:
        The graph.

    Raises:
        ValueError: If there is no word, or several that are no numbers, or the algorithm does not accept the graph.
    """
    if not words:
        raise ValueError("solve needs the file of a graph, or numbers to sort; recursor solve --help has examples")
    parts = tuple(SPACES.split(words[0].strip(" []()")))
    if len(words) == 1 and algorithm.takes_numbers and None not in map(_number, parts):
        words = parts  # numbers that are one word for the shell
    numbers = [_number(word) for word in words]
    if None in numbers:
        if (text := _text(algorithm, words)) is not None:
            return text
        if len(words) > 1:
            unfit = next(word for word, number in zip(words, numbers, strict=True) if number is None)
            raise ValueError(
                f"give one graph file, or only numbers; among these {len(words)} words, {unfit!r} is not a number"
            )
        return _read_file(algorithm, Path(*words), pattern=pattern)
    if not algorithm.takes_numbers:
        able = ", ".join(name for name, one in known().items() if one.takes_numbers)
        raise ValueError(f"{algorithm.name} does not take numbers; they work with --algorithm and one of {able}")
    return algorithm.graph(numbers)


def _text(algorithm: Algorithm, words: tuple[str, ...]) -> Graph | None:
    """Returns the graph of a text, or of several, that the algorithm takes; None if it takes none, or a file is named."""
    if is_there(words[0]) or Path(words[0]).suffix:
        return None
    return next((algorithm.graph(own) for own in (words, " ".join(words)) if algorithm.from_source(own) is not None), None)


def _number(word: str) -> float | None:
    try:
        return int(word)
    except ValueError:
        try:
            return float(word)
        except ValueError:
            return None


def _read_file(algorithm: Algorithm, path: Path, *, pattern: bool) -> Graph:
    """Reads the graph of a file and shows the number of lines in the terminal."""
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task(f"reading {path.name}", total=None)

        def show_lines(done: int, total: int) -> None:
            bar.update(task, description=f"reading {path.name}: line {done} of {total}")

        return algorithm.graph(path, pattern=pattern, progress=show_lines)
