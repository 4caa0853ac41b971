"""Files by Spark's own readers and writers are read right, and they read ours right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from spark_paimon.schema import (
    BinaryType,
    DateType,
    Field,
    LocalZonedTimestampType,
    TimestampType,
    VarBinaryType,
)
from spark_paimon.schema.types import BytesType, DataType
from tests.peers import ours, spark_files
from tests.peers.comparing import differences
from tests.peers.rows import as_text, columns_for, has_type, in_spark, rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ZONES = ("UTC", "Asia/Shanghai", "America/Los_Angeles")
# Six digits, which Spark leaves out unless it is told.
MICROS = {
    "timestampFormat": "yyyy-MM-dd HH:mm:ss[.SSSSSS]XXX",
    "timestampNTZFormat": "yyyy-MM-dd HH:mm:ss[.SSSSSS]",
    # Offsets of former times have seconds, which the pattern would cut off.
    "timeZone": "UTC",
}
# What makes Spark's CSV unambiguous: quotes doubled, NULL and the empty text told apart (it does not quote a
# text that looks like NULL), blanks kept.
NULL = "∅"
CSV = {
    **MICROS,
    "escape": '"',
    "nullValue": NULL,
    "emptyValue": "",
    "ignoreLeadingWhiteSpace": "false",
    "ignoreTrailingWhiteSpace": "false",
}


def fields(file_format: str, *, without: Sequence[str] = ()) -> list[Field]:
    """Columns as Spark has them, but those whose names begin with one of some texts; Spark stores no TIME."""
    skipped = ("time_", *without)
    return [field for field in in_spark(columns_for(file_format)) if not field.name.startswith(skipped)]


def holds(*kinds: type[DataType]) -> Callable[[Field], bool]:
    """Whether a column is of one of some types, or has one in its values."""
    return lambda field: has_type(field.type, lambda kind: isinstance(kind, kinds))


@pytest.mark.parametrize("variant", ["INT96", "TIMESTAMP_MICROS", "legacy decimals and lists"])
@pytest.mark.parametrize("zone", ZONES)
def test_parquet_by_spark_is_read_right(spark: SparkSession, tmp_path: Path, variant: str, zone: str) -> None:
    columns = fields("parquet")
    settings = {**spark_files.PARQUET_VARIANTS[variant], "spark.sql.session.timeZone": zone}
    path = spark_files.write(spark, tmp_path / "t", rows(columns), columns, "parquet", settings=settings)
    assert differences(rows(columns), ours.read(path, columns, "parquet")) == []


def test_parquet_by_spark_with_milliseconds_is_read_right(spark: SparkSession, tmp_path: Path) -> None:
    columns = fields("parquet", without=("timestamp_6", "timestamp_9", "ltz_6", "ltz_9", "map_ltz"))
    settings = spark_files.PARQUET_VARIANTS["TIMESTAMP_MILLIS"]
    path = spark_files.write(spark, tmp_path / "t", rows(columns), columns, "parquet", settings=settings)
    assert differences(rows(columns), ours.read(path, columns, "parquet")) == []


@pytest.mark.parametrize(
    "variant", ["days and times of the old calendar", "INT96 of the old calendar"], ids=["days", "INT96"]
)
def test_parquet_of_the_old_calendar_is_read_as_spark_reads_it(
    spark: SparkSession, tmp_path: Path, variant: str
) -> None:
    columns = fields("parquet")
    settings = spark_files.PARQUET_VARIANTS[variant]
    path = spark_files.write(spark, tmp_path / "t", rows(columns), columns, "parquet", settings=settings)
    expected = spark_files.read(spark, path, columns, "parquet")
    assert differences(expected, ours.read(path, columns, "parquet")) == []


@pytest.mark.parametrize("codec", ["none", "snappy", "gzip", "zstd", "lz4_raw"])
def test_parquet_of_ours_is_read_right_by_spark(spark: SparkSession, tmp_path: Path, codec: str) -> None:
    columns = fields("parquet")
    ours.write(tmp_path / "f", rows(columns), columns, "parquet", codec)
    assert differences(rows(columns), spark_files.read(spark, tmp_path / "f", columns, "parquet")) == []


@pytest.mark.parametrize("codec", ["none", "snappy", "zlib", "zstd", "lz4"])
def test_orc_by_spark_is_read_right(spark: SparkSession, tmp_path: Path, codec: str) -> None:
    moments = holds(TimestampType, LocalZonedTimestampType)
    columns = [field for field in fields("orc") if not moments(field)]
    options = {"compression": codec}
    path = spark_files.write(spark, tmp_path / "t", rows(columns), columns, "orc", options)
    # Days that the old calendar does not have are lost in the file; Spark's own reader says what is there.
    expected = spark_files.read(spark, path, columns, "orc")
    assert differences(expected, ours.read(path, columns, "orc")) == []


def test_orc_timestamps_without_zone_by_spark_are_read_right(spark: SparkSession, tmp_path: Path) -> None:
    # It stores them as whole numbers, with a note in the type.
    columns = fields("orc", without=("ltz", "map_ltz"))
    columns = [field for field in columns if not holds(DateType, LocalZonedTimestampType)(field)]
    path = spark_files.write(spark, tmp_path / "t", rows(columns), columns, "orc")
    assert differences(rows(columns), ours.read(path, columns, "orc")) == []


@pytest.mark.parametrize("zone", ZONES)
def test_orc_timestamps_with_zone_by_spark_are_read_right(
    spark: SparkSession, tmp_path: Path, zone: str
) -> None:
    columns = [field for field in fields("orc") if field.name in ("id", "ltz_6")]
    # Before 1582 the old calendar, and in the last second before 1970 another moment, is in the file.
    kept = [
        not moment.is_valid or (moment.value > -12_219_000_000_000_000 and not -1_000_000 < moment.value < 0)
        for moment in rows(columns).column("ltz_6")
    ]
    table = rows(columns).filter(pa.array(kept))
    settings = {"spark.sql.session.timeZone": zone}
    path = spark_files.write(spark, tmp_path / "t", table, columns, "orc", settings=settings)
    assert differences(table, ours.read(path, columns, "orc")) == []


@pytest.mark.parametrize("codec", ["none", "snappy", "zlib", "zstd", "lz4"])
def test_orc_of_ours_is_read_right_by_spark(spark: SparkSession, tmp_path: Path, codec: str) -> None:
    # It has another calendar for days, and wants timestamps without zone as whole numbers.
    moments = holds(DateType, TimestampType, LocalZonedTimestampType)
    columns = [field for field in fields("orc") if not moments(field)]
    ours.write(tmp_path / "f", rows(columns), columns, "orc", codec)
    assert differences(rows(columns), spark_files.read(spark, tmp_path / "f", columns, "orc")) == []


@pytest.mark.parametrize("header", ["false", "true"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "::"])
def test_csv_by_spark_is_read_right(spark: SparkSession, tmp_path: Path, header: str, delimiter: str) -> None:
    columns = [field for field in fields("csv") if not holds(BytesType)(field)]
    options = {**CSV, "header": header, "sep": delimiter}
    path = spark_files.write(spark, tmp_path / "t", rows(columns), columns, "csv", options)
    own = {"escape": '"', "nullValue": NULL, "header": header, "sep": delimiter}
    assert differences(rows(columns), ours.read(path, columns, "csv", own)) == []


def test_csv_of_ours_is_read_right_by_spark(spark: SparkSession, tmp_path: Path) -> None:
    columns = [field for field in fields("csv") if not holds(BytesType)(field)]
    # NULL is nothing in the file, the empty text two quotes; Spark tells them apart if NULL is no empty text.
    ours.write(tmp_path / "f", rows(columns), columns, "csv", options={"escape": '"'})
    read = spark_files.read(spark, tmp_path / "f", columns, "csv", {**CSV, "multiLine": "true"})
    assert differences(rows(columns), read) == []


@pytest.mark.parametrize("codec", ["none", "gzip", "bzip2", "deflate", "snappy", "lz4"])
def test_csv_by_spark_is_read_with_each_codec(spark: SparkSession, tmp_path: Path, codec: str) -> None:
    columns = [field for field in fields("csv") if field.name in ("id", "int", "date", "decimal_9_2")]
    options = {"compression": codec}
    path = spark_files.write(spark, tmp_path / "t", rows(columns, 50), columns, "csv", options)
    assert differences(rows(columns, 50), ours.read(path, columns, "csv")) == []


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("nulls", ["true", "false"], ids=["NULL left out", "NULL written"])
def test_json_by_spark_is_read_right(spark: SparkSession, tmp_path: Path, nulls: str, zone: str) -> None:
    columns = fields("json", without=("map_int",))
    options = {**MICROS, "ignoreNullFields": nulls}
    settings = {"spark.sql.session.timeZone": zone}
    path = spark_files.write(spark, tmp_path / "t", rows(columns), columns, "json", options, settings)
    assert differences(rows(columns), ours.read(path, columns, "json")) == []


def test_json_of_ours_is_read_right_by_spark(spark: SparkSession, tmp_path: Path) -> None:
    columns = fields("json", without=("map_int",))
    ours.write(tmp_path / "f", rows(columns), columns, "json")
    read = spark_files.read(spark, tmp_path / "f", columns, "json", {**MICROS, "prefersDecimal": "true"})
    assert differences(rows(columns), read) == []


@pytest.mark.parametrize("codec", ["none", "gzip", "bzip2", "deflate"])
def test_text_by_spark_is_read_right(spark: SparkSession, tmp_path: Path, codec: str) -> None:
    columns = columns_for("text")
    options = {"compression": codec}
    path = spark_files.write(spark, tmp_path / "t", rows(columns), columns, "text", options)
    assert differences(as_text(rows(columns)), ours.read(path, columns, "text")) == []


def test_text_of_ours_is_read_right_by_spark(spark: SparkSession, tmp_path: Path) -> None:
    columns = columns_for("text")
    ours.write(tmp_path / "f", rows(columns), columns, "text")
    read = spark_files.read(spark, tmp_path / "f", columns, "text", {"lineSep": "\n"})
    assert differences(as_text(rows(columns)), read) == []


def test_binary_columns_are_read_by_spark_as_the_bytes_that_are_in_them(
    spark: SparkSession, tmp_path: Path
) -> None:
    columns = [
        field for field in fields("parquet") if field.name == "id" or holds(BinaryType, VarBinaryType)(field)
    ]
    for file_format in ("parquet", "orc"):
        ours.write(tmp_path / file_format, rows(columns), columns, file_format)
        read = spark_files.read(spark, tmp_path / file_format, columns, file_format)
        assert differences(rows(columns), read) == []
