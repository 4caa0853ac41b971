"""Mistakes and races that users reported, on a session."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import IllegalArgumentException, UnsupportedOperationException

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture
def db(spark: SparkSession) -> str:
    spark.sql("DROP DATABASE IF EXISTS paimon.reported CASCADE")
    spark.sql("CREATE DATABASE paimon.reported")
    return "paimon.reported"


def test_overwrites_at_the_same_time_leave_the_rows_of_one(spark: SparkSession, db: str) -> None:
    spark.sql(
        f"CREATE TABLE {db}.t (id INT, p INT) USING parquet PARTITIONED BY (p) "
        "TBLPROPERTIES ('metastore.partitioned-table' = 'true')"
    )
    for _ in range(4):
        with ThreadPoolExecutor(3) as pool:
            list(
                pool.map(
                    lambda k: spark.sql(f"INSERT OVERWRITE {db}.t PARTITION (p = 1) SELECT {k}"), range(3)
                )
            )
        assert spark.table(f"{db}.t").count() == 1
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda k: spark.sql(f"INSERT OVERWRITE {db}.t SELECT {k}, {k}"), range(2, 4)))
    assert spark.table(f"{db}.t").count() == 1


def test_layout_options_of_a_table_with_rows_stay(spark: SparkSession, db: str) -> None:
    spark.sql(f"CREATE TABLE {db}.t (id INT, p STRING) USING parquet PARTITIONED BY (p)")
    spark.sql(f"INSERT INTO {db}.t VALUES (1, 'a'), (2, NULL)")
    for option in ("'format-table.partition-path-only-value' = 'true'", "'partition.default-name' = '__X__'"):
        with pytest.raises(UnsupportedOperationException) as caught:
            spark.sql(f"ALTER TABLE {db}.t SET TBLPROPERTIES ({option})")
        assert caught.value.getCondition() == "OPTION_IMMUTABLE"
    assert sorted(map(tuple, spark.table(f"{db}.t").collect())) == [(1, "a"), (2, None)]


def test_external_table_over_the_warehouse_is_refused(
    spark: SparkSession, db: str, warehouse_root: Path
) -> None:
    with pytest.raises(IllegalArgumentException) as caught:
        spark.sql(f"CREATE TABLE {db}.x (id INT) USING parquet LOCATION '{warehouse_root / 'embedded'}'")
    assert caught.value.getCondition() == "LOCATION_TAKEN"


def test_default_of_an_added_column_is_refused_and_not_forgotten(spark: SparkSession, db: str) -> None:
    spark.sql(f"CREATE TABLE {db}.t (id INT) USING parquet")
    with pytest.raises(UnsupportedOperationException) as caught:
        spark.sql(f"ALTER TABLE {db}.t ADD COLUMN e INT DEFAULT 7")
    assert caught.value.getCondition() == "TABLE_CHANGE_UNSUPPORTED"
    assert spark.table(f"{db}.t").columns == ["id"]
