"""Files by Spark's own readers and writers, without this package."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from spark_paimon.schema import Field, RowType, TextType, to_arrow, to_spark

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

PARQUET_VARIANTS: dict[str, dict[str, str]] = {
    "INT96": {"spark.sql.parquet.outputTimestampType": "INT96"},
    "TIMESTAMP_MICROS": {"spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS"},
    "TIMESTAMP_MILLIS": {"spark.sql.parquet.outputTimestampType": "TIMESTAMP_MILLIS"},
    "legacy decimals and lists": {"spark.sql.parquet.writeLegacyFormat": "true"},
    "days and times of the old calendar": {
        "spark.sql.parquet.datetimeRebaseModeInWrite": "LEGACY",
        "spark.sql.parquet.int96RebaseModeInWrite": "LEGACY",
        "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    },
    "INT96 of the old calendar": {
        "spark.sql.parquet.int96RebaseModeInWrite": "LEGACY",
        "spark.sql.parquet.outputTimestampType": "INT96",
    },
}


def schema_of(fields: Sequence[Field]) -> StructType:
    """The columns as Spark has them inside: CHAR and VARCHAR are STRING."""
    from pyspark.sql.types import StructType

    form = to_spark(RowType(tuple(fields)))
    for column, field in zip(form["fields"], fields, strict=True):
        if isinstance(field.type, TextType):
            column["type"] = "string"
            column["metadata"] = {}
    return StructType.fromJson(json.loads(json.dumps(form)))


def frame(session: SparkSession, table: pa.Table, fields: Sequence[Field]) -> DataFrame:
    """The rows, in one partition; timestamps must be microseconds."""
    return session.createDataFrame(_plain(table), schema_of(fields)).coalesce(1)


def write(
    session: SparkSession,
    directory: Path,
    table: pa.Table,
    fields: Sequence[Field],
    file_format: str,
    options: Mapping[str, str] | None = None,
    settings: Mapping[str, str] | None = None,
) -> Path:
    """Write rows by Spark's own writer; returns the one data file.

    Parameters
    ----------
    options
        Options of the writer.
    settings
        What is set in a session of its own.
    """
    own = session.newSession()
    for key, text in {"spark.sql.session.timeZone": "UTC", **(settings or {})}.items():
        own.conf.set(key, text)
    writer = frame(own, table, fields).write.format(file_format).options(**(options or {}))
    writer.save(str(directory))
    (file,) = [path for path in directory.iterdir() if path.name.startswith("part-")]
    return file


def read(
    session: SparkSession,
    path: Path,
    fields: Sequence[Field],
    file_format: str,
    options: Mapping[str, str] | None = None,
    settings: Mapping[str, str] | None = None,
) -> pa.Table:
    """Rows by Spark's own reader, as the columns of a table."""
    own = session.newSession()
    for key, text in {"spark.sql.session.timeZone": "UTC", **(settings or {})}.items():
        own.conf.set(key, text)
    reader = own.read.format(file_format).options(**(options or {})).schema(schema_of(fields))
    return reader.load(str(path)).toArrow().cast(to_arrow(fields))


def _plain(table: pa.Table) -> pa.Table:
    """Without types that Spark does not take from Arrow."""
    fields = [
        field.with_type(pa.binary()) if pa.types.is_fixed_size_binary(field.type) else field
        for field in table.schema
    ]
    return table.cast(pa.schema(fields)).combine_chunks()
