"""The data of a trace page: traces as compact JSON. Node fields are stored as the first row and the changes after it."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from recursor.algorithms import find
from recursor.graphs.conditions import not_undirected
from recursor.graphs.graph import Graph
from recursor.recording.algorithm import Algorithm
from recursor.recording.picture import number_text
from recursor.recording.stack import last_in_first_out
from recursor.spec import Field, Spec, by_name
from recursor.trace.layout import layout, word_at_place
from recursor.trace.source import source_of
from recursor.trace.trace import NEAR, Trace, category, first_difference

ALIKE = 0.05
"""Bars look alike whose heights differ by less than this part of an equal step."""


def page_data(traces: Sequence[Trace], title: str) -> dict[str, Any]:
    """Returns the data of a page of one or two traces. Refuses traces of different algorithms or graphs."""
    first = traces[0]
    graph, spec = first.graph, first.spec
    if any(trace.graph != graph or trace.spec.algorithm != spec.algorithm for trace in traces):
        raise ValueError("traces on one page must be of the same algorithm on the same graph")
    algorithm = find(spec.algorithm)
    source = source_of(algorithm)
    return {
        "title": title,
        "algorithm": algorithm.title,
        "callee": algorithm.words.callee,
        "parameters": {name: list(masks) for name, masks in algorithm.words.parameters.items()},
        "popShows": algorithm.pop_shows,
        "names": first.names,
        "layout": algorithm.layout,
        "places": (1000 * layout(graph, algorithm.layout)).round().astype(int).ravel().tolist(),
        "heights": heights(graph, spec) if algorithm.layout == "bars" else [],
        "ranks": algorithm.layout == "bars" and are_ranks(graph, spec),
        "size": size_text(graph, algorithm),
        "notes": notes(graph, spec),
        "edges": np.stack([graph.senders, graph.receivers], 1).ravel().tolist(),
        "heads": have_heads(spec),
        "source": {
            "first": source.first,
            "lines": source.lines,
            "functions": [[name, parameters] for name, parameters in source.functions],
            "within": source.within,
            "plumbing": source.plumbing,
            "instead": source.instead,
        },
        "near": NEAR,
        "traces": [_trace(trace) for trace in traces],
        "difference": first_difference(traces[0], traces[1]) if len(traces) > 1 else None,
    }


def _trace(trace: Trace) -> dict[str, Any]:
    """Returns the data of one trace and, nested as `truth`, of the classical execution."""
    data: dict[str, Any] = {
        "label": trace.label,
        "view": trace.spec.view,
        "fields": [_field(trace.spec, field) for field in trace.spec.hints if field.name in trace.rows],
        "collect": _collected(trace.spec),
        "halted": trace.halted,
        "ops": "".join(map(str, trace.ops.tolist())),
        "stacks": None if trace.execution.change_frames is last_in_first_out else trace.stack,  # None: the page replays ops
        "lines": trace.lines.tolist(),
        "answer": _answer(trace),
        "graph": {},
        "nodes": {},
    }
    for field in trace.spec.hints:
        if field.name in trace.rows:
            values = trace.rows[field.name]
            if field.place == "graph":
                data["graph"][field.name] = _plain(field, values)
            else:
                data["nodes"][field.name] = {"first": _plain(field, values[0]), "changes": _changes(field, values)}
    if trace.truth:
        data["truth"] = _trace(trace.truth)
        data["verdict"] = trace.verdict()
        data["correction"] = trace.correction()
        data["wrong"] = np.flatnonzero(~trace.same).tolist()
        data["wrongOutputs"] = trace.wrong_outputs()
    return data


def _answer(trace: Trace) -> dict[str, Any]:
    """Returns the picture of the answer."""
    picture = trace.picture
    return {
        "sentence": picture.sentence,
        "groups": [list(group) for group in picture.groups],
        "groupWords": list(picture.group_words),
        "nodes": list(picture.nodes),
        "nodeWord": picture.node_word,
        "edges": [list(edge) for edge in picture.edges],
        "edgeWord": picture.edge_word,
        "arrows": picture.arrows,
        "order": list(picture.order),
        "orderWord": picture.order_word,
        "labels": {str(node): word for node, word in picture.labels.items()},
    }


def heights(graph: Graph, spec: Spec) -> list[float]:
    """Returns how high the bar of each node is, from 0 to 1: its number, beside the largest and the smallest one or zero.

    Where many of such bars would look alike although their numbers differ, as with 1, 2 and a million, heights are ranks.
    """
    shares = _shares(graph, spec)
    if are_ranks(graph, spec):
        different, ranks = np.unique(shares, return_inverse=True)
        shares = (ranks + 1) / len(different)
    return shares.round(4).tolist()


def are_ranks(graph: Graph, spec: Spec) -> bool:
    """Returns whether bars are as high as the ranks of their numbers, not as the numbers."""
    different = np.unique(_shares(graph, spec))
    steps = np.sort(np.diff(different))
    return bool(len(steps) and steps[len(steps) // 4] < ALIKE / len(different))


def _shares(graph: Graph, spec: Spec) -> np.ndarray:
    """Returns how far each number is on the way from the smallest one, or zero, to the largest one."""
    values = graph.values[spec.compared[0].name].astype(float)
    low = min(0.0, float(values.min()))
    return (values - low) / (float(values.max()) - low or 1.0)


def size_text(graph: Graph, algorithm: Algorithm) -> str:
    """Returns how large an input of an algorithm is, in words. An edge that goes both ways counts once if all do."""
    if algorithm.size:
        return algorithm.size(graph)
    thing = "number" if algorithm.layout == "bars" else "node"
    nodes = f"{len(graph)} {thing}{'s' if len(graph) > 1 else ''}"
    loops = int((graph.senders == graph.receivers).sum())
    edges = len(graph.senders)
    if not edges:
        return nodes
    kind = "directed "
    if not not_undirected(graph):
        edges, kind = (edges - loops) // 2 + loops, ""
    return f"{nodes}, {edges} {kind}edge{'s' if edges > 1 else ''}"


def have_heads(spec: Spec) -> bool:
    """Returns whether edges are drawn with heads.

    They are not where the nodes that edges leave stand for something themselves, such as an edge with a weight or the end of
    an activity. There a line only ties them to what they belong to.
    """
    return all(field.name != "inner" for field in spec.inputs)


def notes(graph: Graph, spec: Spec) -> list[str]:
    """Returns for each node its input values as text, such as its key or the name of its gate."""
    found = [""] * len(graph)
    kind = find(spec.algorithm).layout
    if kind == "bars" or (kind == "text" and all(word_at_place(str(name))[0] for name in graph.names)):
        return found  # a bar is called by its number, and a word of a text by its place and itself
    beside = find(spec.algorithm).words.beside
    written = beside(graph) if beside else range(len(graph))
    for field in spec.inputs:
        if field.place == "node" and field.name in graph.values:
            for node, value in enumerate(graph.values[field.name].tolist()):
                if node not in written:
                    continue
                word = _short_number(value) if field.kind == "scalar" else category(spec, field, value)
                found[node] += f" {word}" * bool(word)
    return [note.strip() for note in found]


def _short_number(value: float) -> str:
    """Returns a number that is written beside a node: whole, or with three digits if it is long."""
    text = number_text(value)
    return text if len(text) <= 6 or float(value).is_integer() else f"{value:.3g}"


def _collected(spec: Spec) -> list[dict[str, Any]]:
    """Returns the rules of the outputs that are collected row by row. An output that equals a hint is shown as that hint."""
    outputs = by_name(spec.outputs)
    onward = find(spec.algorithm).words.onward
    return [
        {
            "output": r.output,
            "at": r.at,
            "value": r.value,
            "kind": outputs[r.output].kind,
            "words": _words(spec, outputs[r.output]),
            "onward": r.output in onward,
        }
        for r in spec.collect
        if r.at is not None
    ]


def _field(spec: Spec, field: Field) -> dict[str, Any]:
    words = _words(spec, field) if field.name != "stack_op" else []
    about = find(spec.algorithm).words.pointers.get(field.name, "")
    return {"name": field.name, "place": field.place, "kind": field.kind, "words": words, "about": about}


def _words(spec: Spec, field: Field) -> list[str]:
    """Returns the values of a mask or a category in words; none for other kinds."""
    return [category(spec, field, value) for value in range(2 if field.kind == "mask" else field.categories)]


def _plain(field: Field, values: np.ndarray) -> list:
    """Returns values as a list for JSON; scalars are rounded to four decimals."""
    return [round(float(value), 4) for value in values] if field.kind == "scalar" else values.tolist()


def _changes(field: Field, values: np.ndarray) -> list[list]:
    """Returns for each row after the first a flat list: node, new value, node, new value, …"""
    changes = []
    for before, after in pairwise(values):
        nodes = np.flatnonzero(before != after)
        changes.append(
            [x for node, value in zip(nodes.tolist(), _plain(field, after[nodes]), strict=True) for x in (node, value)]
        )
    return changes
