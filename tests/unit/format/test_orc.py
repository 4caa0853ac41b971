"""ORC files: ours and those of others, above all their dates and timestamps."""

from __future__ import annotations

import datetime as dt
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa
import pyorc
import pytest
from pyarrow import orc

from spark_paimon import errors
from spark_paimon.format import file_format
from spark_paimon.format.base import FileSlice, ReadRequest
from spark_paimon.format.calendars import java_wall_clock
from spark_paimon.format.native import file_checks
from spark_paimon.format.orc_clocks import OrcClocks
from spark_paimon.format.orc_rows import open_reader
from spark_paimon.options import TableOptions
from spark_paimon.schema import (
    ArrayType,
    BigIntType,
    DataType,
    DateType,
    DoubleType,
    IntType,
    LocalZonedTimestampType,
    MapType,
    RowType,
    StringType,
    TimestampType,
    TimeType,
    VariantType,
    to_arrow,
)
from spark_paimon.storage import qualify, storage_for
from tests import recorded_files
from tests.columnar_cases import CASES, MOMENTS, ROWS, TIMES, ZONED, case_table, columns, count, read, write

ORC = file_format("orc")
STORABLE = CASES | ROWS | TIMES
LTZ = LocalZonedTimestampType(6)
UTC = dt.timezone.utc


@pytest.mark.parametrize("codec", ORC.codecs)
def test_every_type_comes_back_from_every_codec(tmp_path: Path, codec: str) -> None:
    fields, table = case_table(STORABLE)
    write("orc", tmp_path / "f", fields, table, codec)
    assert read("orc", tmp_path / "f", fields).equals(table)
    assert read("orc", tmp_path / "f", fields, batch_rows=5).equals(table)
    assert count("orc", tmp_path / "f") == table.num_rows


def test_types_in_the_file_are_those_of_paimon(tmp_path: Path) -> None:
    names = (
        "tinyint",
        "date",
        "timestamp",
        "timestamp(3)",
        "timestamp ltz",
        "binary",
        "decimal(9,2)",
        "array",
        "map",
    )
    fields, table = case_table({name: STORABLE[name] for name in names})
    write("orc", tmp_path / "f", fields, table)
    with (tmp_path / "f").open("rb") as stream:
        reader = pyorc.Reader(stream, converters=numbers())
        kinds = [str(kind) for kind in reader.schema.fields.values()]
        assert kinds == [
            "tinyint",
            "date",
            "timestamp",
            "timestamp",
            "timestamp with local time zone",
            "binary",
            "decimal(9,2)",
            "array<string>",
            "map<string,timestamp with local time zone>",
        ]
        assert {stripe.writer_timezone for stripe in reader.iter_stripes()} <= {"GMT", "UTC"}


def numbers() -> dict[Any, Any]:
    """Converters of pyorc that give microseconds and days."""
    seen: dict[Any, Any] = {}

    class Clock(pyorc.converters.ORCConverter):
        @staticmethod
        def from_orc(seconds: int, nanos: int, _zone: Any) -> int:
            return seconds * 1_000_000 + nanos // 1000

        @staticmethod
        def to_orc(value: int, _zone: Any) -> tuple[int, int]:
            return value // 1_000_000, value % 1_000_000 * 1000

    class Day(pyorc.converters.ORCConverter):
        @staticmethod
        def from_orc(days: int) -> int:
            return days

        @staticmethod
        def to_orc(days: int) -> int:
            return days

    seen[pyorc.TypeKind.TIMESTAMP] = Clock
    seen[pyorc.TypeKind.DATE] = Day
    return seen


def micros(moment: dt.datetime) -> int:
    return (moment.replace(tzinfo=None) - dt.datetime(1970, 1, 1)) // dt.timedelta(microseconds=1)


def test_others_find_the_values(tmp_path: Path) -> None:
    fields, table = case_table(STORABLE)
    write("orc", tmp_path / "f", fields, table)
    small = [name for name in table.column_names if "time" not in name and name != "map" and name not in ROWS]
    found = orc.ORCFile(tmp_path / "f").read(columns=small)
    for name in small:
        assert found[name].to_pylist() == table[name].to_pylist(), name
    with (tmp_path / "f").open("rb") as stream:
        for name in ("timestamp", "timestamp ltz"):
            stream.seek(0)
            rows = pyorc.Reader(stream, column_names=[name], converters=numbers()).read()
            assert [row[0] for row in rows][1 : len(MOMENTS) + 1] == [micros(moment) for moment in MOMENTS]


def test_a_file_without_rows_reads_as_none(tmp_path: Path) -> None:
    fields, table = case_table(STORABLE)
    write("orc", tmp_path / "f", fields, table.slice(0, 0))
    assert read("orc", tmp_path / "f", fields).num_rows == 0
    assert count("orc", tmp_path / "f") == 0


def test_rows_are_counted_when_no_column_is_wanted(tmp_path: Path) -> None:
    fields, table = case_table(STORABLE)
    write("orc", tmp_path / "f", fields, table)
    found = read("orc", tmp_path / "f", fields, [], batch_rows=5)
    assert (found.num_rows, found.num_columns) == (table.num_rows, 0)


def test_projections_in_any_order_and_missing_columns(tmp_path: Path) -> None:
    fields, table = case_table(STORABLE)
    write("orc", tmp_path / "f", fields, table)
    wanted = [fields[at] for at in (17, 3, 24, 0)]
    assert read("orc", tmp_path / "f", fields, wanted).equals(table.select([field.name for field in wanted]))
    other = columns(TINYINT=BigIntType(), date=TimestampType(6), new=DoubleType())
    found = read("orc", tmp_path / "f", other)
    assert found["TINYINT"].to_pylist() == table["tinyint"].to_pylist()
    assert found["date"].to_pylist()[1] == dt.datetime(1, 1, 1)
    assert found["new"].null_count == table.num_rows
    with pytest.raises(errors.IllegalStateError) as caught:
        read("orc", tmp_path / "f", columns(date=IntType()))
    assert caught.value.condition == "FILE_COLUMN_TYPE"


def test_only_timestamps_beyond_nanoseconds_leave_pyarrow(tmp_path: Path) -> None:
    young = [dt.datetime(1700, 1, 1), dt.datetime(2261, 1, 1)]
    table = pa.table(
        {
            "young": pa.array(young, pa.timestamp("us")),
            "old": pa.array([MOMENTS[0], None], pa.timestamp("us")),
            "nested": pa.array([[MOMENTS[-1]], None], pa.list_(pa.timestamp("us", "UTC"))),
            "nulls": pa.nulls(2, pa.timestamp("us")),
        }
    )
    orc.write_table(table, tmp_path / "f")
    with (tmp_path / "f").open("rb") as stream:
        clocks = OrcClocks(open_reader(stream, nanos=False), {})
        assert clocks.beyond_arrow(table.column_names, "UTC") == ["old", "nested"]
        assert "young" in clocks.beyond_arrow(table.column_names, "Asia/Shanghai")


def test_timestamps_of_pyarrow_are_read_whatever_their_unit(tmp_path: Path) -> None:
    for unit, factor in (("ms", 1_000), ("us", 1), ("ns", 0.001)):
        values = [None, -1, 0, 1_234_567_891_234]
        table = pa.table(
            {
                "n": pa.array(values, pa.timestamp(unit)),
                "l": pa.array(values, pa.timestamp(unit, "Asia/Shanghai")),
            }
        )
        orc.write_table(table, tmp_path / unit)
        found = read("orc", tmp_path / unit, columns(n=TimestampType(6), l=LTZ))
        right = [None, *(int(value * factor // 1) for value in values[1:] if value is not None)]
        assert found["n"].cast(pa.int64()).to_pylist() == right
        assert found["l"].cast(pa.int64()).to_pylist() == right


def test_nanoseconds_are_kept_where_they_are_wanted(tmp_path: Path) -> None:
    fields = columns(n=TimestampType(9), l=LocalZonedTimestampType(9))
    values = [-1, 1_234_567_891, None]
    table = pa.table(
        [pa.array(values, pa.timestamp("ns", zone)) for zone in (None, "UTC")], schema=to_arrow(fields)
    )
    write("orc", tmp_path / "f", fields, table)
    assert read("orc", tmp_path / "f", fields).equals(table)
    orc.write_table(pa.table({"n": pa.array([MOMENTS[0]], pa.timestamp("us"))}), tmp_path / "g")
    with pytest.raises(errors.IllegalStateError):
        read("orc", tmp_path / "g", fields[:1])


def test_an_instant_is_not_read_as_a_wall_clock(tmp_path: Path) -> None:
    orc.write_table(pa.table({"a": pa.array([ZONED[0]], pa.timestamp("us", "UTC"))}), tmp_path / "f")
    with pytest.raises(errors.IllegalStateError) as caught:
        read("orc", tmp_path / "f", columns(a=TimestampType(6)))
    assert caught.value.condition == "FILE_COLUMN_TYPE"


def spark_like(path: Path, schema: str, rows: Sequence[tuple[Any, ...]], attributes: dict[str, str]) -> None:
    """A file with the marks of Spark."""
    kind = pyorc.TypeDescription.from_string(schema)
    for name, meaning in attributes.items():
        kind.fields[name].set_attributes({"spark.sql.catalyst.type": meaning})
    stream = io.BytesIO()
    writer = pyorc.Writer(stream, kind, converters=numbers())
    writer.set_user_metadata(**{"org.apache.spark.version": b"4.2.1"})
    writer.writerows(rows)
    writer.close()
    path.write_bytes(stream.getvalue())


def test_timestamp_ntz_of_spark_is_a_long_with_an_attribute(tmp_path: Path) -> None:
    rows = [(micros(moment), micros(moment)) for moment in MOMENTS]
    spark_like(tmp_path / "f", "struct<n:bigint,b:bigint>", rows, {"n": "timestamp_ntz"})
    found = read("orc", tmp_path / "f", columns(n=TimestampType(6), b=BigIntType()))
    assert found["n"].to_pylist() == MOMENTS
    assert found["b"].to_pylist() == [micros(moment) for moment in MOMENTS]
    with pytest.raises(errors.IllegalStateError):
        read("orc", tmp_path / "f", columns(b=TimestampType(6)))


def test_dates_of_spark_are_of_the_hybrid_calendar(tmp_path: Path) -> None:
    days = [-719164, -171655, -141428, -141427, 0, None]
    right = [-719162, -171664, -141438, -141427, 0, None]
    spark_like(tmp_path / "f", "struct<d:date>", [(day,) for day in days], {})
    found = read("orc", tmp_path / "f", columns(d=DateType()))["d"].cast(pa.int32()).to_pylist()
    assert found == right
    table = pa.table({"d": pa.array(days, pa.int32()).cast(pa.date32())})
    orc.write_table(table, tmp_path / "g")
    assert read("orc", tmp_path / "g", columns(d=DateType()))["d"].cast(pa.int32()).to_pylist() == days


# What was written, in the JVM and session zone Asia/Shanghai.
SPARK_TEXTS = [
    "0001-01-01 00:00:00",
    "1500-01-01 12:34:56.123456",
    "1582-10-04 00:00:00",
    "1582-10-15 00:00:00",
    "1899-12-31 00:00:00",
    "1900-06-01 00:00:00",
    "1950-01-01 00:00:00",
    "1969-12-31 23:59:59.999999",
    "1988-09-11 01:30:00",
    "2024-06-01 10:00:00",
    "2262-04-12 00:00:00",
    "9999-12-31 23:59:59.999999",
]


def test_a_file_that_spark_wrote_in_shanghai(tmp_path: Path) -> None:
    fields = columns(
        id=IntType(),
        n=TimestampType(6),
        l=LTZ,
        d=DateType(),
        s=RowType(tuple(columns(m=MapType(StringType(), LTZ)))),
    )
    zone = ZoneInfo("Asia/Shanghai")
    path = recorded_files.write(recorded_files.SPARK_SHANGHAI_ORC, tmp_path / "f")
    found = read("orc", path, fields)
    clocks = [dt.datetime.fromisoformat(text) for text in SPARK_TEXTS]
    offsets = [zone.utcoffset(clock) or dt.timedelta() for clock in clocks]
    instants = [
        micros(clock) - offset // dt.timedelta(microseconds=1)
        for clock, offset in zip(clocks, offsets, strict=True)
    ]
    assert found["n"].to_pylist() == [*clocks, None]
    assert found["d"].to_pylist() == [*(clock.date() for clock in clocks), None]
    assert found["l"].cast(pa.int64()).to_pylist() == [*instants, None]
    inside = found["s"].combine_chunks().field(0)
    assert inside.items.cast(pa.int64()).to_pylist()[: len(instants)] == instants
    with pytest.raises(errors.IllegalStateError, match="timestamp"):
        read("orc", path, columns(l=TimestampType(6)))


def test_a_wall_clock_of_another_zone_stays_what_it_was(tmp_path: Path) -> None:
    # As C++ writers store it: the wall clock of the zone.
    zone = ZoneInfo("America/New_York")
    clocks = [dt.datetime(2024, 11, 3, 1, 30), dt.datetime(2024, 6, 1, 10), dt.datetime(1999, 12, 31, 23)]
    stream = io.BytesIO()
    writer = pyorc.Writer(stream, "struct<a:timestamp>", timezone=zone)
    writer.writerows([(clock.replace(tzinfo=zone),) for clock in clocks])
    writer.close()
    (tmp_path / "f").write_bytes(stream.getvalue())
    assert read("orc", tmp_path / "f", columns(a=TimestampType(6)))["a"].to_pylist() == clocks


@pytest.mark.parametrize(
    ("content", "condition", "text"),
    [
        (b"", "FILE_UNREADABLE", "it is empty"),
        (b"ORC\x00\x01", "FILE_UNREADABLE", "ORC"),
        (b"id,name\n1,a\n", "FILE_FORMAT_MISMATCH", "ORC, but is something else"),
        (b"PAR1\x15\x00\x15\x00" + b"\x00" * 30 + b"PAR1", "FILE_FORMAT_MISMATCH", "ORC, but is PARQUET"),
    ],
)
def test_other_and_damaged_files_are_named(tmp_path: Path, content: bytes, condition: str, text: str) -> None:
    (tmp_path / "f").write_bytes(content)
    with pytest.raises(errors.IllegalStateError, match=text) as caught:
        read("orc", tmp_path / "f", columns(a=IntType()))
    assert caught.value.condition == condition


@pytest.mark.parametrize("column", ["bigint", "timestamp"])
def test_damage_in_the_data_is_never_read_as_values(tmp_path: Path, column: str) -> None:
    fields, table = case_table({column: STORABLE[column]})
    write("orc", tmp_path / "f", fields, table)
    content = bytearray((tmp_path / "f").read_bytes())
    (tmp_path / "f").write_bytes(content[: len(content) // 2])
    with pytest.raises(errors.IllegalStateError) as caught:
        read("orc", tmp_path / "f", fields)
    assert caught.value.condition == "FILE_UNREADABLE"


def test_types_that_it_cannot_store_are_refused() -> None:
    options = TableOptions({})
    ORC.check(case_table(STORABLE)[0], options, "db.t")
    with pytest.raises(errors.UnsupportedError, match=r"TIME\(4\) of column t .*: PARQUET"):
        ORC.check(columns(t=ArrayType(TimeType(4))), options, "db.t")
    with pytest.raises(errors.UnsupportedError, match="VARIANT"):
        ORC.check(columns(v=VariantType()), options, "db.t")


@pytest.mark.parametrize("kind", [DateType(), TimestampType(6), LTZ, TimeType(3)])
def test_python_reads_and_writes_dates_and_clocks_even_inside(kind: Any) -> None:
    nested = columns(a=IntType(), b=ArrayType(RowType(tuple(columns(x=kind)))))
    options = TableOptions({})
    reasons = [ORC.why_python_writes(nested, options, "zstd")]
    if isinstance(kind, DateType):  # only files with days of the old calendar: their statistics tell
        assert ORC.why_python_reads(nested, options) is None
        assert file_checks("orc", nested).instead == ("date",)
    else:
        reasons.append(ORC.why_python_reads(nested, options))
    for why in reasons:
        assert why is not None
        assert why.startswith("column b holds a ")
    plain = columns(a=IntType(), b=ArrayType(StringType()))
    assert ORC.why_python_reads(plain, options) is None
    assert ORC.why_python_writes(plain, options, "zstd") is None


X = RowType(tuple(columns(x=IntType(), l=ArrayType(StringType()))))
STRUCTS = [None if n % 7 == 3 else {"x": n, "l": [str(n)] * (n % 3)} for n in range(60)]
SLICED: dict[str, tuple[DataType, list[Any]]] = {
    "struct": (X, STRUCTS),
    "inside a struct": (RowType(tuple(columns(s=X))), [{"s": value} for value in STRUCTS]),
    "inside a list": (ArrayType(X), [[value, None] * (n % 3) for n, value in enumerate(STRUCTS)]),
    "inside a map": (
        MapType(IntType(nullable=False), X),
        [[(n, value)] for n, value in enumerate(STRUCTS)],
    ),
}


@pytest.mark.parametrize("case", SLICED)
def test_structs_are_written_with_their_own_rows(tmp_path: Path, case: str) -> None:
    # pyarrow's writer forgets that a struct begins in the middle of its buffers, and NULL structs in structs.
    kind, values = SLICED[case]
    fields = columns(a=kind)
    table = pa.table([pa.array(values, to_arrow(fields).field(0).type)], schema=to_arrow(fields)).slice(11)
    write("orc", tmp_path / "f", fields, table)
    assert orc.read_table(tmp_path / "f")["a"].to_pylist() == table["a"].to_pylist()
    assert read("orc", tmp_path / "f", fields).equals(table)


def test_nanoseconds_are_a_matter_of_each_column(tmp_path: Path) -> None:
    inside = RowType(tuple(columns(n=TimestampType(9), far=TimestampType(6))))
    fields = columns(n=LocalZonedTimestampType(9), far=TimestampType(6), row=inside, list=ArrayType(inside))
    far = [-62_135_596_800_000_000, 253_402_300_799_999_999, -1, None]
    near = [-1, 1_234_567_891, -1_000_000_001, None]
    nanos = pa.array(near, pa.timestamp("ns"))
    inner = pa.StructArray.from_arrays([nanos, pa.array(far, pa.timestamp("us"))], ["n", "far"])
    lists = pa.ListArray.from_arrays(pa.array(range(5), pa.int32()), inner)
    zoned = nanos.cast(pa.timestamp("ns", "UTC"))
    table = pa.table({"n": zoned, "far": inner.field("far"), "row": inner, "list": lists})
    orc.write_table(table, tmp_path / "f")
    found = read("orc", tmp_path / "f", fields)
    for name in table.column_names:
        assert found[name].combine_chunks().equals(table[name].combine_chunks().cast(found[name].type)), name


@pytest.mark.parametrize("digits", [6, 9])
def test_the_last_second_before_1970(tmp_path: Path, digits: int) -> None:
    # Libraries differ in how they store it, and some lose it.
    second = 10**digits
    values = [-1, -second // 2, -second + 1, -second // 1000, -second // 1000 - 1, -second, -second - 1, 0, 1]
    fields = columns(n=TimestampType(digits), l=LocalZonedTimestampType(digits))
    table = pa.table([pa.array(values, kind) for kind in to_arrow(fields).types], schema=to_arrow(fields))
    orc.write_table(table, tmp_path / "pyarrow")
    assert read("orc", tmp_path / "pyarrow", fields).equals(table)
    write("orc", tmp_path / "ours", fields, table.cast(to_arrow(fields)))
    assert read("orc", tmp_path / "ours", fields).equals(table)
    assert orc.read_table(tmp_path / "ours").cast(table.schema).equals(table)


def test_a_time_is_a_number_of_milliseconds(tmp_path: Path) -> None:
    fields = columns(a=TimeType(3), b=ArrayType(TimeType(0)), c=IntType())
    times = [dt.time(0), dt.time(23, 59, 59, 999_000), None]
    whole = [[dt.time(1), None], [], None]
    table = pa.table([times, whole, [1, 2, 3]], schema=to_arrow(fields))
    write("orc", tmp_path / "f", fields, table)
    stored = orc.read_table(tmp_path / "f")
    assert stored["a"].to_pylist() == [0, 86_399_999, None]
    assert stored["b"].to_pylist() == [[3_600_000, None], [], None]
    assert read("orc", tmp_path / "f", fields).equals(table)
    numbers = columns(a=IntType())
    assert read("orc", tmp_path / "f", numbers)["a"].to_pylist() == [0, 86_399_999, None]


@pytest.mark.parametrize("number", [-1, 86_400_000])
def test_a_number_that_is_no_time_is_refused(tmp_path: Path, number: int) -> None:
    orc.write_table(pa.table({"a": pa.array([0, number], pa.int32())}), tmp_path / "f")
    with pytest.raises(errors.IllegalStateError, match="no millisecond of a day"):
        read("orc", tmp_path / "f", columns(a=TimeType(3)))


@pytest.mark.parametrize(
    ("text", "offset"),
    [("2036-07-01", -7), ("2037-12-01", -8), ("2038-07-01", -7), ("2262-04-11", -7), ("9999-07-01", -7)],
)
def test_summer_does_not_end_in_2037(text: str, offset: int) -> None:
    clock = micros(dt.datetime.fromisoformat(text))
    instants = pa.array([clock, None, 0], pa.int64())
    found = java_wall_clock(instants, 1_000_000, "America/Los_Angeles").to_pylist()
    assert found == [clock + offset * 3_600_000_000, None, -8 * 3_600_000_000]


def test_the_calendar_of_zones_goes_on_behind_the_years_of_python() -> None:
    # 400 years after 9999-07-01.
    instant = micros(dt.datetime(9999, 7, 1)) + 146_097 * 86_400_000_000
    found = java_wall_clock(pa.array([instant]), 1_000_000, "America/Los_Angeles").to_pylist()
    assert found == [instant - 7 * 3_600_000_000]


def test_only_the_slice_with_the_beginning_reads_a_file(tmp_path: Path) -> None:
    orc.write_table(pa.table({"a": pa.array([1, 2], pa.int32())}), tmp_path / "f")
    path = qualify(tmp_path / "f")
    request = ReadRequest("db.t", columns(a=IntType()), columns(a=IntType()))
    rows = [
        sum(batch.num_rows for batch in file_format("orc").read(storage_for(path), part, request))
        for part in (FileSlice(path, 0, 10), FileSlice(path, 10, 10), FileSlice(path, 20, -1))
    ]
    assert rows == [2, 0, 0]
