"""pypaimon in a process of its own, and a server for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from spark_paimon.catalog import Catalog, load_catalog
from tests.peers.pypaimon_catalog import PyPaimonCatalog, PyPaimonProcess, available
from tests.servers import Server, rest_server

FORMAT_TABLE = {"type": "format-table", "file.format": "parquet"}
MANAGED = {**FORMAT_TABLE, "metastore.partitioned-table": "true"}


@pytest.fixture(scope="module")
def peer() -> Iterator[PyPaimonProcess]:
    if reason := available():
        pytest.skip(reason)
    with PyPaimonProcess() as process:
        yield process


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    # A name that changes when it is encoded, and pypaimon encodes it twice.
    with rest_server(tmp_path_factory.mktemp("served") / "ware house+1%") as running:
        yield running


@pytest.fixture
def database(server: Server, request: pytest.FixtureRequest) -> Iterator[str]:
    """A database of its own for each test: they share the server."""
    name = request.node.originalname
    with load_catalog(server.options) as catalog:
        catalog.create_database(name)
        yield name
        catalog.drop_database(name, ignore_if_not_exists=True, cascade=True)


@pytest.fixture
def ours(server: Server) -> Iterator[Catalog]:
    with load_catalog(server.options) as catalog:
        yield catalog


@pytest.fixture(scope="module")
def catalog(peer: PyPaimonProcess, server: Server) -> PyPaimonCatalog:
    return peer.open(options(server))


def options(server: Server, **more: str) -> dict[str, str]:
    """Options of pypaimon for a server."""
    warehouse = str(server.token_file)[: -len(".token")]
    return {**server.options, "warehouse": warehouse, "token.provider": "bear", **more}


def schema(*columns: str, partitioned_by: str = "", **given: str) -> dict[str, Any]:
    """A schema for pypaimon, its columns as ``name TYPE``."""
    fields = [
        {"id": number, "name": column.split()[0], "type": column.partition(" ")[2]}
        for number, column in enumerate(columns)
    ]
    form = {"fields": fields, "partitionKeys": partitioned_by.split(), "options": given or FORMAT_TABLE}
    return {":schema": form}


def pages(catalog: PyPaimonCatalog, method: str, *arguments: Any, size: int = 3, **named: Any) -> list[Any]:
    """Elements of each page."""
    found: list[Any] = []
    token = None
    while not found or token:
        page = catalog.call(method, *arguments, max_results=size, page_token=token, **named)
        found.append(page["elements"])
        token = page["next"]
    return found
