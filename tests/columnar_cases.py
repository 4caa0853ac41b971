"""Values of every column type with their extremes, and reading and writing through a file format."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa

from spark_paimon.format import file_format
from spark_paimon.format.base import FileSlice, ReadRequest, WriteRequest
from spark_paimon.schema import (
    ArrayType,
    BigIntType,
    BinaryType,
    BooleanType,
    CharType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    Field,
    FloatType,
    IntType,
    LocalZonedTimestampType,
    MapType,
    MultisetType,
    RowType,
    SmallIntType,
    StringType,
    TimestampType,
    TimeType,
    TinyIntType,
    VarBinaryType,
    VarCharType,
    to_arrow,
)
from spark_paimon.storage import Storage, qualify, storage_for

UTC = dt.timezone.utc
MOMENTS = [
    dt.datetime(1, 1, 1),
    dt.datetime(1500, 1, 1, 12, 34, 56, 123456),
    dt.datetime(1582, 10, 4),
    dt.datetime(1582, 10, 10),
    dt.datetime(1677, 9, 21),
    dt.datetime(1969, 12, 31, 23, 59, 59, 999999),
    dt.datetime(1970, 1, 1),
    dt.datetime(2024, 3, 31, 2, 30),
    dt.datetime(2262, 4, 12),
    dt.datetime(9999, 12, 31, 23, 59, 59, 999999),
]
ZONED = [moment.replace(tzinfo=UTC) for moment in MOMENTS]
MILLIS = [moment.replace(microsecond=moment.microsecond // 1000 * 1000) for moment in MOMENTS]
TEXTS = ["", " ", "a", "é", "数据", "😀", "a\nb\x00c", "x" * 40_000]
LTZ = LocalZonedTimestampType(6)
ROW = RowType((Field(10, "x", IntType()), Field(11, "Y é", StringType()), Field(12, "t", TimestampType(6))))

CASES: dict[str, tuple[DataType, list[Any]]] = {
    "boolean": (BooleanType(), [True, False]),
    "tinyint": (TinyIntType(), [-(2**7), 0, 2**7 - 1]),
    "smallint": (SmallIntType(), [-(2**15), 2**15 - 1]),
    "int": (IntType(), [-(2**31), 2**31 - 1]),
    "bigint": (BigIntType(), [-(2**63), 2**63 - 1]),
    "float": (FloatType(), [0.0, -1.5, 3.4028234663852886e38, 1.401298464324817e-45, float("-inf")]),
    "double": (DoubleType(), [0.0, 0.1, 1.7976931348623157e308, 5e-324, float("inf")]),
    "decimal(9,2)": (DecimalType(9, 2), [Decimal("-9999999.99"), Decimal("0.01")]),
    "decimal(18,0)": (DecimalType(18, 0), [Decimal(10**18 - 1)]),
    "decimal(38,38)": (DecimalType(38, 38), [Decimal("0." + "9" * 38), Decimal("0E-38")]),
    "decimal(38,0)": (DecimalType(38, 0), [Decimal("9" * 38), Decimal("-" + "9" * 38)]),
    "char": (CharType(3), ["abc", "a  "]),
    "varchar": (VarCharType(3), ["", "äöü"]),
    "string": (StringType(), TEXTS),
    "binary": (BinaryType(2), [b"ab", b"\x00\xff"]),
    "bytes": (VarBinaryType(2**31 - 1), [b"", b"\x00\xff", b"x" * 40_000]),
    "date": (DateType(), [moment.date() for moment in MOMENTS]),
    "timestamp": (TimestampType(6), MOMENTS),
    "timestamp(3)": (TimestampType(3), MILLIS),
    "timestamp(0)": (TimestampType(0), [moment.replace(microsecond=0) for moment in MOMENTS]),
    "timestamp ltz": (LTZ, ZONED),
    "timestamp(3) ltz": (LocalZonedTimestampType(3), [moment.replace(tzinfo=UTC) for moment in MILLIS]),
    "array": (ArrayType(StringType()), [[], ["a", None, ""], ["é"]]),
    "array of timestamps": (ArrayType(TimestampType(6)), [MOMENTS, [], [None]]),
    "array of arrays": (ArrayType(ArrayType(BinaryType(2))), [[[b"ab"], None, []], []]),
    "map": (MapType(StringType(nullable=False), LTZ), [[("a", ZONED[0]), ("b", None)], []]),
    "map by time": (MapType(LTZ.with_nullable(False), IntType()), [[(ZONED[0], 1), (ZONED[-1], None)], []]),
    "multiset": (MultisetType(StringType(nullable=False)), [[("a", 2)], []]),
    "map of arrays": (
        MapType(IntType(nullable=False), ArrayType(DecimalType(20, 2))),
        [[(1, [Decimal("1.50")])]],
    ),
}
ROWS: dict[str, tuple[DataType, list[Any]]] = {
    "row": (ROW, [{"x": 1, "Y é": "a", "t": MOMENTS[0]}, {"x": None, "Y é": None, "t": None}]),
    "array of rows": (ArrayType(ROW), [[{"x": 1, "Y é": "", "t": MOMENTS[-1]}, None], []]),
    "map to rows": (
        MapType(StringType(nullable=False), ROW),
        [[("k", {"x": 2, "Y é": "b", "t": MOMENTS[1]})]],
    ),
}
TIMES: dict[str, tuple[DataType, list[Any]]] = {
    "time(0)": (TimeType(0), [dt.time(0), dt.time(23, 59, 59)]),
    "time(3)": (TimeType(3), [dt.time(23, 59, 59, 999000)]),
}
FINE_TIMES: dict[str, tuple[DataType, list[Any]]] = {
    "time(6)": (TimeType(6), [dt.time(23, 59, 59, 999999)]),
}


def columns(**types: DataType) -> list[Field]:
    """Columns numbered from 0."""
    return [Field(at, name, kind) for at, (name, kind) in enumerate(types.items())]


def case_table(cases: dict[str, tuple[DataType, list[Any]]]) -> tuple[list[Field], pa.Table]:
    """One column a case; each has its values, a NULL before and after them, and NULLs up to the longest."""
    fields = columns(**{name: kind for name, (kind, _) in cases.items()})
    longest = max(len(values) for _, values in cases.values()) + 2
    arrays = []
    for field, (_, values) in zip(to_arrow(fields), cases.values(), strict=True):
        padded = [None, *values] + [None] * (longest - len(values) - 1)
        arrays.append(pa.array(padded, field.type))
    return fields, pa.Table.from_arrays(arrays, schema=to_arrow(fields))


def storage_of(path: Path) -> Storage:
    """The storage of a local path."""
    return storage_for(qualify(path))


def write(
    name: str, path: Path, fields: Sequence[Field], table: pa.Table, codec: str | None = None, **options: str
) -> None:
    """Write a file by our writer, in batches of three rows."""
    implementation = file_format(name)
    request = WriteRequest("db.t", fields, codec or implementation.default_compression, options)
    writer = implementation.open_writer(storage_of(path), qualify(path), request)
    for batch in table.to_batches(max_chunksize=3):
        writer.write(batch)
    writer.close()


def read(
    name: str, path: Path, fields: Sequence[Field], wanted: Sequence[Field] | None = None, **settings: Any
) -> pa.Table:
    """Read a file by our reader; every batch has exactly the schema asked for."""
    wanted = fields if wanted is None else wanted
    request = ReadRequest("db.t", fields, wanted, **settings)
    batches = list(
        file_format(name).read(storage_of(path), FileSlice(qualify(path), partition="p=1"), request)
    )
    for batch in batches:
        batch.validate(full=True)
        assert batch.schema.equals(to_arrow(wanted))
        assert 0 < batch.num_rows <= request.batch_rows
    return pa.Table.from_batches(batches, to_arrow(wanted))


def count(name: str, path: Path) -> int | None:
    """Rows by the footer."""
    return file_format(name).count_rows(storage_of(path), qualify(path))
