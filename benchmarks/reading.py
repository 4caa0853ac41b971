"""Queries of a Parquet format table against ``spark.read.parquet`` of the same directory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlparse

from benchmarks.data import ALL_COLUMNS, COLUMNS, ONE_COLUMN, orders
from benchmarks.timing import Comparison, compare

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LIMIT = 1.1


def run(
    spark: SparkSession, folder: Path, *, rows: int, partitions: int, rounds: int
) -> Iterator[Comparison]:
    """One column and all columns.

    Spark's side has listed its directory and read its schema before the clock starts; ours asks the catalog
    and lists the directories each time, as a query of a table does.
    """
    del folder
    spark.sql("DROP TABLE IF EXISTS paimon.bench.read")
    spark.sql(
        f"CREATE TABLE paimon.bench.read ({COLUMNS}) USING parquet PARTITIONED BY (dt) "
        "TBLPROPERTIES ('metastore.partitioned-table' = 'true')"
    )
    orders(spark, rows, partitions, mixed=False).createOrReplaceTempView("orders")
    spark.sql("INSERT INTO paimon.bench.read SELECT * FROM orders")
    spark.read.parquet(table_directory(spark, "paimon.bench.read")).createOrReplaceTempView("same_directory")
    for name, query in (("SELECT sum(price)", ONE_COLUMN), ("an aggregate over all columns", ALL_COLUMNS)):

        def ours(query: str = query) -> object:
            return spark.sql(query.format(source="paimon.bench.read")).collect()

        def sparks(query: str = query) -> object:
            return spark.sql(query.format(source="same_directory")).collect()

        yield compare(name, ours, sparks, rounds=rounds, limit=LIMIT)
    spark.sql("DROP TABLE paimon.bench.read")


def table_directory(spark: SparkSession, table: str) -> str:
    """Local directory of a table."""
    rows = spark.sql(f"DESCRIBE EXTENDED {table}").collect()
    location = str(next(row[1] for row in rows if row[0] == "Location"))
    return urlparse(location).path
