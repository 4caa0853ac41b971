"""The embedded catalog in PostgreSQL: the same rules."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
import sqlalchemy

from spark_paimon import errors
from spark_paimon.catalog import Catalog, load_catalog
from spark_paimon.statistics import PartitionStatistics
from tests.unit.catalog.contract import CatalogContract
from tests.unit.catalog.files_contract import FilesContract
from tests.unit.catalog.page_contract import PageContract
from tests.unit.catalog.partition_contract import COLUMNS, MANAGED, PartitionContract


class TestPostgresCatalog(CatalogContract, FilesContract, PartitionContract, PageContract):
    metastore = "embedded"

    @pytest.fixture(autouse=True)
    def _database(self, postgres_url: str) -> None:
        self.url = postgres_url

    def open(self, warehouse: str, **options: str) -> Catalog:
        return super().open(warehouse, uri=self.url, **options)

    def test_many_connections_set_up_register_and_create_at_once(self, warehouse: str) -> None:
        failures: list[BaseException] = []
        won: list[int] = []
        start = threading.Barrier(6)

        def work(worker: int) -> None:
            try:
                start.wait()
                with self.open(warehouse) as catalog:
                    catalog.create_table("default.p", COLUMNS, ["dt", "hh"], MANAGED, ignore_if_exists=True)
                    shared = {"dt": "2025-01-01", "hh": "0"}
                    for number in range(10):
                        own = {"dt": f"2025-01-{worker + 2:02}", "hh": str(number)}
                        report = [(shared, PartitionStatistics(1, 1, 1, 1))]
                        catalog.create_partitions("default.p", [own, shared], statistics=report)
                        try:
                            catalog.create_table(f"default.t{number}", COLUMNS, ["dt"], MANAGED)
                            won.append(number)
                        except errors.TableExistsError:
                            pass
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=work, args=(worker,)) for worker in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failures == []
        assert sorted(won) == list(range(10))
        with self.open(warehouse) as catalog:
            assert catalog.count_partitions("default.p") == 61
            [shared] = catalog.list_partitions("default.p", {"dt": "2025-01-01"})
            assert shared.statistics.record_count == 60


def test_the_password_is_not_shown(postgres_url: str, tmp_path: Path) -> None:
    url = sqlalchemy.make_url(postgres_url).set(password="s3cr3t", database="no_such_database")
    options = {"metastore": "embedded", "warehouse": str(tmp_path), "uri": url.render_as_string(False)}
    with pytest.raises(errors.CatalogError) as caught:
        load_catalog(options)
    assert "s3cr3t" not in str(caught.value)
