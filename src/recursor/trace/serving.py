"""The server of `recursor play`.

It listens on 127.0.0.1 only, and answers only to whoever knows the token in its address, so that other users of the machine
cannot connect. It refuses requests with another host name, which prevents DNS rebinding. Its page is one file and loads
nothing else. A bounded number of connections is answered at a time, and every failure is answered as a sentence.
"""

import json
import secrets
import select
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from recursor.trace.page import ICON, POLICY, fill, inline_policy, scripts, styles
from recursor.trace.playground import MOST_TEXT, Playground, Refused, as_sentence

HERE = Path(__file__).parent
MOST_BYTES = MOST_TEXT + 50_000
CONNECTIONS = 32  # that are answered at a time
BUSY = b"HTTP/1.0 503 Service Unavailable\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"


def play_page() -> tuple[str, str]:
    """Returns the page of the playground, and the policy that it is served under."""
    style, script = styles("play.css"), scripts("sketch.js", "play.js")
    values = {"style": style, "script": script, "icon": ICON, "viewer": (HERE / "viewer.html").read_text("utf-8")}
    policy = f"{POLICY}; connect-src 'self'; frame-ancestors 'none'; {inline_policy(style, script)}"
    return fill((HERE / "play.html").read_text("utf-8"), values), policy


class Server(ThreadingHTTPServer):
    """The server of a playground."""

    daemon_threads = True
    request_queue_size = CONNECTIONS

    def __init__(self, port: int, playground: Playground) -> None:
        try:
            super().__init__(("127.0.0.1", port), Handler)
        except OSError as error:
            advice = "choose another one, or leave it out for any free port"
            raise ValueError(f"the port {port} cannot be used ({error.strerror}); {advice}") from error
        self.playground = playground
        self.token = secrets.token_urlsafe(24)
        self.page, self.policy = play_page()
        self.slots = threading.BoundedSemaphore(CONNECTIONS)

    @property
    def address(self) -> str:
        """Where the page is, with the token."""
        return f"http://127.0.0.1:{self.server_port}/?token={self.token}"

    @property
    def hosts(self) -> set[str]:
        """The host names that requests may use."""
        return {f"{name}:{self.server_port}" for name in ("127.0.0.1", "localhost")}

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answers a connection in a thread of its own, or refuses it if too many are open."""
        if not self.slots.acquire(blocking=False):
            try:
                request.settimeout(1)
                request.sendall(BUSY + b'{"error": "too many connections are open; try again in some seconds"}')
            except OSError:
                pass
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.slots.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Says nothing about connections that break."""


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    server: Server  # pyright: ignore[reportIncompatibleVariableOverride]
    server_version, sys_version = "recursor", ""
    timeout = 15

    def do_GET(self) -> None:
        self._answer(self._get)

    def do_POST(self) -> None:
        self._answer(self._post)

    def _answer(self, act: Callable[[str], None]) -> None:
        try:
            self._check_host()
            act(self._check_token())
        except ConnectionError:
            pass  # the browser has closed the connection
        except TimeoutError:
            self._fail(Refused(HTTPStatus.REQUEST_TIMEOUT, "the request did not arrive in time"))
        except Exception as error:  # every failure is answered as a sentence
            self._fail(as_sentence(error))

    def _fail(self, error: Refused) -> None:
        with suppress(OSError):  # nobody hears it
            self._send(error.status, "application/json", json.dumps({"error": str(error)}))

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answers a request that is no HTTP, or of a method that there is not."""
        phrase = HTTPStatus(code).phrase.lower()
        self._fail(Refused(HTTPStatus(code), f"the playground does not answer such a request ({message or phrase})"))

    def _check_host(self) -> None:
        if self.headers.get("Host", "") not in self.server.hosts:
            raise Refused(HTTPStatus.MISDIRECTED_REQUEST, f"this server answers as {min(self.server.hosts)} only")

    def _check_token(self) -> str:
        """Returns the path of the request. Refuses one without the token, in the address or as a header."""
        address = urlsplit(self.path)
        asked = parse_qs(address.query).get("token", [""])[0] or self.headers.get("X-Token", "")
        if not secrets.compare_digest(asked.encode("utf-8", "replace"), self.server.token.encode()):
            raise Refused(
                HTTPStatus.FORBIDDEN,
                "open the address that recursor play has printed: only its token gives access to this page",
            )
        return address.path

    def _get(self, path: str) -> None:
        if path == "/":
            self._send(HTTPStatus.OK, "text/html; charset=utf-8", self.server.page, policy=self.server.policy)
        elif path == "/models":
            self._send(HTTPStatus.OK, "application/json", json.dumps(self.server.playground.describe()))
        elif path.startswith("/page/"):
            text = self.server.playground.page(path.removeprefix("/page/"))
            name = 'attachment; filename="trace.html"'
            self._send(HTTPStatus.OK, "text/html; charset=utf-8", text, disposition=name)
        else:
            raise Refused(HTTPStatus.NOT_FOUND, "there is no such page")

    def _post(self, path: str) -> None:
        if path != "/run":
            raise Refused(HTTPStatus.NOT_FOUND, "there is no such page")
        origin = self.headers.get("Origin")
        if origin is not None and origin.removeprefix("http://") not in self.server.hosts:
            raise Refused(HTTPStatus.FORBIDDEN, "other sites may not send requests to this server")
        if self.headers.get("Content-Type", "").partition(";")[0].strip() != "application/json":
            raise Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "a request must be JSON")
        try:
            request = json.loads(self._body())
        except (ValueError, RecursionError):
            raise Refused(HTTPStatus.BAD_REQUEST, "a request must be JSON") from None
        self._send(HTTPStatus.OK, "application/json", json.dumps(self.server.playground.run(request, self._is_open)))

    def _body(self) -> bytes:
        """Returns the body of the request. Refuses one that is too large before it is read."""
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()):
            raise Refused(HTTPStatus.LENGTH_REQUIRED, "a request must have a Content-Length")
        if len(length) > 9 or int(length) > MOST_BYTES:
            self._read_away()
            raise Refused(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                f"your graph is larger than the {MOST_BYTES // 1000} kB that this page takes",
            )
        return self.rfile.read(int(length))

    def _read_away(self) -> None:
        """Reads what comes within half a second, up to a limit: otherwise the browser does not read the answer."""
        self.connection.settimeout(0.5)
        try:
            for _ in range(100):
                if not self.rfile.read1(65536):
                    break
        except OSError:
            pass
        self.connection.settimeout(self.timeout)

    def _is_open(self) -> bool:
        """Whether the browser still waits for the answer."""
        try:
            readable, _, _ = select.select([self.connection], [], [], 0)
            return not readable or bool(self.connection.recv(1, socket.MSG_PEEK))
        except (OSError, ValueError):
            return False

    def _send(self, status: HTTPStatus, kind: str, text: str, policy: str = POLICY, disposition: str = "inline") -> None:
        body = text.encode("utf-8", "replace")
        self.send_response(status)
        headers = {
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            "Content-Disposition": disposition,
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
