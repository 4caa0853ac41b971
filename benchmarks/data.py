"""The rows that the benchmarks read and write."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

COLUMNS = "id BIGINT, price DOUBLE, quantity INT, customer STRING, note STRING, dt STRING"
ALL_COLUMNS = (
    "SELECT sum(id), sum(price), sum(quantity), max(customer), max(note), max(dt), count(*) FROM {source}"
)
ONE_COLUMN = "SELECT sum(price) FROM {source}"


def orders(spark: SparkSession, rows: int, partitions: int, *, mixed: bool) -> DataFrame:
    """Orders over some days.

    Parameters
    ----------
    spark
        The session.
    rows
        How many rows.
    partitions
        How many days, the values of `dt`.
    mixed
        Whether every task has rows of every day; otherwise a task has few days.
    """
    day = f"id % {partitions}" if mixed else f"id div {-(-rows // partitions)}"
    return spark.range(rows).selectExpr(
        "id",
        "rand(7) * 1000 AS price",
        "CAST(id % 100 AS INT) AS quantity",
        "concat('customer-', id % 10007) AS customer",
        "concat_ws(' ', 'note', hash(id) % 1000, hash(id + 1) % 1000) AS note",
        f"concat('2025-01-', lpad({day} + 1, 2, '0')) AS dt",
    )
