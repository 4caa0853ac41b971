"""Scan and INSERT of a table of each file format against Spark's own reader and writer of that format."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import reading, writing
from benchmarks.data import orders
from benchmarks.reading import table_directory
from benchmarks.timing import Comparison, compare

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FORMATS = ("parquet", "orc", "csv", "json", "text", "mosaic")
COLUMNS = "id BIGINT, price DOUBLE, quantity INT, customer STRING, note STRING, day DATE"
VALUES = "id, price, quantity, customer, note, CAST(dt AS DATE) AS day"
SCAN = "SELECT sum(id), sum(price), sum(quantity), max(customer), max(note), max(day), count(*) FROM {source}"
#: A text file has one column.
LINE = "line STRING"
LINES = "concat_ws(' ', id, price, customer, note) AS line"
LINE_SCAN = "SELECT max(line), count(*) FROM {source}"
#: The codecs of the table; Spark's own defaults differ for some.
CODECS = {"parquet": "snappy", "orc": "zstd", "csv": "none", "json": "none", "text": "none"}


def run(
    spark: SparkSession, folder: Path, *, rows: int, partitions: int, rounds: int
) -> Iterator[Comparison]:
    """For each format: all columns read, and the same rows inserted."""
    orders(spark, rows, partitions, mixed=False).createOrReplaceTempView("orders")
    for name in FORMATS:
        columns, values, scan = (LINE, LINES, LINE_SCAN) if name == "text" else (COLUMNS, VALUES, SCAN)
        table, directory = f"paimon.bench.format_{name}", folder / f"format-{name}"
        spark.sql(f"SELECT {values} FROM orders").createOrReplaceTempView("rows")

        def create(table: str = table, columns: str = columns, name: str = name) -> None:
            spark.sql(f"DROP TABLE IF EXISTS {table}")
            spark.sql(f"CREATE TABLE {table} ({columns}) USING {name}")

        def insert(table: str = table) -> object:
            return spark.sql(f"INSERT INTO {table} SELECT * FROM rows")

        create()
        insert()
        stored = table_directory(spark, table)

        def scan_ours(query: str = scan.format(source=table)) -> object:
            return spark.sql(query).collect()

        if name == "mosaic":
            own = _own_package(Path(stored))
            yield compare("scan, mosaic (its own package alone)", scan_ours, own, rounds=rounds)
            spark.sql(f"DROP TABLE {table}")
            continue
        spark.read.format(name).schema(columns).load(stored).createOrReplaceTempView("same_files")

        def scan_spark(query: str = scan.format(source="same_files")) -> object:
            return spark.sql(query).collect()

        def save(name: str = name, directory: Path = directory) -> object:
            spark.table("rows").write.format(name).option("compression", CODECS[name]).save(str(directory))
            return None

        def clear(directory: Path = directory, create: Callable[[], None] = create) -> None:
            create()
            shutil.rmtree(directory, ignore_errors=True)

        yield compare(f"scan, {name}", scan_ours, scan_spark, rounds=rounds, limit=reading.LIMIT)
        yield compare(f"INSERT, {name}", insert, save, rounds=rounds, limit=writing.LIMIT, between=clear)
        clear()
        spark.sql(f"DROP TABLE {table}")


def _own_package(directory: Path) -> Callable[[], object]:
    """The same answer from the same files without Spark, with the package of the format."""
    import mosaic
    import pyarrow as pa

    def table(path: Path) -> pa.Table:
        with path.open("rb") as file:
            return mosaic.read_table(
                lambda offset, length: os.pread(file.fileno(), length, offset), path.stat().st_size
            )

    def read() -> object:
        whole = pa.concat_tables([table(path) for path in sorted(directory.glob("*.mosaic"))])
        totals = [(name, "sum") for name in ("id", "price", "quantity")]
        return whole.group_by([]).aggregate(
            [*totals, ("customer", "max"), ("note", "max"), ("day", "max"), ([], "count_all")]
        )

    return read
