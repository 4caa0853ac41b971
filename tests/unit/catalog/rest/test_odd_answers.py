"""A server that answers with other things than agreed: never a stray exception, never a wrong success."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from spark_paimon import errors
from spark_paimon.catalog import Catalog, load_catalog
from spark_paimon.catalog.rest import transport
from spark_paimon.schema import SetOption

TABLE = {
    "id": "1", "name": "t", "database": "db", "path": "file:/x/t", "isExternal": False, "schemaId": 0,
    "schema": {
        "fields": [{"id": 0, "name": "id", "type": "INT"}, {"id": 1, "name": "dt", "type": "STRING"}],
        "partitionKeys": ["dt"], "primaryKeys": [], "comment": None,
        "options": {"type": "format-table", "metastore.partitioned-table": "true"},
    },
    "owner": None, "createdAt": 1, "createdBy": None, "updatedAt": 1, "updatedBy": None,
}  # fmt: skip
PARTITION = {
    "spec": {"dt": "a"}, "recordCount": 1, "fileSizeInBytes": 1, "fileCount": 1, "lastFileCreationTime": 1,
    "totalBuckets": -1, "done": False, "options": None,
}  # fmt: skip
ODD = (
    None, True, -1, 2**70, 1.5, "", "x", "../x", "\ud800", [], {}, [None], {"a": None}, [[1]], {"spec": 1},
    {"spec": {"dt": None}}, {"spec": {"dt": "../../e"}}, {"spec": {"dt": "a", "x": "b"}},
)  # fmt: skip
NO_JSON = (b"", b"<html>", b"\xff\xfe", b"[" * 5000, b'{"a": NaN}', b'{"a": 1')
STATUSES = (200,) * 12 + (201, 204, 301, 400, 404, 409, 418, 500, 501)
CALLS: tuple[Callable[[Catalog], object], ...] = (
    lambda c: c.list_databases(),
    lambda c: c.get_database("db"),
    lambda c: c.list_tables("db"),
    lambda c: c.get_table("db.t"),
    lambda c: c.list_partitions("db.t"),
    lambda c: c.list_partitions("db.t", {"dt": "a"}),
    lambda c: c.list_partitions_by_names("db.t", [{"dt": "a"}]),
    lambda c: c.create_partitions("db.t", [{"dt": "a"}]),
    lambda c: c.drop_partitions("db.t", [{"dt": "a"}]),
    lambda c: c.mark_partitions_done("db.t", [{"dt": "a"}]),
    lambda c: c.alter_table("db.t", [SetOption("k", "v")]),
    lambda c: c.drop_table("db.t"),
)


class OddServer(ThreadingHTTPServer):
    """Answers as agreed, but for some parts."""

    daemon_threads = True

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        super().__init__(("127.0.0.1", 0), Handler)

    def mutated(self, value: Any) -> Any:
        if self.random.random() < 0.25:
            return self.random.choice(ODD)
        if isinstance(value, dict):
            value = {
                k: self.mutated(part) if self.random.random() < 0.4 else part for k, part in value.items()
            }
            if value and self.random.random() < 0.2:
                value.pop(self.random.choice(list(value)))
        elif isinstance(value, list):
            value = [self.mutated(part) if self.random.random() < 0.4 else part for part in value]
            if self.random.random() < 0.2:
                value.append(self.random.choice(ODD))
        return value

    def right(self, method: str, path: str) -> Any:
        if path.endswith("config"):
            return {"defaults": {"prefix": "p"}, "overrides": {}}
        if path.endswith("/databases"):
            return {"databases": ["db"], "nextPageToken": None}
        if path.endswith("/databases/db"):
            return {"id": "1", "name": "db", "location": "file:/x", "options": {}, "owner": None}
        if path.endswith("/tables"):
            return {"tables": ["t"], "nextPageToken": None}
        if "list-by" in path or (path.endswith("partitions") and method == "GET"):
            return {"partitions": [PARTITION], "nextPageToken": self.random.choice([None, None, "token"])}
        if path.endswith("partitions"):
            return {"created": [{"dt": "a"}], "existed": []}
        return {"dropped": [{"dt": "a"}], "missing": []} if path.endswith("drop") else TABLE


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: OddServer

    def answer(self) -> None:
        self.rfile.read(int(self.headers.get("content-length") or 0))
        right = self.server.right(self.command, self.path.split("?")[0])
        content = json.dumps(self.server.mutated(right)).encode()
        if self.server.random.random() < 0.05:
            content = self.server.random.choice(NO_JSON)
        self.send_response(self.server.random.choice(STATUSES))
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_DELETE = answer  # noqa: N815

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture(params=range(4))
def server(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[OddServer]:
    monkeypatch.setattr(transport, "_FIRST_WAIT", 0.001)
    with OddServer(request.param) as running:
        # What is left on a connection that the client gave up is nobody's business.
        running.handle_error = lambda *arguments: None  # type: ignore[method-assign]
        thread = threading.Thread(target=running.serve_forever, args=(0.02,))
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def test_every_mistake_of_a_server_is_an_error_of_ours(server: OddServer) -> None:
    options = {"metastore": "rest", "uri": f"http://127.0.0.1:{server.server_port}", "token": "t"}
    outcomes: set[str] = set()
    for number in range(150):
        try:
            with load_catalog(options) as catalog:
                CALLS[number % len(CALLS)](catalog)
            outcomes.add("fine")
        except errors.PaimonError as error:
            outcomes.add(error.condition)
    assert {"fine", "REST_ANSWER_MALFORMED", "REST_ANSWER_INVALID"} <= outcomes


@pytest.mark.parametrize("created", [[{"dt": "a", "x": "b"}], [{}], ["x"], "x", [{"dt": ""}]])
def test_a_registration_that_was_done_is_never_called_refused(
    monkeypatch: pytest.MonkeyPatch, server: OddServer, created: object
) -> None:
    # Files of an append are taken back after anything but a CatalogError.
    def answer(value: Any) -> Any:
        return {"created": created} if "created" in value else value

    monkeypatch.setattr(server, "mutated", answer)
    monkeypatch.setattr(server.random, "random", lambda: 1.0)
    monkeypatch.setattr(server.random, "choice", lambda values: values[0])
    options = {"metastore": "rest", "uri": f"http://127.0.0.1:{server.server_port}", "token": "t"}
    with load_catalog(options) as catalog, pytest.raises(errors.CatalogError):
        catalog.create_partitions("db.t", [{"dt": "a"}])
