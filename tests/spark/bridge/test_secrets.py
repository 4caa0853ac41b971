"""Credentials among the options of a catalog are shown nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from tests.spark.bridge.drivers import bridge_pid, jvm_pid

TOKEN = "nobody-may-see-this-token"
PASSWORD = "nobody-may-see-this-password"


@pytest.fixture
def session(spark: SparkSession, tmp_path: Path) -> SparkSession:
    """A session with catalogs that know secrets: ``good`` works, the others do not."""
    session = spark.newSession()
    options = {
        "good": {"token": TOKEN},
        "unreachable": {"uri": f"postgresql://somebody:{PASSWORD}@127.0.0.1:1/nothing"},
        "malformed": {"uri": f"no url at all, but {PASSWORD}"},
        "strange": {"uri": f"mysql://somebody:{PASSWORD}@127.0.0.1/nothing"},
        "typing": {"tokne": TOKEN},
        "remote": {"metastore": "rest", "uri": f"http://somebody:{PASSWORD}@127.0.0.1:1", "token": TOKEN},
        "wrong": {"token": TOKEN, "case-sensitive": "perhaps"},
    }
    for catalog, given in options.items():
        prefix = f"spark.sql.catalog.{catalog}"
        session.conf.set(prefix, "org.sparkpaimon.PaimonCatalog")
        for key, value in {"metastore": "embedded", "warehouse": str(tmp_path / "w"), **given}.items():
            session.conf.set(f"{prefix}.{key}", value)
    return session


def check_clean(text: str) -> None:
    assert TOKEN not in text
    assert PASSWORD not in text


@pytest.mark.parametrize("catalog", ["unreachable", "malformed", "strange", "typing", "remote", "wrong"])
def test_an_error_tells_no_secret(session: SparkSession, catalog: str) -> None:
    with pytest.raises(PySparkException) as caught:
        session.sql(f"SHOW TABLES IN {catalog}.default").collect()
    error = caught.value
    check_clean(str(error))
    check_clean(repr(error.getMessageParameters()))
    assert error.getCondition() not in (None, "INTERNAL_ERROR")
    trace = error._stackTrace if hasattr(error, "_stackTrace") else ""
    check_clean(str(trace))


@pytest.mark.parametrize(
    "statement",
    [
        "EXPLAIN EXTENDED SELECT * FROM t WHERE dt = 1",
        "EXPLAIN FORMATTED SELECT * FROM t",
        "EXPLAIN EXTENDED INSERT INTO t VALUES (1, 1)",
        "EXPLAIN EXTENDED ANALYZE TABLE t COMPUTE STATISTICS",
        "EXPLAIN EXTENDED ALTER TABLE t ADD PARTITION (dt = 3)",
        "DESCRIBE EXTENDED t",
        "DESCRIBE DATABASE EXTENDED default",
        "SHOW CREATE TABLE t",
        "SHOW TBLPROPERTIES t",
        "SELECT * FROM `t$options`",
        "SHOW CATALOGS",
    ],
)
def test_no_statement_shows_one(session: SparkSession, statement: str) -> None:
    session.sql("USE good.default")
    session.sql("DROP TABLE IF EXISTS t")
    session.sql(
        "CREATE TABLE t (id INT, dt INT) USING parquet PARTITIONED BY (dt) "
        "TBLPROPERTIES ('metastore.partitioned-table' = 'true')"
    )
    shown = session.sql(statement).collect()
    assert shown
    check_clean(str(shown))


def test_texts_of_the_objects_and_the_command_lines_hold_none(session: SparkSession) -> None:
    session.sql("SHOW TABLES IN good.default").collect()
    catalog = session._jsparkSession.sessionState().catalogManager().catalog("good")
    check_clean(catalog.toString())
    for pid in (bridge_pid(session), jvm_pid(session)):
        for file in ("cmdline", "environ"):
            check_clean(Path(f"/proc/{pid}/{file}").read_bytes().decode(errors="replace"))
