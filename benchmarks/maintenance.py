"""Many partitions: MSCK, ANALYZE and a query of one, against Spark's own table on the same directories.

Spark's side is a table of its session catalog, whose partitions it tracks, as ours are by our catalog.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.reading import table_directory
from benchmarks.timing import Comparison, compare

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

OURS = "paimon.bench.maintained"
SPARKS = "spark_catalog.default.maintained"
MAINTENANCE_LIMIT = 0.3
QUERY_LIMIT = 0.5
_ROWS = 10


def run(
    spark: SparkSession, folder: Path, *, repaired: int, analyzed: int, rounds: int
) -> Iterator[Comparison]:
    """The statements that maintain partitions, and a query of one of them.

    Parameters
    ----------
    spark
        The session.
    folder
        For files that are moved out of the way.
    repaired
        Partitions that MSCK finds, and of which a query reads one.
    analyzed
        Partitions that ANALYZE measures.
    rounds
        Measured runs of each side.
    """
    directory = prepare(spark, repaired)

    def forget() -> None:
        """Take all registrations away on both sides and leave the directories."""
        aside = folder / "maintained"
        directory.rename(aside)
        spark.sql(f"MSCK REPAIR TABLE {OURS} DROP PARTITIONS")
        aside.rename(directory)
        create_sparks(spark, directory)

    yield compare(
        f"MSCK REPAIR TABLE, {repaired:,} new",
        lambda: spark.sql(f"MSCK REPAIR TABLE {OURS}"),
        lambda: spark.sql(f"MSCK REPAIR TABLE {SPARKS}"),
        rounds=rounds,
        limit=MAINTENANCE_LIMIT,
        between=forget,
    )
    for table in (OURS, SPARKS):
        spark.sql(f"MSCK REPAIR TABLE {table}")
        found = spark.sql(f"SHOW PARTITIONS {table}").count()
        assert found == repaired, f"{table} has {found} partitions and not {repaired}"
    day = day_of(repaired // 2)

    def count(table: str) -> None:
        rows = spark.sql(f"SELECT count(*) FROM {table} WHERE dt = '{day}'").first()
        assert rows == (_ROWS,), f"{table}: {rows}"

    yield compare(
        f"SELECT count(*) of 1 partition of {repaired:,}",
        lambda: count(OURS),
        lambda: count(SPARKS),
        rounds=max(rounds, 7),
        limit=QUERY_LIMIT,
    )
    if analyzed != repaired:
        directory = prepare(spark, analyzed)
        for table in (OURS, SPARKS):
            spark.sql(f"MSCK REPAIR TABLE {table}")
    for name, end in (("ANALYZE NOSCAN", " NOSCAN"), ("ANALYZE", "")):

        def analyze(table: str, end: str = end) -> None:
            spark.sql(f"ANALYZE TABLE {table} PARTITION (dt) COMPUTE STATISTICS{end}")

        yield compare(
            f"{name} of {analyzed:,} partitions",
            partial(analyze, OURS),
            partial(analyze, SPARKS),
            rounds=min(rounds, 3),
            limit=MAINTENANCE_LIMIT,
        )
    spark.sql(f"DROP TABLE {SPARKS}")
    spark.sql(f"DROP TABLE {OURS}")


def prepare(spark: SparkSession, days: int) -> Path:
    """Tables of both sides on one directory with a small file a day, nothing of it registered."""
    import pyarrow
    from pyarrow import parquet

    spark.sql(f"DROP TABLE IF EXISTS {OURS}")
    spark.sql(
        f"CREATE TABLE {OURS} (id BIGINT, dt STRING) USING parquet PARTITIONED BY (dt) "
        "TBLPROPERTIES ('metastore.partitioned-table' = 'true')"
    )
    directory = Path(table_directory(spark, OURS))
    first = directory / f"dt={day_of(0)}" / "part-0.parquet"
    for number in range(days):
        partition = directory / f"dt={day_of(number)}"
        partition.mkdir(parents=True)
        if number:
            shutil.copyfile(first, partition / first.name)
        else:
            parquet.write_table(pyarrow.table({"id": list(range(_ROWS))}), first)
    create_sparks(spark, directory)
    return directory


def create_sparks(spark: SparkSession, directory: Path) -> None:
    """Spark's table on the directory, without partitions."""
    spark.sql(f"DROP TABLE IF EXISTS {SPARKS}")
    spark.sql(
        f"CREATE TABLE {SPARKS} (id BIGINT, dt STRING) USING parquet PARTITIONED BY (dt) "
        f"LOCATION '{directory}'"
    )


def day_of(number: int) -> str:
    """Text of one of the days."""
    return (date(2000, 1, 1) + timedelta(number)).isoformat()
