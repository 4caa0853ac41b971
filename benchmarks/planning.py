"""Many small partitions: what a query of one of them costs, and what maintenance of all of them costs."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.reading import table_directory
from benchmarks.timing import Comparison, compare

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TABLE = "paimon.bench.days"


def run(spark: SparkSession, folder: Path, *, days: int, rounds: int) -> Iterator[Comparison]:
    """One partition of many, and all of them, against ``spark.read.parquet`` of the directory."""
    del folder
    directory = prepare(spark, days)
    one = (date(2020, 1, 1) + timedelta(days // 2)).isoformat()

    def spark_one() -> object:
        return spark.read.parquet(directory).where(f"dt = '{one}'").count()

    def ours_one() -> object:
        return spark.sql(f"SELECT count(*) FROM {TABLE} WHERE dt = '{one}'").collect()

    yield compare(f"1 partition of {days:,}", ours_one, spark_one, rounds=rounds)
    yield compare(
        f"count(*) of {days:,} partitions",
        lambda: spark.table(TABLE).count(),
        lambda: spark.read.parquet(directory).count(),
        rounds=min(rounds, 3),
    )
    spark.sql(f"DROP TABLE {TABLE}")


def prepare(spark: SparkSession, days: int) -> str:
    """A table with one small file a day, written by hand and registered by MSCK; returns its directory."""
    import pyarrow
    from pyarrow import parquet

    spark.sql(f"DROP TABLE IF EXISTS {TABLE}")
    spark.sql(
        f"CREATE TABLE {TABLE} (id BIGINT, dt STRING) USING parquet PARTITIONED BY (dt) "
        "TBLPROPERTIES ('metastore.partitioned-table' = 'true')"
    )
    directory = table_directory(spark, TABLE)
    rows = pyarrow.table({"id": list(range(10))})
    for number in range(days):
        path = Path(directory, f"dt={date(2020, 1, 1) + timedelta(number)}")
        path.mkdir(parents=True)
        parquet.write_table(rows, path / "part-0.parquet")
    for statement in (
        f"MSCK REPAIR TABLE {TABLE}",
        f"ANALYZE TABLE {TABLE} COMPUTE STATISTICS NOSCAN",
        f"ANALYZE TABLE {TABLE} COMPUTE STATISTICS",
    ):
        began = time.perf_counter()
        spark.sql(statement)
        print(
            f"{statement.replace(TABLE, f'({days:,} partitions)'):<64} {time.perf_counter() - began:8.3f} s"
        )
    return directory
