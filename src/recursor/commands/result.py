"""The result of `recursor solve`: printed for people, or as JSON."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import networkx as nx
from rich.table import Table

from recursor.commands.answer import as_text, heading
from recursor.commands.console import console
from recursor.graphs.graph import Graph
from recursor.recording.algorithm import Algorithm
from recursor.spec import Field

if TYPE_CHECKING:
    from recursor.execution.execution import Execution

MOST_IN_TABLE = 2000
"""Nodes that are printed as a table. More are printed as lines with tabs: a table would take longer than the answer."""


def show(algorithm: Algorithm, execution: "Execution", wrong: dict[str, list[int]] | None, *, outputs: bool = False) -> None:
    """Prints the answer, how the execution ended, and what a comparison with the classical algorithm found.

    Args:
        algorithm: The algorithm.
        execution: Its execution by a network.
        wrong: For each output the nodes at which it differs from the classical one; None if they were not compared.
        outputs: Whether to print the outputs of every node too.
    """
    graph = execution.graph
    if not execution.no_answer:
        console().print(f"{heading(algorithm.title, execution.answer)}:")
        sentence = algorithm.picture(graph, execution.outputs).sentence
        if execution.answer is not None:
            console().print(as_text(execution.answer))
        if execution.answer is None or (_is_place(execution.answer) and not sentence.endswith(f" {execution.answer}")):
            console().print(sentence)
    elif execution.halted:
        console().print(f"{algorithm.title}: no answer, so do not trust the outputs; {execution.no_answer}")
    if outputs or execution.no_answer:
        _show_outputs(algorithm.outputs, execution)
    if execution.halted:
        console().print(f"\nhalted by itself after {execution.steps} rows")
    else:
        console().print(f"\ndid not halt within {execution.steps} rows: do not trust this answer")
    if execution.certified:
        console().print(f"certified: each of its {execution.steps} rows is made of situations that were verified")
    elif execution.uncertified_row is not None:
        console().print(f"not certified: row {execution.uncertified_row} holds a situation that was not verified")
    if wrong is not None:
        mistakes = []
        for field in algorithm.outputs:
            if nodes := wrong[field.name]:
                where = f" at {len(nodes)} of {len(graph)} nodes" if field.place == "node" else ""
                mistakes.append(f"{field.name} is wrong{where}")
        compared = " and ".join(
            f"{field.name} of {f'all {len(graph)} nodes' if field.place == 'node' else 'the graph'}"
            for field in algorithm.outputs
        )
        same = f"{compared}: the same as the classical algorithm's"
        console().print("checked: " + (", ".join(mistakes) or same))


def as_json(outputs: tuple[Field, ...], execution: "Execution", wrong: dict[str, list[int]] | None) -> dict[str, Any]:
    """Returns the result as values that JSON has; `wrong` as in `show`."""
    graph = execution.graph
    names = [str(name) for name in graph.names]
    answer = {
        field.name: _with_names(field, graph, execution.outputs[field.name])
        if field.place == "graph"
        else {
            name: _with_names(field, graph, value) for name, value in zip(names, execution.outputs[field.name], strict=True)
        }
        for field in outputs
    }
    result: dict[str, Any] = {
        "answer": _plain(execution.answer),
        "outputs": answer,
        "halted": execution.halted,
        "steps": execution.steps,
    }
    if execution.no_answer:
        result["no_answer"] = execution.no_answer
    if execution.certified is not None:
        result["certified"] = execution.certified
    if wrong is not None:
        result["wrong"] = {
            field.name: bool(wrong[field.name]) if field.place == "graph" else [names[node] for node in wrong[field.name]]
            for field in outputs
        }
    return result


def _is_place(answer: Any) -> bool:
    """Whether an answer is a bare number or name, of which a sentence says what it is."""
    return isinstance(answer, int | str) and not isinstance(answer, bool)


def _show_outputs(outputs: tuple[Field, ...], execution: "Execution") -> None:
    """Prints the outputs as a table, one line per node."""
    graph = execution.graph

    def as_word(field: Field, value: Any) -> str:
        return "none" if (word := _with_names(field, graph, value)) is None else str(word)

    of_nodes = [field for field in outputs if field.place == "node"]
    names = ("node", *(field.name for field in of_nodes))
    rows = [
        (str(name), *(as_word(field, execution.outputs[field.name][node]) for field in of_nodes))
        for node, name in enumerate(graph.names)
    ]
    console().print()
    if len(rows) <= MOST_IN_TABLE:
        table = Table(box=None)
        for name in names:
            table.add_column(name, no_wrap=True)
        for row in rows:
            table.add_row(*row)
        console().print(table)
    else:
        print("\n".join("\t".join(row) for row in (names, *rows)))
    for field in outputs:
        if field.place == "graph":
            console().print(f"{field.name}: {as_word(field, execution.outputs[field.name])}")


def _with_names(field: Field, graph: Graph, value: Any) -> Any:
    """Returns an output with the names of the graph's nodes; None for a null pointer."""
    if field.kind == "pointer":
        return str(graph.names[int(value)]) if value >= 0 else None
    return float(value) if field.kind == "scalar" else int(value)


def _plain(answer: Any) -> Any:
    """Returns an answer as values that JSON has: a forest as a list of edges, a set as a list, names as strings."""
    match answer:
        case None | bool() | int() | float():
            return answer
        case nx.Graph():
            return [[str(a), str(b), *([] if weight is None else [weight])] for a, b, weight in answer.edges(data="weight")]
        case set():
            return sorted(map(str, answer))
        case list() | tuple():
            return [_plain(one) for one in answer]
        case Mapping():
            return {str(name): _plain(value) for name, value in answer.items()}
    return str(answer)
