"""The server of `recursor play`, asked by a plain client."""

import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from recursor.algorithms import ALGORITHMS, find
from recursor.graphs.graph import Graph
from recursor.recording.algorithm import Algorithm
from recursor.trace.playground import MOST_NODES, WAITING, Check, Playground, Refused, describe, example_of, parse
from recursor.trace.serving import CONNECTIONS, MOST_BYTES, Server
from recursor.trace.texts import words_of
from recursor.trace.trace import Trace, recorded, trace

DFS = find("dfs")


def solve(name: str, graph: Graph, check: Check) -> Trace:
    """The classical execution in place of a network's. Some nodes' names make it slow, or fail."""
    if "broken" in map(str, graph.names):
        raise KeyError("broken")
    while "slow" in map(str, graph.names):
        time.sleep(0.01)
        check()
    algorithm: Algorithm = find(name)
    spec = algorithm.spec(algorithm.exact_view).halting()
    return trace(recorded(spec, graph).execution, spec, name)


def serve(seconds: float = 60.0) -> Iterator[Server]:
    with Server(0, Playground({name: name for name in ALGORITHMS}, solve, seconds)) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def server() -> Iterator[Server]:
    yield from serve()


@pytest.fixture
def hasty() -> Iterator[Server]:
    yield from serve(0.3)


def ask(
    server: Server, method: str, path: str, body: object = None, *, token: str | None = None, **headers: str
) -> tuple[int, str, dict[str, str]]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=20)
    data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    sent = {"X-Token": server.token if token is None else token}
    sent |= {"Content-Type": "application/json"} if data is not None else {}
    connection.request(method, path, data, sent | {name.replace("_", "-"): value for name, value in headers.items()})
    response = connection.getresponse()
    answer = response.status, response.read().decode(), dict(response.getheaders())
    connection.close()
    return answer


def run(graph: str, **changed: object) -> dict[str, object]:
    return {"graph": graph, "model": "dfs", "algorithm": "dfs"} | changed


def test_a_graph_becomes_a_trace_and_a_page(server: Server) -> None:
    status, text, _ = ask(server, "POST", "/run", run("a b\nb c\n"))
    assert status == 200, text
    answer = json.loads(text)
    assert answer["data"]["names"] == ["a", "b", "c"]
    assert answer["data"]["traces"][0]["verdict"][0] == "right"
    status, text, headers = ask(server, "GET", f"/page/{answer['page']}?token={server.token}", token="")
    assert status == 200
    assert '"names":["a","b","c"]' in text
    assert headers["Content-Disposition"].startswith("attachment")


@pytest.mark.parametrize("name", ALGORITHMS)
def test_the_example_of_every_algorithm_runs(name: str, server: Server) -> None:
    about = json.loads(ask(server, "GET", "/models")[1])["algorithms"][name]
    example = about["example"]
    request = run(example["graph"], model=name, algorithm=name, undirected=example["undirected"])
    status, text, _ = ask(server, "POST", "/run", request)
    assert status == 200, text
    assert len(example["places"]) == len(json.loads(text)["data"]["names"])


def test_only_whoever_knows_the_token_is_answered(server: Server) -> None:
    assert server.address.endswith(f"/?token={server.token}")
    assert len(server.token) >= 32
    for token in ("", "wrong", server.token[:-1], server.token + "x", "ä"):
        for method, path, body in (("GET", "/", None), ("GET", "/models", None), ("POST", "/run", run("a b"))):
            status, text, _ = ask(server, method, path, body, token=token.encode("utf-8").decode("latin-1"))
            assert status == 403
            assert "token" in json.loads(text)["error"]
            assert server.token not in text
    assert ask(server, "GET", f"/?token={server.token}", token="")[0] == 200


def test_numbers_are_sorted(server: Server) -> None:
    status, text, _ = ask(server, "POST", "/run", run("3 1\n2.5, -4", model="quicksort", algorithm="quicksort"))
    assert status == 200, text
    assert json.loads(text)["data"]["traces"][0]["answer"]["sentence"] == "-4, 1, 2.5, 3"


def test_a_failure_that_nobody_foresaw_is_a_sentence(server: Server, capsys: pytest.CaptureFixture) -> None:
    status, text, _ = ask(server, "POST", "/run", run("broken b"))
    assert status == 500
    assert "the server made a mistake (KeyError: 'broken')" in json.loads(text)["error"]
    assert "Traceback" in capsys.readouterr().err, "the terminal shows where"
    assert ask(server, "POST", "/run", run("a b"))[0] == 200, "and the server goes on"


def test_a_request_has_a_time_limit(hasty: Server) -> None:
    status, text, _ = ask(hasty, "POST", "/run", run("slow b"))
    assert status == 504
    assert "longer than 0.3 seconds" in json.loads(text)["error"]
    assert ask(hasty, "POST", "/run", run("a b"))[0] == 200, "what was stopped is out of the way"


def post(server: Server, graph: str) -> socket.socket:
    """Sends a request and does not wait for its answer."""
    body = json.dumps(run(graph)).encode()
    client = socket.create_connection(("127.0.0.1", server.server_port), timeout=20)
    head = f"POST /run HTTP/1.0\r\nHost: 127.0.0.1:{server.server_port}\r\nX-Token: {server.token}\r\n"
    client.sendall(f"{head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
    return client


def test_an_abandoned_request_is_dropped(server: Server) -> None:
    post(server, "slow b").close()
    assert ask(server, "POST", "/run", run("a b"))[0] == 200, "the slow one would have run for ever"


def test_only_so_many_requests_wait(server: Server) -> None:
    clients = [post(server, "slow b")]
    jobs = server.playground.worker.jobs
    until(lambda: jobs.qsize() == 0 and jobs.unfinished_tasks > 0)
    clients += [post(server, "a slow") for _ in range(WAITING)]
    until(lambda: jobs.full())
    status, text, _ = ask(server, "POST", "/run", run("a b"))
    assert status == 503
    assert "try again" in json.loads(text)["error"]
    for client in clients:
        client.close()
    until(lambda: ask(server, "POST", "/run", run("a b"))[0] == 200)


def test_only_so_many_connections_are_open(server: Server) -> None:
    clients = [socket.create_connection(("127.0.0.1", server.server_port), timeout=20) for _ in range(CONNECTIONS)]
    until(lambda: not server.slots._value)
    last = socket.create_connection(("127.0.0.1", server.server_port), timeout=20)
    assert b"too many connections" in last.makefile("rb").read()
    for client in (*clients, last):
        client.close()
    until(lambda: server.slots._value == CONNECTIONS)
    assert ask(server, "GET", "/models")[0] == 200


def until(condition) -> None:
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.parametrize("length", ["9" * 5000, "99999999999", "-1", "1e9", "", "٣"])
def test_an_odd_length_is_refused_in_a_sentence(server: Server, length: str) -> None:
    client = socket.create_connection(("127.0.0.1", server.server_port), timeout=20)
    head = f"POST /run HTTP/1.0\r\nHost: 127.0.0.1:{server.server_port}\r\nX-Token: {server.token}\r\n"
    client.sendall(f"{head}Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n".encode())
    answer = client.makefile("rb").read()
    client.close()
    assert answer.startswith((b"HTTP/1.0 411", b"HTTP/1.0 413"))
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["error"]


@pytest.mark.parametrize("text", [b"PUT / HTTP/1.0\r\n\r\n", b"\x16\x03\x01\x02\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n"])
def test_what_is_no_request_is_answered_in_a_sentence(server: Server, text: bytes) -> None:
    client = socket.create_connection(("127.0.0.1", server.server_port), timeout=20)
    client.sendall(text)
    assert b"the playground does not answer such a request" in client.makefile("rb").read()
    client.close()


def test_every_algorithm_has_an_example_that_it_is_for() -> None:
    for algorithm in ALGORITHMS.values():
        text = example_of(algorithm)
        graph = parse(text["graph"], algorithm, undirected=text["undirected"])
        algorithm.check(graph)
        expected = algorithm.example_graph()
        if algorithm.layout != "bars":  # which are called by their numbers
            assert list(map(str, expected.names)) == list(map(str, graph.names))
        assert graph.successors == expected.successors
        assert {name: list(values) for name, values in graph.values.items()} == {
            name: list(values) for name, values in expected.values.items()
        }


def test_an_example_says_only_what_its_algorithm_asks_for() -> None:
    circuit = find("circuit")
    graph = circuit.example_graph()
    gates = {"gate": graph.values["gate"].astype(float), "price": np.ones(len(graph))}
    text = example_of(replace(circuit, example=lambda: replace(graph, values=gates)))
    assert text["graph"] == example_of(circuit)["graph"]


def test_edges_that_go_both_ways_leave_the_values_alone() -> None:
    graph = parse("# nodes: a b\n# values: key 2 1\na b\n", DFS, undirected=True)
    assert graph.values["key"].tolist() == [2, 1]
    assert len(graph.senders) == 2


@pytest.mark.parametrize("path", ["/", "/models"])
def test_everything_is_served_under_a_policy(server: Server, path: str) -> None:
    status, _, headers = ask(server, "GET", path)
    assert status == 200
    assert headers["Content-Security-Policy"].startswith(
        "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'"
    )
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(
    "path",
    [
        "/nothing",
        "/page/",
        "/page/x",
        "/page/1",
        "/page/" + "9" * 5000,
        "/../play.py",
        "/page/../../play.py",
        "//x",
    ],
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
        (run("a b 0.5"), "not 3 columns"),
        (run("3 x 1", model="quicksort", algorithm="quicksort"), "'x' is not a finite number; write numbers"),
        (run("3 nan", model="quicksort", algorithm="quicksort"), "'nan' is not a finite number"),
        (run("# nodes: a b", model="quicksort", algorithm="quicksort"), "quicksort needs a value 'key' of every node"),
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
    assert "--pattern" not in text, "an option of commands, which the page does not have"
    assert ask(server, "GET", "/models")[0] == 200, "and the server goes on"


def test_names_are_those_of_edge_lists() -> None:
    assert list(parse("ä b[1]\n", DFS).names) == ["ä", "b[1]"]


def test_undirected_edges_go_both_ways() -> None:
    assert parse("b a\nb b\n", DFS, undirected=True) == parse("# undirected\nb a\nb b\n", DFS)


def test_a_port_that_is_in_use_is_refused_in_a_sentence() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ValueError, match=rf"the port {port} cannot be used \(Address already in use\); choose another"):
            Server(port, Playground({}, lambda name, graph, check: pytest.fail("never called")))


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("expression", "not ( true or false )", ["not", "(", "true", "or", "false", ")"]),
        ("brackets", "([)]", ["(", "[", ")", "]"]),
        ("naive_string_matcher", "ACGT GT", ["A", "C", "G", "T", "G", "T"]),
    ],
)
def test_texts_are_written_as_people_write_them(name: str, text: str, words: list[str]) -> None:
    algorithm = find(name)
    assert describe(algorithm)["written"]
    assert words_of(parse(text, algorithm), algorithm) == words
    with pytest.raises(Refused, match="takes at most 200"):
        parse({"expression": "not " * 300 + "true", "brackets": "(" * 300}.get(name, "A" * 300 + " A"), algorithm)


def test_a_text_that_cannot_be_read_is_told_what_can() -> None:
    with pytest.raises(Refused, match="like the example, 'ACGACGT ACGT'"):
        parse("ACGT", find("naive_string_matcher"))
