"""The playground: what the page of `recursor play` asks for. `serving.py` has the server.

A request is small, waits in a queue of bounded length, and has a time limit. One that nobody waits for any more is dropped.
"""

import math
import queue
import re
import tempfile
import threading
import time
import traceback
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from pathlib import Path
from typing import Any

import numpy as np

from recursor.algorithms import find
from recursor.graphs.conditions import not_undirected
from recursor.graphs.graph import Graph, from_edges
from recursor.graphs.reading import GraphError, as_graph
from recursor.recording.algorithm import Algorithm
from recursor.trace.data import have_heads, page_data
from recursor.trace.layout import layout
from recursor.trace.page import page
from recursor.trace.texts import example_text, from_text, words_of
from recursor.trace.trace import Trace

MOST_NODES, MOST_EDGES, MOST_LETTERS, MOST_TEXT = 200, 5_000, 200, 150_000
WAITING = 8  # requests that may wait; more are refused
SECONDS = 60.0  # that a request may take, waiting included
KEPT = 8  # the newest traces, which can be saved as pages


class Refused(Exception):  # noqa: N818 (it becomes an HTTP answer)
    """A request that is refused, with the HTTP status and the reason."""

    def __init__(self, status: HTTPStatus, why: str) -> None:
        super().__init__(why)
        self.status = status


class Dropped(Exception):  # noqa: N818 (it is no error)
    """Ends an execution that nobody waits for any more."""


Check = Callable[[], None]
"""Is called from time to time; raises `Dropped` if nobody waits any more."""
Solve = Callable[[str, Graph, Check], Trace]
"""Runs the model with the given name on a graph."""


@dataclass
class Job:
    """A request that waits or runs."""

    work: Callable[[Check], Any]
    done: threading.Event = field(default_factory=threading.Event)
    dropped: bool = False
    result: Any = None
    error: BaseException | None = None

    def check(self) -> None:
        if self.dropped:
            raise Dropped


class Worker:
    """Runs one job at a time, in a thread of its own. At most `WAITING` wait."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self.seconds = seconds
        self.jobs: queue.Queue[Job] = queue.Queue(WAITING)
        threading.Thread(target=self._work, daemon=True).start()

    def run(self, work: Callable[[Check], Any], wanted: Callable[[], bool] = lambda: True) -> Any:
        """Returns what the work returns.

        Args:
            work: Is called with a function that it calls from time to time.
            wanted: Whether somebody still waits for the result.

        Returns:
            The result.

        Raises:
            Refused: If too many requests wait, the time is over, or nobody waits any more.
        """
        job = Job(work)
        try:
            self.jobs.put_nowait(job)
        except queue.Full:
            raise Refused(
                HTTPStatus.SERVICE_UNAVAILABLE, f"{WAITING} requests are already waiting; try again in a few seconds"
            ) from None
        end = time.monotonic() + self.seconds
        while not job.done.wait(0.05):
            if time.monotonic() > end:
                job.dropped = True
                raise Refused(HTTPStatus.GATEWAY_TIMEOUT, f"this took longer than {self.seconds:g} seconds and was stopped")
            if not wanted():
                job.dropped = True
                raise Refused(HTTPStatus.REQUEST_TIMEOUT, "the client has closed the connection")
        if job.error:
            raise job.error
        return job.result

    def _work(self) -> None:
        while True:
            job = self.jobs.get()
            try:
                if not job.dropped:
                    job.result = job.work(job.check)
            except BaseException as error:  # it is raised again where the request is answered
                job.error = error
            job.done.set()


def as_sentence(error: BaseException) -> Refused:
    """Returns any failure as a refusal with a sentence. What no sentence was written for is printed in the terminal too."""
    if isinstance(error, Refused):
        return error
    if isinstance(error, ValueError | ArithmeticError | OSError):
        return Refused(HTTPStatus.BAD_REQUEST, str(error) or type(error).__name__)
    if isinstance(error, MemoryError):
        return Refused(HTTPStatus.INSUFFICIENT_STORAGE, "there is not enough memory for this graph")
    traceback.print_exception(error)
    kind = f"{type(error).__name__}: {error}"[:300]
    return Refused(
        HTTPStatus.INTERNAL_SERVER_ERROR, f"the server made a mistake ({kind}); the terminal of recursor play shows where"
    )


class Playground:
    """Answers the requests of the page. `models` maps the name of each model to its algorithm."""

    def __init__(self, models: Mapping[str, str], solve: Solve, seconds: float = SECONDS) -> None:
        self.models, self.solve, self.worker = models, solve, Worker(seconds)
        self.traces: OrderedDict[int, Trace] = OrderedDict()
        self.number = 0

    def describe(self) -> dict[str, Any]:
        """Returns the models, and of each algorithm what the page has to know."""
        return {"models": dict(self.models), "algorithms": {name: describe(find(name)) for name in self.models.values()}}

    def run(self, request: Any, wanted: Callable[[], bool] = lambda: True) -> dict[str, Any]:
        """Runs a model as a request asks, and returns the data of the trace. Refuses a bad request."""
        if not isinstance(request, dict):
            raise Refused(HTTPStatus.BAD_REQUEST, "a request must be an object with model, algorithm and graph")
        model, text = request.get("model"), request.get("graph")
        if not isinstance(model, str) or model not in self.models:
            raise Refused(HTTPStatus.BAD_REQUEST, f"there is no such model; there are {', '.join(self.models)}")
        if request.get("algorithm") != self.models[model]:
            raise Refused(HTTPStatus.BAD_REQUEST, f"{model} executes {self.models[model]}, nothing else")
        if not isinstance(text, str):
            raise Refused(HTTPStatus.BAD_REQUEST, "the graph must be a text with one edge per line")
        algorithm = find(self.models[model])
        graph = parse(text, algorithm, undirected=request.get("undirected") is True)
        algorithm.check(graph)
        trace = self.worker.run(lambda check: self.solve(model, graph, check), wanted)
        self.number += 1
        self.traces[self.number] = trace
        while len(self.traces) > KEPT:
            self.traces.popitem(last=False)
        return {"data": page_data([trace], "your graph"), "page": self.number}

    def page(self, number: str) -> str:
        """Returns one of the newest traces as a page of its own."""
        trace = self.traces.get(int(number)) if number.isascii() and number.isdigit() and len(number) < 10 else None
        if trace is None:
            raise Refused(HTTPStatus.NOT_FOUND, f"there is no such page; the newest {KEPT} are kept")
        return page([trace], "a graph from the playground")


def describe(algorithm: Algorithm) -> dict[str, Any]:
    """Returns what the page has to know of an algorithm: its words, its example, and the values that nodes have."""
    return {
        "title": algorithm.title,
        "summary": algorithm.summary,
        "layout": algorithm.layout,
        "heads": have_heads(algorithm.spec(algorithm.exact_view)),
        "written": example_text(algorithm) is not None,
        "values": algorithm.node_values,
        "example": example_of(algorithm),
    }


def example_of(algorithm: Algorithm) -> dict[str, Any]:
    """Returns an algorithm's example as the text that the page starts with.

    Args:
        algorithm: Any algorithm.

    Returns:
        `graph`, an edge list, numbers, or a text; `undirected`, whether each of its edges goes both ways; `places`, where
        each node is drawn; and of a text `names` and `notes`, what is in and below its nodes.
    """
    graph = algorithm.example_graph()
    places = (1000 * layout(graph, algorithm.layout)).round().astype(int).tolist()
    if (text := example_text(algorithm)) is not None:
        names = [str(name) for name in graph.names]
        return {
            "graph": f"{text}\n",
            "undirected": False,
            "places": places,
            "names": names,
            "notes": words_of(graph, algorithm),
        }
    ends = list(zip(graph.senders.tolist(), graph.receivers.tolist(), strict=True))
    undirected = bool(ends) and not not_undirected(graph)
    if undirected:
        ends = [(a, b) for a, b in ends if a <= b]
    names = [str(name) for name in graph.names]
    lines = [f"{names[a]} {names[b]}" for a, b in ends]
    if algorithm.layout == "bars" and (numbers := algorithm.numbers):
        lines = [" ".join(map(str, graph.values[numbers].tolist()))]
    elif algorithm.node_values or [*dict.fromkeys(" ".join(lines).split())] != names:
        lines.insert(0, f"# nodes: {' '.join(names)}")
        for place, (name, words) in enumerate(algorithm.node_values.items(), 1):
            values = graph.values[name].tolist()
            column = [words[int(value)] for value in values] if words else map(str, values)
            lines.insert(place, " ".join(["# values:", name, *column]))
    return {"graph": "".join(f"{line}\n" for line in lines), "undirected": undirected, "places": places}


def _require_numbers(text: str) -> None:
    """Refuses a text in which something else stands than finite numbers."""
    for word in re.split(r"[\s,;]+", text.strip()):
        try:
            finite = math.isfinite(float(word))
        except ValueError:
            finite = False
        if not finite:
            raise Refused(HTTPStatus.BAD_REQUEST, f"{word!r} is not a finite number; write numbers with spaces between them")


def parse(text: str, algorithm: Algorithm, *, undirected: bool = False) -> Graph:
    """Returns the graph of an edge list, of numbers if the algorithm sorts, or of a text if it reads texts. Refuses one that
    is too large. `undirected` adds the reverse of each edge."""
    if len(text) > MOST_TEXT:
        raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a graph has at most {MOST_TEXT} letters here")
    if not text.lstrip().startswith("#") and (example := example_text(algorithm)) is not None:
        if (own := from_text(text, algorithm)) is None:
            raise Refused(HTTPStatus.BAD_REQUEST, f"this cannot be read; write it like the example, {example!r}")
        return _of_bearable_size(own)
    if algorithm.numbers and not text.lstrip().startswith("#"):
        _require_numbers(text)
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "graph.txt"
        file.write_bytes(text.encode("utf-8", "replace"))
        try:
            graph = as_graph(file, values=algorithm.node_values, numbers=algorithm.numbers)
        except GraphError as error:
            message = str(error).partition(" (so use")[0]  # the advice is for commands and for Python
            raise Refused(HTTPStatus.BAD_REQUEST, message.replace(str(file), "your graph")) from None
    if undirected:
        ends = np.concatenate([graph.senders, graph.receivers]), np.concatenate([graph.receivers, graph.senders])
        graph = replace(from_edges(*ends, len(graph), names=graph.names), values=graph.values)
    return _of_bearable_size(graph)


def _of_bearable_size(graph: Graph) -> Graph:
    """Returns a graph that the page can show. Refuses a larger one."""
    if len(graph) > MOST_NODES:
        raise Refused(HTTPStatus.BAD_REQUEST, f"your graph has {len(graph)} nodes; this page takes at most {MOST_NODES}")
    if len(graph.senders) > MOST_EDGES:
        raise Refused(
            HTTPStatus.BAD_REQUEST,
            f"your graph has {len(graph.senders)} edges, each direction counted; this page takes at most {MOST_EDGES}",
        )
    longest = max(len(str(name)) for name in graph.names)
    if longest > MOST_LETTERS:
        raise Refused(
            HTTPStatus.BAD_REQUEST, f"a name has {longest} letters; this page takes names of at most {MOST_LETTERS}"
        )
    return graph
