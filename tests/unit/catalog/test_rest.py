"""The catalog contract through our own server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import ClassVar

import pyarrow as pa
import pytest

from spark_paimon.catalog import Catalog, load_catalog
from spark_paimon.statistics import PartitionStatistics
from tests.servers import server_in_thread
from tests.unit.catalog.contract import CatalogContract
from tests.unit.catalog.files_contract import FilesContract
from tests.unit.catalog.partition_contract import PartitionContract

NUMBERS = PartitionStatistics(3, 300, 1, 1000)
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

    def test_it_is_the_embedded_catalog_that_is_served(self, warehouse: str) -> None:
        """What one of them does, the other sees at once."""
        managed = {"type": "format-table", "metastore.partitioned-table": "true"}
        schema = pa.schema([("id", pa.int64()), ("dt", pa.string())])
        with (
            load_catalog({"metastore": "embedded", "warehouse": warehouse}) as embedded,
            self.open(warehouse) as remote,
        ):
            for maker, reader, name in ((embedded, remote, "by_embedded"), (remote, embedded, "by_rest")):
                table = f"{name}.t"
                maker.create_database(name, comment=name)
                maker.create_table(table, schema, ["dt"], managed)
                maker.create_partitions(table, [{"dt": "a"}], statistics=[({"dt": "a"}, NUMBERS)])
                assert reader.get_database(name) == maker.get_database(name)
                assert reader.load_table_info(table) == maker.load_table_info(table)
                assert reader.list_partitions(table) == maker.list_partitions(table)
                assert [found.statistics for found in reader.list_partitions(table)] == [NUMBERS]
                reader.drop_partitions(table, [{"dt": "a"}])
                assert maker.list_partitions(table) == []
                reader.drop_database(name, cascade=True)
                assert name not in maker.list_databases()


@pytest.mark.slow
class TestRestCatalogOverPostgres(RestContract):
    """Over PostgreSQL. In ``make test`` that database has the contract without a server, and this server has
    it over SQLite.
    """

    @pytest.fixture
    def server_options(self, postgres_url: str) -> dict[str, str]:
        return {"uri": postgres_url}
