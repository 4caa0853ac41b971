"""Errors of Python arrive as Spark's own classes, with condition and SQLSTATE."""

from __future__ import annotations

import pyspark.errors
import pytest
from pyspark.errors import PySparkException

from tests.spark.workplace import Workplace

ILLEGAL = "IllegalArgumentException"
UNSUPPORTED = "UnsupportedOperationException"
ANALYSIS = "AnalysisException"
MANAGED = "TBLPROPERTIES ('metastore.partitioned-table' = 'true')"


@pytest.fixture
def table(place: Workplace) -> Workplace:
    """A managed table ``t``, a table ``f`` whose partitions are directories, a plain one ``p``."""
    place.run(
        f"CREATE TABLE t (id INT, dt INT) USING parquet PARTITIONED BY (dt) {MANAGED}",
        "CREATE TABLE f (id INT, dt INT) USING parquet PARTITIONED BY (dt)",
        "CREATE TABLE p (id INT) USING parquet",
        "ALTER TABLE t ADD PARTITION (dt = 1)",
    )
    return place


@pytest.mark.parametrize(
    ("statement", "kind", "condition", "state"),
    [
        ("ALTER TABLE t ADD PARTITION (dt = 'abc')", ILLEGAL, "PARTITION_VALUE_MALFORMED", "22018"),
        ("CREATE TABLE x (id INT) USING parquet TBLPROPERTIES ('target-file-size' = 'much')",
         ILLEGAL, "OPTION_MALFORMED", "22023"),
        ("CREATE TABLE x (id INT) USING parquet TBLPROPERTIES ('target-file-sizes' = '1 mb')",
         ILLEGAL, "OPTION_UNKNOWN", "22023"),
        ("CREATE TABLE x (id INT) USING paimon", UNSUPPORTED, "SNAPSHOT_TABLE_UNSUPPORTED", "0A000"),
        ("ALTER TABLE f ADD PARTITION (dt = 1)", UNSUPPORTED, "*", "*"),
        ("ANALYZE TABLE f COMPUTE STATISTICS", UNSUPPORTED, "*", "*"),
        ("ALTER TABLE t DROP PARTITION (dt = 1) PURGE", UNSUPPORTED, "PURGE_UNSUPPORTED", "0A000"),
        ("ALTER TABLE t ADD PARTITION (dt = 1)", ANALYSIS, "PARTITIONS_ALREADY_EXIST", "428FT"),
        ("ALTER TABLE t DROP PARTITION (dt = 2)", ANALYSIS, "PARTITIONS_NOT_FOUND", "428FT"),
        ("TRUNCATE TABLE t PARTITION (dt = 2)", ANALYSIS, "*", "*"),
        ("SELECT * FROM nothing", ANALYSIS, "TABLE_OR_VIEW_NOT_FOUND", "42P01"),
        ("INSERT INTO nothing VALUES (1)", ANALYSIS, "TABLE_OR_VIEW_NOT_FOUND", "42P01"),
        ("ANALYZE TABLE nothing COMPUTE STATISTICS", ANALYSIS, "TABLE_OR_VIEW_NOT_FOUND", "42P01"),
        ("MSCK REPAIR TABLE nothing", ANALYSIS, "TABLE_OR_VIEW_NOT_FOUND", "42P01"),
        ("ALTER TABLE nothing ADD PARTITION (dt = 1)", ANALYSIS, "TABLE_OR_VIEW_NOT_FOUND", "42P01"),
        ("ALTER TABLE nothing RENAME TO t2", ANALYSIS, "TABLE_OR_VIEW_NOT_FOUND", "42P01"),
        ("DROP TABLE nothing", ANALYSIS, "TABLE_OR_VIEW_NOT_FOUND", "42P01"),
        ("SHOW TABLES IN paimon.nowhere", ANALYSIS, "SCHEMA_NOT_FOUND", "42704"),
        ("CREATE TABLE paimon.nowhere.t (id INT) USING parquet", ANALYSIS, "SCHEMA_NOT_FOUND", "42704"),
        ("DROP DATABASE paimon.nowhere", ANALYSIS, "SCHEMA_NOT_FOUND", "42704"),
        ("CREATE TABLE t (id INT) USING parquet", ANALYSIS, "TABLE_OR_VIEW_ALREADY_EXISTS", "42P07"),
        ("CREATE DATABASE paimon.default", ANALYSIS, "SCHEMA_ALREADY_EXISTS", "42P06"),
        ("CALL paimon.sys.nothing()", ANALYSIS, "*", "*"),
        ("ANALYZE TABLE t PARTITION (nope = 1) COMPUTE STATISTICS", ANALYSIS, "*", "42703"),
    ],
)  # fmt: skip
def test_class_condition_and_state(
    table: Workplace, statement: str, kind: str, condition: str, state: str
) -> None:
    with pytest.raises(PySparkException) as caught:
        table.sql(statement).collect()
    error = caught.value
    assert isinstance(error, getattr(pyspark.errors, kind)), repr(error)
    assert error.getCondition(), repr(error)
    assert error.getSqlState(), repr(error)
    assert condition in ("*", error.getCondition()), repr(error)
    assert state in ("*", error.getSqlState()), repr(error)
    assert "Traceback" not in str(error)


def test_the_parameters_of_the_message_cross_too(table: Workplace) -> None:
    with pytest.raises(PySparkException) as caught:
        table.sql("ALTER TABLE t ADD PARTITION (dt = 'abc')")
    parameters = caught.value.getMessageParameters()
    assert parameters is not None
    assert (parameters["value"], parameters["column"]) == ("abc", "dt")
