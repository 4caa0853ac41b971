"""A proxy in front of a REST server that writes down what clients send."""

from __future__ import annotations

import http.client
import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

# The token, and what differs between machines, versions and runs.
_LEFT_OUT = ("authorization", "host", "user-agent", "content-length", "connection", "accept-encoding")


@dataclass
class Exchange:
    """One request, and the status of its answer.

    Parameters
    ----------
    path
        As it was sent, with what follows the question mark.
    headers
        In lower case, without those that tell nothing or too much.
    body
        Decoded JSON; None without a body.
    """

    method: str
    path: str
    headers: dict[str, str]
    body: Any
    status: int = 0


@dataclass
class Recorder:
    """The running proxy; a context manager.

    Parameters
    ----------
    target
        URI of the server.
    """

    target: str
    exchanges: list[Exchange] = field(default_factory=list)

    def __enter__(self) -> Recorder:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = False
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def uri(self) -> str:
        """Where clients ask."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"


def _handler(recorder: Recorder) -> type[BaseHTTPRequestHandler]:
    target = urlsplit(recorder.target)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Clients keep connections open, and closing the proxy waits for all of them.
        timeout = 2

        def forward(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            body = self.rfile.read(length)
            headers = {name.lower(): text for name, text in self.headers.items()}
            exchange = Exchange(
                self.command,
                self.path,
                {name: text for name, text in sorted(headers.items()) if name not in _LEFT_OUT},
                json.loads(body) if body else None,
            )
            recorder.exchanges.append(exchange)
            connection = http.client.HTTPConnection(str(target.hostname), target.port, timeout=60)
            try:
                connection.request(self.command, self.path, body or None, dict(self.headers))
                answer = connection.getresponse()
                content = answer.read()
            finally:
                connection.close()
            exchange.status = answer.status
            self.send_response(answer.status)
            for name, text in answer.getheaders():
                if name.lower() not in ("content-length", "connection", "date", "server"):
                    self.send_header(name, text)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_DELETE = forward  # noqa: N815 - names of the base class

        def log_message(self, format: str, *arguments: Any) -> None:
            """Nothing: there is a record already."""

    return Handler
