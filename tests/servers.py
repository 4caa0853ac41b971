"""REST servers for tests: the command as a process of its own, or the application in a thread."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from spark_paimon.catalog.embedded import EmbeddedCatalog
from spark_paimon.options import validate_catalog_options
from spark_paimon.server.app import CatalogServer
from spark_paimon.server.limits import Limits
from spark_paimon.server.listening import Address, listen
from spark_paimon.server.process import uvicorn_server

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Server:
    """A running server."""

    process: subprocess.Popen[str]
    uri: str
    token_file: Path
    log: Path

    @property
    def options(self) -> dict[str, str]:
        """Catalog options of a client."""
        return {"metastore": "rest", "uri": self.uri, "token": self.token_file.read_text().strip()}


@contextmanager
def rest_server(warehouse: Path, *arguments: str, database_url: str | None = None) -> Iterator[Server]:
    """Serve a warehouse on a free port."""
    token_file = warehouse.with_name(warehouse.name + ".token")
    token_file.write_text("test-token-" + os.urandom(8).hex())
    token_file.chmod(0o600)
    command = [sys.executable, "-m", "spark_paimon", "serve", "--warehouse", str(warehouse)]
    command += ["--token-file", str(token_file), *arguments]
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
    if database_url:
        environment["SPARK_PAIMON_DATABASE_URL"] = database_url
    log = warehouse.with_name(warehouse.name + ".log")
    with log.open("w") as errors:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=errors, text=True, cwd=ROOT, env=environment
        )
    try:
        assert process.stdout is not None
        first = process.stdout.readline()
        assert first, f"the server did not start: {log.read_text()}"
        yield Server(process, json.loads(first)["uri"], token_file, log)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.communicate(timeout=40)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise


@contextmanager
def server_in_thread(
    warehouse: Path | str, limits: Limits | None = None, **options: str
) -> Iterator[dict[str, str]]:
    """Serve a warehouse from a thread of this process; gives the catalog options of a client.

    Parameters
    ----------
    limits
        Other limits than usual.
    options
        Catalog options of the server.
    """
    given = {"metastore": "embedded", "warehouse": str(warehouse), **options}
    limits = limits or Limits()
    token = os.urandom(8).hex()
    with (
        EmbeddedCatalog(validate_catalog_options(given)) as catalog,
        listen(Address()) as listener,
        closing(CatalogServer(catalog, token, limits)) as application,
    ):
        server = uvicorn_server(application, limits)
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        try:
            port = listener.getsockname()[1]
            yield {"metastore": "rest", "uri": f"http://127.0.0.1:{port}", "token": token}
        finally:
            server.should_exit = True
            thread.join(30)


@dataclass(frozen=True)
class Answer:
    """What a server said."""

    status: int
    headers: dict[str, str]
    content: bytes

    @property
    def json(self) -> Any:
        """The body."""
        return json.loads(self.content)


@dataclass(frozen=True)
class Asking:
    """Plain HTTP: paths and bodies go out as they are given."""

    uri: str
    token: str

    @property
    def address(self) -> tuple[str, int]:
        """Host and port."""
        parts = urlsplit(self.uri)
        assert parts.hostname is not None
        assert parts.port is not None
        return parts.hostname, parts.port

    def get(self, path: str, **headers: str) -> Answer:
        """GET below the prefix."""
        return self("GET", "/v1/paimon" + path, None, **headers)

    def post(self, path: str, body: Any, **headers: str) -> Answer:
        """POST below the prefix, of bytes as they are or of something as JSON."""
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self("POST", "/v1/paimon" + path, content, **headers)

    def delete(self, path: str) -> Answer:
        """DELETE below the prefix."""
        return self("DELETE", "/v1/paimon" + path)

    def __call__(self, method: str, path: str, content: bytes | None = None, **headers: str) -> Answer:
        """Ask anything."""
        connection = http.client.HTTPConnection(*self.address, timeout=60)
        given = {"authorization": f"Bearer {self.token}", **headers}
        try:
            connection.request(
                method, path, content, {key.replace("_", "-"): text for key, text in given.items()}
            )
            with connection.getresponse() as answer:
                sent = {key.lower(): text for key, text in answer.getheaders()}
                return Answer(answer.status, sent, answer.read())
        finally:
            connection.close()

    @contextmanager
    def connection(self) -> Iterator[socket.socket]:
        """A bare connection."""
        with socket.create_connection(self.address, timeout=60) as opened:
            yield opened

    def raw(self, sent: bytes) -> bytes:
        """Send bytes on a connection of their own, and return all that comes until the server closes it."""
        with self.connection() as opened:
            opened.sendall(sent)
            return received(opened)


def received(connection: socket.socket) -> bytes:
    """Everything until the other side closes."""
    parts = []
    while part := connection.recv(65536):
        parts.append(part)
    return b"".join(parts)
