"""The server of `recursor play`, asked by a plain client."""

import http.client
import json
import threading
from collections.abc import Iterator

import pytest

from recursor.algorithms import ALGORITHMS, find
from recursor.graphs.graph import Graph
from recursor.trace.playground import MOST_BYTES, MOST_NODES, Server, example_of, parse
from recursor.trace.trace import Trace
from tests.trace.executions import traced


def solve(name: str, graph: Graph) -> Trace:
    if name == "quicksort":
        find(name).check(graph)
    return traced(graph, name)


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(0, {"dfs": "dfs", "quicksort": "quicksort"}, solve) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def ask(server: Server, method: str, path: str, body: object = None, **headers: str) -> tuple[int, str, dict[str, str]]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=20)
    data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    kind = {"Content-Type": "application/json"} if data is not None else {}
    connection.request(method, path, data, kind | {name.replace("_", "-"): value for name, value in headers.items()})
    response = connection.getresponse()
    answer = response.status, response.read().decode(), dict(response.getheaders())
    connection.close()
    return answer


def run(graph: str, **changed: object) -> dict[str, object]:
    return {"graph": graph, "model": "dfs", "algorithm": "dfs"} | changed


def test_a_graph_becomes_a_page(server: Server) -> None:
    status, text, _ = ask(server, "POST", "/run", run("a b\nb c\n"))
    assert status == 200, text
    status, text, headers = ask(server, "GET", json.loads(text)["page"])
    assert status == 200
    assert '"names":["a","b","c"]' in text
    assert headers["Content-Security-Policy"] == "frame-ancestors 'self'"


def test_every_algorithm_has_an_example_that_it_is_for() -> None:
    for algorithm in ALGORITHMS.values():
        text = example_of(algorithm)
        graph = parse(text["graph"], undirected=text["undirected"])
        algorithm.check(graph)
        expected = algorithm.example_graph()
        assert list(map(str, expected.names)) == list(map(str, graph.names))
        assert graph.successors == expected.successors
        assert {name: list(values) for name, values in graph.values.items()} == {
            name: list(values) for name, values in expected.values.items()
        }


def test_edges_that_go_both_ways_leave_the_values_alone() -> None:
    graph = parse("# nodes: a b\n# values: key 2 1\na b\n", undirected=True)
    assert graph.values["key"].tolist() == [2, 1]
    assert len(graph.senders) == 2


@pytest.mark.parametrize("path", ["/", "/play.js", "/play.css", "/models"])
def test_everything_is_served_under_a_policy(server: Server, path: str) -> None:
    status, _, headers = ask(server, "GET", path)
    assert status == 200
    assert headers["Content-Security-Policy"].startswith("default-src 'none'; script-src 'self'")
    assert headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(
    "path", ["/nothing", "/trace/", "/trace/x", "/../play.py", "/trace/../../play.py", "/play.py", "//x"]
)
def test_nothing_else_is_there(server: Server, path: str) -> None:
    assert ask(server, "GET", path)[0] == 404


def test_it_listens_on_this_machine_only(server: Server) -> None:
    assert server.server_address[0] == "127.0.0.1"


@pytest.mark.parametrize("host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", ""])
def test_another_name_is_not_answered(server: Server, host: str) -> None:
    host = host.format(port=server.server_port)
    assert ask(server, "GET", "/", Host=host)[0] == 421
    assert ask(server, "POST", "/run", run("a b"), Host=host)[0] == 421


def test_another_site_cannot_run_anything(server: Server) -> None:
    assert ask(server, "POST", "/run", run("a b"), Origin="http://evil.example")[0] == 403
    assert ask(server, "POST", "/run", run("a b"), Origin="null")[0] == 403
    assert ask(server, "POST", "/run", run("a b"), Content_Type="text/plain")[0] == 415
    assert ask(server, "POST", "/run", run("a b"), Origin=f"http://localhost:{server.server_port}")[0] == 200


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (run(""), "your graph: a graph needs at least one node"),
        (run("a b c"), "your graph, line 1: an edge is two names"),
        (run("\n".join(f"{k} {k + 1}" for k in range(MOST_NODES))), f"has {MOST_NODES + 1} nodes; this page takes at most"),
        (run("\n".join(f"{a} {b}" for a in range(75) for b in range(75))), "has 5625 edges"),
        (run("a" * 201), "a name has 201 letters"),
        (run("a b", model="/etc/passwd"), "there is no such model; there are dfs"),
        (run("a b", model=["dfs"]), "there is no such model"),
        (run("a b", algorithm="bfs"), "dfs executes dfs"),
        (run("a b", model="quicksort", algorithm="quicksort"), "quicksort needs a value 'key' of every node"),
        (run("") | {"graph": 7}, "the graph must be a text"),
        ([], "a request must be an object"),
        (b"{", "a request must be JSON"),
        (b"[" * 100_000, "a request must be JSON"),
        (b'"' + b"x" * MOST_BYTES + b'"', "larger than the 200 kB"),
    ],
)
def test_a_bad_request_is_refused_in_a_sentence(server: Server, request_: object, message: str) -> None:
    status, text, _ = ask(server, "POST", "/run", request_)
    assert 400 <= status < 500
    assert message in json.loads(text)["error"]
    assert "/tmp" not in text
    assert ask(server, "GET", "/models")[0] == 200, "and the server goes on"


def test_names_are_those_of_edge_lists() -> None:
    assert list(parse("ä b[1]\n").names) == ["ä", "b[1]"]


def test_undirected_edges_go_both_ways() -> None:
    assert parse("b a\nb b\n", undirected=True) == parse("# undirected\nb a\nb b\n")
