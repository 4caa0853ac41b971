"""A server for the tests of a module, and plain HTTP to ask it."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers import Asking, server_in_thread


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("served") / "warehouse"


@pytest.fixture(scope="module")
def ask(warehouse: Path) -> Iterator[Asking]:
    with server_in_thread(warehouse) as options:
        yield Asking(options["uri"], options["token"])


@pytest.fixture
def database(ask: Asking) -> str:
    """A new database."""
    name = f"db_{uuid.uuid4().hex[:8]}"
    assert ask.post("/databases", {"name": name}).status == 200
    return name


@pytest.fixture
def table(ask: Asking, database: str) -> str:
    """The path of a new table, partitioned by ``dt`` and ``hh``, whose partitions the catalog holds."""
    create_table(ask, database, "t")
    return f"/databases/{database}/tables/t"


def create_table(ask: Asking, database: str, name: str, **options: str) -> None:
    managed = {"type": "format-table", "metastore.partitioned-table": "true", "file.format": "csv"}
    body = {
        "identifier": {"database": database, "object": name},
        "schema": {
            "fields": [
                {"id": 0, "name": "id", "type": "INT"},
                {"id": 1, "name": "dt", "type": "STRING"},
                {"id": 2, "name": "hh", "type": "INT"},
            ],
            "partitionKeys": ["dt", "hh"],
            "primaryKeys": [],
            "options": {**managed, **options},
            "comment": None,
        },
    }
    answer = ask.post(f"/databases/{database}/tables", body)
    assert answer.status == 200, answer
