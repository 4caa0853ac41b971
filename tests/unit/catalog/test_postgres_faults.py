"""PostgreSQL that stops, hangs, or gives way to others; and many who use it at once."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import event

from spark_paimon import errors
from spark_paimon.catalog import engine, load_catalog
from spark_paimon.catalog.embedded import EmbeddedCatalog
from spark_paimon.catalog.engine import SqlDatabase
from spark_paimon.partition.predicate import parse
from spark_paimon.statistics import PartitionStatistics
from tests.postgres import PostgresServer
from tests.unit.catalog.partition_contract import COLUMNS, MANAGED
from tests.unit.catalog.test_concurrency import run_at_once

ONE = PartitionStatistics(1, 1, 1, 1)


@pytest.fixture
def catalog(postgres_url: str, tmp_path: Path) -> Iterator[EmbeddedCatalog]:
    with opened(postgres_url, tmp_path) as catalog:
        catalog.create_table("default.p", COLUMNS, ["region"], MANAGED)
        catalog.create_partitions("default.p", [{"region": "a"}])
        yield catalog


def opened(url: str, warehouse: Path, **options: str) -> EmbeddedCatalog:
    catalog = load_catalog({"metastore": "embedded", "warehouse": str(warehouse), "uri": url, **options})
    assert isinstance(catalog, EmbeddedCatalog)
    return catalog


def regions(catalog: EmbeddedCatalog) -> list[str]:
    return [partition.spec["region"] for partition in catalog.list_partitions("default.p")]


@pytest.mark.parametrize("how", ["stop", "kill"])
def test_the_database_goes_and_comes_back(
    catalog: EmbeddedCatalog, postgres_server: PostgresServer, how: str
) -> None:
    getattr(postgres_server, how)()
    with pytest.raises(errors.CatalogError) as caught:
        catalog.list_databases()
    assert caught.value.condition == "CATALOG_DATABASE_FAILED"
    with pytest.raises(errors.CatalogError):
        catalog.create_partitions("default.p", [{"region": "b"}])
    postgres_server.start()
    assert regions(catalog) == ["a"]
    catalog.create_partitions("default.p", [{"region": "c"}])
    assert regions(catalog) == ["a", "c"]


def before_insert(catalog: EmbeddedCatalog, action: Callable[[], None]) -> None:
    """Do something just before a row is sent to the database."""

    def act(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        if statement.startswith("INSERT"):
            action()

    event.listen(catalog._database._open(), "before_cursor_execute", act)


def before_commit(catalog: EmbeddedCatalog, action: Callable[[], None]) -> None:
    """Do something just before a writer sends its COMMIT."""

    def act(connection: Any) -> None:
        if connection.get_execution_options()["isolation_level"] == "READ COMMITTED":
            action()

    event.listen(catalog._database._open(), "commit", act)


def test_a_database_that_breaks_before_the_commit_has_stored_nothing(
    catalog: EmbeddedCatalog, postgres_server: PostgresServer
) -> None:
    before_insert(catalog, postgres_server.kill)
    with pytest.raises(errors.CatalogError) as caught:
        catalog.create_partitions("default.p", [{"region": "b"}])
    assert caught.value.condition == "CATALOG_DATABASE_FAILED"
    postgres_server.start()
    assert regions(catalog) == ["a"]


def test_a_database_that_breaks_during_the_commit_may_have_stored_everything(
    catalog: EmbeddedCatalog, postgres_server: PostgresServer
) -> None:
    before_commit(catalog, postgres_server.kill)
    with pytest.raises(errors.CatalogError, match="may or may not") as caught:
        catalog.create_partitions("default.p", [{"region": "b"}], statistics=[({"region": "b"}, ONE)])
    assert caught.value.condition == "CATALOG_OUTCOME_UNKNOWN"
    postgres_server.start()
    assert regions(catalog) in (["a"], ["a", "b"])


def test_a_commit_that_is_refused_has_stored_nothing(catalog: EmbeddedCatalog) -> None:
    with catalog._database.write() as connection:
        connection.exec_driver_sql("CREATE TABLE one (n int UNIQUE DEFERRABLE INITIALLY DEFERRED)")
    with pytest.raises(Exception, match="duplicate key") as caught, catalog._database.write() as connection:
        connection.exec_driver_sql("INSERT INTO one VALUES (1), (1)")
    assert "may or may not" not in str(caught.value)


def test_setting_up_is_not_repeated_blindly(postgres_url: str) -> None:
    calls: list[int] = []

    def act() -> str:
        calls.append(1)
        if len(calls) < 3:
            raise errors.CatalogError("CATALOG_OUTCOME_UNKNOWN", database="d", reason="r")
        return "done"

    with closing(SqlDatabase(postgres_url)) as database:
        with pytest.raises(errors.CatalogError):
            database.retrying(act)
        assert len(calls) == 1
        assert database.retrying(act, idempotent=True) == "done"


@pytest.mark.parametrize("action", ["create", "drop", "mark"])
def test_who_is_rolled_back_for_another_tries_again(
    catalog: EmbeddedCatalog, postgres_url: str, action: str
) -> None:
    spec = {"region": "a"}
    with psycopg.connect(postgres_url) as other:
        # So that the catalog notices first, and is the one who gives way.
        other.execute("SET deadlock_timeout = '1min'")
        other.execute("SELECT 1 FROM spark_paimon_partitions FOR UPDATE")
        failures: list[BaseException] = []

        def work() -> None:
            try:
                if action == "create":
                    catalog.create_partitions("default.p", [spec], statistics=[(spec, ONE)])
                elif action == "drop":
                    catalog.drop_partitions("default.p", [spec])
                else:
                    catalog.mark_partitions_done("default.p", [spec])
            except BaseException as error:
                failures.append(error)

        thread = threading.Thread(target=work)
        thread.start()
        wait_until_somebody_waits(postgres_url)
        other.execute("SELECT 1 FROM spark_paimon_tables FOR UPDATE")
        other.commit()
        thread.join()
    assert failures == []
    assert len(regions(catalog)) == (0 if action == "drop" else 1)


def wait_until_somebody_waits(url: str) -> None:
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
    with psycopg.connect(url, autocommit=True) as watcher:
        while watcher.execute(waiting).fetchall() == [(0,)]:
            time.sleep(0.01)


def test_renaming_locks_databases_before_the_table(catalog: EmbeddedCatalog, postgres_url: str) -> None:
    catalog.create_database("other")
    thread = threading.Thread(target=catalog.rename_table, args=("default.p", "other.q"))
    with psycopg.connect(postgres_url) as dropping:
        dropping.execute("SELECT 1 FROM spark_paimon_databases WHERE name = 'other' FOR UPDATE")
        thread.start()
        wait_until_somebody_waits(postgres_url)
        assert dropping.execute("SELECT 1 FROM spark_paimon_tables FOR UPDATE NOWAIT").fetchall() == [(1,)]
    thread.join()
    assert catalog.list_tables("other") == ["q"]


def test_every_connection_has_limits(catalog: EmbeddedCatalog) -> None:
    for transaction in (catalog._database.read, catalog._database.write):
        with transaction() as connection:
            for key in ("lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout"):
                assert connection.exec_driver_sql(f"SHOW {key}").scalar() not in (None, "0"), key


def test_nobody_waits_for_ever_for_a_lock(
    postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(engine._POSTGRESQL_SETTINGS, "lock_timeout", "50")
    with opened(postgres_url, tmp_path) as catalog, psycopg.connect(postgres_url) as other:
        catalog.create_table("default.p", COLUMNS, ["region"], MANAGED)
        other.execute("SELECT 1 FROM spark_paimon_tables FOR UPDATE")
        with pytest.raises(errors.CatalogError, match="lock timeout"):
            catalog.create_partitions("default.p", [{"region": "a"}])
        other.rollback()
        catalog.create_partitions("default.p", [{"region": "a"}])


def test_nobody_waits_for_ever_for_an_answer(
    postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(engine._POSTGRESQL_SETTINGS, "statement_timeout", "300")
    with opened(postgres_url, tmp_path) as catalog, catalog._database.read() as connection:
        with pytest.raises(Exception, match="statement timeout"):
            connection.exec_driver_sql("SELECT pg_sleep(30)")
        connection.rollback()


def test_nobody_waits_for_ever_for_a_connection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(engine._POSTGRESQL_CONNECTION, "connect_timeout", "2")
    with closing(socket.create_server(("127.0.0.1", 0))) as silent:
        url = f"postgresql://u:s3cr3t@127.0.0.1:{silent.getsockname()[1]}/d"
        with pytest.raises(errors.CatalogError, match="timeout") as caught:
            opened(url, tmp_path)
    assert "s3cr3t" not in str(caught.value)


DAY = {"op": "=", "column": "region", "value": "day_42"}
PAGES: list[tuple[str | None, Any, str | None, str]] = [
    (None, None, None, "pkey"),
    (None, None, "region=day_42/hh=5", "pkey"),
    ("region=day_4%", None, "region=day_42/hh=5", "pkey"),
    (None, DAY, None, "canonical"),
    (None, DAY, "region=day_42/hh=5", "canonical"),
]


@pytest.mark.parametrize("analysed", [False, True])
def test_a_page_is_one_range_of_an_index(catalog: EmbeddedCatalog, analysed: bool) -> None:
    catalog.create_table("default.large", COLUMNS, ["region", "hh"], MANAGED)
    batch = [{"region": f"day_{day}", "hh": str(hh)} for day in range(50) for hh in range(40)]
    catalog.create_partitions("default.large", batch)
    connections = catalog._database._open()
    if analysed:
        with connections.begin() as connection:
            connection.exec_driver_sql("ANALYZE spark_paimon_partitions")
    sent: list[tuple[str, Any]] = []
    event.listen(connections, "before_cursor_execute", lambda *call: sent.append((call[2], call[3])))
    columns = catalog.load_table_info("default.large").schema.partition_fields
    for pattern, tree, after, index in PAGES:
        sent.clear()
        catalog.partitions_page("default.large", pattern, parse(tree, columns) if tree else None, after, 10)
        [(statement, parameters)] = [call for call in sent if "FROM spark_paimon_partitions" in call[0]]
        with connections.connect() as connection:
            rows = connection.exec_driver_sql("EXPLAIN " + statement, parameters).scalars().all()
        plan = "\n".join(rows)
        assert f"Index Scan using spark_paimon_partitions_{index}" in plan, plan
        assert "Seq Scan" not in plan, plan
        # Rows of equal value are sorted by name, a handful at a time.
        assert not [row for row in rows if "Sort  (" in row and "Incremental" not in row], plan
    sent.clear()
    catalog.list_partitions_by_names("default.large", batch[:300])
    [(statement, parameters)] = [call for call in sent if "spark_paimon_partitions" in call[0]]
    with connections.connect() as connection:
        plan = "\n".join(connection.exec_driver_sql("EXPLAIN " + statement, parameters).scalars())
    assert "Index Cond: ((table_id = " in plan, plan
    assert "(name = " in plan, plan


# Many at once


def test_many_processes_lose_and_double_nothing(
    catalog: EmbeddedCatalog, postgres_url: str, tmp_path: Path
) -> None:
    run_at_once(
        """
        shared = {"region": "shared"}
        with opened() as catalog:
            for number in range(20):
                own = {"region": f"{worker}-{number}"}
                report = [
                    (shared, PartitionStatistics(1, 10, 1, number)), (own, PartitionStatistics(2, 2, 2, 2))
                ]
                specs = [own, shared] if worker % 2 else [shared, own]
                catalog.create_partitions("default.p", specs, statistics=report)
                if number % 2:
                    catalog.drop_partitions("default.p", [own], ignore_if_not_exists=False)
                catalog.mark_partitions_done("default.p", [shared])
                try:
                    catalog.create_partitions("default.p", [{"region": f"race-{number}"}], False)
                    print(number)
                except errors.PartitionsExistError:
                    pass
        """,
        tmp_path,
        uri=postgres_url,
        processes=8,
    )
    found = {partition.spec["region"]: partition for partition in catalog.list_partitions("default.p")}
    own = {f"{worker}-{number}" for worker in range(8) for number in range(0, 20, 2)}
    assert set(found) == {"a", "shared", *own, *(f"race-{number}" for number in range(20))}
    assert found["shared"].statistics == PartitionStatistics(160, 1600, 160, 19)
    assert found["shared"].done
    assert {found[name].statistics.record_count for name in own} == {2}


EXPECTED = (
    errors.DatabaseExistsError,
    errors.NoSuchDatabaseError,
    errors.NoSuchTableError,
    errors.NotEmptyError,
    errors.TableExistsError,
)


def test_definitions_that_race_fail_with_the_right_errors(catalog: EmbeddedCatalog) -> None:
    """Databases come and go while tables are created, renamed between them, and dropped."""
    surprises: list[BaseException] = []
    succeeded: dict[str, int] = {}
    start = threading.Barrier(6)
    steps: list[tuple[str, Callable[[int], object]]] = [
        ("database", lambda n: catalog.create_database(f"d{n % 2}")),
        ("table", lambda n: catalog.create_table(f"d{n % 2}.t{n % 3}", COLUMNS, ["region"], MANAGED)),
        ("rename", lambda n: catalog.rename_table(f"d{n % 2}.t{n % 3}", f"d{(n + 1) % 2}.t{n // 2 % 3}")),
        ("partition", lambda n: catalog.create_partitions(f"d{n % 2}.t{n % 3}", [{"region": str(n)}])),
        ("database", lambda n: catalog.create_database(f"d{(n + 1) % 2}")),
        ("drop", lambda n: catalog.drop_table(f"d{n % 2}.t{n % 3}")),
        ("table", lambda n: catalog.create_table(f"d{n % 2}.t{n % 3}", COLUMNS, ["region"], MANAGED)),
        ("drop database", lambda n: catalog.drop_database(f"d{n % 2}", cascade=n % 3 == 0)),
    ]

    def work(worker: int) -> None:
        start.wait()
        for number in range(worker, worker + 60):
            name, step = steps[number * 5 % len(steps)]
            try:
                step(number // 8 + worker)
                succeeded[name] = succeeded.get(name, 0) + 1
            except EXPECTED:
                pass
            except errors.StorageError as error:
                # The table is dropped; its directory is there again, made for the next table of that name.
                if error.condition != "DIRECTORY_NOT_DELETED":
                    surprises.append(error)
            except BaseException as error:
                surprises.append(error)

    threads = [threading.Thread(target=work, args=(worker,)) for worker in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert surprises == []
    assert set(succeeded) >= {"database", "table", "drop", "drop database"}
    for database in catalog.list_databases():
        for info in catalog.load_table_infos(database):
            assert info.identifier.database == database


def test_names_that_differ_by_case_are_created_once(postgres_url: str, tmp_path: Path) -> None:
    won: list[str] = []
    lost: list[BaseException] = []
    start = threading.Barrier(4)
    with opened(postgres_url, tmp_path, **{"case-sensitive": "false"}) as catalog:

        def work(worker: int) -> None:
            start.wait()
            for number in range(10):
                name = f"Name{number}" if worker % 2 else f"name{number}"
                for create in (
                    lambda name=name: catalog.create_database(name),
                    lambda name=name: catalog.create_table(f"default.{name}", COLUMNS, ["region"], MANAGED),
                ):
                    try:
                        create()
                        won.append(name)
                    except (errors.DatabaseExistsError, errors.TableExistsError) as error:
                        lost.append(error)

        threads = [threading.Thread(target=work, args=(worker,)) for worker in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(won) == 20
        assert len(lost) == 60
        assert len(catalog.list_databases()) == 11
        assert len(catalog.list_tables("default")) == 10
