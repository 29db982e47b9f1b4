"""Activity selection by the greedy way: as many activities as possible of which no two overlap. A loop, as tail recursion.

An activity is two moments: a node for its start and a node for its end, with an edge from the end to the start. `key` is
when they are. Ends are looked at in the order of time; an activity is `selected` if it does not start before the `last`
selected one has ended. No call needs a frame: the stack stays flat.
"""

from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from recursor.algorithms.pictures import counted
from recursor.graphs.activities import (
    SHAPES,
    all_activities,
    any_activities,
    as_activities,
    not_activities,
    read_activities,
)
from recursor.graphs.files import read_columns
from recursor.graphs.graph import Graph
from recursor.recording.algorithm import Algorithm
from recursor.recording.picture import Picture, listed
from recursor.recording.recorder import Recorder
from recursor.recording.words import SEEN, Words
from recursor.spec import Collect, Field


def activity_selector(graph: Graph, record: Recorder) -> dict:
    selected, seen = record.nodes(selected_h=[0] * len(graph), seen=[0] * len(graph))
    order = np.argsort(graph.values["key"], kind="stable").tolist()
    rank = {node: place for place, node in enumerate(order)}
    ends = [node for node in order if graph.successors[node]]

    @record.recursive
    def look(call, m, last):
        call.u, call.last, seen[ends[m]] = ends[m], last, 1
        record.step()
        (start,) = graph.successors[call.u]
        fits = last < 0 or rank[start] > rank[last]
        return record.tail(select, m) if fits else record.tail(next_one, m + 1, last)

    @record.recursive
    def select(call, m):
        call.u = call.last = u = ends[m]
        selected[u] = 1
        record.step()
        return record.tail(next_one, m + 1, u)

    @record.recursive
    def next_one(call, m, last):
        return record.tail(look, m, last) if m < len(ends) else None

    record.step()
    next_one(0, -1)
    return {"selected": list(selected)}


def in_time(graph: Graph, outputs: Mapping[str, np.ndarray]) -> list[Hashable]:
    """Returns the names of the selected activities, which are those of their ends, in the order of time."""
    chosen = np.flatnonzero(outputs["selected"])
    return [graph.names[node] for node in chosen[np.argsort(graph.values["key"][chosen], kind="stable")]]


def picture(graph: Graph, outputs: Mapping[str, np.ndarray]) -> Picture:
    """Returns the picture of the selected activities."""
    chosen = np.flatnonzero(outputs["selected"]).tolist()
    sentence = f"{counted(len(chosen), 'activity', 'activities')} of {len(graph.senders)}: {listed(in_time(graph, outputs))}"
    selected = [(end, start) for end in chosen for start in graph.successors[end]]
    nodes = [node for edge in selected for node in edge]
    return Picture(sentence, nodes=nodes, node_word="start and end", edges=selected, edge_word="selected activity")


def from_times(source: Any) -> Graph | None:
    """Returns the graph of activities: a dictionary of their starts and ends, a list of such pairs, or a file with a name, a
    start and an end a line; else None."""
    if isinstance(source, str | Path):
        lines = read_columns(Path(source))
        return None if lines is None else as_activities(read_activities(lines))
    if isinstance(source, list) and source and all(isinstance(times, tuple) for times in source):
        return as_activities(dict(enumerate(source)))
    return as_activities(source) if isinstance(source, Mapping) else None


ACTIVITY_SELECTOR = Algorithm(
    name="activity_selector",
    title="Activity selection",
    summary="As many activities as possible of which no two overlap.",
    function=activity_selector,
    inputs=("pos", "A", "adj", "inner", Field("key", "node", "scalar")),
    shared=(Field("selected_h", "node", "mask"), Field("seen", "node", "mask")),
    call=(Field("u", "graph", "pointer", null=True), Field("last", "graph", "pointer", null=True)),
    outputs=(Field("selected", "node", "mask"),),
    collect=(Collect("selected", at=None, value="selected_h"),),
    views={"discrete": ("u", "last", "selected_h", "seen", "stack_op")},
    train=any_activities,
    test=SHAPES["random"],
    unfit=not_activities,
    from_source=from_times,
    words=Words(
        meanings={"key": "the times at which activities start and end", "selected": "whether the activity is selected"},
        source="activities: a start and an end by name, or a file with a name, a start and an end a line",
        answer="the selected activities, a list of names",
        categories=SEEN | {"selected_h": ("not selected", "selected")},
        pointers={"u": "end to look at", "last": "end of the last selected"},
    ),
    example=lambda: as_activities({"swim": (8, 10), "talk": (9, 11), "lunch": (11, 13), "walk": (10, 14), "tea": (13, 15)}),
    layout="times",
    size=lambda graph: counted(len(graph.senders), "activity", "activities"),
    others=SHAPES,
    small_inputs=all_activities,
    small_size=6,
    answer=in_time,
    picture=picture,
)
