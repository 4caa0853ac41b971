"""A real HTTP server that answers each request as a test told it to, faults included."""

from __future__ import annotations

import json
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Seen:
    """One request as it came over the wire."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes
    connection: int


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ScriptedServer

    def respond(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        turn = self.server.next_turn()
        if getattr(turn, "before_body", False):
            self.server.note(self, b"")
            turn(self)
            return
        self.server.note(self, self.rfile.read(length))
        turn(self)

    do_GET = do_POST = do_DELETE = respond  # noqa: N815 - names that http.server looks for

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def answer(
        self, status: int, body: bytes, headers: Mapping[str, str] | None = None, length: int | None = None
    ) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)


Turn = Callable[[Handler], None]


@dataclass
class Script:
    """What is answered in turn (the last one for ever), and what was asked."""

    turns: list[Turn]
    seen: list[Seen] = field(default_factory=list)
    uri: str = ""

    @property
    def targets(self) -> list[str]:
        return [request.target for request in self.seen]


class ScriptedServer(ThreadingHTTPServer):
    daemon_threads = False

    def __init__(self, script: Script, tls: ssl.SSLContext | None) -> None:
        self.script = script
        self.tls = tls
        self.lock = threading.Lock()
        self.released = threading.Event()
        self.sockets: list[socket.socket] = []
        super().__init__(("127.0.0.1", 0), Handler)

    def get_request(self) -> tuple[socket.socket, Any]:
        connection, address = super().get_request()
        if self.tls is not None:
            # The handshake is made by the thread of the connection, with its first read.
            connection = self.tls.wrap_socket(connection, server_side=True, do_handshake_on_connect=False)
        self.sockets.append(connection)
        return connection, address

    def handle_error(self, request: Any, client_address: Any) -> None:
        # The client went away, which is what many tests are about.
        pass

    def next_turn(self) -> Turn:
        with self.lock:
            return self.script.turns.pop(0) if len(self.script.turns) > 1 else self.script.turns[0]

    def note(self, handler: Handler, body: bytes) -> None:
        seen = Seen(handler.command, handler.path, handler.headers, body, handler.client_address[1])
        with self.lock:
            self.script.seen.append(seen)


@contextmanager
def scripted(*turns: Turn, tls: ssl.SSLContext | None = None) -> Iterator[Script]:
    """A server on a free port while the block runs."""
    script = Script(list(turns) or [ok()])
    server = ScriptedServer(script, tls)
    script.uri = f"{'https' if tls else 'http'}://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield script
    finally:
        server.released.set()
        server.shutdown()
        for connection in server.sockets:
            # A handler that waits for another request of a kept connection ends with it.
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        server.server_close()
        thread.join()


def ok(content: Any = None) -> Turn:
    return lambda handler: handler.answer(200, b"" if content is None else json.dumps(content).encode())


def raw(status: int, body: bytes, **headers: str) -> Turn:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda handler: handler.answer(status, body, named)


def failure(status: int, message: str = "it says no", kind: str | None = None, **headers: str) -> Turn:
    body = {"message": message, "resourceType": kind, "resourceName": "x", "code": status}
    return raw(status, json.dumps(body).encode(), **headers)


def closing(handler: Handler) -> None:
    """The whole request is read, and there is no answer."""
    handler.close_connection = True


def resetting(handler: Handler) -> None:
    """The connection is reset before the body of the request is read."""
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.close_connection = True


resetting.before_body = True  # type: ignore[attr-defined]


def truncated(handler: Handler) -> None:
    """The connection ends in the middle of the answer."""
    handler.answer(200, b'{"databases": ["a"', length=1000)
    handler.close_connection = True


def silent(handler: Handler) -> None:
    """No answer until the test is over."""
    handler.server.released.wait(30)
    handler.close_connection = True


def stuck(handler: Handler) -> None:
    """Half an answer, then nothing until the test is over."""
    handler.answer(200, b'{"databases"', length=1000)
    handler.wfile.flush()
    silent(handler)


def huge_header(handler: Handler) -> None:
    handler.answer(200, b"{}", {"x-huge": "x" * 200_000})


def many_headers(handler: Handler) -> None:
    handler.answer(200, b"{}", {f"x-{number}": "" for number in range(5_000)})


def no_http(handler: Handler) -> None:
    handler.wfile.write(b"SSH-2.0-OpenSSH_9.2\r\n")
    handler.close_connection = True


def endless(status: int) -> Turn:
    """An answer that has no end."""

    def turn(handler: Handler) -> None:
        handler.send_response(status)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        piece = b"%x\r\n%s\r\n" % (1 << 20, b" " * (1 << 20))
        while not handler.server.released.is_set():
            handler.wfile.write(piece)

    return turn
