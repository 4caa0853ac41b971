"""The catalog contract through our own server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import ClassVar

import pytest

from spark_paimon.catalog import Catalog, load_catalog
from tests.servers import server_in_thread
from tests.unit.catalog.contract import CatalogContract
from tests.unit.catalog.files_contract import FilesContract
from tests.unit.catalog.partition_contract import PartitionContract

_OF_THE_SERVER = ("case-sensitive",)


class RestContract(CatalogContract, FilesContract, PartitionContract):
    """All contracts, through servers that a test starts as it opens catalogs."""

    metastore: ClassVar[str] = "rest"

    @pytest.fixture
    def server_options(self) -> dict[str, str]:
        """Catalog options of the server."""
        return {}

    @pytest.fixture(autouse=True)
    def _servers(self, server_options: dict[str, str]) -> Iterator[None]:
        self.given_options = server_options
        self.servers: dict[tuple[tuple[str, str], ...], dict[str, str]] = {}
        with ExitStack() as self.running:
            yield

    def open(self, warehouse: str, **options: str) -> Catalog:
        own = {key: options.pop(key) for key in _OF_THE_SERVER if key in options}
        given = tuple({**own, **self.given_options, "warehouse": warehouse}.items())
        if given not in self.servers:
            self.servers[given] = self.running.enter_context(server_in_thread(**dict(given)))
        return load_catalog({**self.servers[given], "warehouse": warehouse, **options})


class TestRestCatalog(RestContract):
    """Over SQLite."""


@pytest.mark.slow
class TestRestCatalogOverPostgres(RestContract):
    """Over PostgreSQL. In ``make test`` that database has the contract without a server, and this server has
    it over SQLite.
    """

    @pytest.fixture
    def server_options(self, postgres_url: str) -> dict[str, str]:
        return {"uri": postgres_url}
