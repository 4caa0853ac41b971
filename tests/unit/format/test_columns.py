"""Columns of files as the columns that are wanted: names, widening, refusals."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from spark_paimon import errors
from spark_paimon.format.base import FileSlice, ReadRequest
from spark_paimon.format.columns import conform, plan_columns
from spark_paimon.schema import (
    ArrayType,
    BigIntType,
    BinaryType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    Field,
    FloatType,
    IntType,
    LocalZonedTimestampType,
    MapType,
    RowType,
    SmallIntType,
    StringType,
    TimestampType,
    TimeType,
    VarBinaryType,
    to_arrow,
)
from tests.columnar_cases import columns

FILE = FileSlice("file:/w/t/p=1/f", partition="p=1")
UTC = dt.timezone.utc


def conformed(data: dict[str, Any], wanted: Sequence[Field], **settings: Any) -> pa.RecordBatch:
    request = ReadRequest("db.t", wanted, wanted, **settings)
    result = conform(pa.record_batch(data), FILE, request)
    result.validate(full=True)
    assert result.schema.equals(to_arrow(wanted), check_metadata=True)
    return result


def one(array: pa.Array, kind: DataType) -> list[Any]:
    values: list[Any] = conformed({"a": array}, columns(a=kind)).column(0).to_pylist()
    return values


def refused(data: dict[str, Any], wanted: Sequence[Field], **settings: Any) -> errors.IllegalStateError:
    with pytest.raises(errors.IllegalStateError) as caught:
        conformed(data, wanted, **settings)
    assert caught.value.parameters["path"] == FILE.path
    assert caught.value.parameters["table"] == "db.t"
    return caught.value


INTEGERS = {8: pa.int8(), 16: pa.int16(), 32: pa.int32(), 64: pa.int64()}


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        (pa.int8(), SmallIntType()),
        (pa.int8(), IntType()),
        (pa.int16(), IntType()),
        (pa.int32(), BigIntType()),
        (pa.uint8(), SmallIntType()),
        (pa.uint16(), IntType()),
        (pa.uint32(), BigIntType()),
        (pa.int8(), DecimalType(3, 0)),
        (pa.int16(), DecimalType(7, 2)),
        (pa.int32(), DecimalType(10, 0)),
        (pa.int64(), DecimalType(19, 0)),
        (pa.uint64(), DecimalType(20, 0)),
        (pa.int8(), DoubleType()),
        (pa.int32(), DoubleType()),
    ],
)
def test_whole_numbers_widen_with_all_of_their_values(source: pa.DataType, kind: DataType) -> None:
    bits, signed = source.bit_width, pa.types.is_signed_integer(source)
    ends = [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1] if signed else [0, 2**bits - 1]
    assert one(pa.array([*ends, None], source), kind) == [*ends, None]


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        (pa.int64(), IntType()),
        (pa.int16(), DecimalType(6, 2)),
        (pa.int64(), DecimalType(18, 0)),
        (pa.uint64(), BigIntType()),
        (pa.uint64(), DecimalType(19, 0)),
        (pa.int64(), DoubleType()),
        (pa.int32(), FloatType()),
        (pa.int32(), StringType()),
        (pa.int32(), DateType()),
        (pa.int64(), TimestampType(6)),
        (pa.float64(), FloatType()),
        (pa.float64(), BigIntType()),
        (pa.decimal128(10, 2), DecimalType(10, 1)),
        (pa.decimal128(10, 2), DecimalType(10, 3)),
        (pa.decimal128(10, 0), BigIntType()),
        (pa.decimal128(10, 2), DoubleType()),
        (pa.string(), IntType()),
        (pa.string(), VarBinaryType(10)),
        (pa.binary(), StringType()),
        (pa.bool_(), IntType()),
        (pa.date32(), LocalZonedTimestampType(6)),
        (pa.timestamp("us"), DateType()),
        (pa.timestamp("us", "UTC"), TimestampType(6)),
        (pa.time64("us"), BigIntType()),
        (pa.list_(pa.int64()), ArrayType(IntType())),
        (pa.int32(), ArrayType(IntType())),
        (pa.list_view(pa.int32()), ArrayType(IntType())),
        (pa.map_(pa.string(), pa.int32()), MapType(IntType(nullable=False), IntType())),
        (pa.list_(pa.int32()), RowType((Field(1, "x", IntType()),))),
        (pa.struct([("x", pa.int32())]), MapType(StringType(nullable=False), IntType())),
    ],
)
def test_what_could_lose_values_is_refused_by_its_type(source: pa.DataType, kind: DataType) -> None:
    error = refused({"a": pa.nulls(0, source)}, columns(a=kind))
    assert error.condition == "FILE_COLUMN_TYPE"
    assert error.parameters["expected"] == kind.sql()
    assert error.parameters["column"].startswith("a")
    assert error.parameters["found"] in str(source)


def test_floats_decimals_and_days_widen() -> None:
    assert one(pa.array([1.5, None], pa.float32()), DoubleType()) == [1.5, None]
    assert one(pa.array([1.5], pa.float32()).cast(pa.float16()), FloatType()) == [1.5]
    decimals = pa.array([Decimal("-99.99"), None], pa.decimal128(4, 2))
    assert one(decimals, DecimalType(6, 4)) == [Decimal("-99.9900"), None]
    assert one(decimals.cast(pa.decimal256(4, 2)), DecimalType(38, 2)) == [Decimal("-99.99"), None]
    days = [dt.date(1, 1, 1), dt.date(9999, 12, 31), None]
    moments = [dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31), None]
    assert one(pa.array(days, pa.date32()), TimestampType(6)) == moments
    assert one(pa.array(days, pa.date64()), DateType()) == days
    error = refused({"a": pa.array(days, pa.date32())}, columns(a=TimestampType(9)))
    assert "values that do not fit" in str(error)


@pytest.mark.parametrize("zone", [None, "UTC", "Asia/Shanghai"])
def test_units_of_timestamps_round_down_and_never_overflow(zone: str | None) -> None:
    kind = TimestampType if zone is None else LocalZonedTimestampType
    nanos = pa.array([-1, 0, 1999, None], pa.timestamp("ns", zone))
    wanted = columns(a=kind(6))
    assert conformed({"a": nanos}, wanted).column(0).cast(pa.int64()).to_pylist() == [-1, 0, 1, None]
    assert conformed({"a": nanos}, columns(a=kind(3))).column(0).cast(pa.int64()).to_pylist()[0] == -1
    millis = pa.array([-(2**63) // 1000 + 1], pa.timestamp("ms", zone))
    found = conformed({"a": millis}, wanted).column(0).cast(pa.int64())
    assert found.to_pylist() == [(-(2**63) // 1000 + 1) * 1000]
    error = refused({"a": pa.array([2**62], pa.timestamp("s", zone))}, wanted)
    assert error.condition == "FILE_COLUMN_TYPE"


def test_a_timestamp_without_zone_is_an_instant_of_utc() -> None:
    values = pa.array([dt.datetime(1500, 1, 1)], pa.timestamp("us"))
    assert one(values, LocalZonedTimestampType(6)) == [dt.datetime(1500, 1, 1, tzinfo=UTC)]


def test_times_take_the_unit_wanted() -> None:
    assert one(pa.array([dt.time(1, 2, 3, 999_999)], pa.time64("us")), TimeType(3)) == [
        dt.time(1, 2, 3, 999_000)
    ]
    assert one(pa.array([dt.time(1, 2, 3)], pa.time32("s")), TimeType(6)) == [dt.time(1, 2, 3)]


def test_other_encodings_become_the_plain_ones() -> None:
    text = pa.array(["x", None, ""])
    for kind in (pa.large_string(), pa.string_view()):
        assert one(text.cast(kind), StringType()) == ["x", None, ""]
    assert one(text.dictionary_encode(), StringType()) == ["x", None, ""]
    data = pa.array([b"ab", None])
    for kind in (pa.large_binary(), pa.binary_view(), pa.binary(2)):
        assert one(data.cast(kind), VarBinaryType(9)) == [b"ab", None]
        assert one(data.cast(kind), BinaryType(2)) == [b"ab", None]
    assert refused({"a": data}, columns(a=BinaryType(3))).condition == "FILE_COLUMN_TYPE"
    lists = [[1, None], None, []]
    assert one(pa.array(lists, pa.large_list(pa.int32())), ArrayType(BigIntType())) == lists
    assert one(pa.array([[1, 2], None], pa.list_(pa.int8(), 2)), ArrayType(IntType())) == [[1, 2], None]
    assert one(pa.nulls(2), ArrayType(IntType())) == [None, None]


def test_widening_goes_into_nested_types_and_through_slices() -> None:
    kind = pa.list_(pa.struct([("M", pa.map_(pa.string(), pa.int8())), ("f", pa.float32())]))
    rows = [[{"M": [("a", n)], "f": 0.5}, None] if n % 3 else None for n in range(20)]
    wanted = columns(
        a=ArrayType(
            RowType(
                (
                    Field(1, "f", DoubleType()),
                    Field(2, "m", MapType(StringType(nullable=False), DecimalType(5, 2))),
                    Field(3, "new", IntType()),
                )
            )
        )
    )
    request = ReadRequest("db.t", wanted, wanted)
    batch = pa.record_batch({"a": pa.array(rows, kind)})
    right = [
        row and [row[0] and {"f": 0.5, "m": [("a", Decimal(row[0]["M"][0][1]))], "new": None}, None]
        for row in rows
    ]
    for start, length in ((0, 20), (3, 11), (19, 1)):
        part = conform(batch.slice(start, length), FILE, request)
        part.validate(full=True)
        assert part.column(0).to_pylist() == right[start : start + length]


def test_names_match_exactly_first_and_then_ignoring_case() -> None:
    data = {"A": pa.array([1]), "a": pa.array([2])}
    assert conformed(data, columns(a=BigIntType())).column(0).to_pylist() == [2]
    assert conformed({"A": pa.array([1])}, columns(a=BigIntType())).column(0).to_pylist() == [1]
    missing = conformed({"A": pa.array([1])}, columns(a=BigIntType()), case_sensitive=True)
    assert missing.column(0).to_pylist() == [None]


def test_two_candidates_are_an_error() -> None:
    data = {"Ab": pa.array([1]), "aB": pa.array([2])}
    error = refused(data, columns(ab=BigIntType()))
    assert error.condition == "FILE_COLUMN_AMBIGUOUS"
    assert "Ab, aB" in str(error)
    assert conformed(data, columns(aB=BigIntType())).column(0).to_pylist() == [2]
    nested = {"r": pa.array([{"X": 1, "x": 2}])}
    kind = RowType((Field(1, "x", BigIntType()),))
    assert conformed(nested, columns(r=kind)).column(0).to_pylist() == [{"x": 2}]
    nested = {"r": pa.array([{"Xx": 1, "xX": 2}])}
    error = refused(nested, columns(r=RowType((Field(1, "xx", BigIntType()),))))
    assert (error.condition, error.parameters["column"]) == ("FILE_COLUMN_AMBIGUOUS", "r.xx")


def test_a_missing_column_is_null_unless_it_must_not_be() -> None:
    data = {"a": pa.array([1])}
    found = conformed(data, columns(b=ArrayType(StringType()), a=BigIntType()))
    assert found.to_pylist() == [{"b": None, "a": 1}]
    error = refused(data, columns(b=IntType(nullable=False)))
    assert (error.condition, error.parameters["column"]) == ("FILE_COLUMN_MISSING", "b")
    kind = RowType((Field(1, "x", BigIntType()), Field(2, "y", IntType(nullable=False))))
    error = refused({"r": pa.array([{"x": 1}])}, columns(r=kind))
    assert (error.condition, error.parameters["column"]) == ("FILE_COLUMN_MISSING", "r.y")


def test_a_null_in_a_column_that_is_not_null_is_an_error() -> None:
    wanted = columns(a=BigIntType(nullable=False))
    assert conformed({"a": pa.array([1])}, wanted).num_rows == 1
    error = refused({"a": pa.array([1, None])}, wanted)
    assert error.condition == "FILE_COLUMN_TYPE"
    assert "holds NULL" in str(error)
    assert refused({"a": pa.nulls(2)}, wanted).condition == "FILE_COLUMN_TYPE"


def test_a_plan_names_what_has_to_be_read_in_the_order_of_the_file() -> None:
    schema = pa.schema([("x", pa.int32()), ("B", pa.string()), ("a", pa.int32())])
    wanted = columns(a=BigIntType(), b=StringType(), missing=IntType())
    plan = plan_columns(schema, FILE, ReadRequest("db.t", wanted, wanted))
    assert plan.names == ("B", "a")
    batch = pa.record_batch([pa.array([1], pa.int32()), pa.array(["x"])], names=["a", "B"])
    assert plan.apply(batch).to_pylist() == [{"a": 1, "b": "x", "missing": None}]
    assert list(plan.batches(batch.slice(0, 0))) == []


def test_descriptions_of_columns_are_part_of_the_schema() -> None:
    wanted = [Field(0, "a", IntType(), description="number of é")]
    found = conformed({"a": pa.array([1], pa.int32())}, wanted)
    assert found.schema.field("a").metadata == {b"description": "number of é".encode()}
