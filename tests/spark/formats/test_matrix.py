"""Every format, codec and type, written and read by Spark and by the Python writer and reader: equal rows."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa
import pytest

from spark_paimon import errors
from spark_paimon.catalog import Identifier, load_catalog
from spark_paimon.format import file_format
from spark_paimon.options import TableOptions
from spark_paimon.schema import Field, Schema, TimeType, to_arrow
from tests.peers import ours, spark_files
from tests.peers.comparing import differences
from tests.peers.rows import FORMATS, as_text, columns_for, has_type, in_spark, rows
from tests.spark.workplace import Workplace

ZONES = ("UTC", "Asia/Shanghai", "America/New_York")
MATRIX = [(name, codec) for name in FORMATS for codec in file_format(name).codecs]
# `make test` takes the default codec of each format and one other, always the same one.
SAMPLE = {(name, file_format(name).default_compression) for name in FORMATS} | {
    (name, random.Random(20261130).choice(file_format(name).codecs)) for name in FORMATS
}
CASES = [
    pytest.param(name, codec, id=f"{name}-{codec}", marks=() if (name, codec) in SAMPLE else pytest.mark.slow)
    for name, codec in MATRIX
]


def storable(name: str) -> list[Field]:
    """Columns of the types that the format and Spark can both hold."""
    columns = [field for field in columns_for(name) if not has_type(field.type, is_time)]
    return [field for field in in_spark(columns) if can_store(name, field)]


def is_time(kind: object) -> bool:
    """Spark's TIME is a preview that its own readers and writers do not all know."""
    return isinstance(kind, TimeType)


def can_store(name: str, field: Field) -> bool:
    try:
        file_format(name).check([field], TableOptions({}), "t")
    except errors.UnsupportedError:
        return False
    return True


class Case:
    """A table of one format and codec, its columns and its rows."""

    def __init__(self, place: Workplace, name: str, codec: str) -> None:
        self.place, self.name, self.codec = place, name, codec
        self.fields = storable(name)
        self.options = {"type": "format-table", "file.format": name, "file.compression": codec}
        self.rows = rows(self.fields)
        catalog = load_catalog({"metastore": "embedded", "warehouse": str(place.tables.parent)})
        catalog.create_table(
            Identifier(place.database, "t"), Schema(tuple(self.fields), options=self.options)
        )
        self.directory = place.tables / "t"
        self.extension = file_format(name).extension(codec)

    @property
    def read_back(self) -> pa.Table:
        """What must come back: TEXT has no NULL."""
        return as_text(self.rows) if self.name == "text" else self.rows

    def write_by_spark(self) -> None:
        frame = spark_files.frame(self.place.session, self.rows, self.fields)
        frame.createOrReplaceTempView("rows")
        self.place.sql("INSERT INTO t SELECT * FROM rows")

    def write_by_python(self) -> None:
        path = self.directory / f"data-0{self.extension}"
        ours.write(path, self.rows, self.fields, self.name, self.codec, self.options)

    def read_by_spark(self) -> pa.Table:
        return self.place.session.table("t").toArrow().cast(to_arrow(self.fields))

    def read_by_python(self) -> pa.Table:
        tables = [ours.read(path, self.fields, self.name, self.options) for path in self.files()]
        return pa.concat_tables(tables)

    def files(self) -> list[Path]:
        return sorted(
            path for path in self.directory.iterdir() if path.is_file() and path.name[0] not in "._"
        )


@pytest.mark.parametrize("writer", ["spark", "python"])
@pytest.mark.parametrize(("name", "codec"), CASES)
def test_rows_are_equal_whoever_writes_and_reads(
    place: Workplace, name: str, codec: str, writer: str
) -> None:
    case = Case(place, name, codec)
    key = None if name == "text" else "id"
    place.session.conf.set("spark.sql.session.timeZone", "Asia/Shanghai")
    if writer == "spark":
        case.write_by_spark()
    else:
        case.write_by_python()
    assert case.files()
    assert all(path.name.endswith(case.extension) for path in case.files())
    assert differences(case.read_back, case.read_by_python(), key) == []
    for zone in ZONES:
        place.session.conf.set("spark.sql.session.timeZone", zone)
        assert differences(case.read_back, case.read_by_spark(), key) == [], zone


def test_all_kinds_of_types_are_in_the_matrix() -> None:
    for name in ("parquet", "orc", "json"):
        assert {"boolean", "decimal_38_38", "timestamp_6", "ltz_6", "map_int", "nested"} <= {
            field.name for field in storable(name)
        }
