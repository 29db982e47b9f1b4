"""The pages of the reference, which are made from the code whenever the site is built."""

import contextlib
import io
import os
import re

import recursor
from recursor.algorithms import ALGORITHMS
from recursor.commands.line import COMMANDS, help_text, run
from recursor.graphs.inputs import MEANINGS
from recursor.recording.algorithm import Algorithm

BLANK = re.compile(r"\n{3,}")
GROUPS = {
    "Run a network": ("load", "Run", "Execution", "as_graph", "Graph", "GraphError"),
    "Train and score": ("configuration", "TrainConfig", "NetworkConfig", "train", "resume", "evaluate", "Scores", "verify"),
    "Write an algorithm": ("Algorithm", "Recorder", "Field", "Collect", "Stamp", "register", "record", "Trajectory"),
    "Look inside a network": ("Reasoner",),
}
"""The public names, in the order of the page."""


def algorithms() -> str:
    """Returns the page of the algorithms: inputs, outputs and answer of each."""
    parts = [
        "# Algorithms",
        (
            "Every algorithm has inputs, outputs, and an answer in your own names. `execution.outputs[NAME]` is an array: "
            "one value for each node, or one for the graph. A *pointer* is the index of a node. `execution.answer` is what "
            "a person wants to know. `recursor algorithms NAME` prints the same, with the hints of each view."
        ),
    ]
    for algorithm in ALGORITHMS.values():
        parts += [f"## {algorithm.title}", f"`{algorithm.name}`. {algorithm.summary}", _fields(algorithm)]
        parts.append(f"**Answer**: {algorithm.words.answer}.")
        parts.append("**Hints**, by view: " + "; ".join(_hints(algorithm)) + ".")
    return "\n\n".join(parts) + "\n"


def _fields(algorithm: Algorithm) -> str:
    spec = algorithm.spec(algorithm.exact_view)
    lines = ["| field | what | meaning |", "| --- | --- | --- |"]
    for word, fields in (("input", spec.inputs), ("output", spec.outputs)):
        for field in fields:
            meaning = algorithm.words.meanings.get(field.name, MEANINGS.get(field.name, ""))
            lines.append(f"| {word} `{field.name}` | {field.describe()} | {meaning} |")
    return "\n".join(lines)


def _hints(algorithm: Algorithm) -> list[str]:
    return [f"*{view}*: " + ", ".join(f"`{field.name}`" for field in spec.hints) for view, spec in algorithm.specs.items()]


def interface() -> str:
    """Returns the page of the public names, which mkdocstrings fills from the docstrings."""
    modules = recursor._LATER
    parts = ["# Python", "Everything here is imported from `recursor` itself, such as `recursor.load`."]
    for heading, names in GROUPS.items():
        parts.append(f"## {heading}")
        parts += [f"::: {modules[name]}.{name}" for name in names]
    return "\n\n".join(parts) + "\n"


def commands() -> str:
    """Returns the page of the commands: the help of each."""
    os.environ["COLUMNS"] = "80"
    overview = help_text()
    parts = ["# Commands", f"```text\n{overview}\n```"]
    for name in COMMANDS:
        text = io.StringIO()
        with contextlib.suppress(SystemExit), contextlib.redirect_stdout(text):
            run([name, "--help"])
        listing = BLANK.sub("\n\n", text.getvalue().strip())
        parts += [f"## recursor {name}", f"```text\n{listing}\n```"]
    return "\n\n".join(parts) + "\n"


PAGES = {"algorithms": algorithms, "api": interface, "commands": commands}
"""The pages by name."""
