"""A proxy between client and server that loses what it is told to lose."""

from __future__ import annotations

import http.client
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

#: What can happen to a request.
DROP_REQUEST = "drop the request"
DROP_ANSWER = "drop the answer"
CUT_ANSWER = "cut the answer in the middle"
UNAVAILABLE = "answer 503"
UNAUTHORISED = "answer 401"


@dataclass
class Fault:
    """Something that happens once.

    Parameters
    ----------
    action
        One of the texts above.
    method, path
        What the request must have; how its path must end, without the query.
    number
        At which request of that kind it happens.
    """

    action: str
    method: str = "POST"
    path: str = ""
    number: int = 1
    seen: int = 0

    def strikes(self, method: str, path: str) -> bool:
        """Whether this request is the one."""
        if method != self.method or not urlsplit(path).path.endswith(self.path):
            return False
        self.seen += 1
        return self.seen == self.number


@dataclass
class FaultyProxy:
    """A running proxy.

    Parameters
    ----------
    uri
        Its own address.
    faults
        What is going to happen.
    requests
        Method and path of everything that came.
    upstream
        Address of the server behind it; another one may take its place.
    on_fault
        Called before a fault happens.
    """

    uri: str
    upstream: str
    on_fault: Callable[[], object] = bool
    faults: list[Fault] = field(default_factory=list)
    requests: list[tuple[str, str]] = field(default_factory=list)

    def action(self, method: str, path: str) -> str | None:
        """What happens to a request."""
        self.requests.append((method, path))
        for fault in self.faults:
            if fault.strikes(method, path):
                self.on_fault()
                return fault.action
        return None


@contextmanager
def faulty_proxy(upstream: str) -> Iterator[FaultyProxy]:
    """Stand in front of a server."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            action = proxy.action(self.command, self.path)
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            if action in (UNAVAILABLE, UNAUTHORISED):
                self.refuse(503 if action == UNAVAILABLE else 401)
                return
            if action == DROP_REQUEST:
                self.hang_up()
                return
            connection = http.client.HTTPConnection(urlsplit(proxy.upstream).netloc, timeout=60)
            try:
                # The token goes on, whoever the client is.
                connection.request(self.command, self.path, body or None, dict(self.headers.items()))
                with connection.getresponse() as response:
                    status, content = response.status, response.read()
                    headers = response.getheaders()
            finally:
                connection.close()
            if action == DROP_ANSWER:
                self.hang_up()
                return
            self.send_response(status)
            for name, value in headers:
                if name.lower() not in ("connection", "date", "transfer-encoding"):
                    self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content if action != CUT_ANSWER else content[: len(content) // 2])
            if action == CUT_ANSWER:
                self.hang_up()

        do_GET = do_POST = do_DELETE = answer  # noqa: N815

        def refuse(self, status: int) -> None:
            content = b'{"message": "not now"}'
            self.send_response(status)
            self.send_header("retry-after", "0")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def hang_up(self) -> None:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)

        def log_message(self, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    proxy = FaultyProxy(f"http://127.0.0.1:{server.server_port}", upstream)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield proxy
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
