"""The server dies in the middle of requests: what it answered is there, and nothing is half there."""

from __future__ import annotations

import random
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow
import pytest

from spark_paimon import errors
from spark_paimon.catalog import Catalog, load_catalog
from spark_paimon.catalog.rest import transport
from spark_paimon.statistics import PartitionStatistics
from tests.servers import Server, rest_server

COLUMNS = pyarrow.schema([("id", pyarrow.int32()), ("dt", pyarrow.string()), ("hh", pyarrow.int32())])
MANAGED = {"type": "format-table", "metastore.partitioned-table": "true"}
WORKERS = 8
HOURS = 24


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest) -> str | None:
    return None if request.param == "sqlite" else str(request.getfixturevalue("postgres_url"))


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "ATTEMPTS", 1)


@dataclass
class Worker:
    """Writes days of its own, and adds to numbers of its own, until the server is gone.

    Parameters
    ----------
    there, gone, unknown
        Days that were answered as registered and as dropped, and the one that was not answered.
    added
        Rows that were answered as added.
    doubtful
        Whether the last addition was not answered.
    """

    number: int
    there: set[str] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)
    unknown: str | None = None
    added: int = 0
    doubtful: bool = False
    failure: errors.PaimonError | None = None

    @property
    def counter(self) -> dict[str, str]:
        return {"dt": f"counter-{self.number}", "hh": "0"}

    def run(self, catalog: Catalog) -> None:
        days = random.Random(self.number)
        try:
            for count in range(10_000):
                day = f"{self.number}-{count:05}"
                self.unknown = day
                hours = [{"dt": day, "hh": str(hour)} for hour in range(HOURS)]
                catalog.create_partitions("db.t", hours, ignore_if_exists=days.random() < 0.5)
                self.there.add(day)
                if days.random() < 0.3:
                    catalog.drop_partitions("db.t", hours, ignore_if_not_exists=days.random() < 0.5)
                    self.there.remove(day)
                    self.gone.add(day)
                self.unknown = None
                self.doubtful = True
                report = [(self.counter, PartitionStatistics(1, 10, 1, 1))]
                catalog.create_partitions("db.t", [self.counter], statistics=report)
                self.added += 1
                self.doubtful = False
        except errors.PaimonError as error:
            self.failure = error


def kill_while_writing(server: Server) -> list[Worker]:
    workers = [Worker(number) for number in range(WORKERS)]
    catalogs = [load_catalog(server.options) for _ in workers]
    threads = [
        threading.Thread(target=worker.run, args=(catalog,))
        for worker, catalog in zip(workers, catalogs, strict=True)
    ]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + 60
    while sum(worker.added for worker in workers) < 5 * WORKERS and time.monotonic() < deadline:
        time.sleep(0.01)
    server.process.kill()
    for thread in threads:
        thread.join()
    for catalog in catalogs:
        catalog.close()
    return workers


def test_nothing_that_was_answered_is_lost(tmp_path: Path, database_url: str | None) -> None:
    warehouse = tmp_path / "warehouse"
    with rest_server(warehouse, database_url=database_url) as server:
        with load_catalog(server.options) as catalog:
            catalog.create_database("db")
            catalog.create_table("db.t", COLUMNS, ["dt", "hh"], MANAGED)
        workers = kill_while_writing(server)
    assert {type(worker.failure) for worker in workers} == {errors.CatalogError}
    with (
        rest_server(warehouse, database_url=database_url) as server,
        load_catalog(server.options) as catalog,
    ):
        found: dict[str, int] = {}
        rows: dict[str, int] = {}
        for partition in catalog.list_partitions("db.t"):
            day = partition.spec["dt"]
            found[day] = found.get(day, 0) + 1
            rows[day] = partition.statistics.record_count
        expected = set()
        for worker in workers:
            expected |= worker.there - {worker.unknown}
            assert not worker.gone & set(found)
            if worker.unknown is not None:
                # All hours of the day, or none.
                assert found.pop(worker.unknown, HOURS) == HOURS
            known = rows.get(f"counter-{worker.number}", 0)
            assert known in {worker.added, worker.added + worker.doubtful}
            found.pop(f"counter-{worker.number}", None)
        assert set(found) == expected
        assert set(found.values()) == {HOURS}
        catalog.create_partitions("db.t", [{"dt": "later", "hh": "1"}])
