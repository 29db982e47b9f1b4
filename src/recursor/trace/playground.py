"""The playground: a local page on which you draw or paste a graph and watch a model run on it.

The server listens on 127.0.0.1 only. It refuses requests with another host name, which prevents DNS rebinding. It accepts
small graphs only, and its pages load nothing from other servers.
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
KEPT = 8  # the newest pages, which are kept in memory
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
FILES = {
    "/": ("play.html", "text/html; charset=utf-8"),
    "/play.js": ("play.js", "text/javascript; charset=utf-8"),
    "/play.css": ("play.css", "text/css; charset=utf-8"),
}


class Refused(Exception):  # noqa: N818 (it becomes an HTTP answer)
    """A request that is refused, with the HTTP status and the reason."""

    def __init__(self, status: HTTPStatus, why: str) -> None:
        super().__init__(why)
        self.status = status


Solve = Callable[[str, Graph], Trace]
"""Runs the model with the given name on a graph."""


def example_of(algorithm: Algorithm) -> dict[str, Any]:
    """Returns an algorithm's example as the text that the page starts with.

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
    """The server of the page. `models` maps the name of each model to its algorithm."""

    daemon_threads = True

    def __init__(self, port: int, models: Mapping[str, str], solve: Solve) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.models, self.solve = models, solve
        self.pages: OrderedDict[str, str] = OrderedDict()
        self.running = threading.Lock()  # one execution at a time

    @property
    def hosts(self) -> set[str]:
        """The host names that requests may use."""
        return {f"{name}:{self.server_port}" for name in ("127.0.0.1", "localhost")}

    def run(self, request: Any) -> dict[str, str]:
        """Runs a model as a request asks, and returns the address of the trace page. Refuses a bad request."""
        if not isinstance(request, dict):
            raise Refused(HTTPStatus.BAD_REQUEST, "a request must be an object with model, algorithm and graph")
        model, text = request.get("model"), request.get("graph")
        if not isinstance(model, str) or model not in self.models:
            raise Refused(HTTPStatus.BAD_REQUEST, f"there is no such model; there are {', '.join(self.models)}")
        if request.get("algorithm") != self.models[model]:
            raise Refused(HTTPStatus.BAD_REQUEST, f"{model} executes {self.models[model]}, nothing else")
        if not isinstance(text, str):
            raise Refused(HTTPStatus.BAD_REQUEST, "the graph must be a text with one edge per line")
        graph = parse(text, undirected=request.get("undirected") is True)
        try:
            with self.running:
                html = page([self.solve(model, graph)], "your graph")
        except ValueError as error:  # the algorithm does not accept the graph, or the graph is too large
            raise Refused(HTTPStatus.BAD_REQUEST, str(error)) from None
        name = secrets.token_urlsafe(12)
        self.pages[name] = html
        while len(self.pages) > KEPT:
            self.pages.popitem(last=False)
        return {"page": f"/trace/{name}"}


def parse(text: str, *, undirected: bool = False) -> Graph:
    """Returns the graph of an edge list. Refuses one that is too large. `undirected` adds the reverse of each edge."""
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
            pass  # the browser has closed the connection

    def _check_host(self) -> None:
        if self.headers.get("Host", "") not in self.server.hosts:
            raise Refused(HTTPStatus.MISDIRECTED_REQUEST, f"this server answers as {min(self.server.hosts)} only")

    def _get(self) -> None:
        trace_page = self.server.pages.get(self.path.removeprefix("/trace/")) if self.path.startswith("/trace/") else None
        if trace_page is not None:  # the page itself contains a stricter policy
            self._send(HTTPStatus.OK, "text/html; charset=utf-8", trace_page, policy="frame-ancestors 'self'")
        elif self.path == "/models":
            examples = {name: example_of(find(name)) for name in set(self.server.models.values())}
            answer = {"models": dict(self.server.models), "examples": examples}
            self._send(HTTPStatus.OK, "application/json", json.dumps(answer))
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
            raise Refused(HTTPStatus.FORBIDDEN, "other sites may not send requests to this server")
        if self.headers.get("Content-Type", "").partition(";")[0].strip() != "application/json":
            raise Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "a request must be JSON")
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()):
            raise Refused(HTTPStatus.LENGTH_REQUIRED, "a request must have a Content-Length")
        if int(length) > MOST_BYTES:
            self.rfile.read(min(int(length), 10 * MOST_BYTES))  # otherwise the browser does not read the answer
            raise Refused(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                f"your graph is larger than the {MOST_BYTES // 1000} kB that this page takes",
            )
        try:
            request = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            raise Refused(HTTPStatus.BAD_REQUEST, "a request must be JSON") from None
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
        """Logs nothing, so that requests do not fill the terminal."""
