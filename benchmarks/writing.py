"""INSERT into a Parquet format table against ``df.write.partitionBy(...).parquet``."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.data import COLUMNS, orders
from benchmarks.timing import Comparison, compare

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LIMIT = 1.15


def run(
    spark: SparkSession, folder: Path, *, rows: int, partitions: int, rounds: int
) -> Iterator[Comparison]:
    """Insert the same rows both ways, with input that is sorted by day and with input that is not."""
    directory = folder / "written-by-spark"
    for mixed in (False, True):
        orders(spark, rows, partitions, mixed=mixed).createOrReplaceTempView("orders")

        def ours() -> None:
            spark.sql("INSERT INTO paimon.bench.written SELECT * FROM orders")

        def sparks() -> None:
            spark.table("orders").write.partitionBy("dt").parquet(str(directory))

        def clear() -> None:
            spark.sql("DROP TABLE IF EXISTS paimon.bench.written")
            spark.sql(
                f"CREATE TABLE paimon.bench.written ({COLUMNS}) USING parquet PARTITIONED BY (dt) "
                "TBLPROPERTIES ('metastore.partitioned-table' = 'true')"
            )
            shutil.rmtree(directory, ignore_errors=True)

        kind = "each task all days" if mixed else "each task few days"
        yield compare(f"INSERT, {kind}", ours, sparks, rounds=rounds, limit=LIMIT, between=clear)
        clear()
