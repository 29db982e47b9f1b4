"""A local page on which a person draws or pastes a graph and watches a model run on it.

The server listens on 127.0.0.1 only. It answers nobody who calls it by another name (so no other site can reach it through
a name of its own), takes no more than a small graph, and its pages may load nothing from elsewhere.
"""

import json
import secrets
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import replace
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np

from recursor.algorithms import find
from recursor.graphs.conditions import not_undirected
from recursor.graphs.graph import Graph, from_edges
from recursor.graphs.reading import GraphError, read_graph
from recursor.recording.algorithm import Algorithm
from recursor.trace.page import page
from recursor.trace.trace import Trace

HERE = Path(__file__).parent
MOST_BYTES, MOST_NODES, MOST_EDGES, MOST_LETTERS = 200_000, 200, 5_000, 200
KEPT = 8  # pages that were made last
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
FILES = {
    "/": ("play.html", "text/html; charset=utf-8"),
    "/play.js": ("play.js", "text/javascript; charset=utf-8"),
    "/play.css": ("play.css", "text/css; charset=utf-8"),
}


class Refused(Exception):  # noqa: N818 (it is an answer)
    """A request that is not answered, and why not."""

    def __init__(self, status: HTTPStatus, why: str) -> None:
        super().__init__(why)
        self.status = status


Solve = Callable[[str, Graph], Trace]
"""Runs the model of that name on a graph."""


def example_of(algorithm: Algorithm) -> dict[str, Any]:
    """Writes an algorithm's example as the text that the page begins with.

    Args:
        algorithm: Any algorithm.

    Returns:
        `graph`, an edge list, and `undirected`, whether each of its edges goes both ways.
    """
    graph = algorithm.example_graph()
    ends = list(zip(graph.senders.tolist(), graph.receivers.tolist(), strict=True))
    undirected = bool(ends) and not not_undirected(graph)
    if undirected:
        ends = [(a, b) for a, b in ends if a <= b]
    names = [str(name) for name in graph.names]
    lines = [f"{names[a]} {names[b]}" for a, b in ends]
    if graph.values or [*dict.fromkeys(" ".join(lines).split())] != names:
        lines.insert(0, f"# nodes: {' '.join(names)}")
    for place, (name, values) in enumerate(graph.values.items(), 1):
        lines.insert(place, " ".join(["# values:", name, *map(str, values.tolist())]))
        if words := algorithm.words.categories.get(name):
            lines.insert(place, f"# {name}: {', '.join(f'{k} is {word}' for k, word in enumerate(words))}")
    return {"graph": "".join(f"{line}\n" for line in lines), "undirected": undirected}


class Server(ThreadingHTTPServer):
    """The server of the page; `models` names what can be run, each with its algorithm."""

    daemon_threads = True

    def __init__(self, port: int, models: Mapping[str, str], solve: Solve) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.models, self.solve = models, solve
        self.pages: OrderedDict[str, str] = OrderedDict()
        self.running = threading.Lock()  # one execution at a time

    @property
    def hosts(self) -> set[str]:
        """How this server may be called."""
        return {f"{name}:{self.server_port}" for name in ("127.0.0.1", "localhost")}

    def run(self, request: Any) -> dict[str, str]:
        """Answers a request to run a model: where its page is."""
        if not isinstance(request, dict):
            raise Refused(HTTPStatus.BAD_REQUEST, "a request is an object with model, algorithm and graph")
        model, text = request.get("model"), request.get("graph")
        if not isinstance(model, str) or model not in self.models:
            raise Refused(HTTPStatus.BAD_REQUEST, f"there is no such model; there are {', '.join(self.models)}")
        if request.get("algorithm") != self.models[model]:
            raise Refused(HTTPStatus.BAD_REQUEST, f"{model} executes {self.models[model]}, nothing else")
        if not isinstance(text, str):
            raise Refused(HTTPStatus.BAD_REQUEST, "the graph is a text, one edge a line")
        graph = parse(text, undirected=request.get("undirected") is True)
        try:
            with self.running:
                made = page([self.solve(model, graph)], "your graph")
        except ValueError as error:  # a graph that the algorithm is not for, or one that is too large
            raise Refused(HTTPStatus.BAD_REQUEST, str(error)) from None
        name = secrets.token_urlsafe(12)
        self.pages[name] = made
        while len(self.pages) > KEPT:
            self.pages.popitem(last=False)
        return {"page": f"/trace/{name}"}


def parse(text: str, *, undirected: bool = False) -> Graph:
    """The graph of an edge list, if it is small enough to be looked at; undirected: with each edge the other way too."""
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "graph.txt"
        file.write_bytes(text.encode("utf-8", "replace"))
        try:
            graph = read_graph(file)
        except GraphError as error:
            raise Refused(HTTPStatus.BAD_REQUEST, str(error).replace(str(file), "your graph")) from None
    if undirected:
        ends = np.concatenate([graph.senders, graph.receivers]), np.concatenate([graph.receivers, graph.senders])
        graph = replace(from_edges(*ends, len(graph), names=graph.names), values=graph.values)
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


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    server: Server  # pyright: ignore[reportIncompatibleVariableOverride]
    server_version, sys_version = "recursor", ""
    timeout = 30

    def do_GET(self) -> None:
        self._answer(self._get)

    def do_POST(self) -> None:
        self._answer(self._post)

    def _answer(self, act: Callable[[], None]) -> None:
        try:
            self._check_host()
            act()
        except Refused as error:
            self._send(error.status, "application/json", json.dumps({"error": str(error)}))
        except ConnectionError:
            pass  # nobody waits any more

    def _check_host(self) -> None:
        if self.headers.get("Host", "") not in self.server.hosts:
            raise Refused(
                HTTPStatus.MISDIRECTED_REQUEST, f"this is {min(self.server.hosts)}, and no other name of it is known"
            )

    def _get(self) -> None:
        kept = self.server.pages.get(self.path.removeprefix("/trace/")) if self.path.startswith("/trace/") else None
        if kept is not None:  # it brings a policy of its own, which is narrower
            self._send(HTTPStatus.OK, "text/html; charset=utf-8", kept, policy="frame-ancestors 'self'")
        elif self.path == "/models":
            examples = {name: example_of(find(name)) for name in set(self.server.models.values())}
            offered = {"models": dict(self.server.models), "examples": examples}
            self._send(HTTPStatus.OK, "application/json", json.dumps(offered))
        elif self.path in FILES:
            name, kind = FILES[self.path]
            self._send(HTTPStatus.OK, kind, (HERE / name).read_text("utf-8"))
        else:
            raise Refused(HTTPStatus.NOT_FOUND, "there is no such page")

    def _post(self) -> None:
        if self.path != "/run":
            raise Refused(HTTPStatus.NOT_FOUND, "there is no such page")
        origin = self.headers.get("Origin")
        if origin is not None and origin.removeprefix("http://") not in self.server.hosts:
            raise Refused(HTTPStatus.FORBIDDEN, "other sites may not run anything here")
        if self.headers.get("Content-Type", "").partition(";")[0].strip() != "application/json":
            raise Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "a request is JSON")
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()):
            raise Refused(HTTPStatus.LENGTH_REQUIRED, "a request says how long it is")
        if int(length) > MOST_BYTES:
            self.rfile.read(min(int(length), 10 * MOST_BYTES))  # or the browser would not hear why
            raise Refused(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                f"your graph is larger than the {MOST_BYTES // 1000} kB that this page takes",
            )
        try:
            request = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            raise Refused(HTTPStatus.BAD_REQUEST, "a request is JSON") from None
        try:
            answer = self.server.run(request)
        except (ValueError, ArithmeticError, OSError) as error:
            raise Refused(HTTPStatus.BAD_REQUEST, str(error)) from None
        self._send(HTTPStatus.OK, "application/json", json.dumps(answer))

    def _send(self, status: HTTPStatus, kind: str, text: str, policy: str = POLICY) -> None:
        body = text.encode("utf-8", "replace")
        self.send_response(status)
        headers = {
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            "Content-Security-Policy": policy,
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Cache-Control": "no-store",
            "Connection": "close",
        }
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (http.server's name)
        """Says nothing: the terminal is the person's."""
