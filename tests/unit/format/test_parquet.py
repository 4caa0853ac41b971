"""Parquet files: ours and those of others."""

from __future__ import annotations

import datetime as dt
import gc
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spark_paimon import errors
from spark_paimon.format import file_format
from spark_paimon.format.base import WriteRequest
from spark_paimon.options import TableOptions
from spark_paimon.schema import (
    ArrayType,
    BigIntType,
    BinaryType,
    DateType,
    IntType,
    LocalZonedTimestampType,
    RowType,
    StringType,
    TimestampType,
    TimeType,
    VariantType,
    to_arrow,
)
from spark_paimon.storage import qualify
from tests import recorded_files
from tests.columnar_cases import (
    CASES,
    FINE_TIMES,
    ROWS,
    TIMES,
    case_table,
    columns,
    count,
    read,
    storage_of,
    write,
)

PARQUET = file_format("parquet")
STORABLE = CASES | ROWS | TIMES | FINE_TIMES
LTZ = LocalZonedTimestampType(6)


@pytest.mark.parametrize("codec", PARQUET.codecs)
def test_every_type_comes_back_from_every_codec(tmp_path: Path, codec: str) -> None:
    fields, table = case_table(STORABLE)
    write("parquet", tmp_path / "f", fields, table, codec)
    assert read("parquet", tmp_path / "f", fields).equals(table)
    assert read("parquet", tmp_path / "f", fields, batch_rows=5).equals(table)
    assert count("parquet", tmp_path / "f") == table.num_rows


def test_others_find_the_values_and_plain_types(tmp_path: Path) -> None:
    fields, table = case_table(STORABLE)
    write("parquet", tmp_path / "f", fields, table)
    found = pq.read_table(tmp_path / "f")
    for name in table.column_names:
        assert found[name].to_pylist() == table[name].to_pylist(), name
    schema = pq.ParquetFile(tmp_path / "f").schema
    physical = {schema.column(at).path: schema.column(at).physical_type for at in range(len(schema))}
    assert "INT96" not in physical.values()
    assert physical["binary"] == "BYTE_ARRAY"
    assert {"array.list.element", "map.key_value.key", "map.key_value.value", "row.Y é"} <= set(physical)
    for name in ("timestamp", "timestamp(3)", "timestamp(0)", "timestamp ltz", "timestamp(3) ltz"):
        unit = "ms" if "(" in name else "us"
        assert found.schema.field(name).type == pa.timestamp(unit, "UTC" if "ltz" in name else None)
    assert found.schema.field("array of timestamps").type.value_type == pa.timestamp("us")


@pytest.mark.parametrize("digits", [0, 3, 4, 6, 7, 9])
def test_the_unit_in_the_file_is_that_of_the_precision(tmp_path: Path, digits: int) -> None:
    # Paimon's Java reader goes by the precision of the column.
    fields = columns(a=ArrayType(TimestampType(digits)), l=LocalZonedTimestampType(digits))
    table = pa.table([[[dt.datetime(2024, 1, 6)]], [dt.datetime(2024, 1, 6)]], schema=to_arrow(fields))
    write("parquet", tmp_path / "f", fields, table)
    found = pq.read_schema(tmp_path / "f")
    unit = "ms" if digits <= 3 else "us"
    assert found.field("a").type.value_type == pa.timestamp(unit)
    assert found.field("l").type == pa.timestamp(unit, "UTC")
    assert read("parquet", tmp_path / "f", fields).equals(table)


def test_int96_of_paimon_before_1970_is_read_right(tmp_path: Path) -> None:
    # Written by Paimon 1.4.2: nanoseconds that are negative within the day.
    nanos = [
        *(-1, -500, -1_000, -999_999_999_999, -86_400_000_000_000, -86_400_000_000_001),
        *(0, 5, 1_700_000_000_000_000_001, -9_000_000_000_000_000_001),
    ]
    path = recorded_files.write(recorded_files.PAIMON_INT96, tmp_path / "f")
    fields = columns(timestamp_9=TimestampType(6), ltz_9=LTZ)
    for rows in (3, 100):
        found = read("parquet", path, fields, batch_rows=rows)
        for name in found.column_names:
            assert found[name].cast(pa.int64()).to_pylist() == [value // 1000 for value in nanos]


def test_int96_of_others_is_read_as_it_is(tmp_path: Path) -> None:
    values = [dt.datetime(2300, 1, 1), dt.datetime(9999, 12, 31), dt.datetime(1, 1, 1), None]
    table = pa.table({"a": pa.array(values, pa.timestamp("us"))})
    pq.write_table(table, tmp_path / "f", use_deprecated_int96_timestamps=True)
    assert read("parquet", tmp_path / "f", columns(a=TimestampType(6)))["a"].to_pylist() == values


@pytest.mark.parametrize("stage", ["write", "close"])
@pytest.mark.parametrize("name", ["parquet", "orc"])
def test_a_writer_that_failed_is_silent_when_it_is_collected(
    tmp_path: Path, name: str, stage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    noise: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", noise.append)
    fields = columns(a=IntType(nullable=False))
    request = WriteRequest("db.t", fields, "zstd")
    writer = file_format(name).open_writer(storage_of(tmp_path / "f"), qualify(tmp_path / "f"), request)
    writer.write(pa.record_batch([pa.array([1], pa.int32())], schema=to_arrow(fields)))
    if stage == "write":
        with pytest.raises(errors.InvalidInputError):
            writer.write(pa.record_batch([pa.array([None], pa.int32())], schema=to_arrow(fields)))
    else:
        writer.sink._stream.close()  # type: ignore[attr-defined]
        with pytest.raises((OSError, ValueError)):
            writer.close()
    del writer
    gc.collect()
    assert noise == []


def test_brotli_is_a_matter_of_python() -> None:
    fields, options = columns(a=IntType()), TableOptions({"file.compression": " Brotli"})
    assert PARQUET.why_python_reads(fields, options) == "Spark has no codec for brotli"
    assert PARQUET.why_python_writes(fields, options, "brotli") == "Spark has no codec for brotli"
    assert PARQUET.why_python_reads(fields, TableOptions({})) is None


@pytest.mark.parametrize(("codec", "name"), [("lz4", "lz4_raw"), ("lz4_raw", "lz4_raw"), ("none", "none")])
def test_spark_writes_the_frames_of_lz4_that_everybody_reads(codec: str, name: str) -> None:
    assert PARQUET.spark_write_options(TableOptions({}), codec)["compression"] == name


@pytest.mark.parametrize("codec", ["none", "uncompressed"])
def test_none_and_uncompressed_are_the_same(tmp_path: Path, codec: str) -> None:
    fields = columns(a=IntType())
    write("parquet", tmp_path / "f", fields, pa.table([[1]], schema=to_arrow(fields)), codec)
    assert pq.ParquetFile(tmp_path / "f").metadata.row_group(0).column(0).compression == "UNCOMPRESSED"
    assert PARQUET.extension(codec, name_codec=True) == ".parquet"


def test_the_level_of_zstd_is_taken(tmp_path: Path) -> None:
    fields = columns(a=StringType())
    table = pa.table(
        [["".join(f"{n * k % 1009} word{k}" for k in range(9)) for n in range(9_000)]],
        schema=to_arrow(fields),
    )
    for level in ("1", "19"):
        write("parquet", tmp_path / level, fields, table, "zstd", **{"file.compression.zstd-level": level})
    assert (tmp_path / "19").stat().st_size < (tmp_path / "1").stat().st_size


def test_digits_that_microseconds_do_not_hold_are_refused(tmp_path: Path) -> None:
    fields = columns(a=TimestampType(9))
    table = pa.table([pa.array([1_000, -2_000], pa.timestamp("ns"))], schema=to_arrow(fields))
    write("parquet", tmp_path / "f", fields, table)
    assert read("parquet", tmp_path / "f", fields).equals(table)
    odd = pa.table([pa.array([1_001], pa.timestamp("ns"))], schema=to_arrow(fields))
    with pytest.raises(errors.InvalidInputError, match=r"column a of db\.t .* PARQUET: it has more digits"):
        write("parquet", tmp_path / "g", fields, odd)


def test_a_null_is_not_written_into_a_column_that_is_not_null(tmp_path: Path) -> None:
    table = pa.table([pa.array([None], pa.int32())], names=["a"])
    with pytest.raises(errors.InvalidInputError, match="NOT NULL"):
        write("parquet", tmp_path / "f", columns(a=IntType(nullable=False)), table)


def test_a_file_without_rows_reads_as_none(tmp_path: Path) -> None:
    fields, table = case_table(STORABLE)
    write("parquet", tmp_path / "f", fields, table.slice(0, 0))
    assert read("parquet", tmp_path / "f", fields).num_rows == 0
    assert count("parquet", tmp_path / "f") == 0


def test_rows_are_counted_when_no_column_is_wanted(tmp_path: Path) -> None:
    fields, table = case_table(STORABLE)
    write("parquet", tmp_path / "f", fields, table)
    found = read("parquet", tmp_path / "f", fields, [], batch_rows=5)
    assert (found.num_rows, found.num_columns) == (table.num_rows, 0)
    lacking = columns(other=IntType())
    assert read("parquet", tmp_path / "f", lacking).column(0).null_count == table.num_rows


def test_only_wanted_columns_are_read(tmp_path: Path) -> None:
    fields = columns(a=IntType(), b=StringType(), c=StringType())
    table = pa.table([[1, 2], ["x", "y"], ["u", "v"]], schema=to_arrow(fields))
    write("parquet", tmp_path / "f", fields, table, "none")
    content = bytearray((tmp_path / "f").read_bytes())
    at = pq.ParquetFile(tmp_path / "f").metadata.row_group(0).column(1).dictionary_page_offset
    content[at : at + 20] = b"\xff" * 20
    (tmp_path / "f").write_bytes(content)
    assert read("parquet", tmp_path / "f", fields, [fields[2], fields[0]]).to_pydict() == {
        "c": ["u", "v"],
        "a": [1, 2],
    }
    with pytest.raises(errors.IllegalStateError) as caught:
        read("parquet", tmp_path / "f", fields)
    assert caught.value.condition == "FILE_UNREADABLE"


def test_names_with_dots_are_names(tmp_path: Path) -> None:
    fields = columns(**{"a.b": IntType(), "a": RowType(tuple(columns(b=StringType())))})
    table = pa.table([[1], [{"b": "x"}]], schema=to_arrow(fields))
    write("parquet", tmp_path / "f", fields, table)
    assert read("parquet", tmp_path / "f", fields).equals(table)
    assert read("parquet", tmp_path / "f", fields, fields[1:]).to_pylist() == [{"a": {"b": "x"}}]


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "Asia/Shanghai"])
def test_timestamps_of_any_unit_and_zone_are_read(tmp_path: Path, unit: str, zone: str | None) -> None:
    values = [None, -1, 0, 1_234_567_891_234]
    pq.write_table(pa.table({"a": pa.array(values, pa.timestamp(unit, zone))}), tmp_path / "f")
    kind = TimestampType(6) if zone is None else LTZ
    found = read("parquet", tmp_path / "f", columns(a=kind))["a"].cast(pa.int64()).to_pylist()
    factor = {"ms": 1_000, "us": 1, "ns": 0.001}[unit]
    assert found == [None, *(int(value * factor // 1) for value in values[1:] if value is not None)]


def test_int96_is_read_at_microseconds_over_its_whole_range(tmp_path: Path) -> None:
    # pyarrow writes INT96 from nanoseconds only; the far ends are in the tests with Spark.
    values = [
        dt.datetime(1678, 1, 1),
        dt.datetime(1969, 12, 31, 23, 59, 59, 999999),
        dt.datetime(2262, 1, 1),
        None,
    ]
    table = pa.table({"a": pa.array(values, pa.timestamp("us"))})
    pq.write_table(table, tmp_path / "f", use_deprecated_int96_timestamps=True)
    assert pq.ParquetFile(tmp_path / "f").schema.column(0).physical_type == "INT96"
    assert read("parquet", tmp_path / "f", columns(a=TimestampType(6)))["a"].to_pylist() == values
    zoned = read("parquet", tmp_path / "f", columns(a=LTZ))["a"].to_pylist()
    assert zoned[:3] == [value.replace(tzinfo=dt.timezone.utc) for value in values if value]


def legacy(path: Path, columns: dict[str, Any], zone: str | None, **settings: Any) -> None:
    """A file as Spark writes it with datetimeRebaseModeInWrite=LEGACY."""
    keys = {"org.apache.spark.version": "4.2.1", "org.apache.spark.legacyDateTime": ""}
    if zone:
        keys["org.apache.spark.timeZone"] = zone
    pq.write_table(pa.table(columns).replace_schema_metadata(keys), path, **settings)


def test_legacy_calendar_of_spark_is_undone(tmp_path: Path) -> None:
    # Numbers of a file that Spark 4.2 wrote in the zone Asia/Shanghai.
    days = pa.array([-719164, -171655, -141428, -141427, 0, None], pa.int32()).cast(pa.date32())
    clocks = [-62135798400000000, -14830975503876544, -2209104000000000, 589912200000000, None]
    instants = pa.array([clocks], pa.list_(pa.timestamp("us", "UTC")))
    legacy(tmp_path / "d", {"d": days, "n": pa.array([clocks[0]] * 6, pa.timestamp("us"))}, None)
    found = read("parquet", tmp_path / "d", columns(d=DateType(), n=TimestampType(6)))
    assert found["d"].cast(pa.int32()).to_pylist() == [-719162, -171664, -141438, -141427, 0, None]
    assert found["n"].cast(pa.int64()).to_pylist() == [clocks[0]] * 6
    legacy(tmp_path / "t", {"l": instants}, "Asia/Shanghai")
    found = read("parquet", tmp_path / "t", columns(l=ArrayType(LTZ)))
    right = [-62135625943000000, -14831753446876544, -2209104343000000, 589912200000000, None]
    assert found["l"].combine_chunks().flatten().cast(pa.int64()).to_pylist() == right


def test_legacy_timestamps_of_an_unknown_zone_are_refused_only_before_1900(tmp_path: Path) -> None:
    young = pa.array([-2208988800000000, 0], pa.timestamp("us", "UTC"))
    legacy(tmp_path / "young", {"l": young}, None)
    assert read("parquet", tmp_path / "young", columns(l=LTZ))["l"].equals(pa.chunked_array([young]))
    legacy(tmp_path / "old", {"l": pa.array([-2208988800000001], pa.timestamp("us", "UTC"))}, None)
    with pytest.raises(errors.IllegalStateError, match="does not name the zone") as caught:
        read("parquet", tmp_path / "old", columns(l=LTZ))
    assert caught.value.condition == "FILE_UNREADABLE"


def test_a_version_of_spark_before_3_means_the_old_calendar(tmp_path: Path) -> None:
    day = pa.array([-141428], pa.int32()).cast(pa.date32())
    for version, right in (("2.4.8", -141438), ("3.0.0", -141428), ("nonsense", -141428)):
        table = pa.table({"d": day}).replace_schema_metadata({"org.apache.spark.version": version})
        pq.write_table(table, tmp_path / version)
        found = read("parquet", tmp_path / version, columns(d=DateType()))["d"]
        assert found.cast(pa.int32()).to_pylist() == [right]


def test_files_of_pandas_users_are_read(tmp_path: Path) -> None:
    table = pa.table(
        {
            "A": pa.array(["x", None, "x"]).dictionary_encode(),
            "b": pa.array(["x", None, ""], pa.large_string()),
            "c": pa.array([[1], None, []], pa.large_list(pa.int32())),
            "d": pa.array([b"ab", None, b"cd"], pa.binary(2)),
            "e": pa.nulls(3),
            "f": pa.array([[{"K": "x"}], None, []], pa.list_(pa.struct([("K", pa.large_string())]))),
        }
    )
    pq.write_table(table, tmp_path / "f")
    fields = columns(
        a=StringType(),
        b=StringType(),
        c=ArrayType(BigIntType()),
        d=BinaryType(2),
        e=IntType(),
        f=ArrayType(RowType(tuple(columns(k=StringType(), more=IntType())))),
    )
    assert read("parquet", tmp_path / "f", fields).to_pylist() == [
        {"a": "x", "b": "x", "c": [1], "d": b"ab", "e": None, "f": [{"k": "x", "more": None}]},
        {"a": None, "b": None, "c": None, "d": None, "e": None, "f": None},
        {"a": "x", "b": "", "c": [], "d": b"cd", "e": None, "f": []},
    ]


@pytest.mark.parametrize(
    ("content", "condition", "text"),
    [
        (b"", "FILE_UNREADABLE", "it is empty"),
        (b"PAR1", "FILE_UNREADABLE", "PARQUET"),
        (b"id,name\n1,a\n", "FILE_FORMAT_MISMATCH", "PARQUET, but is something else"),
        (b"ORC\x0a\x03\x00\x00\x12\x00", "FILE_FORMAT_MISMATCH", "PARQUET, but is ORC"),
        (b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00", "FILE_FORMAT_MISMATCH", "PARQUET, but is GZIP"),
    ],
)
def test_other_and_damaged_files_are_named(tmp_path: Path, content: bytes, condition: str, text: str) -> None:
    (tmp_path / "f").write_bytes(content)
    with pytest.raises(errors.IllegalStateError, match=text) as caught:
        read("parquet", tmp_path / "f", columns(a=IntType()))
    assert caught.value.condition == condition
    assert "f'" in str(caught.value)


def test_a_file_that_lost_its_end_is_unreadable(tmp_path: Path) -> None:
    fields, table = case_table(CASES)
    write("parquet", tmp_path / "f", fields, table)
    content = (tmp_path / "f").read_bytes()
    (tmp_path / "f").write_bytes(content[: len(content) // 2])
    with pytest.raises(errors.IllegalStateError) as caught:
        read("parquet", tmp_path / "f", fields)
    assert caught.value.condition == "FILE_UNREADABLE"


def test_a_missing_file_stays_that(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read("parquet", tmp_path / "f", columns(a=IntType()))


def test_variant_is_refused() -> None:
    nested = columns(a=IntType(), b=ArrayType(VariantType()))
    with pytest.raises(errors.UnsupportedError, match=r"PARQUET .* VARIANT of column b of db\.t"):
        PARQUET.check(nested, TableOptions({}), "db.t")
    PARQUET.check(case_table(STORABLE)[0], TableOptions({}), "db.t")


def test_spark_reads_and_writes_everything_but_time() -> None:
    options = TableOptions({})
    assert PARQUET.why_python_reads(case_table(CASES | ROWS)[0], options) is None
    assert PARQUET.why_python_writes(columns(t=TimestampType(4), l=LTZ), options, "snappy") is None
    why = PARQUET.why_python_writes(columns(t=ArrayType(TimestampType(3))), options, "snappy")
    assert why is not None
    assert why.startswith("column t holds a TIMESTAMP(3), which Spark writes as microseconds")
    for why in (
        PARQUET.why_python_reads(columns(t=ArrayType(TimeType(3))), options),
        PARQUET.why_python_writes(columns(t=TimeType(6)), options, "snappy"),
    ):
        assert why is not None
        assert why.startswith("column t holds a TIME")


def test_spark_gets_codec_and_level() -> None:
    options = TableOptions({"file.compression.zstd-level": "7"})
    assert PARQUET.spark_write_options(options, "snappy") == {"compression": "snappy"}
    assert PARQUET.spark_write_options(options, "zstd")["parquet.compression.codec.zstd.level"] == "7"
    assert PARQUET.extension("none", name_codec=True) == ".parquet"


def test_the_size_grows_with_what_is_written(tmp_path: Path) -> None:
    fields = columns(a=BigIntType())
    batch = pa.record_batch([pa.array(range(100_000))], schema=to_arrow(fields))
    request = WriteRequest("db.t", fields, "snappy")
    writer = PARQUET.open_writer(storage_of(tmp_path / "f"), qualify(tmp_path / "f"), request)
    sizes = []
    for _ in range(12):
        writer.write(batch)
        sizes.append(writer.size())
    writer.close()
    assert 0 < sizes[0] < sizes[5] < sizes[-1]
    assert 0.2 < sizes[-1] / (tmp_path / "f").stat().st_size < 5
    assert pq.ParquetFile(tmp_path / "f").num_row_groups == 2
