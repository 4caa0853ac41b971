"""A secret option of a catalog is in the memory of the driver and of its Python process, and nowhere else."""

from __future__ import annotations

import contextlib
import json
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from sqlalchemy import make_url

from spark_paimon import attach
from tests.servers import server_in_thread
from tests.spark.bridge.drivers import bridge_pid, jvm_pid

CATALOG_CLASS = "org.sparkpaimon.PaimonCatalog"
REFERENCE = "spark-paimon-secret:"


@dataclass(frozen=True)
class Secret:
    """Options of a catalog that works, and what of them nobody may see."""

    text: str
    options: Mapping[str, str]

    def check(self, shown: object) -> None:
        assert self.text not in str(shown)


@pytest.fixture
def option() -> str:
    """The option that is secret."""
    return "token"


@pytest.fixture
def secret(option: str, tmp_path: Path) -> Iterator[Secret]:
    """Options for a server that asks for a token; where another option is the secret, that one besides."""
    with server_in_thread(tmp_path / "w") as options:
        text = options["token"] if option == "token" else f"nobody-may-see-{uuid.uuid4()}"
        yield Secret(text, {**options, option: text})


def by_settings(session: SparkSession, secret: Secret) -> None:
    """As somebody does who knows no better way."""
    session.conf.set("spark.sql.catalog.shop", CATALOG_CLASS)
    for key, value in secret.options.items():
        session.conf.set(f"spark.sql.catalog.shop.{key}", value)


def by_attach(session: SparkSession, secret: Secret) -> None:
    arguments = ("metastore", "warehouse", "uri", "token")
    known: dict[str, Any] = {key: value for key, value in secret.options.items() if key in arguments}
    extra = {key: value for key, value in secret.options.items() if key not in arguments}
    attach(session, catalog="shop", **known, options=extra)


@pytest.fixture(params=[by_settings, by_attach])
def session(request: pytest.FixtureRequest, spark: SparkSession, secret: Secret) -> SparkSession:
    """A session of its own with the catalog ``shop``, whose options hold a secret."""
    session = spark.newSession()
    request.param(session, secret)
    return session


@pytest.fixture
def tables(session: SparkSession) -> SparkSession:
    """The session, with tables."""
    make_tables(session)
    return session


def make_tables(session: SparkSession) -> None:
    """One that Spark's own readers read, and one that ours do."""
    session.sql("CREATE NAMESPACE shop.d")
    for kind in ("parquet", "json"):
        session.sql(
            f"CREATE TABLE shop.d.{kind} (id INT, price DECIMAL(9, 2), dt INT) USING {kind} "
            "PARTITIONED BY (dt) TBLPROPERTIES ('metastore.partitioned-table' = 'true')"
        )
        session.sql(f"INSERT INTO shop.d.{kind} VALUES (1, 1.5, 1), (2, 2.5, 2)")


def settings_of(session: SparkSession) -> list[str]:
    """Everything that statements and the API tell of the settings."""
    shown = [str(row) for statement in ("SET", "SET -v") for row in session.sql(statement).collect()]
    shown += [str(session.conf.getAll)]
    shown += [str(session._jsparkSession.sessionState().conf().getAllConfs())]
    return [*shown, str(session.sparkContext.getConf().getAll())]


@pytest.mark.parametrize("option", ["token", "header.X-Any", "dlf.access-key-id", "fs.key"])
def test_settings_tell_none(session: SparkSession, secret: Secret) -> None:
    session.sql("SHOW NAMESPACES IN shop").collect()
    secret.check("\n".join(settings_of(session)))


def test_first_statement_of_any_kind_hides_it(spark: SparkSession, secret: Secret) -> None:
    """The catalog need not be used: jobs on other tables carry the settings too."""
    session = spark.newSession()
    by_settings(session, secret)
    properties = properties_in_tasks(session.range(2))
    assert "spark.sql.catalog.shop" in properties
    secret.check(properties)


def properties_in_tasks(frame: DataFrame) -> str:
    """Local properties and environment as a task sees them, in a Python worker."""

    def look(batches: Iterator[Any]) -> Iterator[Any]:
        import os

        import pyarrow
        from pyspark import TaskContext

        for _ in batches:
            seen = [json.dumps(TaskContext.get()._localProperties), json.dumps(dict(os.environ))]  # type: ignore[union-attr]
            seen.append(Path("/proc/self/cmdline").read_text())
            yield pyarrow.record_batch({"seen": seen})

    rows = frame.mapInArrow(look, "seen string").collect()
    assert rows
    return "\n".join(row.seen for row in rows)


def test_tasks_see_none(tables: SparkSession, secret: Secret) -> None:
    for table in ("parquet", "json"):
        properties = properties_in_tasks(tables.table(f"shop.d.{table}"))
        assert "spark.sql.catalog.shop" in properties
        secret.check(properties)


def test_a_secret_that_is_looked_for_would_be_found(spark: SparkSession) -> None:
    """The test above can fail: an option that is none of the secret ones arrives."""
    session = spark.newSession()
    session.conf.set("spark.sql.catalog.shop", CATALOG_CLASS)
    session.conf.set("spark.sql.catalog.shop.warehouse", "/seen-in-tasks")
    assert "/seen-in-tasks" in properties_in_tasks(session.range(1))


def next_broadcast(session: SparkSession) -> int:
    """Number of the next broadcast value."""
    tag = session._jvm.scala.reflect.ClassTag.Any()
    return int(session.sparkContext._jsc.sc().broadcast(1, tag).id()) + 1


def broadcast_bytes(session: SparkSession, first: int) -> bytes:
    """Task binaries and other broadcast values, as far as they are still there.

    Parameters
    ----------
    first
        Number of the first one. Looking at thousands of older ones takes so long that the JVM forgets the
        new ones meanwhile.
    """
    jvm = session._jvm
    blocks = jvm.org.apache.spark.SparkEnv.get().blockManager()
    found = []
    for number in range(first, next_broadcast(session)):
        block = jvm.org.apache.spark.storage.BroadcastBlockId(number, "")
        values = blocks.getLocalValues(block)
        if values.isDefined():
            data = values.get().data()
            value = data.next()
            assert not data.hasNext()  # which also gives the block free again
            found.append(bytes(value) if isinstance(value, bytes | bytearray) else str(value).encode())
    return b"\n".join(found)


def test_task_binaries_hold_none(tables: SparkSession, secret: Secret, tmp_path: Path) -> None:
    binaries = b""
    for table in ("parquet", "json"):
        first = next_broadcast(tables)
        assert tables.table(f"shop.d.{table}").count() == 2
        tables.sql(f"INSERT INTO shop.d.{table} SELECT * FROM shop.d.{table}")
        tables.sql(f"ANALYZE TABLE shop.d.{table} COMPUTE STATISTICS")
        binaries += broadcast_bytes(tables, first)
    assert str(tmp_path / "w").encode() in binaries  # they are those of these tables
    assert secret.text.encode() not in binaries


@pytest.mark.parametrize("option", ["fs.key"])
def test_credentials_of_files_are_where_files_are_opened(tables: SparkSession, secret: Secret) -> None:
    """Also shows that the test above looks into what Python workers are sent."""
    binaries = b""
    for _ in range(10):
        # The JVM may forget a task binary as soon as its stage is done.
        first = next_broadcast(tables)
        assert tables.table("shop.d.json").count() == 2
        binaries += broadcast_bytes(tables, first)
        if secret.text.encode() in binaries:
            break
    assert secret.text.encode() in binaries
    secret.check(properties_in_tasks(tables.table("shop.d.json")))


STATEMENTS = (
    "EXPLAIN SELECT * FROM shop.d.json",
    "EXPLAIN EXTENDED SELECT * FROM shop.d.json",
    "EXPLAIN FORMATTED SELECT * FROM shop.d.json",
    "EXPLAIN CODEGEN SELECT * FROM shop.d.json",
    "EXPLAIN COST SELECT * FROM shop.d.json",
    "EXPLAIN EXTENDED INSERT INTO shop.d.parquet VALUES (1, 1, 1)",
    "DESCRIBE EXTENDED shop.d.parquet",
    "DESCRIBE NAMESPACE EXTENDED shop.d",
    "SHOW CREATE TABLE shop.d.parquet",
    "SHOW TBLPROPERTIES shop.d.parquet",
    "SHOW CATALOGS",
)


def test_statements_show_none(tables: SparkSession, secret: Secret) -> None:
    for statement in STATEMENTS:
        shown = tables.sql(statement).collect()
        assert shown, statement
        secret.check(shown)


def test_processes_show_none(tables: SparkSession, secret: Secret) -> None:
    for pid in (jvm_pid(tables), bridge_pid(tables)):
        for file in ("cmdline", "environ"):
            secret.check(Path(f"/proc/{pid}/{file}").read_bytes().decode(errors="replace"))


def test_errors_show_none(tables: SparkSession, secret: Secret) -> None:
    with pytest.raises(PySparkException) as caught:
        tables.sql("ALTER TABLE shop.d.parquet DROP PARTITION (dt = 9)")
    secret.check(caught.value)
    secret.check(caught.value._stackTrace if hasattr(caught.value, "_stackTrace") else "")


@pytest.mark.parametrize("configure", [by_settings, by_attach])
def test_password_of_a_database(
    spark: SparkSession,
    postgres_url: str,
    tmp_path: Path,
    configure: Callable[[SparkSession, Secret], None],
) -> None:
    password = f"nobody-may-see-{uuid.uuid4()}"
    uri = make_url(postgres_url).set(password=password).render_as_string(hide_password=False)
    secret = Secret(password, {"metastore": "embedded", "warehouse": str(tmp_path / "w"), "uri": uri})
    session = spark.newSession()
    configure(session, secret)
    make_tables(session)
    first = next_broadcast(session)
    assert session.table("shop.d.json").count() == 2
    assert password.encode() not in broadcast_bytes(session, first)
    secret.check("\n".join(settings_of(session)))
    secret.check(properties_in_tasks(session.table("shop.d.json")))


def test_token_that_is_refused_is_not_shown(spark: SparkSession, secret: Secret) -> None:
    session = spark.newSession()
    wrong = f"nobody-may-see-{uuid.uuid4()}"
    by_settings(session, Secret(wrong, {**secret.options, "token": wrong}))
    with pytest.raises(PySparkException, match="UNAUTHORI") as caught:
        session.sql("SHOW NAMESPACES IN shop").collect()
    assert wrong not in str(caught.value)
    assert wrong not in str(caught.value.getMessageParameters())


def test_python_process_that_died_is_given_it_again(tables: SparkSession, secret: Secret) -> None:
    tables._jvm.java.lang.ProcessHandle.of(bridge_pid(tables)).get().destroyForcibly()
    with contextlib.suppress(PySparkException):  # it may die under this call
        tables.sql("SHOW NAMESPACES IN shop").collect()
    assert tables.table("shop.d.parquet").count() == 2


def test_reference_means_something_in_clones_of_the_session(
    spark: SparkSession, secret: Secret, option: str
) -> None:
    session = spark.newSession()
    by_settings(session, secret)
    session.sql("SHOW NAMESPACES IN shop").collect()
    clone = SparkSession(session.sparkContext, session._jsparkSession.cloneSession())
    assert [row[0] for row in clone.sql("SHOW NAMESPACES IN shop").collect()] == ["default"]
    assert clone.conf.get(f"spark.sql.catalog.shop.{option}").startswith(REFERENCE)
    secret.check("\n".join(settings_of(clone)))


def test_reference_of_another_driver_is_an_error(spark: SparkSession, secret: Secret, option: str) -> None:
    session = spark.newSession()
    by_settings(session, secret)
    session.conf.set(f"spark.sql.catalog.shop.{option}", f"{REFERENCE}{uuid.uuid4()}")
    with pytest.raises(PySparkException, match="another driver") as caught:
        session.sql("SHOW NAMESPACES IN shop").collect()
    assert caught.value.getCondition() == "SECRET_LOST"
